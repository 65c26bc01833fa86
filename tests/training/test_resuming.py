"""A run that is killed, or whose disk is full, goes on to the very same result."""

import errno
import json
import multiprocessing
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.training.tiny_run import lines, tiny_recipe, train_and_die
from treequation.storage import DamagedFolderError, sha256_of
from treequation.training import Recipe, TrainingError, checkpoint, loop, train
from treequation.training.run_folder import RunFolder

KILLS = 16


def in_a_process(*arguments: Any) -> int | None:
    """Trains in a process of its own, forked from one that has imported everything; gives its exit code."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.training.tiny_run"])
    process = context.Process(target=train_and_die, args=arguments)
    process.start()
    process.join(600)
    return process.exitcode


def weights(run: Path) -> list[str]:
    """Checksums of the best model and of the last checkpoint."""
    last = max(run.glob("checkpoints/epoch-*"))  # a kill after it was complete may have left the one before
    return [sha256_of(run / "best" / "model.safetensors"), sha256_of(last / checkpoint.TENSORS)]


def test_killed_anywhere_it_resumes_to_the_same_bits(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path)
    whole, count = tmp_path / "run-whole", tmp_path / "count"
    assert in_a_process(recipe, whole, None, count) == 0
    events = int(count.read_text(encoding="utf-8"))
    assert events > 2 * KILLS  # else the kills below would not be spread over the run
    for kill in range(KILLS):
        run = tmp_path / f"run-{kill}"
        event = 1 + kill * (events - 1) // (KILLS - 1)
        assert in_a_process(recipe, run, event) == -signal.SIGKILL
        if kill % 3 == 0:  # the resumed run dies, too
            assert in_a_process(recipe, run, 5 + kill) in (-signal.SIGKILL, 0)
        assert in_a_process(recipe, run, None) == 0
        assert lines(run) == lines(whole), f"killed before file operation {event} of {events}"
        assert weights(run) == weights(whole), f"killed before file operation {event} of {events}"


def test_dropout_of_a_resumed_run_is_that_of_an_unbroken_one(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    recipe = tiny_recipe(tmp_path, "model.dropout=0.3")
    train(recipe, tmp_path / "whole", device="cpu")

    def stop(report: Any) -> None:
        if report.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(recipe, tmp_path / "broken", device="cpu", report=stop)
    train(recipe, tmp_path / "broken", device="cpu", resume=True)
    assert lines(tmp_path / "broken") == lines(tmp_path / "whole")
    assert len({line["loss"] for line in lines(tmp_path / "whole")}) == 3


def test_the_result_of_a_resumed_run_covers_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe, run, now = tiny_recipe(tmp_path), tmp_path / "run", 1000.0

    def clock() -> float:
        nonlocal now
        now += 1e-3
        return now

    def later(report: Any) -> None:
        nonlocal now
        now += 10.0  # after the epoch was recorded, so that it counts for the next one
        if report.epoch == 2 and now < 2000:
            now = 2000.0
            raise KeyboardInterrupt

    monkeypatch.setattr("treequation.training.loop.time", SimpleNamespace(perf_counter=clock))
    with pytest.raises(KeyboardInterrupt):
        train(recipe, run, device="cpu", report=later)
    result = train(recipe, run, device="cpu", resume=True, report=later)
    assert result.seconds == pytest.approx(20, abs=0.1)
    stored = json.loads((run / "result.json").read_text(encoding="utf-8"))
    assert stored["problems_per_second"] == pytest.approx(3 * 44 / stored["seconds"])
    metrics = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    assert [line["seconds"] for line in map(json.loads, metrics)] == pytest.approx([0, 10, 10], abs=0.1)


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = tiny_recipe(tmp_path)
    save, saved = checkpoint.save_file, []

    def full_after_one(tensors: Any, path: Path) -> None:
        if saved:
            path.write_bytes(b"half a file")
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        saved.append(path)
        save(tensors, path)

    monkeypatch.setattr(checkpoint, "save_file", full_after_one)
    with pytest.raises(TrainingError, match=r"disk is full.*--resume"):
        train(recipe, tmp_path / "run", device="cpu")
    folder = tmp_path / "run" / "checkpoints"
    assert [each.name for each in folder.iterdir()] == ["epoch-00001"]
    found = checkpoint.last_checkpoint(folder)
    assert found is not None
    assert found.progress["epoch"] == 1
    monkeypatch.undo()
    train(recipe, tmp_path / "run", device="cpu", resume=True)
    assert [line["epoch"] for line in lines(tmp_path / "run")] == [1, 2, 3]


def test_a_damaged_checkpoint_is_named_and_nothing_is_trained_again_unasked(tmp_path: Path) -> None:
    for epoch in (1, 2):
        state = checkpoint.Checkpoint({"weight": torch.full((3,), float(epoch))}, {"epoch": epoch})
        checkpoint.save_checkpoint(tmp_path / "saved", state, epoch)
        (tmp_path / "saved" / f"epoch-{epoch:05d}").rename(tmp_path / f"epoch-{epoch:05d}")
    damaged = tmp_path / "epoch-00002"
    (damaged / checkpoint.TENSORS).write_bytes(b"half a file")
    with pytest.raises(DamagedFolderError, match=rf"{damaged}/state.safetensors has changed.* or remove {damaged}:"):
        checkpoint.last_checkpoint(tmp_path)
    shutil.rmtree(damaged)
    found = checkpoint.last_checkpoint(tmp_path)
    assert found is not None
    assert found.progress == {"epoch": 1}


def test_a_run_that_begins_anew_forgets_what_the_old_one_said_of_the_test_problems(tmp_path: Path) -> None:
    recipe, run = tiny_recipe(tmp_path, "training.epochs=1"), tmp_path / "run"
    train(recipe, run, device="cpu")
    RunFolder.read(run).outcomes(device="cpu")
    RunFolder.read(run).outcomes(device="cpu", beam=2)
    assert len(list(run.glob("test-outcomes*"))) == 2
    shutil.rmtree(run / "checkpoints")
    train(tiny_recipe(tmp_path, "training.epochs=1", "training.seed=7"), run, device="cpu", resume=True)
    assert not list(run.glob("test-outcomes*"))


def test_what_cannot_be_resumed_is_refused(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path, "training.epochs=1")
    run = tmp_path / "run"
    train(recipe, run, device="cpu")
    with pytest.raises(TrainingError, match=r"already holds a run.*--resume"):
        train(recipe, run, device="cpu")
    with pytest.raises(TrainingError, match="another recipe"):
        train(tiny_recipe(tmp_path, "training.epochs=2"), run, device="cpu", resume=True)
    shorter = (tmp_path / "train.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    (tmp_path / "train.jsonl").write_text("\n".join(shorter), encoding="utf-8")
    with pytest.raises(TrainingError, match=r"differ from those that .* was started with"):
        train(recipe, run, device="cpu", resume=True)


def test_weights_that_do_not_fit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = tiny_recipe(tmp_path, "training.epochs=1")
    run = tmp_path / "run"
    train(recipe, run, device="cpu")
    kept = checkpoint.last_checkpoint(run / "checkpoints")
    assert kept is not None
    name = next(name for name, tensor in kept.tensors.items() if name.startswith("model.") and tensor.numel() > 1)
    kept.tensors[name] = kept.tensors[name][1:]  # a table of which fewer rows were trained
    monkeypatch.setattr(loop, "last_checkpoint", lambda folder: kept)
    with pytest.raises(TrainingError, match=r"another version of Treequation.* train again in another folder"):
        train(recipe, run, device="cpu", resume=True)


def test_two_trainings_in_one_folder_are_refused(tmp_path: Path) -> None:
    recipe: Recipe = tiny_recipe(tmp_path, "training.epochs=1")
    refused = []

    def again(report: Any) -> None:
        with pytest.raises(TrainingError, match="another process is training") as error:
            train(recipe, tmp_path / "run", device="cpu", resume=True)
        refused.append(error)

    train(recipe, tmp_path / "run", device="cpu", report=again)
    assert refused
