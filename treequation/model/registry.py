"""Every decoder by the name that a recipe calls it: the one place that knows them.

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
"""The registered models by :attr:`~WordProblemModel.DECODER`; read-only, and it grows as models register."""


def register(model: M) -> M:
    """Makes a model known by its ``DECODER``; used as a decorator of the class."""
    if _decoders.setdefault(model.DECODER, model) is not model:
        raise ValueError(f"the decoder {model.DECODER} is registered already, as {_decoders[model.DECODER].__name__}")
    return model


def load_model(folder: Path) -> WordProblemModel:
    """The model in ``folder``, whatever its decoder."""
    name = saved_decoder(folder)
    if name not in DECODERS:
        raise DamagedFolderError(f"the model in {folder} has a decoder {name}, which this version does not know")
    return DECODERS[name].from_pretrained(folder)
