"""The method learns: a handful by heart, new problems after two thousand, and nothing with random matching."""

import pytest

from tests.model.tiny import make_model, share_solved, train
from treequation.data.synthetic import generate
from treequation.expression.layers import shape
from treequation.text.problem import Problem

VARIANTS = pytest.mark.parametrize("shared_layers", [0, 1], ids=["standard", "layer-shared"])


@VARIANTS
def test_learns_32_problems_by_heart(problems: list[Problem], shared_layers: int) -> None:
    kinds = {(p.language, shape(p.graph).value) for p in problems if p.graph is not None}
    assert kinds == {(language, kind) for language in ("en", "zh") for kind in ("single", "chain", "tree")}
    model = make_model(problems, width=64, layers=1, shared_layers=shared_layers)
    train(model, problems, epochs=100, rows=32, rate=3e-3, until_solved=problems)
    assert share_solved(model, problems) == 1


def test_random_matching_does_not_learn(problems: list[Problem]) -> None:
    model = make_model(problems, width=64, layers=1, matching="random")
    train(model, problems, epochs=100, rows=32, rate=3e-3)
    assert share_solved(model, problems) < 0.5


@VARIANTS
def test_solves_new_problems_after_two_thousand(shared_layers: int) -> None:
    problems = generate(2_500, seed=1, level="easy", language="en")
    known, dev, new = problems[:2_000], problems[2_000:2_100], problems[2_100:]
    model = make_model(known, width=32, layers=1, shared_layers=shared_layers, keep_number_text=False)
    train(model, known, epochs=4, rows=20, rate=5e-3, until_solved=dev)
    assert share_solved(model, new) >= 0.95
