"""SVAMP's protocol: training on MAWPS and ASDiv-A, testing on the 1,000 challenge problems.

The CSV files have ``number0``, ``number1``, … in place of the numbers, a column of values, and a prefix equation.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from treequation.data.binding import bind_marked, marked_numbers
from treequation.data.reading import Code, RowReading, UnreadableError, exact, reader
from treequation.expression.notations import parse_prefix
from treequation.text.problem import NumberFormat

FORMAT = NumberFormat(percent="whole", fraction="one", words=False)

_MARK = re.compile(r"number(\d+)")
_MARK_ONLY = re.compile(r"number\d+")


def _rows(path: Path) -> Iterable[tuple[int, str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        for row, item in enumerate(csv.DictReader(file), 1):
            yield row, str(row), item


def _read_row(id: str, row: Mapping[str, Any]) -> RowReading:
    masked = row["Question"]
    values = row["Numbers"].split()
    text = _MARK.sub(lambda mark: values[int(mark[1])].removesuffix(".0"), masked)  # the file has 56.0 for 56
    marked = marked_numbers(text, masked, _MARK_ONLY)
    if marked is None or len(marked) != len(values):
        raise UnreadableError(Code.BROKEN_ROW, f"the numbers marked in the text are not {row['Numbers']!r}")
    graph = parse_prefix(row["Equation"])
    return bind_marked(id, text, marked, graph, exact(row["Answer"]), format=FORMAT)


read = reader(_rows, _read_row)
"""The problems of ``train.csv`` or ``dev.csv``."""
