"""The registry of decoders, by the name that a recipe uses.

A model registers itself where it is defined. Importing :mod:`treequation.baselines` adds the peers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from treequation.model.base import WordProblemModel

M = TypeVar("M", bound="type[WordProblemModel]")

DECODERS: dict[str, type[WordProblemModel]] = {}
"""The registered models by :attr:`~WordProblemModel.DECODER`."""


def register(model: M) -> M:
    """A class decorator that registers a model by its ``DECODER``."""
    if DECODERS.setdefault(model.DECODER, model) is not model:
        raise ValueError(f"the decoder {model.DECODER} is already registered, as {DECODERS[model.DECODER].__name__}")
    return model
