"""The training benchmark: its figures belong together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.training.tiny_run import tiny_recipe
from treequation.data import jsonl
from treequation.data.synthetic import generate
from treequation.experiments.training_speed import measure


def test_the_figures_of_a_benchmark_fit_each_other(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path)
    speed = measure(recipe, epochs=1, device="cpu")
    steps = -(-speed["problems"] // speed["batch_size"])
    assert speed["problems"] == 44  # all training problems of the recipe can be taught
    assert speed["problems_per_second"] / speed["steps_per_second"] == pytest.approx(speed["problems"] / steps)
    assert speed["whole_run_problems_per_second"] < speed["problems_per_second"]
    done = speed["flop_per_problem"] * speed["problems_per_second"]
    assert speed["share_of_matrix_rate"] == pytest.approx(done / speed["matrix_rate"])
    assert 0 < speed["flop_per_problem"] < 1e9  # a network of some thousand weights and some dozen tokens


def test_short_recipes_and_peers_can_be_timed(tmp_path: Path) -> None:
    jsonl.write(generate(40, seed=2, level="hard", language="en"), tmp_path / "hard.jsonl")
    changes = ("training.epochs=1", "decoder=seq2seq", f"data.train={tmp_path}/hard.jsonl", "model.steps=3")
    speed = measure(tiny_recipe(tmp_path, *changes), epochs=2, device="cpu")
    assert speed["problems"] > 30
    assert speed["problems_per_second"] > 0
