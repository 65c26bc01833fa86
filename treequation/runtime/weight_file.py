"""A model's weights on disk: matrices as 8-bit integers with a scale for each row or column.

Quantization saves three quarters of the size. A graph with integer products gets the integers; all others get floats.
The format is that of ``numpy.savez``, without compression or pickle. A file from elsewhere may claim any size, so every
claimed size is checked against the bytes in the file before memory is allocated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt

from treequation.storage import DamagedFolderError

Array = npt.NDArray[np.float32]
# A graph's suffixes for the integers and scales of a matrix; PyTorch's names never have them.
WHOLE, SCALE = "|whole", "|scale"
LARGEST = 127
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
_ENDING = ".npy"


def rounded(weight: Array, axis: int) -> tuple[npt.NDArray[np.int8], Array]:
    """A matrix as 8-bit integers, and the scales, which are shared along ``axis``.

    >>> whole, scale = rounded(np.array([[1.0, -0.5], [0.0, 0.0]], np.float32), axis=1)
    >>> whole.tolist(), (whole * scale).round(2).tolist()
    ([[127, -64], [0, 0]], [[1.0, -0.5], [0.0, 0.0]])
    """
    largest = np.abs(weight).max(axis=axis, keepdims=True, initial=0.0)
    scale = np.where(largest > 0, largest / LARGEST, 1.0).astype(np.float32)
    return np.rint(weight / scale).astype(np.int8), scale


def restored(whole: npt.NDArray[np.int8], scale: Array) -> Array:
    """The matrix as floats again."""
    return np.multiply(whole, scale, dtype=np.float32)


def write_weights(path: Path, weights: Mapping[str, Array], round_along: Mapping[str, int]) -> None:
    """Writes weights by name; those in ``round_along`` are quantized with scales shared along that axis."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, weight in weights.items():
        if name in round_along:
            arrays[name], arrays[name + SCALE] = rounded(weight, round_along[name])
        else:
            arrays[name] = weight
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


class WeightFile:
    """Weights that are read from disk one by one on demand: as floats, or as the integers and scales of a matrix.

    Raises :class:`~treequation.storage.DamagedFolderError` for anything that :func:`write_weights` would not write.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = ZipFile(path)
        except (BadZipFile, ValueError, NotImplementedError) as error:
            raise self._damaged(str(error)) from error
        members = self._file.infolist()
        packed = [member for member in members if member.compress_type != ZIP_STORED or member.flag_bits & 1]
        # Uncompressed entries cannot exceed the file in size, unless they share bytes or are compressed after all.
        if packed or sum(member.file_size for member in members) > path.stat().st_size:
            self._file.close()
            raise self._damaged("its entries are larger than the file")
        self._sizes = {member.filename: member.file_size for member in members}

    @property
    def count(self) -> int:
        """How many weights there are, not counting scales."""
        total = 0
        for file in self._sizes:
            name = file.removesuffix(_ENDING)
            if not name.endswith(SCALE):
                total += self._read(name, np.int8 if name + SCALE + _ENDING in self._sizes else np.float32).size
        return total

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        if name.endswith(WHOLE):
            return self._read(name.removesuffix(WHOLE), np.int8)
        if name.endswith(SCALE):
            return self._read(name, np.float32).ravel()
        if name + SCALE + _ENDING not in self._sizes:
            return self._read(name, np.float32)
        whole, scale = self._read(name, np.int8), self._read(name + SCALE, np.float32)
        if scale.shape not in ((1, *whole.shape[1:]), (*whole.shape[:1], *(1 for _ in whole.shape[1:]))):
            raise self._damaged(
                f"the scales of {name} have the shape {scale.shape}, which does not match {whole.shape}"
            )
        return self._finite(name, restored(whole, scale))

    def _read(self, name: str, kind: type[np.generic]) -> npt.NDArray[Any]:
        try:
            with self._file.open(name + _ENDING) as file:
                shape = self._shape(name, file, np.dtype(kind))
                array = np.frombuffer(bytearray(file.read()), kind).reshape(shape)
        except KeyError as error:
            raise self._damaged(f"it has no {name}") from error
        except (BadZipFile, ValueError, EOFError, OSError, NotImplementedError) as error:
            raise self._damaged(f"{name}: {error}") from error
        return self._finite(name, array)

    def _shape(self, name: str, file: IO[bytes], kind: np.dtype[Any]) -> tuple[int, ...]:
        """The shape in an array's header, after checking its type and its length."""
        version = np.lib.format.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"arrays of version {version} are not supported")
        shape, turned, found = _HEADERS[version](file)
        if found != kind or turned:
            raise ValueError(f"its values are {found}, not {kind} row by row")
        rest = self._sizes[name + _ENDING] - file.tell()
        if any(size < 0 for size in shape) or math.prod(shape) * kind.itemsize != rest:
            raise ValueError(f"its shape is {shape}, but it has {rest:,} bytes")
        return tuple(shape)

    def _finite(self, name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if array.dtype != np.int8 and not np.isfinite(array).all():
            raise self._damaged(f"{name} has values that are not finite")
        return array

    def _damaged(self, what: str) -> DamagedFolderError:
        first = what.splitlines()[0] if what else "it cannot be read"
        return DamagedFolderError(f"{self._path} is damaged ({first}); export or download the folder again")

    def __enter__(self) -> WeightFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
