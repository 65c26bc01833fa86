"""Steps that are compiled, or whose batch has more room than there are problems, do what plain ones do."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from treequation.baselines import DECODERS
from treequation.data.synthetic import generate
from treequation.model.base import WordProblemModel
from treequation.text.problem import Problem
from treequation.training.examples import DeviceSet, prepare
from treequation.training.loop import TrainingRun
from treequation.training.recipe import Recipe, recipe_from
from treequation.training.sources import Problems, build_model


def _recipe(**training: int) -> Recipe:
    sizes = {"layers": 2, "width": 32, "heads": 2, "dropout": 0.0}
    return recipe_from(
        {
            "decoder": "re-ext",
            "encoder": sizes,
            "model": {"dropout": 0.0},
            "training": {"batch_size": 16, "epochs": 1, **training},
        }
    )


def _trained(recipe: Recipe, problems: Sequence[Problem]) -> tuple[float, WordProblemModel]:
    """The loss of an epoch, and the model after it."""
    torch.manual_seed(0)
    model = build_model(recipe, problems)
    prepared = prepare(model, problems)
    run = TrainingRun(
        recipe, Path(), model, Problems(list(problems), [], []), DeviceSet(prepared.examples, model), prepared.ids
    )
    run.stepper.run(run.planner.epoch(np.random.default_rng(0)))
    return run.stepper.loss_sum.item(), model


@pytest.mark.skipif(shutil.which("g++") is None, reason="compiling needs a C++ compiler")
def test_a_compiled_step_is_the_plain_one_and_evaluation_meets_nothing_of_it() -> None:
    # RE-Ext has both kinds of costly parts: layers that are given one size, and pairs of ever more quantities.
    problems = generate(16, seed=3, level="easy", language="en")
    losses, weights = [], []
    for compile in (False, True):
        loss, model = _trained(_recipe(compile=compile), problems)
        losses.append(loss)
        weights.append(model.decoder.left.weight.detach())
        assert all("forward" not in vars(part) for part, _ in model.costly_parts())
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)
    np.testing.assert_allclose(weights[1].numpy(), weights[0].numpy(), atol=1e-5)


def test_problems_that_never_fill_a_batch_weigh_as_much_as_those_that_do() -> None:
    problems = generate(16, seed=3, level="easy", language="en")
    (full, model), (room_left, other) = (_trained(_recipe(batch_size=size), problems) for size in (16, 64))
    assert room_left == pytest.approx(full, rel=1e-5)
    for one, two in zip(model.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(two.grad, one.grad, atol=1e-5, rtol=1e-3)


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_layers_of_every_models_encoder_are_among_its_costly_parts(decoder: str) -> None:
    problems = generate(8, seed=2, level="easy", language="en")
    model = build_model(recipe_from({"decoder": decoder, "encoder": {"layers": 3, "width": 32, "heads": 2}}), problems)
    parts = [part for part, _ in model.costly_parts()]
    assert parts[:3] == list(model.encoder.encoder.layer)
