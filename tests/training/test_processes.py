"""Two processes that share every batch, and pieces of a batch one after the other, train what one process trains."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.training.tiny_run import lines, tiny_recipe, write_recipe
from treequation.training import read_recipe, train
from treequation.training.checkpoint import last_checkpoint
from treequation.training.loop import TrainingError

EXACT = ("encoder.dropout=0", "model.dropout=0")  # what is dropped is drawn by each process for itself
LAUNCHERS = {
    "torchrun": ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"),
    "accelerate": (
        "-m",
        "accelerate.commands.launch",
        "--multi_gpu",
        "--num_processes",
        "2",
        "--main_process_port",
        "0",
    ),
}


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_two_processes_give_the_result_of_one(tmp_path: Path, launcher: str) -> None:
    path = write_recipe(tmp_path)
    torch.set_num_threads(1)
    train(read_recipe(path, EXACT), tmp_path / "one", device="cpu")
    command = [sys.executable, *LAUNCHERS[launcher], "-m", "treequation", "train", str(path), "--device", "cpu"]
    command += [f"--set={change}" for change in (*EXACT, "training.accumulate=2")]
    command += ["--output", str(tmp_path / "two")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("best epoch") == 1  # one of them reports
    record = json.loads((tmp_path / "two" / "run.json").read_text(encoding="utf-8"))
    assert record["hardware"]["processes"] == 2
    for one, two in zip(lines(tmp_path / "one"), lines(tmp_path / "two"), strict=True):
        assert two["loss"] == pytest.approx(one["loss"], rel=1e-4)
    one, two = (last_checkpoint(tmp_path / run / "checkpoints") for run in ("one", "two"))
    assert one is not None
    assert two is not None
    assert [each.name for each in (tmp_path / "two" / "checkpoints").iterdir()] == [
        each.name for each in (tmp_path / "one" / "checkpoints").iterdir()
    ]
    for name, tensor in one.tensors.items():
        if name.startswith("model."):
            torch.testing.assert_close(two.tensors[name], tensor, atol=2e-3, rtol=1e-2)


def test_a_batch_that_cannot_be_shared_evenly_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"training\.accumulate"):
        train(tiny_recipe(tmp_path, "training.accumulate=3"), tmp_path / "run", device="cpu")
