"""Tiny light models for tests; one of them has learned a few problems by heart."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import torch

from tests.model.tiny import make_model, train
from tests.shared import made_once, share_graphs
from treequation.data.synthetic import generate
from treequation.export.light_folder import export
from treequation.model import TreequationModel
from treequation.runtime.folder import METADATA
from treequation.text.problem import Problem

share_graphs()


@cache
def known_problems() -> tuple[Problem, ...]:
    """Easy problems in both languages, which the taught model knows."""
    return tuple(generate(32, seed=1, level="easy", language="both"))


@cache
def taught_model() -> TreequationModel:
    """A model that solves :func:`known_problems`."""
    torch.set_num_threads(1)

    def teach(folder: Path) -> None:
        problems = known_problems()
        model = make_model(problems, width=64, layers=1)
        train(model, problems, epochs=100, rows=32, rate=3e-3).save_pretrained(folder)

    model = TreequationModel.from_pretrained(made_once("taught-model", teach))
    assert isinstance(model, TreequationModel)
    return model.eval()


@cache
def taught_folder() -> Path:
    """The taught model as a light model folder."""

    def write(folder: Path) -> None:
        export(taught_model(), folder / "taught", name="taught")

    return made_once("taught-light", write) / "taught"


def changed_copy(folder: Path, **changes: Any) -> Path:
    """A copy of the taught model with these changes to its metadata; its seal is that of the original."""
    shutil.copytree(taught_folder(), folder)
    metadata = json.loads((folder / METADATA).read_text(encoding="utf-8"))
    (folder / METADATA).write_text(json.dumps(metadata | changes), encoding="utf-8")
    return folder
