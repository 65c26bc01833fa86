"""The mean of models is the mean of their weights, and models that have none are refused."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import torch

from tests.model.tiny import make_model
from treequation.data.synthetic import generate
from treequation.errors import TreequationError
from treequation.model import TreequationModel, decode
from treequation.model.averaging import mean_of
from treequation.text.problem import Problem


def moved(model: TreequationModel, *, seed: int, share: float = 1.0) -> TreequationModel:
    """A copy whose weights lie a random way off, or a share of it."""
    copy = deepcopy(model)
    torch.manual_seed(seed)
    with torch.no_grad():
        for weight in copy.parameters():
            weight += share * torch.randn_like(weight)
    return copy


def test_every_weight_is_the_mean_of_three(model: TreequationModel) -> None:
    three = [moved(model, seed=seed) for seed in (1, 2, 3)]
    parts = [dict(deepcopy(each).named_parameters()) for each in three]
    for name, weight in mean_of((str(i), each) for i, each in enumerate(three)).named_parameters():
        torch.testing.assert_close(weight, torch.stack([part[name] for part in parts]).mean(0))


def test_what_lies_between_two_models_solves_as_their_start(model: TreequationModel, problems: list[Problem]) -> None:
    two = [moved(model, seed=1, share=share) for share in (0.5, -0.5)]
    two[0].config.trained_on, two[1].config.trained_on = ["a", "b"], ["b", "c"]
    mean = mean_of(zip(["one", "two"], two, strict=True))
    assert mean.config.trained_on == ["a", "b", "c"]
    trees = [[[one.graph for one in found] for found in decode(each, problems)] for each in (model, mean)]
    assert trees[0] == trees[1]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"constants": ["7"]}, "model.constants"),
        ({"teacher": "gold"}, "model.teacher"),
        ({"decoder": "chained"}, "model.decoder"),
        ({"width": 48}, "model.attention_heads"),
        ({"feed_forward": 2}, "the weights decoder.layers.0"),
    ],
)
def test_models_that_are_built_differently_are_refused(
    model: TreequationModel, problems: list[Problem], settings: dict[str, Any], named: str
) -> None:
    with pytest.raises(TreequationError, match=f"mine and yours differ in {named}"):
        mean_of([("mine", model), ("yours", make_model(problems, **settings))])


def test_models_with_other_words_are_refused(model: TreequationModel, problems: list[Problem]) -> None:
    other = make_model(problems)
    other.tokenizer = make_model(generate(32, seed=1, level="hard", language="en")).tokenizer
    with pytest.raises(TreequationError, match="differ in their tokens"):
        mean_of([("mine", model), ("yours", other)])


def test_one_model_has_no_mean(model: TreequationModel) -> None:
    with pytest.raises(TreequationError, match="mine is only one model"):
        mean_of([("mine", model)])
