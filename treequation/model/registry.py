"""The registry of decoders, by the name that a recipe uses.

A model registers itself where it is defined. Importing :mod:`treequation.baselines` adds the peers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from treequation.model.base import WordProblemModel, saved_decoder
from treequation.storage import DamagedFolderError

M = TypeVar("M", bound=type[WordProblemModel])

_decoders: dict[str, type[WordProblemModel]] = {}
DECODERS: Mapping[str, type[WordProblemModel]] = MappingProxyType(_decoders)
"""The registered models by :attr:`~WordProblemModel.DECODER`; a read-only view."""


def register(model: M) -> M:
    """A class decorator that registers a model by its ``DECODER``."""
    if _decoders.setdefault(model.DECODER, model) is not model:
        raise ValueError(f"the decoder {model.DECODER} is already registered, as {_decoders[model.DECODER].__name__}")
    return model


def load_model(folder: Path) -> WordProblemModel:
    """Loads the model in ``folder``, whatever its decoder."""
    name = saved_decoder(folder)
    if name not in DECODERS:
        raise DamagedFolderError(f"the model in {folder} has the decoder {name}, which this version does not know")
    return DECODERS[name].from_pretrained(folder)
