"""Averages the weights of several models. The mean is often better than each, if all were fine-tuned from one model."""

from __future__ import annotations

from collections.abc import Iterable

from treequation.errors import TreequationError
from treequation.model.base import WordProblemModel

SOLVING = (
    "decoder", "operators", "constants", "number_format", "keep_number_text", "max_tokens", "queries", "steps",
    "shared_layers", "attention_heads", "layers_per_step", "teacher", "none_loss", "update_problem", "amounts",
)  # fmt: skip
"""The settings that must agree. The others only matter in training, or show in the shapes of the weights."""


def mean_of(models: Iterable[tuple[str, WordProblemModel]]) -> WordProblemModel:
    """The mean of several models of the same architecture; each comes with its name. The first is changed in place.

    They are loaded one after the other, so at most two are in memory. Models that started from different random weights
    also have a mean, but it solves nothing. A common start cannot be recognised, so it is not checked.
    """
    remaining = iter(models)
    first, mean = next(remaining)
    weights = mean.state_dict()  # shares memory with the model
    count = 1
    for count, (name, other) in enumerate(remaining, start=2):
        different = _difference(mean, other)
        if different:
            raise TreequationError(
                f"{first} and {name} differ in {different}: only models of the same architecture can be averaged"
            )
        for key, weight in other.state_dict().items():
            if weight.is_floating_point():
                weights[key].lerp_(weight.to(weights[key]), 1 / count)
        mean.config.trained_on = list(dict.fromkeys([*mean.config.trained_on, *other.config.trained_on]))
    if count < 2:
        raise TreequationError(f"{first} is only one model; name at least two to average")
    return mean


def _difference(one: WordProblemModel, other: WordProblemModel) -> str:
    """The first difference that makes averaging impossible; empty if there is none."""
    for setting in SOLVING:
        if getattr(one.config, setting) != getattr(other.config, setting):
            return f"model.{setting}"
    shapes, others = ({key: weight.shape for key, weight in model.state_dict().items()} for model in (one, other))
    if shapes != others:
        return f"the weights {min(key for key in shapes | others if shapes.get(key) != others.get(key))}"
    tokens, others_tokens = (model.problem_encoder.tokenizer.get_vocab() for model in (one, other))
    return "" if tokens == others_tokens else "their tokens"
