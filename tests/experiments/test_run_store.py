"""Finished runs are kept small, each once, under the name of the variant that their recipe is."""

from __future__ import annotations

import json
import shlex
from itertools import cycle
from pathlib import Path

import pytest
import torch

from tests.cli.commands import run
from tests.training.tiny_run import write_recipe
from treequation.errors import TreequationError
from treequation.experiments import claim_variants
from treequation.experiments.claim_variants import OTHER, ClaimVariants, settings
from treequation.experiments.neighbour_entry import copy_equations
from treequation.experiments.run_store import STORE, add_runs, read_store, shortened
from treequation.training import read_recipe, train
from treequation.training.recipe import PACKAGED, Recipe, recipe_from
from treequation.training.run_folder import RunFolder
from treequation.training.sources import load_problems

torch.set_num_threads(1)  # these tensors are too small to share
ROOT = Path(__file__).parents[2]
CLAIMS = PACKAGED / "paper" / "claims.toml"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recipe, the file of its variants, and three finished runs of one epoch."""
    folder = tmp_path_factory.mktemp("runs")
    recipe = write_recipe(folder)
    variants = (
        '[recipes]\ntest = "tiny.toml"\n[regimes]\n[variants]\n"three queries" = []\n"one" = ["model.queries=1"]\n'
    )
    (folder / "claims.toml").write_text(variants, encoding="utf-8")
    for name, changes in (
        ("first", ["training.seed=0"]),
        ("second", ["training.seed=1", "data.watch_test=true"]),  # to look at the test problems changes nothing
        ("odd", ["model.queries=2"]),
    ):
        made = read_recipe(recipe, [*changes, "training.epochs=1"])
        train(made, folder / "runs" / name, device="cpu")
    return folder


def test_runs_are_added_once_and_read_back(trained: Path, tmp_path: Path) -> None:
    variants, messages = ClaimVariants.read(trained / "claims.toml"), list[str]()
    assert add_runs([trained / "runs" / "first"], tmp_path, variants, messages.append) == 1
    assert add_runs([trained / "runs"], tmp_path, variants, messages.append) == 2
    assert add_runs([trained / "runs"], tmp_path, variants, messages.append) == 0
    assert sum("already" in each for each in messages) == 4
    assert any(
        "is not a variant of the claims; it differs from 'three queries' in model.queries" in each for each in messages
    )
    test_set, runs = read_store(tmp_path)["test"]
    assert [(each.variant, each.seed) for each in runs] == [(OTHER, 0), ("three queries", 0), ("three queries", 1)]
    outcomes = RunFolder.read(trained / "runs" / "first").outcomes()
    stored = runs[1]
    assert stored.right == "".join(str(int(each.literature_right)) for each in outcomes)
    assert stored.steps["mean"] == sum(each.steps for each in outcomes) / len(outcomes)
    assert list(stored.dev) == ["1"]
    assert stored.seconds is not None
    assert stored.seconds > 0
    assert stored.device.endswith("processor")
    assert "--set training.epochs=1" in stored.command
    assert stored.recipe["training.epochs"] == 1
    copied = copy_equations(load_problems(read_recipe(trained / "tiny.toml").data))
    assert test_set.problems == len(outcomes) == 20
    assert test_set.nearest_neighbour == "".join(str(int(each.literature_right)) for each in copied.outcomes)
    assert test_set.unlike is not None
    assert test_set.unlike.count("1") == sum(copied.unlike)
    assert test_set.shape == "".join(each.shape[0] for each in outcomes)
    for path in tmp_path.rglob("*.json*"):  # no text, no equation
        assert not any(each.gold_equation in path.read_text(encoding="utf-8") for each in outcomes if each.expressions)


def test_the_command_adds_runs_and_fills_the_page(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "claims.md"
    page.write_text("<!-- made from claims -->\n<!-- end -->\n", encoding="utf-8")
    command = ("report", "--results", tmp_path / "results", "--docs", tmp_path, "--output", tmp_path / "report")
    command += ("--variants", trained / "claims.toml")
    assert run(*command, "--add", trained / "runs" / "first") == 0
    assert "added to" in capsys.readouterr().err
    assert "| three queries | batch 16," in page.read_text(encoding="utf-8")
    assert "nearest neighbour" in page.read_text(encoding="utf-8")
    assert run(*command, "--check") == 0
    assert run(*command, "--add", tmp_path) == 1
    assert "there is no finished run in" in capsys.readouterr().err
    assert run(*command, "--add", trained / "runs", "--variants", tmp_path / "none.toml") == 1
    assert "there is no recipe" in capsys.readouterr().err


def test_the_missing_runs_are_commands_that_fill_the_store(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ("missing", "test", "-n", "2", "--set", "training.epochs=1", "--variants", trained / "claims.toml")
    variants, store = ClaimVariants.read(trained / "claims.toml"), tmp_path / "results" / STORE
    add_runs([trained / "runs"], store, variants)  # three queries with both seeds

    def missing() -> list[str]:
        assert run(*command) == 0
        return capsys.readouterr().out.splitlines()

    first, second = missing()
    assert first.endswith("--set model.queries=1 --set training.seed=0 --output runs/test/one-0")
    assert second.endswith("--set training.seed=1 --output runs/test/one-1")
    assert run(*shlex.split(first)[1:], "--device", "cpu") == 0
    capsys.readouterr()
    add_runs([Path("runs/test")], store, variants)
    assert missing() == [second]
    assert run("missing", "else", "--variants", trained / "claims.toml") == 1
    assert "the claims have no recipe for else, only for test" in capsys.readouterr().err


def test_the_settings_of_a_run_that_began_with_another_model_are_those_that_its_recipe_names() -> None:
    recipe = recipe_from({"start": "runs/first", "data": {"train": ["mine.jsonl"]}, "model": {"denoising": 0.1}})
    own = settings(recipe)
    assert (own["model.denoising"], own["model.queries"], own["encoder.name"]) == (0.1, 6, "of first")


def test_a_run_of_other_problems_is_refused(trained: Path, tmp_path: Path) -> None:
    variants = ClaimVariants.read(trained / "claims.toml")
    add_runs([trained / "runs" / "first"], tmp_path, variants)
    path = tmp_path / "test" / "test-set.json"
    path.write_text(path.read_text().replace('"ids": "', '"ids": "0'), encoding="utf-8")
    with pytest.raises(TreequationError, match="was tested on other problems"):
        add_runs([trained / "runs" / "second"], tmp_path, variants)


def test_damaged_files_are_named(trained: Path, tmp_path: Path) -> None:
    variants = ClaimVariants.read(trained / "claims.toml")
    add_runs([trained / "runs" / "first"], tmp_path, variants)
    path = tmp_path / "test" / "three-queries.jsonl"
    line = json.loads(path.read_text(encoding="utf-8"))
    for content, message in (
        ("{", "line 1 is not JSON"),
        ("{}", "line 1: variant is missing"),
        (json.dumps({**line, "right": "101"}), "has 3 outcomes, not 20"),
    ):
        path.write_text(content + "\n", encoding="utf-8")
        with pytest.raises(TreequationError, match=message):
            read_store(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[recipes]\n[variants]\n", "regimes is missing"),
        ("[recipes]\n[regimes]\n[variants]\na = 1\n", "variants.a must be a list of strings"),
        ("[recipes", "is not TOML"),
    ],
)
def test_a_wrong_file_of_variants(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TreequationError, match=message):
        ClaimVariants.read(path)


def test_every_variant_can_be_trained_in_every_regime_and_is_told_from_the_others() -> None:
    claims = ClaimVariants.read(CLAIMS)
    default = settings(Recipe())
    regimes = cycle(claims.regimes.values())
    for data, path in claims.recipes.items():
        for name, changes in claims.variants.items():
            more = [*next(regimes), "training.seed=7", "encoder.name=elsewhere/encoder"]
            own = settings(read_recipe(path, [*changes, *more]))
            assert json.loads(json.dumps(default | shortened(own))) == own
            assert data != "mathqa" or claims.variant_of(own, data) == name
    assert claims.variant_of({**default, "model.queries": 3}, "mathqa") == OTHER
    assert claims.variant_of(default, "svamp") == OTHER
    gts = read_recipe(claims.recipes["mathqa"], ["decoder=seq2tree", "model.teacher=gold"])  # which it does not have
    assert claims.variant_of(settings(gts), "mathqa") == "GTS"


def test_a_variant_is_read_once_however_many_runs_are_compared_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    claims, read = ClaimVariants.read(CLAIMS), list[str]()
    monkeypatch.setattr(claim_variants, "read_recipe", lambda *all: read.append("") or read_recipe(*all))
    for queries in (1, 2, 3):
        assert claims.differing({**settings(Recipe()), "model.queries": queries}, "mathqa").keys() == set(
            claims.variants
        )
    assert len(read) == len(claims.variants)


def test_committed_runs_are_of_the_variants_that_they_name() -> None:
    claims = ClaimVariants.read(CLAIMS)
    store = read_store(ROOT / "results" / STORE)
    assert "mathqa" in store
    for data, (_, runs) in store.items():
        for each in runs:
            assert claims.variant_of(settings(Recipe()) | each.recipe, data) == each.variant
