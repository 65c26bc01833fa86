"""Checks data sets row by row: does the equation give the answer, is a text a duplicate, does a test text leak?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from treequation.data.reading import Code, Reading, RowFinding
from treequation.expression.evaluation import Value, evaluate, format_value
from treequation.text.problem import Problem

TOLERANCE = Fraction(1, 10_000)
"""How far an equation's value may be from the answer; the literature's 1e-4."""


HELD_OUT = ("dev", "test")
"""The splits whose texts must not occur in training."""


@dataclass(frozen=True, slots=True)
class SplitValidation:
    """What was found in a split; the findings of the reading come first.

    ``answers`` counts the problems that have both an equation and an answer.
    """

    reading: Reading
    findings: tuple[RowFinding, ...]
    answers: int

    @property
    def counts(self) -> Counter[Code]:
        """The number of findings of each kind."""
        return Counter(finding.code for finding in self.findings)

    @property
    def answers_given(self) -> int:
        """How many equations give their answer."""
        return self.answers - self.counts[Code.WRONG_ANSWER] - self.counts[Code.ROUNDED_ANSWER]


def validate(readings: Mapping[str, Reading]) -> dict[str, SplitValidation]:
    """Checks each split, and ``dev`` and ``test`` against ``train`` for texts that differ in their numbers only."""
    training = readings.get("train")
    seen = {} if training is None else _first_rows(training)
    return {name: _validate_split(reading, seen if name in HELD_OUT else {}) for name, reading in readings.items()}


def _first_rows(reading: Reading) -> dict[str, int]:
    rows: dict[str, int] = {}
    for row, problem in zip(reading.row_of, reading.problems, strict=True):
        rows.setdefault(problem.masked_text, row)
    return rows


def _validate_split(reading: Reading, training: Mapping[str, int]) -> SplitValidation:
    findings = list(reading.findings)
    texts: dict[str, int] = {}
    answers = 0
    for row, problem in zip(reading.row_of, reading.problems, strict=True):
        answers += problem.graph is not None and problem.answer is not None
        text = " ".join(problem.text.split())
        first = texts.setdefault(text, row)
        if first != row:
            findings.append(RowFinding(reading.file, row, problem.id, Code.DUPLICATE, f"the same text as row {first}"))
        if (other := training.get(problem.masked_text)) is not None:
            message = f"the same masked text as row {other} of train"
            findings.append(RowFinding(reading.file, row, problem.id, Code.OVERLAP, message))
        for code, message in _answer_findings(problem):
            findings.append(RowFinding(reading.file, row, problem.id, code, message))
    return SplitValidation(reading, tuple(findings), answers)


def _answer_findings(problem: Problem) -> Iterator[tuple[Code, str]]:
    if problem.graph is None or problem.answer is None:
        return
    value = evaluate(problem.graph, problem.values).value
    if agrees(value, problem.answer):
        return
    code = Code.ROUNDED_ANSWER if rounds_to(value, problem.answer) else Code.WRONG_ANSWER
    yield code, f"the equation gives {format_value(value)}, the answer is {format_value(problem.answer)}"


def agrees(value: Value, answer: Fraction) -> bool:
    """Whether an equation's value is the answer, within the tolerance of the literature.

    >>> agrees(Value(Fraction(1, 3)), Fraction("0.33333")), agrees(Value(Fraction(1, 3)), Fraction("0.33"))
    (True, False)
    """
    return value.number is not None and abs(Fraction(value.number) - answer) < TOLERANCE


def rounds_to(value: Value, answer: Fraction) -> bool:
    """Whether ``answer`` could be ``value``, rounded or truncated to the decimal places of ``answer``.

    >>> rounds_to(Value(Fraction(200, 7)), Fraction("28.57")), rounds_to(Value(Fraction(7)), Fraction(8))
    (True, False)
    """
    if value.number is None:
        return False
    places = 0
    while (answer * 10**places).denominator != 1:
        places += 1
        if places > 10:
            return False
    return abs(Fraction(value.number) - answer) < Fraction(1, 10**places)
