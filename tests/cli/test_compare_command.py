"""``treequation compare`` as a user runs it, on runs that are finished, which takes no processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.baselines.test_llm import Server, reply
from tests.cli.commands import run, train_here
from tests.training.tiny_run import write_recipe
from treequation.experiments import comparison
from treequation.experiments.comparison import compared_recipes
from treequation.experiments.peers import FIGURES, read_rows
from treequation.training import read_recipe, train

torch.set_num_threads(1)  # these tensors are too small to share


def trained(folder: Path) -> Path:
    """A recipe, and two finished runs of it: its own and that of a peer."""
    path = write_recipe(folder)
    path.write_text(path.read_text().replace("epochs = 3", "epochs = 2").replace("[model]", "[model]\nsymbols = 9"))
    train(read_recipe(path), folder / "runs" / "tiny", device="cpu")
    train(read_recipe(path, ["decoder=seq2tree"]), folder / "runs" / "tiny+decoder=seq2tree", device="cpu")
    return path


def test_compares_decoders_and_a_language_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = trained(tmp_path)
    server = Server(lambda place, request: reply("The answer is 7."))
    asks = tmp_path / "oracle.toml"
    cache = f'cache = "{tmp_path / "cache"}"'
    asks.write_text(f'[llm]\nurl = "{server.url}"\nmodel = "small"\n{cache}\n', encoding="utf-8")
    command = ("compare", recipe, asks, "--peer", "decoder=seq2tree", "--runs", tmp_path / "runs", "--device", "cpu")
    command += ("--timed", "6", "--batch-size", "4", "--rounds", "2", "--output", tmp_path / "results" / "c.json")
    assert run(*command, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    server.http.shutdown()
    assert found == json.loads((tmp_path / "results" / "c.json").read_text(encoding="utf-8"))
    assert found["compared_with"] == "tiny"
    entries: dict[str, dict[str, Any]] = {each["name"]: each for each in found["entries"]}
    assert list(entries) == [
        "tiny",
        "tiny decoder=seq2tree",
        "tiny decoder=seq2tree, greedy",
        "oracle",
        "nearest neighbour",
    ]
    for each in entries.values():
        assert each["count"] == found["problems"] == 20
    peer, ours, oracle = entries["tiny decoder=seq2tree"], entries["tiny"], entries["oracle"]
    assert peer["beam"] == 5
    assert 0 < peer["steps"]["mean"] <= peer["steps"]["max"] <= 9
    assert ours["against_ours"] is None
    against = peer["against_ours"]["answer"]
    assert against["difference"] == pytest.approx(peer["answer_accuracy"] - ours["answer_accuracy"])
    assert peer["parameters"]["encoder"] == ours["parameters"]["encoder"] < ours["parameters"]["all"]
    speed = peer["speed"]["problems_per_second"]
    assert 0 < speed["min"] <= speed["median"] <= speed["max"]
    assert oracle["steps"] is None
    assert oracle["speed"] is None
    assert oracle["equation_accuracy"] == 0
    copied = entries["nearest neighbour"]
    assert copied["parameters"] is None
    assert copied["steps"] is None
    assert copied["against_ours"]["answer"]["difference"] == copied["answer_accuracy"] - ours["answer_accuracy"]
    assert found["gold_steps"]["layers"]["mean"] <= found["gold_steps"]["prefix"]["mean"]
    # Once more, for people, without the server: its replies are kept.
    assert run(*command) == 0
    printed = capsys.readouterr()
    assert "already finished" in printed.err
    for part in (
        "unseen text",
        "nearest neighbour",
        "p against ours",
        "solving /s",
        "by expressions",
        "oracle",
        "tiny decoder=seq2tree",
    ):
        assert part in printed.out


ROWS = """
[GTS]
changes = ["decoder=seq2tree"]
encoder = "BiGRU"
[BERT-T]
same_as = "GTS"
encoder = "BERT"
[T-Dis]
changes = ["decoder=seq2tree", "model.auxiliary=discriminator"]
after = true
"""


def test_rows_of_a_published_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(comparison, "run_all", train_here)
    recipe, rows = trained(tmp_path), tmp_path / "rows.toml"
    rows.write_text(ROWS, encoding="utf-8")
    changes = ["decoder=seq2tree", "name=tiny-gts"]
    train(read_recipe(recipe, changes), tmp_path / "runs" / "tiny-gts", device="cpu")
    command = ("compare", recipe, "--peers", rows, "--runs", tmp_path / "runs", "--device", "cpu", "--timed", "2")
    command += ("--rounds", "1", "--parallel", "2", "--output", tmp_path / "c.json")
    assert run(*command) == 0  # one row is loaded, the other one trained
    printed = capsys.readouterr()
    assert "tiny-gts: already finished" in printed.err
    found = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    entries = {each["name"]: each["row"] for each in found["entries"]}
    assert list(entries) == [
        *("tiny", "tiny-gts", "tiny-gts, greedy", "tiny-t-dis", "tiny-t-dis, greedy", "nearest neighbour"),
    ]
    assert entries["tiny"] is None
    assert entries["tiny-gts"]["rebuilt"] == "the decoder"
    assert entries["tiny-t-dis"]["rebuilt"] == "after"
    assert found["same"][0]["rebuilt"] == "same as GTS"
    assert found["failed"] == {}
    for part in ("published rows", "same as GTS", "BiGRU", "T-Dis"):
        assert part in printed.out


def test_a_row_that_cannot_be_trained_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe, rows = trained(tmp_path), tmp_path / "rows.toml"
    rows.write_text('[Broken]\nchanges = ["decoder=seq2seq", "model.symbols=1"]\n', encoding="utf-8")
    command = ("compare", recipe, "--peers", rows, "--runs", tmp_path / "runs", "--device", "cpu", "--timed", "2")
    assert run(*command, "--rounds", "1", "--output", tmp_path / "c.json", "--json") == 0
    printed = capsys.readouterr()
    assert "tiny-broken is left out" in printed.err
    found = json.loads(printed.out)
    assert [each["name"] for each in found["entries"]] == ["tiny", "nearest neighbour"]
    assert list(found["failed"]) == ["tiny-broken"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("", "has no rows"),
        ("GTS = 3", "GTS must be a table"),
        ("[GTS]", "GTS needs either changes"),
        ('[GTS]\nsame_as = "GTS"', "which is not a row with changes"),
        ('[GTS]\nchange = ["decoder=seq2tree"]', "there is no GTS.change; did you mean GTS.changes?"),
        ('[GTS]\nchanges = ["decoder=seq2three"]', "decoder is 'seq2three'"),
    ],
)
def test_mistakes_in_rows_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: str, message: str
) -> None:
    path = tmp_path / "rows.toml"
    path.write_text(rows, encoding="utf-8")
    assert run("compare", write_recipe(tmp_path), "--peers", path, "--runs", tmp_path / "runs") == 1
    assert message in capsys.readouterr().err


def test_the_papers_rows_can_be_followed() -> None:
    rows = read_rows(Path("peers/paper"))
    gts = next(row for row in rows if row.name == "GTS")
    assert gts.about(["math23k:test"])["figure"] == 75.6
    assert all(row.encoder == "" or any(row.figure(which) for which in FIGURES) for row in rows)
    for recipe in ("mathqa", "math23k", "mawps"):
        entered = compared_recipes([Path(recipe)], [], rows=rows)
        assert len(entered) == 1 + sum(not row.same_as for row in rows)


def test_several_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = write_recipe(tmp_path)
    for seed, name in ((0, "tiny"), (1, "tiny-seed-1")):
        train(read_recipe(recipe, [f"training.seed={seed}"]), tmp_path / "runs" / name, device="cpu")
    command = ("compare", recipe, "--seeds", "2", "--runs", tmp_path / "runs", "--device", "cpu", "--timed", "4")
    assert run(*command, "--rounds", "1", "--output", tmp_path / "c.json", "--json") == 0
    ours, _ = json.loads(capsys.readouterr().out)["entries"]
    first, second = (each["answer_accuracy"] for each in ours["seeds"]["runs"])
    assert ours["answer_accuracy"] == first
    assert ours["seeds"]["answer_accuracy"]["mean"] == pytest.approx((first + second) / 2)


def test_mistakes_are_named_before_anything_is_trained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = write_recipe(tmp_path)
    for arguments, message in (
        ((recipe, "--peer", "decoder=seq2three"), "'seq2three'; it must be one of expression-tree, chained, "),
        ((recipe, recipe), "two entries are called tiny"),
        ((recipe, "--peer", "data.test=[]"), "no test problems"),
    ):
        assert run("compare", *arguments, "--runs", tmp_path / "runs") == 1
        assert message in capsys.readouterr().err
    asks = tmp_path / "llm.toml"
    asks.write_text('[llm]\nurl = "http://localhost"\n', encoding="utf-8")
    assert run("compare", asks) == 1
    assert "llm.model is missing" in capsys.readouterr().err
    asks.write_text('[llm]\nurl = "http://localhost"\nmodel = "m"\n', encoding="utf-8")
    assert run("compare", asks) == 1
    assert "at least one recipe that trains" in capsys.readouterr().err


def test_what_is_not_trained_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(comparison, "run_all", train_here)
    recipe, runs = write_recipe(tmp_path), tmp_path / "runs"
    command = (
        "compare",
        recipe,
        "--peer",
        "model.queries=1 model.steps=9",
        "--set",
        "training.epochs=1",
        "--parallel",
        "2",
    )
    command += ("--runs", runs, "--device", "cpu", "--timed", "2", "--rounds", "1", "--output", tmp_path / "c.json")
    assert run(*command, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found["entries"]] == [
        "tiny",
        "tiny model.queries=1 model.steps=9",
        "nearest neighbour",
    ]
    recipes = [json.loads((folder / "run.json").read_text())["recipe"] for folder in sorted(runs.glob("*/"))]
    assert [each["training"]["epochs"] for each in recipes] == [1, 1]
    assert [each["model"]["queries"] for each in recipes] == [3, 1]


def test_an_entry_may_be_given_a_name(tmp_path: Path) -> None:
    found = compared_recipes([write_recipe(tmp_path)], ["decoder=seq2seq", "name=gts decoder=seq2tree"])
    assert [compared.name for compared in found] == ["tiny", "tiny decoder=seq2seq", "gts"]
    assert found[2].recipe.decoder == "seq2tree"
    assert [repeat.name for repeat in found[2].repeats(2)] == ["gts", "gts-seed-1"]


def test_other_test_problems_are_told_before_anything_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(comparison, "run_all", lambda *_, **__: pytest.fail("it trains"))
    recipe = write_recipe(tmp_path)
    other = tmp_path / "other.toml"
    other.write_text(recipe.read_text(encoding="utf-8").replace("test.jsonl", "dev.jsonl"), encoding="utf-8")
    assert run("compare", recipe, other, "--runs", tmp_path / "runs") == 1
    assert "other has other test problems than tiny" in capsys.readouterr().err
    peer = f"data.test={tmp_path / 'dev.jsonl'}"
    assert run("compare", recipe, "--peer", peer, "--runs", tmp_path / "runs") == 1
    assert f"tiny {peer} has other test problems than tiny" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "option"), [("compare", "--output"), ("seeds", "--record")])
def test_a_folder_where_a_file_belongs_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, option: str
) -> None:
    assert run(command, write_recipe(tmp_path), option, tmp_path) == 2
    assert "is a directory" in capsys.readouterr().err
