"""The result of reading a data set: its problems, and a finding for everything that is not as it should be.

Every row of a file becomes a problem or a finding that says why it was left out, so that the counts add up.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Self

from treequation.data.parallel import each
from treequation.errors import TreequationError
from treequation.expression.parsing import EquationError
from treequation.text.conversion import ConversionError, convert
from treequation.text.problem import NumberFormat, Problem


class DataError(TreequationError):
    """The data are missing, broken or not available; the message says what to do."""


class Explained(StrEnum):
    """Codes for programs, each with a line for people: its ``meaning``."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        """A member is defined by both."""
        member = str.__new__(cls, value)
        member._value_, member.meaning = value, meaning
        return member


class Code(Explained):
    """What a finding is about. A row with a finding of the first group is left out."""

    BROKEN_ROW = "broken-row", "the row lacks a field or has one of the wrong type; left out"
    BAD_EQUATION = "bad-equation", "the equation cannot be read; left out"
    NO_EQUATION = (
        "no-equation",
        "the row has no single equation (its steps do not chain, or several answers); left out",
    )
    OTHER_FORMAT = "other-format", "the equation cannot be written in the number format asked for; left out"

    NUMBER_NOT_FOUND = "number-not-found", "a number of the equation was not found in the text; it became a constant"
    NUMBER_ADDED = "number-added", "the text has a number that the data set does not count as one"
    WRONG_ANSWER = "wrong-answer", "the equation does not give the answer"
    ROUNDED_ANSWER = "rounded-answer", "the answer is what the equation gives, but rounded or truncated"
    DUPLICATE = "duplicate", "an earlier row of the split has the same text, numbers included"
    OVERLAP = "overlap", "a training problem has the same text, apart from its numbers"


LEFT_OUT = (Code.BROKEN_ROW, Code.BAD_EQUATION, Code.NO_EQUATION, Code.OTHER_FORMAT)


@dataclass(frozen=True, slots=True)
class RowFinding:
    """Something about one row (counted from 1) of a file."""

    file: str
    row: int
    id: str
    code: Code
    message: str

    def __str__(self) -> str:
        return f"{self.file}, row {self.row} (id {self.id}): {self.code}: {self.message}"


class BrokenRowError(DataError):
    """A row that cannot become a problem, for callers who asked to stop there."""

    def __init__(self, finding: RowFinding) -> None:
        super().__init__(str(finding))
        self.finding = finding


@dataclass(frozen=True, slots=True)
class Reading:
    """The problems of a file and what was found on the way: ``rows == len(problems) + skipped``.

    ``row_of[i]`` is the row of ``problems[i]``. ``gold_numbers`` counts the numbers that the equations take from the
    text, ``numbers_found`` those among them that the number finder found.
    """

    problems: tuple[Problem, ...]
    findings: tuple[RowFinding, ...]
    rows: int
    row_of: tuple[int, ...]
    file: str = ""
    gold_numbers: int = 0
    numbers_found: int = 0

    @property
    def skipped(self) -> int:
        """How many rows were left out."""
        return self.rows - len(self.problems)

    @property
    def counts(self) -> Counter[Code]:
        """The number of findings of each kind."""
        return Counter(finding.code for finding in self.findings)


class UnreadableError(Exception):
    """Raised by a data set's reader for a row that cannot become a problem."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(code, message)  # both, so that it can be sent to another process
        self.code, self.message = code, message

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class RowReading:
    """The result of reading one row: the problem, and how the data set's numbers agree with those found in the text.

    ``gold`` counts the numbers that the equation takes from the text, ``missed`` are those among them that were not
    found there, ``added`` the numbers found in the text that the data set does not count.
    """

    problem: Problem
    gold: int
    missed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def read_rows(path: Path, rows: Iterable[tuple[int, str, Any]], read_row: Callable[[str, Any], RowReading]) -> Reading:
    """Reads ``rows`` (row number, id, content) with ``read_row``, which gets the id and the content."""
    problems: list[Problem] = []
    row_of: list[int] = []
    findings: list[RowFinding] = []
    gold = missed = 0
    numbered = list(rows)
    ids, contents = [id for _, id, _ in numbered], [content for _, _, content in numbered]
    for (row, id, _), read in zip(numbered, each(partial(_outcome, read_row), ids, contents), strict=True):
        if isinstance(read, UnreadableError):
            findings.append(RowFinding(str(path), row, id, read.code, str(read)))
            continue
        problems.append(read.problem)
        row_of.append(row)
        gold += read.gold
        missed += len(read.missed)
        for code, numbers in ((Code.NUMBER_NOT_FOUND, read.missed), (Code.NUMBER_ADDED, read.added)):
            if numbers:
                findings.append(RowFinding(str(path), row, id, code, ", ".join(numbers)))
    return Reading(
        tuple(problems), tuple(findings), len(numbered), tuple(row_of), str(path), gold, numbers_found=gold - missed
    )


def _outcome(read_row: Callable[[str, Any], RowReading], id: str, content: Any) -> RowReading | UnreadableError:
    if isinstance(content, UnreadableError):
        return content
    try:
        return read_row(id, content)
    except UnreadableError as error:
        return error
    except EquationError as error:
        return UnreadableError(Code.BAD_EQUATION, f"{error.message}: {error.text[:200]}")
    except KeyError as error:
        return UnreadableError(Code.BROKEN_ROW, f"the field {error} is missing")
    except (TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        return UnreadableError(Code.BROKEN_ROW, f"a field has the wrong type: {error}")


def in_format(reading: Reading, format: NumberFormat) -> Reading:
    """The same problems in another number format; those whose equation cannot be written in it are left out."""
    problems: list[Problem] = []
    row_of: list[int] = []
    findings = list(reading.findings)
    if all(problem.format == format for problem in reading.problems):
        return reading
    converted = each(partial(_converted, format), reading.problems)
    for row, problem, other in zip(reading.row_of, reading.problems, converted, strict=True):
        if isinstance(other, ConversionError):
            findings.append(RowFinding(reading.file, row, problem.id, Code.OTHER_FORMAT, str(other)))
        else:
            problems.append(other)
            row_of.append(row)
    findings.sort(key=lambda finding: finding.row)
    return replace(reading, problems=tuple(problems), findings=tuple(findings), row_of=tuple(row_of))


def _converted(format: NumberFormat, problem: Problem) -> Problem | ConversionError:
    try:
        return convert(problem, format)
    except ConversionError as error:
        return error


def reader(
    rows: Callable[[Path], Iterable[tuple[int, str, Any]]], read_row: Callable[[str, Any], RowReading]
) -> Callable[[Path], Reading]:
    """Makes the function that reads a data set's file: ``rows`` lists its rows, ``read_row`` reads one of them."""
    return lambda path: read_rows(path, rows(path), read_row)


def json_rows(path: Path, id_field: str = "id") -> Iterable[tuple[int, str, Any]]:
    """The rows of a JSON file that holds one list of objects."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not a JSON file: {error}") from error
    if not isinstance(content, list):
        raise DataError(f"{path} does not hold a list of problems")
    for row, item in enumerate(content, 1):
        yield row, row_id(item, id_field, row), item


def json_lines(path: Path) -> Iterable[tuple[int, str, Any]]:
    """The rows of a file with one JSON object per line; a line that is not JSON becomes a broken row."""
    with path.open("rb") as file:
        for row, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                item = json.loads(line)
                id = row_id(item, "id", row)
            except (ValueError, RecursionError) as error:  # not JSON, or a number too long, or lists nested too deep
                item, id = UnreadableError(Code.BROKEN_ROW, f"the line cannot be read as JSON: {error}"), str(row)
            yield row, id, item


def row_id(item: Any, id_field: str, row: int) -> str:
    """The row's own id if it has one, else its number."""
    value = item.get(id_field) if isinstance(item, Mapping) else None
    return str(row if value is None else value)


def exact(value: Any) -> Fraction:
    """A number exactly as a data file writes it: 0.1 is one tenth, not the nearest binary fraction.

    >>> exact(0.1), exact("2.50"), exact(3)
    (Fraction(1, 10), Fraction(5, 2), Fraction(3, 1))
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TypeError(f"{value!r} is not a number")
    return Fraction(str(value))
