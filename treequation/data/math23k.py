"""Math23K: Chinese problems with an infix equation over literals (``x=(11-1)*2``).

Percentages and fractions (``20%``, ``(1/5)``, ``3(1/2)``) are single numbers of the text and of the equation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treequation.data.binding import bind_literals, plain_fractions, plain_value
from treequation.data.reading import RowReading, json_rows, reader
from treequation.expression.parsing import parse_infix
from treequation.text.problem import NumberFormat

FORMAT = NumberFormat(percent="fraction", fraction="one", words=False, ordinals=True)


def read_row(id: str, row: Mapping[str, Any], format: NumberFormat = FORMAT) -> RowReading:
    """One record; Ape210K has records of the same kind."""
    equation = plain_fractions(row["equation"])
    return bind_literals(
        id,
        row["original_text"],
        lambda resolve: parse_infix(equation, resolve),
        plain_value(row["ans"]),
        language="zh",
        format=format,
    )


read = reader(json_rows, read_row)
"""The problems of a Math23K file: a JSON list."""
