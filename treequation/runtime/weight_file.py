"""A model's weights on disk: matrices as whole numbers of 8 bits with a scale for each row or column.

The rounding saves three quarters of the size. Where a graph multiplies whole numbers, it gets them as they are; all
others get floats.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
WHOLE, SCALE = "|whole", "|scale"  # what a graph calls a matrix's whole numbers and scales; no part of PyTorch's names
LARGEST = 127


def rounded(weight: Array, axis: int) -> tuple[npt.NDArray[np.int8], Array]:
    """A matrix as 8-bit whole numbers, and the scales, one for all that lies along ``axis``.

    >>> whole, scale = rounded(np.array([[1.0, -0.5], [0.0, 0.0]], np.float32), axis=1)
    >>> whole.tolist(), (whole * scale).round(2).tolist()
    ([[127, -64], [0, 0]], [[1.0, -0.5], [0.0, 0.0]])
    """
    largest = np.abs(weight).max(axis=axis, keepdims=True, initial=0.0)
    scale = np.where(largest > 0, largest / LARGEST, 1.0).astype(np.float32)
    return np.rint(weight / scale).astype(np.int8), scale


def restored(whole: npt.NDArray[np.int8], scale: Array) -> Array:
    """The matrix as it is computed with."""
    return np.multiply(whole, scale, dtype=np.float32)


def write_weights(path: Path, weights: Mapping[str, Array], round_along: Mapping[str, int]) -> None:
    """Writes weights by name; those in ``round_along`` are rounded with a scale along that axis."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, weight in weights.items():
        if name in round_along:
            arrays[name], arrays[name + SCALE] = rounded(weight, round_along[name])
        else:
            arrays[name] = weight
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


class WeightFile:
    """Weights that are read from disk one by one as they are asked for: as floats, or as a matrix's two parts."""

    def __init__(self, path: Path) -> None:
        self._file = np.load(path, allow_pickle=False)
        self._names = frozenset(self._file.files)

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        if name.endswith(WHOLE):
            return self._file[name.removesuffix(WHOLE)]  # type: ignore[no-any-return]
        weight = self._file[name]
        if name.endswith(SCALE):
            return weight.ravel()  # type: ignore[no-any-return]
        return restored(weight, self._file[name + SCALE]) if name + SCALE in self._names else weight

    def __enter__(self) -> WeightFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
