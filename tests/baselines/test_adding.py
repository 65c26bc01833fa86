"""A decoder and a loss are added in one file each: those that CONTRIBUTING shows, word for word."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.training.tiny import tiny_recipe
from treequation.evaluation.evaluator import load_model
from treequation.model import parts, registry
from treequation.training import train

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


@pytest.fixture
def added(tmp_path: Path) -> Iterator[None]:
    """The page's code, each piece a file that is imported; afterwards everything is as before."""
    pieces = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text(encoding="utf-8"), re.DOTALL)
    assert len(pieces) == 2
    known = [(each, dict(each)) for each in (registry._decoders, parts._addons, parts._auxiliaries)]
    for number, piece in enumerate(pieces):
        assert len([line for line in piece.splitlines() if line]) <= 10
        path = tmp_path / f"added_{number}.py"
        path.write_text(piece, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    yield
    for each, before in known:
        each.clear()
        each.update(before)  # type: ignore[arg-type]


@pytest.mark.usefixtures("added")
def test_a_decoder_and_a_loss_of_ones_own_are_trained(tmp_path: Path) -> None:
    changes = ("decoder=mean-seq2tree", "model.symbols=15", "model.auxiliary=small+analogy", "training.epochs=2")
    result = train(tiny_recipe(tmp_path, *changes), tmp_path / "run", device="cpu")
    assert result.best_dev >= 0
    assert load_model(tmp_path / "run").DECODER == "mean-seq2tree"
