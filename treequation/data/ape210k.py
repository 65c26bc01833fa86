"""Ape210K: Chinese problems whose records are Math23K's, one a line."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from treequation.data import math23k
from treequation.data.reading import OnError, Reading, json_lines, read_rows
from treequation.text.problem import NumberFormat

FORMAT = NumberFormat(percent="fraction", fraction="one", words=True, ordinals=True)


def read(path: Path, *, format: NumberFormat | None = None, on_error: OnError = "skip") -> Reading:
    """The problems of an Ape210K file: JSON Lines."""
    read_row = partial(math23k.read_row, format=FORMAT, source="ape210k")
    return read_rows(path, json_lines(path, "id"), read_row, format=format, on_error=on_error)
