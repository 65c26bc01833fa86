"""Steps that are compiled, or whose batch has more room than there are problems, do what plain ones do."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from treequation.data.synthetic import generate
from treequation.model.base import WordProblemModel
from treequation.text.problem import Problem
from treequation.training.examples import DeviceSet
from treequation.training.loop import TrainingRun
from treequation.training.recipe import Recipe, recipe_from
from treequation.training.sources import Problems, build_model


def _recipe(decoder: str = "re-ext", layers: int = 2, steps: int = 8, **training: Any) -> Recipe:
    return recipe_from(
        {
            "decoder": decoder,
            "encoder": {"layers": layers, "width": 32, "heads": 2, "dropout": 0.0},
            "model": {"dropout": 0.0, "steps": steps},
            "training": {"batch_size": 16, "epochs": 1, **training},
        }
    )


def _run(recipe: Recipe, problems: Sequence[Problem], *, embeddings_only: bool = False) -> TrainingRun:
    """A run that is about to begin; its encoder may be cut down to its embeddings."""
    torch.manual_seed(0)
    model = build_model(recipe, problems)
    if embeddings_only:
        model.encoder.encoder.layer = torch.nn.ModuleList()
    return TrainingRun(recipe, Path(), model, Problems(list(problems), [], []))


def _trained(
    recipe: Recipe, problems: Sequence[Problem], *, embeddings_only: bool = False
) -> tuple[float, WordProblemModel]:
    """The loss of an epoch, and the model after it."""
    run = _run(recipe, problems, embeddings_only=embeddings_only)
    run.stepper.run(run.planner.epoch(np.random.default_rng(0)))
    return run.stepper.loss_sum.item(), run.model


@pytest.mark.skipif(shutil.which("g++") is None, reason="compiling needs a C++ compiler")
def test_a_compiled_step_is_the_plain_one() -> None:
    """With the smallest graph that there is: the compiler needs a second for each of its pieces."""
    problems = generate(16, seed=3, level="easy", language="en")
    (plain, one), (compiled, other) = (
        _trained(_recipe(compile=compile, decoder="codes", layers=1), problems, embeddings_only=True)
        for compile in (False, True)
    )
    assert compiled == pytest.approx(plain, rel=1e-4)
    for name, weight in one.named_parameters():
        torch.testing.assert_close(other.get_parameter(name), weight, atol=1e-5, rtol=1e-3, msg=name)


@pytest.mark.parametrize("decoder", ["expression-tree", "chained"])
def test_the_compiler_sees_a_step_as_one_piece(decoder: str) -> None:
    problems = generate(16, seed=3, level="easy", language="en")
    run = _run(_recipe(decoder=decoder, layers=1, steps=3), problems)
    rows = torch.arange(16)
    batch = run.stepper.data.rows(rows, torch.ones(16), run.planner.layout(packs=True))
    explained = torch._dynamo.explain(run.model.train())(batch)
    assert explained.graph_break_count == 0, explained.break_reasons


def test_words_that_no_training_problem_has_are_left_out_of_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """All weights become what they do when the whole table of words is trained."""
    every = generate(64, seed=3, level="medium", language="both")
    recipe = _recipe(decoder="chained", layers=1, precision="bf16", weight_decay=0.1)
    runs = []
    for trims in (True, False):
        if not trims:
            monkeypatch.setattr(DeviceSet, "embedded", lambda data, model: {})
        torch.manual_seed(0)
        model = build_model(recipe, every)
        before = model.encoder.get_parameter("embeddings.word_embeddings.weight").detach().clone()
        run = TrainingRun(recipe, Path(), model, Problems(every[:16], [], []))
        run.stepper.run(run.planner.epoch(np.random.default_rng(0)))
        runs.append(run)
    trained, whole = (run.weights.state_dict() for run in runs)
    name = "encoder.embeddings.word_embeddings.weight"
    assert len(runs[0].weights.named()[name]) < len(before) == len(trained[name])
    for each, weight in whole.items():
        torch.testing.assert_close(trained[each], weight, msg=each)
    changed = (trained[name] != before).any(dim=1)
    assert changed.any()
    assert not changed.all()
    for one, other in zip(*(run.model.parameters() for run in runs), strict=True):
        torch.testing.assert_close(one, other)


def test_problems_that_never_fill_a_batch_weigh_as_much_as_those_that_do() -> None:
    problems = generate(16, seed=3, level="easy", language="en")
    (full, model), (room_left, other) = (_trained(_recipe(batch_size=size), problems) for size in (16, 64))
    assert room_left == pytest.approx(full, rel=1e-5)
    for one, two in zip(model.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(two.grad, one.grad, atol=1e-5, rtol=1e-3)
