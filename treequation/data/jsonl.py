"""Treequation's own format for problems: JSON Lines, one object per line.

``text`` is required; ``equation``, ``answer``, ``id`` and ``language`` are optional. The equation is infix, in one of
two ways. With names: ``n0``, ``n1``, … are the numbers found in the text, in order, and every literal is a constant.
Without names: a literal that occurs in the text is that number. The answer is a number or a string such as ``"1/3"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from treequation.data.binding import LiteralBinder, plain_value
from treequation.data.reading import Code, RowReading, UnreadableError, exact, json_lines, reader
from treequation.expression.graph import Number
from treequation.expression.parsing import EquationError, parse_infix
from treequation.expression.printing import to_infix
from treequation.storage import write_json_lines
from treequation.text.conversion import convert
from treequation.text.language import language_of
from treequation.text.problem import NumberFormat, Problem

FORMAT = NumberFormat()
_NAME = re.compile(r"\bn\d+\b", re.IGNORECASE)
_FIELDS = {"id", "text", "equation", "answer", "language"}


def read_row(id: str, row: Mapping[str, Any]) -> RowReading:
    """One line's object as a problem."""
    if not isinstance(row, Mapping):
        raise UnreadableError(Code.BROKEN_ROW, "the line is not a JSON object")
    unknown = sorted(row.keys() - _FIELDS)
    if unknown:
        known = ", ".join(sorted(_FIELDS))
        raise UnreadableError(Code.BROKEN_ROW, f"unknown field {', '.join(unknown)}; the fields are {known}")
    text, equation, answer = row["text"], row.get("equation"), row.get("answer")
    if not isinstance(text, str) or not isinstance(equation, str | None):
        raise UnreadableError(Code.BROKEN_ROW, "text and equation must be strings")
    if not text.strip():
        raise UnreadableError(Code.BROKEN_ROW, "the text is empty")
    language = row.get("language", language_of(text))
    if language not in ("en", "zh"):
        raise UnreadableError(Code.BROKEN_ROW, f"the language {language!r} is not supported; use en or zh")
    binder = LiteralBinder(text, FORMAT)
    numbers = binder.numbers
    graph = None
    if equation is not None:
        graph = parse_infix(equation, None if _NAME.search(equation) else binder)
        beyond = [leaf for leaf in graph.leaves if isinstance(leaf, Number) and leaf.index >= len(numbers)]
        if beyond:
            message = f"the equation uses n{beyond[0].index}, but the text has {len(numbers)} numbers"
            raise UnreadableError(Code.BAD_EQUATION, message)
    return RowReading(
        Problem(id, text, numbers, language, FORMAT, graph, _answer(answer)),
        gold=sum(isinstance(leaf, Number) for leaf in graph.leaves) if graph else 0,
        missed=tuple(dict.fromkeys(binder.missed)),
    )


def _answer(answer: Any) -> Fraction | None:
    if not isinstance(answer, str):
        return None if answer is None else exact(answer)
    try:
        value = plain_value(answer)
    except EquationError as error:
        message = f'the answer {answer[:200]!r} is not a number, such as 12, "0.5" or "1/3"'
        raise UnreadableError(Code.BROKEN_ROW, message) from error
    if value is None:
        raise UnreadableError(Code.BROKEN_ROW, f"the answer {answer!r} has no exact value")
    return value


read = reader(json_lines, read_row)
"""The problems of a JSON Lines file; its equations use :data:`FORMAT`."""


def write(problems: Iterable[Problem], path: Path) -> None:
    """Writes ``problems`` in :data:`FORMAT`, so that :func:`read` gives them back.

    Raises :class:`~treequation.text.conversion.ConversionError` if an equation cannot be written in that format.
    """

    def row_of(problem: Problem) -> dict[str, str]:
        row: dict[str, str] = {"id": problem.id, "text": problem.text, "language": problem.language}
        if problem.graph is not None:
            row["equation"] = to_infix(problem.graph)
        if problem.answer is not None:
            row["answer"] = str(problem.answer)
        return row

    write_json_lines(path, (row_of(convert(problem, FORMAT)) for problem in problems))
