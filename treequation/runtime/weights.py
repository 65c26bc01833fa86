"""A model's weights on disk: matrices as whole numbers of 8 bits with a scale for each row or column.

The rounding saves three quarters of the size. What is computed with is float again on every machine: kernels that
multiply 8-bit activations saturate on processors without the right instructions and give wrong results there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
_SCALE = "|scale"  # no part of a PyTorch parameter's name
_LARGEST = 127


def rounded(weight: Array, axis: int) -> tuple[npt.NDArray[np.int8], Array]:
    """A matrix as 8-bit whole numbers, and the scales, one for all that lies along ``axis``.

    >>> whole, scale = rounded(np.array([[1.0, -0.5], [0.0, 0.0]], np.float32), axis=1)
    >>> whole.tolist(), (whole * scale).round(2).tolist()
    ([[127, -64], [0, 0]], [[1.0, -0.5], [0.0, 0.0]])
    """
    largest = np.abs(weight).max(axis=axis, keepdims=True, initial=0.0)
    scale = np.where(largest > 0, largest / _LARGEST, 1.0).astype(np.float32)
    return np.rint(weight / scale).astype(np.int8), scale


def restored(whole: npt.NDArray[np.int8], scale: Array) -> Array:
    """The matrix as it is computed with."""
    return np.multiply(whole, scale, dtype=np.float32)


def write_weights(path: Path, weights: Mapping[str, Array], round_along: Mapping[str, int]) -> None:
    """Writes weights by name; those in ``round_along`` are rounded with a scale along that axis."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, weight in weights.items():
        if name in round_along:
            arrays[name], arrays[name + _SCALE] = rounded(weight, round_along[name])
        else:
            arrays[name] = weight
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


class WeightFile:
    """Weights that are read from disk, and made float again, one by one as they are asked for."""

    def __init__(self, path: Path) -> None:
        self._file = np.load(path, allow_pickle=False)
        self._names = frozenset(self._file.files)

    def __getitem__(self, name: str) -> Array:
        weight = self._file[name]
        return restored(weight, self._file[name + _SCALE]) if name + _SCALE in self._names else weight

    def __enter__(self) -> WeightFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
