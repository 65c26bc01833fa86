"""The paper's claims, tested on the runs under ``results/runs``, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from treequation.evaluation.analysis.decoding_steps import FAMILIES
from treequation.evaluation.summary import MAX_EXPRESSIONS, mean_and_std
from treequation.experiments import paper
from treequation.experiments.neighbour_entry import NEAREST_NEIGHBOUR
from treequation.experiments.run_store import StoredRun
from treequation.reporting.claims import BASE, CLAIMS, Claim
from treequation.reporting.run_groups import RunGroup
from treequation.reporting.tables import Table, percent, probability, spread
from treequation.reporting.verdicts import NOT_MEASURED, Bools, Judged, accuracy, bits, judge, part_of, solved_by

TITLE = "The paper's claims, one by one"
ALWAYS = ("mathqa", "math23k")  # their claims are listed even without runs
_SHAPES = ("single", "chain", "tree")
_COUNTS = (*(str(count) for count in range(1, MAX_EXPRESSIONS)), f"{MAX_EXPRESSIONS}+")
_FAMILIES = {"infix": "Transformer decoder", "prefix": "GTS", "expressions": "RE-Ext", "layers": BASE}


def tables(groups: Sequence[RunGroup]) -> list[Table]:
    """For each data set and encoder: the claims, the entries, accuracy by expressions, and steps.

    Empty if no run is stored.
    """
    if not groups:
        return []
    found = []
    for data in dict.fromkeys([*ALWAYS, *(group.data for group in groups)]):
        own = [group for group in groups if group.data == data]
        found += [table for group in own for table in _tables(group)]
        if not own:
            found.append(_claims(f"{data}: claims", data, [(claim, Judged()) for claim in _claims_on(data)]))
    return found


def _tables(group: RunGroup) -> list[Table]:
    judged = [(claim, judge(claim, group.chosen, group.test_set)) for claim in _claims_on(group.data)]
    return [
        _claims(f"{group.title}: claims", group.data, judged),
        _entries(group),
        _by_expressions(group),
        _steps(group),
    ]


def _claims_on(data: str) -> list[Claim]:
    return [claim for claim in CLAIMS if data in claim.paper]


def _claims(title: str, data: str, judged: Sequence[tuple[Claim, Judged]]) -> Table:
    columns = ["claim", "the paper's", "first", "second", "seeds", "difference", "p: problems", "p: seeds", "verdict"]
    rows = []
    for claim, found in judged:
        sides = [_figure(side, claim.steps) for side in (found.first, found.second)]
        seeds = "" if found.verdict == NOT_MEASURED else "{}, {}".format(*found.seeds)
        if claim.second == NEAREST_NEIGHBOUR:
            seeds = seeds.partition(",")[0]
        rows.append(
            [
                claim.text,
                claim.paper[data] or "–",
                *sides,
                seeds,
                _difference(found.difference, claim.steps),
                probability(found.p_problems),
                probability(found.p_seeds),
                found.verdict,
            ]
        )
    return Table.of(title, columns, rows)


def _figure(side: tuple[float, float | None] | None, steps: bool) -> str:
    if side is None:
        return ""
    if not steps:
        return spread(*side)
    mean, std = side
    return f"{mean:.2f}" if std is None else f"{mean:.2f} ± {std:.2f}"


def _difference(difference: float | None, steps: bool) -> str:
    if difference is None:
        return ""
    return f"{difference:+.2f}" if steps else f"{100 * difference:+.1f}"


def _entries(group: RunGroup) -> Table:
    test_set = group.test_set
    parts: dict[str, Bools | None] = {"all": part_of(test_set, "")}
    parts["unseen text"] = None if test_set.seen is None else ~bits(test_set.seen)
    parts["unlike text"] = None if test_set.unlike is None else bits(test_set.unlike)
    parts |= {shape: part_of(test_set, shape) for shape in _SHAPES}
    sizes = [f"{name} ({mask.sum():,})" if mask is not None else name for name, mask in parts.items()]
    rows = []
    for name, cells in _accuracies(group, list(parts.values())).items():
        runs = group.chosen.get(name)  # the nearest neighbour has none
        rows.append([name, *([_regime(runs[0]), str(len(runs))] if runs else ["", ""]), *cells])
    return Table.of(f"{group.title}: entries, accuracy %", ["entry", "regime", "seeds", *sizes], rows)


def _by_expressions(group: RunGroup) -> Table:
    masks = [part_of(group.test_set, count) for count in _COUNTS]
    rows = [[name, *cells] for name, cells in _accuracies(group, masks).items()]
    sizes = [f"{count} ({mask.sum():,})" for count, mask in zip(_COUNTS, masks, strict=True)]
    return Table.of(f"{group.title}: accuracy % by number of expressions", ["entry", *sizes], rows)


def _accuracies(group: RunGroup, masks: Sequence[Bools | None]) -> dict[str, list[str]]:
    """Each variant's accuracy on each part of the problems, the most accurate first; then the nearest neighbour's."""
    right = solved_by(group.chosen, group.test_set)
    return {
        name: ["" if mask is None or not mask.any() else spread(*accuracy(right[name][:, mask])) for mask in masks]
        for name in sorted(right, key=lambda name: (name == NEAREST_NEIGHBOUR, -right[name].mean()))
    }


def _steps(group: RunGroup) -> Table:
    published = paper.STEPS.get(group.data)
    rows = []
    for family, name in FAMILIES.items():
        runs = group.chosen.get(_FAMILIES[family], ())
        taken = _figure(mean_and_std([run.steps["mean"] for run in runs]), steps=True) if runs else NOT_MEASURED
        own = "" if published is None else f"{published[family].mean}"
        rows.append([name, own, f"{group.test_set.gold_steps[family]['mean']:.2f}", _FAMILIES[family], taken])
    columns = ["family", "the paper's", "gold equations need", "entry", "steps taken"]
    return Table.of(f"{group.title}: mean decoding steps", columns, rows)


def _regime(run: StoredRun) -> str:
    batch, rate, encoder_rate, epochs = (
        run.recipe[f"training.{name}"] for name in ("batch_size", "learning_rate", "encoder_learning_rate", "epochs")
    )
    return f"batch {batch}, rates {rate:g} and {encoder_rate:g}, {epochs} epochs, dev {percent(run.best_dev)}"
