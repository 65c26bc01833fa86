"""Steps that are compiled do what plain ones do."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from treequation.baselines import DECODERS
from treequation.data.synthetic import generate
from treequation.training.examples import DeviceSet, prepare
from treequation.training.loop import TrainingRun
from treequation.training.recipe import Recipe, recipe_from
from treequation.training.sources import Problems, build_model


def _recipe(**training: bool) -> Recipe:
    sizes = {"layers": 2, "width": 32, "heads": 2, "dropout": 0.0}
    return recipe_from(
        {
            "decoder": "re-ext",
            "encoder": sizes,
            "model": {"dropout": 0.0},
            "training": {"batch_size": 16, "epochs": 1, **training},
        }
    )


@pytest.mark.skipif(shutil.which("g++") is None, reason="compiling needs a C++ compiler")
def test_a_compiled_step_is_the_plain_one_and_evaluation_meets_nothing_of_it(tmp_path: Path) -> None:
    # RE-Ext has both kinds of costly parts: layers that are given one size, and pairs of ever more quantities.
    problems = generate(16, seed=2, level="easy", language="en")
    losses, weights = [], []
    for compile in (False, True):
        recipe = _recipe(compile=compile)
        torch.manual_seed(0)
        model = build_model(recipe, problems)
        prepared = prepare(model, problems)
        data = DeviceSet(prepared.examples, model)
        run = TrainingRun(recipe, tmp_path, model, Problems(problems, [], []), data, prepared.ids)
        run.stepper.run(run.planner.epoch(np.random.default_rng(0)))
        losses.append(run.stepper.loss_sum.item())
        weights.append(model.decoder.left.weight.detach())
        assert all("forward" not in vars(part) for part, _ in model.costly_parts())
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)
    np.testing.assert_allclose(weights[1].numpy(), weights[0].numpy(), atol=1e-5)


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_layers_of_every_models_encoder_are_among_its_costly_parts(decoder: str) -> None:
    problems = generate(8, seed=2, level="easy", language="en")
    model = build_model(recipe_from({"decoder": decoder, "encoder": {"layers": 3, "width": 32, "heads": 2}}), problems)
    parts = [part for part, _ in model.costly_parts()]
    assert parts[:3] == list(model.encoder.encoder.layer)
