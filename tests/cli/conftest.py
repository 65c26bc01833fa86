"""A recipe that teaches a tiny model most of its test problems in two seconds, and its finished runs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from treequation.data import jsonl
from treequation.data.synthetic import generate
from treequation.training import read_recipe, train

RECIPE = """
name = "taught"
[encoder]
layers = 1
width = 48
heads = 2
dropout = 0.0
[model]
queries = 3
steps = 4
attention_heads = 2
dropout = 0.0
[training]
epochs = 40
batch_size = 20
learning_rate = 3e-3
encoder_learning_rate = 3e-3
evaluate_every = 40
checkpoint_every = 40
"""


class Taught(NamedTuple):
    """A recipe, its runs, and the run of it as it is."""

    recipe: Path
    runs: Path
    run: Path


@pytest.fixture(scope="session")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Taught:
    """Half of the test problems are training problems; the runs are the recipe's own and one with a single query."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("taught")
    problems = generate(60, seed=7, level="easy", language="both")
    for name, part in (("train", problems[:40]), ("dev", problems[:10]), ("exam", problems[20:])):
        jsonl.write(part, folder / f"{name}.jsonl")
    recipe = folder / "taught.toml"
    sources = "".join(f'{key} = "{folder / name}.jsonl"\n' for key, name in _SOURCES.items())
    recipe.write_text(f"{RECIPE}[data]\n{sources}", encoding="utf-8")
    runs = folder / "runs"
    train(read_recipe(recipe), runs / "taught", device="cpu")
    alone = read_recipe(recipe, ["model.queries=1"])
    train(alone, runs / "taught+model.queries=1", device="cpu")
    return Taught(recipe, runs, runs / "taught")


_SOURCES = {"train": "train", "dev": "dev", "test": "exam"}
