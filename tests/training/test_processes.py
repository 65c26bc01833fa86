"""Two processes that share every batch train what one process trains."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.training.tiny import lines, write_recipe
from treequation.training import read_recipe, train

EXACT = ("encoder.dropout=0", "model.dropout=0")  # what is dropped is drawn by each process for itself


def test_two_processes_give_the_result_of_one(tmp_path: Path) -> None:
    path = write_recipe(tmp_path)
    torch.set_num_threads(1)
    train(read_recipe(path, EXACT), tmp_path / "one", device="cpu")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command += ["-m", "treequation", "train", str(path), "--output", str(tmp_path / "two"), "--device", "cpu"]
    command += [f"--set={change}" for change in EXACT]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("best epoch") == 1  # one of them reports
    record = json.loads((tmp_path / "two" / "run.json").read_text(encoding="utf-8"))
    assert record["hardware"]["processes"] == 2
    for one, two in zip(lines(tmp_path / "one"), lines(tmp_path / "two"), strict=True):
        assert two["loss"] == pytest.approx(one["loss"], rel=1e-4)
