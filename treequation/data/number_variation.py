"""The same story with other numbers, so that a model learns the story and not its numbers.

The story must still make sense: what was whole stays whole, what was positive stays positive, and the order of numbers
and results stays the same, so that a share stays below its total.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from treequation.expression.evaluation import evaluate
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

_PLAIN = re.compile(r"[1-9][0-9]*(?:\.[0-9]+)?")
# Hours, days, minutes, percent, degrees and the like: numbers that mean something by themselves.
_MEANINGFUL = {24, 28, 30, 31, 48, 52, 60, 90, 100, 120, 180, 360, 365, 366, 1000, 1440, 3600}
_SMALLEST = 13  # smaller numbers may count wheels, legs, days or months
_TRIES = 20


def vary(problem: Problem, random: np.random.Generator) -> Problem:
    """The problem with other numbers, or unchanged if none were found that fit.

    >>> from treequation.data.jsonl import read_row
    >>> text = "A box holds 48 pens, and 18 of 130 boxes are empty. How many pens are there?"
    >>> problem = read_row("1", {"text": text, "equation": "(130-18)*48", "answer": 5376}).problem
    >>> vary(problem, np.random.default_rng(0)).text
    'A box holds 48 pens, and 20 of 115 boxes are empty. How many pens are there?'
    """
    before = problem.values
    changes = [_may_change(problem, place) for place in range(len(before))]
    changing = dict.fromkeys(value for value, change in zip(before, changes, strict=True) if change)
    sizes = _sizes(problem, before)
    if not changing or sizes is None:
        return problem
    for _ in range(_TRIES):
        drawn = {value: _draw(value, random) for value in changing}
        after = [drawn[value] if change else value for value, change in zip(before, changes, strict=True)]
        if _sizes(problem, after) == sizes:
            return _rewritten(problem, after) or problem
    return problem


def _may_change(problem: Problem, place: int) -> bool:
    number = problem.numbers[place]
    written = problem.text[number.start : number.end]
    plain = number.kind == "digits" and _PLAIN.fullmatch(written) is not None and Fraction(written) == number.value
    year = number.value.denominator == 1 and 1900 <= number.value <= 2100
    return plain and number.value >= _SMALLEST and number.value not in _MEANINGFUL and not year


def _draw(value: Fraction, random: np.random.Generator) -> Fraction:
    """A number of the same order, and as round and as precise as the old one."""
    step = _step(value)
    if random.random() < 0.3 and step > 1:
        step /= 2
    count = value / step
    low, high = max(2, int(count * 6 / 10)), max(3, int(count * 17 / 10))
    return step * int(random.integers(low, high + 1))


@lru_cache(maxsize=100_000)
def _step(value: Fraction) -> Fraction:
    """The largest power of ten that the value is a multiple of."""
    step = Fraction(1)
    while value % step:
        step /= 10
    while value % (step * 10) == 0:
        step *= 10
    return step


def _sizes(problem: Problem, numbers: Sequence[Fraction]) -> tuple[object, ...] | None:
    """What must not change: which numbers and results are whole, short decimals, positive, above 1; and their order."""
    assert problem.graph is not None
    results = [value.number for value in evaluate(problem.graph, numbers).values]
    exact = [number for number in results if isinstance(number, Fraction)]
    if len(exact) < len(results):
        return None
    values = [*numbers, *exact]
    # As multiples of one unit: integers are compared many times faster than fractions.
    unit = math.lcm(*(value.denominator for value in values))
    counts = [value.numerator * (unit // value.denominator) for value in values]
    whole = tuple(count % unit == 0 for count in counts)
    # A short decimal stays short: 2.5 does not become 2.3333…. Short means three decimal places at most.
    short = tuple(count * 1000 % unit == 0 for count in counts)
    signs = tuple(((count > 0) - (count < 0), count > unit) for count in counts)
    rank = {count: place for place, count in enumerate(sorted(set(counts)))}
    return whole, short, signs, tuple(rank[count] for count in counts)


def _rewritten(problem: Problem, values: list[Fraction]) -> Problem | None:
    assert problem.graph is not None
    pieces, end = [], 0
    for number, value in zip(problem.numbers, values, strict=True):
        old = problem.text[number.start : number.end]
        if value != number.value:
            decimals = len(old.partition(".")[2])
            old = f"{float(value):.{decimals}f}" if decimals else str(value.numerator)
        pieces += [problem.text[end : number.start], old]
        end = number.end
    text = "".join([*pieces, problem.text[end:]])
    numbers = tuple(find_numbers(text, problem.format))
    if [number.value for number in numbers] != values:
        return None
    answer = evaluate(problem.graph, values).value.number
    assert isinstance(answer, Fraction)
    return replace(problem, text=text, numbers=numbers, answer=answer)
