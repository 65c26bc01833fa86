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
from itertools import pairwise
from random import Random

from treequation.expression.evaluation import evaluate
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

_PLAIN = re.compile(r"[1-9][0-9]*(?:\.[0-9]+)?")
# Hours, days, minutes, percent, degrees and the like: numbers that mean something by themselves.
_MEANINGFUL = {24, 28, 30, 31, 48, 52, 60, 90, 100, 120, 180, 360, 365, 366, 1000, 1440, 3600}
_SMALLEST = 13  # smaller numbers may count wheels, legs, days or months
_TRIES = 20


def vary(problem: Problem, random: Random) -> Problem:
    """The problem with other numbers, or unchanged if none were found that fit.

    >>> from treequation.data.jsonl import read_row
    >>> text = "A box holds 48 pens, and 18 of 130 boxes are empty. How many pens are there?"
    >>> problem = read_row("1", {"text": text, "equation": "(130-18)*48", "answer": 5376}).problem
    >>> vary(problem, Random(0)).text
    'A box holds 48 pens, and 23 of 155 boxes are empty. How many pens are there?'
    """
    before = problem.values
    changing = [value if _may_change(problem, place) else None for place, value in enumerate(before)]
    different = [value for value in dict.fromkeys(changing) if value is not None]
    sizes = _sizes(problem, before) if different else None
    if sizes is None:
        return problem
    places = [None if value is None else different.index(value) for value in changing]
    ranges = [(_range(value), _range(value, halved=True)) for value in different]
    order = _order(before)
    for _ in range(_TRIES):
        drawn = [_draw(*each, random) for each in ranges]
        after = [value if place is None else drawn[place] for value, place in zip(before, places, strict=True)]
        if _order(after) == order and _sizes(problem, after) == sizes:  # order alone takes less time
            return _rewritten(problem, after) or problem
    return problem


def _may_change(problem: Problem, place: int) -> bool:
    number = problem.numbers[place]
    written = problem.text[number.start : number.end]
    plain = number.kind == "digits" and _PLAIN.fullmatch(written) is not None and Fraction(written) == number.value
    whole = number.value.numerator if number.value.denominator == 1 else 0
    return plain and number.value >= _SMALLEST and whole not in _MEANINGFUL and not 1900 <= whole <= 2100


_Range = tuple[Fraction, int, int]
"""A step, and the least and the greatest number of steps."""


def _draw(usual: _Range, halved: _Range, random: Random) -> Fraction:
    """A number of the same order, and as round and as precise as the old one."""
    step, least, most = halved if random.random() < 0.3 else usual
    return step * random.randint(least, most)


@lru_cache(maxsize=100_000)
def _range(value: Fraction, *, halved: bool = False) -> _Range:
    """The step is the largest power of ten that the value is a multiple of, or its half if that is whole."""
    step = Fraction(1)
    while value % step:
        step /= 10
    while value % (step * 10) == 0:
        step *= 10
    if halved and step > 1:
        step /= 2
    count = value / step
    return step, max(2, int(count * 6 / 10)), max(3, int(count * 17 / 10))


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


def _order(values: Sequence[Fraction]) -> list[bool]:
    """Whether each value is below the next and whether the two are equal, in floats, which are quick to compare."""
    numbers = [float(value) for value in values]
    return [compared for a, b in pairwise(numbers) for compared in (a < b, a == b)]


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
