"""Light models for tests: made on the spot, tiny, and one of them taught a handful of problems by heart."""

from __future__ import annotations

import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import torch

from tests.model.tiny import make_model, train
from treequation.data.synthetic import generate
from treequation.export.light_folder import export
from treequation.model import TreequationModel
from treequation.runtime.folder import METADATA
from treequation.text.problem import Problem


@cache
def known_problems() -> tuple[Problem, ...]:
    """Easy problems in both languages, which the taught model knows."""
    return tuple(generate(32, seed=1, level="easy", language="both"))


@cache
def taught_model() -> TreequationModel:
    """A model that solves :func:`known_problems`."""
    torch.set_num_threads(1)
    problems = known_problems()
    model = make_model(problems, width=64, layers=1)
    train(model, problems, epochs=100, rows=32, rate=3e-3)
    return model.eval()


@cache
def taught_folder() -> Path:
    """The taught model as a light model folder, which goes away with the process."""
    folder = Path(_room().name) / "taught"
    export(taught_model(), folder, name="taught")
    return folder


def changed_copy(folder: Path, **said: Any) -> Path:
    """A copy of the taught model whose metadata says something else; its seal is that of the original."""
    shutil.copytree(taught_folder(), folder)
    metadata = json.loads((folder / METADATA).read_text(encoding="utf-8"))
    (folder / METADATA).write_text(json.dumps(metadata | said), encoding="utf-8")
    return folder


@cache
def _room() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()
