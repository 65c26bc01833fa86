"""Tiny models with an add-on or auxiliary losses, trained by the real steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

from tests.model.tiny import SOLVED, make_model, on_meta, share_solved
from treequation.data.batches import Batch
from treequation.model.base import WordProblemModel
from treequation.text.problem import Problem
from treequation.training.examples import DeviceSet, Prepared
from treequation.training.loop import TrainingRun
from treequation.training.recipe import recipe_from
from treequation.training.sources import Problems


def with_parts(problems: Sequence[Problem], **settings: object) -> WordProblemModel:
    """A tiny one, untrained, with the sequence-to-tree decoder unless told."""
    sizes = {"decoder": "seq2tree", "width": 64, "layers": 1, "symbols": 15, "keep_number_text": False}
    model: WordProblemModel = make_model(problems, **(sizes | settings))  # type: ignore[arg-type]
    return model


def trained(
    model: WordProblemModel, problems: Sequence[Problem], *, epochs: int, rows: int, until_solved: Sequence[Problem]
) -> WordProblemModel:
    """The model after so many epochs of the training loop's own steps, or fewer if it solves some problems before."""
    rates = {"learning_rate": 3e-3, "encoder_learning_rate": 3e-3, "warmup": 0.1}
    recipe = recipe_from({"training": {"epochs": epochs, "batch_size": rows, **rates}})
    run = TrainingRun(recipe, Path(), model, Problems(list(problems), [], []))
    for epoch in range(epochs):
        run.stepper.run(run.planner.epoch(np.random.default_rng(epoch)))
        if share_solved(model.eval(), until_solved) >= SOLVED:
            break
    return model.eval()


def whole_batch(model: WordProblemModel, prepared: Prepared) -> Batch:
    """All problems in one batch, with the mates that were drawn for them."""
    data = DeviceSet(prepared.examples, model, prepared.mates)
    rows = torch.arange(len(prepared.examples))
    return data.rows(rows, torch.ones(len(rows)))


def losses_without_values(model: WordProblemModel, batch: Batch) -> torch.Tensor:
    """The losses of a training step on the device "meta"; it fails where the step looks at a value.

    The encoder, which must be 32 wide, becomes a table: the library's own asks whether anything is padded, except while
    a graph is being captured.
    """
    table = torch.nn.Embedding(2_000, 32, device="meta")
    model.to("meta").train()
    model.encoder.forward = lambda input_ids, **_: SimpleNamespace(last_hidden_state=table(input_ids))
    losses: torch.Tensor = model(on_meta(batch))
    losses.mean().backward()
    return losses
