"""Verdicts follow from the runs: enough of them, and a difference that is no chance, or nothing is claimed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from treequation.data.reading import DataError
from treequation.evaluation.paired_comparison import compare_figures, compare_runs
from treequation.experiments.claim_variants import ClaimVariants
from treequation.experiments.neighbour_entry import NEAREST_NEIGHBOUR
from treequation.experiments.run_store import StoredRun, StoredTestSet
from treequation.reporting import claims_section, peers_section
from treequation.reporting.claims import CLAIMS, Claim
from treequation.reporting.run_groups import best_regimes, run_groups
from treequation.reporting.verdicts import judge

ROOT = Path(__file__).parents[2]
PROBLEMS = 400
GOLD = {family: {"mean": 1.0, "std": 0.0, "max": 1} for family in ("infix", "prefix", "expressions", "layers")}
TEST_SET = StoredTestSet(
    problems=PROBLEMS,
    ids="",
    shape="st" * (PROBLEMS // 2),
    expressions="18" * (PROBLEMS // 2),
    gold_steps=GOLD,
    seen="10" * (PROBLEMS // 2),
    unlike="0001" * (PROBLEMS // 4),
    nearest_neighbour="1" * (PROBLEMS // 2) + "0" * (PROBLEMS // 2),
)


def stored(
    variant: str, seed: int, accuracy: float, *, dev: float = 0.7, batch: int = 64, steps: float = 3
) -> StoredRun:
    """A run that solves about this share of the problems."""
    right = np.random.default_rng([seed, *variant.encode()]).random(PROBLEMS) < accuracy
    recipe = {f"training.{key}": 1 for key in ("learning_rate", "encoder_learning_rate", "epochs")}
    recipe |= {"training.batch_size": batch, "training.seed": seed, "encoder.name": "tiny", "encoder.layers": 2}
    text = "".join("1" if each else "0" for each in right)
    mean = {"mean": steps + seed / 100, "std": 0.0, "max": 9.0}
    return StoredRun(
        variant, seed, recipe, "treequation train", "2026-11-18", "a machine", "", 1.0, 1, {"1": dev}, mean, text
    )


def seeds(variant: str, accuracy: float, count: int = 3, **more: float) -> list[StoredRun]:
    return [stored(variant, seed, accuracy, **more) for seed in range(count)]  # type: ignore[arg-type]


def verdict(first: Sequence[StoredRun], second: Sequence[StoredRun], claim: Claim | None = None) -> str:
    claim = claim or Claim("a is better", "b", {}, "a")
    return judge(claim, {"a": first, "b": second}, TEST_SET).verdict


def test_verdicts() -> None:
    good, bad = seeds("a", 0.8), seeds("b", 0.6)
    assert verdict(good, bad) == "holds"
    assert verdict(seeds("a", 0.6), seeds("b", 0.8)) == "does not hold"
    assert verdict(good, seeds("b", 0.8)) == "undecided: not significant"
    assert verdict(good[:2], bad) == "undecided: 2 seeds"
    assert verdict(good, bad[:1]) == "undecided: one seed"
    assert verdict(good, []) == "not measured"
    assert verdict([], bad) == "not measured"


def test_a_difference_that_hangs_on_one_seed_is_not_told() -> None:
    """Over the problems it is sure; over seeds it is not: one of the three collapsed."""
    collapsed = [*seeds("b", 0.8, 2), stored("b", 2, 0.1)]
    found = judge(Claim("", "b", {}, "a"), {"a": seeds("a", 0.8), "b": collapsed}, TEST_SET)
    assert found.p_problems is not None
    assert found.p_problems < 0.001
    assert found.verdict == "undecided: not significant"


def test_level_is_less_than_the_margin_behind() -> None:
    level = Claim("a is level with b", "b", {}, "a", margin=0.2)
    assert verdict(seeds("a", 0.75), seeds("b", 0.8), level) == "holds"
    assert verdict(seeds("a", 0.3), seeds("b", 0.8), level) == "does not hold"
    assert verdict(seeds("a", 0.6), seeds("b", 0.8), level).startswith("undecided")


def test_only_the_part_counts() -> None:
    """Right on trees, which have eight expressions here, and wrong on single expressions."""
    trees = [StoredRun(**{**asdict(each), "right": "01" * (PROBLEMS // 2)}) for each in seeds("a", 0.5)]
    for part, ours in (("tree", 1.0), ("8+", 1.0), ("single", 0.0), ("1", 0.0)):
        found = judge(Claim("", "b", {}, "a", part), {"a": trees, "b": seeds("b", 0.5)}, TEST_SET)
        assert found.first == (ours, 0.0)
        assert found.verdict == ("holds" if ours else "does not hold")
    assert judge(Claim("", "b", {}, "a", "5"), {"a": trees, "b": trees}, TEST_SET).verdict == "not measured"


def test_fewer_steps_are_better() -> None:
    fewer = Claim("", "b", {}, "a", steps=True)
    few, many = seeds("a", 0.5, steps=3), seeds("b", 0.5, steps=12)
    assert verdict(few, many, fewer) == "holds"
    assert verdict(many, few, fewer) == "does not hold"
    assert verdict(few[:1], many, fewer) == "undecided: one seed"


def test_the_nearest_neighbour_needs_no_seeds() -> None:
    claim = Claim("", NEAREST_NEIGHBOUR, {}, "a")
    assert judge(claim, {"a": seeds("a", 0.8)}, TEST_SET).verdict == "holds"
    assert judge(claim, {"a": seeds("a", 0.2)}, TEST_SET).verdict == "does not hold"
    assert judge(claim, {"a": seeds("a", 0.8, 1)}, TEST_SET).verdict == "undecided: one seed"


def test_the_regime_is_chosen_on_dev_over_the_seeds_that_all_have() -> None:
    large = seeds("a", 0.2, dev=0.75, batch=128)
    lucky = [stored("a", 0, 0.9, dev=0.7), stored("a", 5, 0.9, dev=0.99)]  # seed 5 is not in the other regime
    assert best_regimes([*lucky, *large]) == {"a": large}
    assert best_regimes([*seeds("a", 0.1, dev=0.8), *large])["a"] == seeds("a", 0.1, dev=0.8)


def test_tests_over_runs() -> None:
    same = np.eye(4)[:3]
    assert compare_runs(same, same).p_problems == 1
    assert compare_runs(same[:1], same[1:2]).p_seeds is None
    certain = compare_runs(np.ones((3, 4)), np.zeros((3, 4)))
    assert (certain.difference, certain.p_problems, certain.p_seeds) == (1, 0, 0)
    assert compare_figures([1.0, 1.0], [1.0, 1.0], fixed=False) == 1
    with pytest.raises(DataError):
        compare_runs(np.ones((3, 4)), np.ones((3, 5)))


def test_the_page_is_made_of_the_runs(tmp_path: Path) -> None:
    assert claims_section.tables(run_groups(tmp_path)) == []
    folder = tmp_path / "runs" / "mathqa"
    folder.mkdir(parents=True)
    (folder / "test-set.json").write_text(json.dumps(asdict(TEST_SET)), encoding="utf-8")
    for name, runs in (("six queries", seeds("six queries", 0.8)), ("GTS", seeds("GTS", 0.5, steps=10))):
        lines = "".join(json.dumps(asdict(each)) + "\n" for each in runs)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    claims, entries, by_expressions, steps, math23k = claims_section.tables(run_groups(tmp_path))
    verdicts = {row[0]: row[-1] for row in claims.rows}
    assert verdicts["better than GTS"] == verdicts["fewer steps than sequence to tree"] == "holds"
    assert verdicts["better than RE-Ext"] == "not measured"
    assert [row[0] for row in entries.rows] == ["six queries", "GTS", NEAREST_NEIGHBOUR]
    assert "unlike text (100)" in entries.columns
    assert by_expressions.rows[-1] == (NEAREST_NEIGHBOUR, "50.0", *[""] * 6, "50.0")
    assert [row[-1] for row in steps.rows] == ["not measured", "10.01 ± 0.01", "not measured", "3.01 ± 0.01"]
    assert {row[-1] for row in math23k.rows} == {"not measured"}


def test_claims_name_variants_that_can_be_trained() -> None:
    known = {*ClaimVariants.read(Path("paper/claims")).variants, NEAREST_NEIGHBOUR}
    assert {name for claim in CLAIMS for name in (claim.first, claim.second)} <= known
    for data in claims_section.ALWAYS:
        claims = [claim for claim in CLAIMS if data in claim.paper]
        assert len({claim.text for claim in claims}) == len(claims) >= 20


def test_the_systems_of_the_papers_table_are_listed_as_far_as_they_were_trained(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "mathqa"
    folder.mkdir(parents=True)
    (folder / "test-set.json").write_text(json.dumps(asdict(TEST_SET)))
    ours = peers_section.OURS
    runs = {ours: 0.9, "GTS": 0.6, "Transformer decoder": 0.7, "E-Pointer": 0.8, "six queries": 0.5}
    for place, (name, accuracy) in enumerate(runs.items()):
        lines = [json.dumps(asdict(run)) for run in seeds(name, accuracy, count=2)]
        (folder / f"{place}.jsonl").write_text("\n".join(lines) + "\n")
    systems = peers_section.systems_in(run_groups(tmp_path))
    (table,) = peers_section.tables(systems)
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    names = ["ours", "E-Pointer", "Transformer decoder, 6 layers", "GTS", "the paper's decoder", NEAREST_NEIGHBOUR]
    assert list(rows) == names
    assert rows["GTS"]["published %"] == "71.3"
    assert rows["GTS"]["with the encoder"] == "BiGRU"
    assert rows["GTS"]["p against ours"] == "< 0.001"
    assert rows["ours"]["p against ours"] == ""
    assert rows[NEAREST_NEIGHBOUR]["accuracy %"] == "50.0"
    missing = table.title.partition("not trained yet: ")[2]
    assert "Graph2Tree" in missing
    assert "E-Pointer" not in missing
    (chart,) = peers_section.charts(systems)
    assert re.fullmatch(r"peers-mathqa-tiny[\w.-]+", chart.name)  # it is part of a link
    assert [name for name, _ in chart.points] == list(rows)[:-1]
