"""``treequation train`` as a user runs it, with runs of seconds."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.training.tiny_run import write_recipe
from treequation.cli import main
from treequation.evaluation.outcome_file import read_outcomes
from treequation.experiments import repeats
from treequation.experiments.voting import vote
from treequation.training import checkpoint


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_trains_into_a_run_folder_that_can_be_evaluated_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = write_recipe(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run("train", recipe, "--set", "training.epochs=2", "--device", "cpu") == 0
    printed = capsys.readouterr()
    assert "the model is in runs/tiny/best" in printed.out
    assert "epoch 2/2  loss" in printed.err
    record = json.loads(Path("runs/tiny/run.json").read_text(encoding="utf-8"))
    assert record["recipe"]["training"]["epochs"] == 2
    assert record["data"]["train"]["problems"] == 44
    assert {"versions", "hardware", "code", "date"} <= record.keys()

    assert run("train", recipe, "--set", "training.epochs=2", "--device", "cpu") == 1
    assert "--resume" in capsys.readouterr().err
    assert run("train", recipe, "--set", "training.epochs=2", "--device", "cpu", "--resume") == 0
    capsys.readouterr()
    assert run("evaluate", "runs/tiny", "--data", tmp_path / "test.jsonl", "--json") == 0
    assert json.loads(capsys.readouterr().out)["count"] == 20


def test_failures_are_one_line_and_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = write_recipe(tmp_path)
    command = ("train", recipe, "--output", tmp_path / "run", "--device", "cpu")
    assert run("train", tmp_path / "nowhere.toml") == 1
    assert "there is no recipe" in capsys.readouterr().err
    assert run(*command, "--set", "training.epoch=3") == 1
    assert "did you mean training.epochs?" in capsys.readouterr().err
    assert run(*command, "--set", "training.learning_rate=1e38", "--set", "training.clip=0") == 1
    assert "no longer finite" in capsys.readouterr().err

    def full(tensors: Any, path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "save_file", full)
    assert run(*command, "--resume") == 1
    assert "the disk is full" in capsys.readouterr().err
    assert run("train") == 2
    assert run(*command, "--device", "abacus") == 2


def test_test_problems_are_solved_in_the_end_if_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = write_recipe(tmp_path)
    command = ("train", recipe, "--output", tmp_path / "run", "--device", "cpu", "--set", "training.epochs=1", "--test")
    assert run(*command, "--set", "data.test=[]") == 1
    assert "no test problems" in capsys.readouterr().err
    assert run(*command) == 0
    kept = read_outcomes(tmp_path / "run" / "test-outcomes.jsonl")
    right = sum(outcome.literature_right for outcome in kept) / len(kept)
    assert f"test: {right:.1%} of {len(kept)} problems" in capsys.readouterr().out


def test_tensorboard_is_asked_for_or_not_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("train", write_recipe(tmp_path), "--output", tmp_path / "run", "--device", "cpu", "--tensorboard")
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    assert run(*command) == 1
    assert "pip install tensorboard" in capsys.readouterr().err

    written: list[tuple[str, float, int]] = []
    writer = SimpleNamespace(add_scalar=lambda *row: written.append(row), close=lambda: None)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", SimpleNamespace(SummaryWriter=lambda folder: writer))
    assert run(*command) == 0
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row for row in written if row[0] == "loss"] == [("loss", row["loss"], row["epoch"]) for row in rows]
    assert ("dev/answer_accuracy", rows[-1]["dev"]["answer_accuracy"], 3) in written


def test_a_result_that_is_not_recorded_since_a_run_failed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(repeats, "run_all", lambda several, *_, **__: {each.name: "no memory" for each in several})
    file = tmp_path / "results.json"
    command = ("seeds", write_recipe(tmp_path), "-n", "2", "--output", tmp_path / "all", "--record", file)
    assert run(*command) == 1
    assert f"not recorded in {file}, since 2 of 2 runs failed" in capsys.readouterr().err
    assert not file.exists()


def test_seeds_prints_what_finished_runs_say_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changes = ("--set", "training.epochs=1", "--device", "cpu", "--output")
    recipe = write_recipe(tmp_path)
    for seed in (0, 1):
        own = ("--set", f"training.seed={seed}", "--set", "data.watch_test=true")
        assert run("train", recipe, *own, *changes, tmp_path / "all" / f"seed-{seed}") == 0
    capsys.readouterr()
    assert run("seeds", recipe, "-n", "2", *changes, tmp_path / "all") == 0
    printed = capsys.readouterr()
    assert "seed-1: already finished" in printed.err
    for part in ("seed-1", "test (strict)", "test (literature's selection)", "mean ± std", "a vote"):
        assert part in printed.out
    assert run("seeds", recipe, "-n", "2", *changes, tmp_path / "all", "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in summary["runs"]] == ["seed-0", "seed-1"]
    ballots = [read_outcomes(tmp_path / "all" / f"seed-{seed}" / "test-outcomes.jsonl") for seed in (0, 1)]
    voted = [outcome.answer_right for outcome in vote(ballots)]
    assert summary["vote"]["answer_accuracy"] == sum(voted) / len(voted)
