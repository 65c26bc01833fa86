"""The same story with other numbers, so that a model learns the story and not its numbers.

New numbers must leave the story sensible: what was whole stays whole, what was positive stays positive, and of two
numbers or results the larger one stays larger, so that a share stays below its total.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from treequation.expression.evaluation import evaluate
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

_PLAIN = re.compile(r"[1-9][0-9]*(?:\.[0-9]+)?")
# Hours, days, minutes, percent, degrees and the like: numbers that mean something by themselves.
_MEANINGFUL = {24, 28, 30, 31, 48, 52, 60, 90, 100, 120, 180, 360, 365, 366, 1000, 1440, 3600}
_SMALLEST = 13  # smaller ones may be wheels, legs, days or months
_TRIES = 20


def vary(problem: Problem, random: np.random.Generator) -> Problem:
    """The problem with other numbers, or as it is where none that fit were found.

    >>> from treequation.data.jsonl import read_row
    >>> text = "A box holds 48 pens, and 18 of 130 boxes are empty. How many pens are there?"
    >>> problem = read_row("1", {"text": text, "equation": "(130-18)*48", "answer": 5376}, "").problem
    >>> vary(problem, np.random.default_rng(0)).text
    'A box holds 48 pens, and 20 of 115 boxes are empty. How many pens are there?'
    """
    assert problem.graph is not None
    before = problem.values
    changing = [value for place, value in enumerate(before) if _may_change(problem, place)]
    known = _sizes(problem, before)
    if not changing or known is None:
        return problem
    for _ in range(_TRIES):
        drawn = {value: _draw(value, random) for value in dict.fromkeys(changing)}
        after = [drawn[v] if _may_change(problem, place) else v for place, v in enumerate(before)]
        if _sizes(problem, after) == known:
            return _rewritten(problem, after) or problem
    return problem


def _may_change(problem: Problem, place: int) -> bool:
    found = problem.numbers[place]
    written = problem.text[found.start : found.end]
    plain = found.kind == "digits" and _PLAIN.fullmatch(written) is not None and Fraction(written) == found.value
    year = found.value.denominator == 1 and 1900 <= found.value <= 2100
    return plain and found.value >= _SMALLEST and found.value not in _MEANINGFUL and not year


def _draw(value: Fraction, random: np.random.Generator) -> Fraction:
    """A number of the same order, and as round and as precise as the old one."""
    step = Fraction(1)
    while value % step:
        step /= 10
    while value % (step * 10) == 0:
        step *= 10
    if random.random() < 0.3 and step > 1:
        step /= 2
    low, high = max(2, int(value / step * 6 / 10)), max(3, int(value / step * 17 / 10))
    return step * int(random.integers(low, high + 1))


def _sizes(problem: Problem, numbers: Sequence[Fraction]) -> tuple[object, ...] | None:
    """What must stay: which of the numbers and results are whole, positive, above 1, and above which others."""
    assert problem.graph is not None
    results = [value.number for value in evaluate(problem.graph, numbers).values]
    exact = [number for number in results if isinstance(number, Fraction)]
    if len(exact) < len(results):
        return None
    values = [*numbers, *exact]
    whole = tuple(value.denominator == 1 for value in values)
    # A result may be finer than before only by three decimals: 2.5 does not become 2.3333….
    short = tuple((value * 1000).denominator == 1 for value in values)
    signs = tuple(((value > 0) - (value < 0), value > 1) for value in values)
    order = tuple((a > b) - (a < b) for place, a in enumerate(values) for b in values[:place])
    return whole, short, signs, order


def _rewritten(problem: Problem, values: list[Fraction]) -> Problem | None:
    assert problem.graph is not None
    pieces, end = [], 0
    for found, value in zip(problem.numbers, values, strict=True):
        old = problem.text[found.start : found.end]
        if value != found.value:
            decimals = len(old.partition(".")[2])
            old = f"{float(value):.{decimals}f}" if decimals else str(value.numerator)
        pieces += [problem.text[end : found.start], old]
        end = found.end
    text = "".join([*pieces, problem.text[end:]])
    numbers = tuple(find_numbers(text, problem.format))
    if [number.value for number in numbers] != values:
        return None
    answer = evaluate(problem.graph, values).value.number
    assert isinstance(answer, Fraction)
    return replace(problem, text=text, numbers=numbers, answer=answer)
