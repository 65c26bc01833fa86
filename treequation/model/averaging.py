"""One model whose weights are the mean of several: often better than each, where all were taught on from one start."""

from __future__ import annotations

from collections.abc import Iterable

from treequation.errors import TreequationError
from treequation.model.base import WordProblemModel

SOLVING = (
    "decoder", "operators", "constants", "number_format", "keep_number_text", "max_tokens", "queries", "steps",
    "shared_layers", "attention_heads", "layers_per_step", "teacher", "none_loss", "update_problem", "amounts",
)  # fmt: skip
"""The settings that decide what the weights are for; the others concern training, or show in the weights' shapes."""


def mean_of(models: Iterable[tuple[str, WordProblemModel]]) -> WordProblemModel:
    """The first of several models that are built alike, with the mean of all their weights; each comes with its name.

    They are taken one after the other, so that two at a time need room. Weights that began with different random
    numbers have a mean, too, and it solves nothing: that the models had one start cannot be seen, and is not checked.
    """
    rest = iter(models)
    first, mean = next(rest)
    weights = mean.state_dict()  # the model's own, which change with it
    count = 1
    for count, (name, other) in enumerate(rest, start=2):
        different = _difference(mean, other)
        if different:
            raise TreequationError(
                f"{first} and {name} differ in {different}: only models that are built alike have a mean"
            )
        for key, weight in other.state_dict().items():
            if weight.is_floating_point():
                weights[key].lerp_(weight.to(weights[key]), 1 / count)
        mean.config.trained_on = list(dict.fromkeys([*mean.config.trained_on, *other.config.trained_on]))
    if count < 2:
        raise TreequationError(f"{first} is one model alone; name two or more to take the mean of")
    return mean


def _difference(one: WordProblemModel, other: WordProblemModel) -> str:
    """What keeps the two from having a mean; empty if nothing does."""
    for setting in SOLVING:
        if getattr(one.config, setting) != getattr(other.config, setting):
            return f"model.{setting}"
    shapes, others = ({key: weight.shape for key, weight in model.state_dict().items()} for model in (one, other))
    if shapes != others:
        return f"the weights {min(key for key in shapes | others if shapes.get(key) != others.get(key))}"
    words, others_words = (model.problem_encoder.tokenizer.get_vocab() for model in (one, other))
    return "" if words == others_words else "their tokens"
