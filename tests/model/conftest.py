from __future__ import annotations

import pytest
import torch

from tests.model.tiny import make_model
from treequation.data.synthetic import generate
from treequation.model import TreequationModel
from treequation.text.problem import Problem

torch.set_num_threads(1)  # these tensors are too small to share, and tests may run side by side


@pytest.fixture(autouse=True)
def _same_chance_for_all() -> None:
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def problems() -> list[Problem]:
    """Easy problems in both languages, each with its equation."""
    return generate(32, seed=1, level="easy", language="both")


@pytest.fixture
def model(problems: list[Problem]) -> TreequationModel:
    """A tiny untrained model, ready to be asked."""
    return make_model(problems).eval()
