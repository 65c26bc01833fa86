"""Dev and test problems with an answer and no equation, as most people's own are."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.training.tiny_run import tiny_recipe
from treequation.cli import main
from treequation.data import jsonl
from treequation.training.loop import train
from treequation.training.recipe import RecipeError
from treequation.training.sources import load_problems


def without_equations(path: Path) -> None:
    jsonl.write([replace(problem, graph=None) for problem in jsonl.read(path).problems], path)


def test_they_choose_the_best_model_and_test_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = tiny_recipe(tmp_path, "training.epochs=2")
    train(known, tmp_path / "known", device="cpu")
    for name in ("dev", "test"):
        without_equations(tmp_path / f"{name}.jsonl")
    changes = ("--set", "training.epochs=2", "--set", "data.watch_test=true")
    where = ("--output", str(tmp_path / "valued"), "--device", "cpu")
    with pytest.raises(SystemExit) as ended:
        main(["train", str(tmp_path / "tiny.toml"), *changes, *where, "--test"])
    assert ended.value.code == 0
    assert "test: " in capsys.readouterr().out
    for first, second in zip(
        *((tmp_path / run / "metrics.jsonl").read_text().splitlines() for run in ("known", "valued")), strict=True
    ):
        scores, valued = json.loads(first)["dev"], json.loads(second)["dev"]
        assert valued["equation_accuracy"] is None
        assert valued["answer_accuracy"] == scores["answer_accuracy"]
        assert valued["literature_accuracy"] == pytest.approx(scores["answer_accuracy"])
        assert json.loads(second)["test"]["equation_accuracy"] is None


def test_what_cannot_choose_is_refused_before_training(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path)
    (tmp_path / "dev.jsonl").write_text('{"text": "3 cats and 4 dogs"}\n')
    with pytest.raises(RecipeError, match=r"data\.dev: no problem of .* has an equation or an answer"):
        load_problems(recipe.data)
