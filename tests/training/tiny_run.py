"""A run so small that it takes about a second, and ways to end it early."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import torch

from treequation.data import jsonl
from treequation.data.synthetic import generate
from treequation.training import Recipe, read_recipe, train

RECIPE = """
[encoder]
layers = 1
width = 16
heads = 2
[model]
queries = 3
steps = 4
attention_heads = 2
[training]
epochs = 3
batch_size = 16
learning_rate = 3e-3
encoder_learning_rate = 3e-3
evaluate_every = 1
checkpoint_every = 1
"""


def write_recipe(folder: Path) -> Path:
    """A recipe with problems of its own, all in ``folder``."""
    problems = generate(84, seed=7, level="easy", language="both")
    for name, part in (("train", problems[:44]), ("dev", problems[44:64]), ("test", problems[64:])):
        jsonl.write(part, folder / f"{name}.jsonl")
    sources = "".join(f'{name} = "{folder / name}.jsonl"\n' for name in ("train", "dev", "test"))
    path = folder / "tiny.toml"
    path.write_text(f"[data]\n{sources}{RECIPE}", encoding="utf-8")
    return path


def tiny_recipe(folder: Path, *changes: str) -> Recipe:
    """The recipe, read, with changes."""
    return read_recipe(write_recipe(folder), changes)


def lines(run: Path) -> list[dict[str, Any]]:
    """The run's metrics without what depends on the time of day."""
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    return [{key: row[key] for key in row.keys() - {"seconds", "problems_per_second"}} for row in rows]


def train_and_die(recipe: Recipe, run: Path, event: int | None, count: Path | None = None) -> None:
    """Resumes a run on one thread, and kills its own process right before file operation number ``event`` in it.

    The interpreter announces every file that is opened, renamed, made or removed; that is where a kill can hurt.
    ``count`` is a file that gets the number of operations of a run that lives.
    """
    torch.set_num_threads(1)
    seen = 0

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if name.partition(".")[0] not in ("open", "os", "shutil") or not str(arguments[:1]).count(run.name):
            return
        seen += 1
        if seen == event:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    train(recipe, run, resume=True, device="cpu")
    if count is not None:
        count.write_text(str(seen), encoding="utf-8")
