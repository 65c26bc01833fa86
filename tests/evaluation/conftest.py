import pytest
import torch

from treequation.data.synthetic import generate
from treequation.model import ExpressionTreeModel, TreequationModel
from treequation.model.scratch import scratch_encoder
from treequation.text.problem import Problem


@pytest.fixture(scope="session")
def problems() -> list[Problem]:
    return generate(12, seed=5, level="easy", language="both")


@pytest.fixture(scope="session")
def model(problems: list[Problem]) -> TreequationModel:
    """Untrained: what it says is nonsense, but it says something."""
    torch.manual_seed(0)
    encoder, tokenizer = scratch_encoder([p.text for p in problems], layers=1, width=16, heads=2)
    return ExpressionTreeModel.around(encoder, tokenizer, constants=["2"], steps=3, max_tokens=64, attention_heads=2)
