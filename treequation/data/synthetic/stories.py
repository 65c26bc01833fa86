"""Reads the stories: files of clauses in both languages, with the numbers to draw and what to compute from them.

A story has parts, such as ``start`` and ``change``, and each part has clauses, one of which is told. ``order`` lists
the parts in sequence; a part with a ``?`` is told half of the time. A question from the part ``ask`` comes last.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from treequation.data.synthetic.vocabulary import SENTENCES
from treequation.expression.evaluation import decimal_text
from treequation.expression.graph import ExpressionGraph, Number
from treequation.expression.parsing import parse_infix

_RANGE = re.compile(r"([0-9.]+?)\.\.([0-9.]+?)(?: by ([0-9.]+))?(%?)")


@dataclass(frozen=True)
class Clause:
    """One statement or question: a template in each language, without a capital at the start.

    ``draw`` says, for each number's slot, what to draw from: a range, or a list of numerals. ``set`` has formulas for
    the quantities that later clauses may refer to, and ``answer`` is the formula of a question.
    """

    en: str
    zh: str
    draw: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    set: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""


@dataclass(frozen=True)
class Story:
    """Parts in their order, how often the story is told, and what may be done with it.

    ``whole``: every quantity is a whole number; otherwise two decimal places are allowed. ``free``: the facts may be
    told in any order.
    """

    name: str
    order: Sequence[str]
    parts: Mapping[str, Sequence[Clause]]
    weight: int = 1
    whole: bool = True
    free: bool = False


@cache
def read_stories(file: str) -> tuple[Story, ...]:
    """The stories of a file, each as often as its weight says.

    >>> [story.name for story in read_stories("easy.toml")][:2]
    ['changes', 'boxes']
    """
    stories = tomllib.loads((SENTENCES / file).read_text(encoding="utf-8"))["story"]
    return tuple(story for row in stories for story in [_story(**row)] * row.get("weight", 1))


@cache
def read_asides() -> tuple[Clause, ...]:
    """Statements whose numbers no question needs."""
    asides = tomllib.loads((SENTENCES / "asides.toml").read_text(encoding="utf-8"))["aside"]
    return tuple(Clause(**aside) for aside in asides)


def _story(*, part: Mapping[str, list[dict[str, str]]], **settings: object) -> Story:
    parts = {name: tuple(Clause(**row) for row in clauses) for name, clauses in part.items()}  # type: ignore[arg-type]
    return Story(parts=parts, **settings)  # type: ignore[arg-type]


@cache
def written_numbers(range: str) -> tuple[str, ...]:
    """The numbers of a range as they are written.

    >>> written_numbers("2..5"), written_numbers("0.5..2 by 0.5"), written_numbers("10..30 by 10%")
    (('2', '3', '4', '5'), ('0.5', '1', '1.5', '2'), ('10%', '20%', '30%'))
    """
    match = _RANGE.fullmatch(range)
    if match is None:
        raise ValueError(f"{range!r} is not a range such as 2..20 or 0.5..9.5 by 0.5")
    value, high, step = Fraction(match[1]), Fraction(match[2]), Fraction(match[3] or 1)
    numbers = []
    while value <= high:
        numbers.append(f"{decimal_text(value)}{match[4]}")
        value += step
    return tuple(numbers)


@cache
def read_formula(text: str) -> tuple[ExpressionGraph, tuple[str, ...]]:
    """The graph of a formula, in which ``Number(i)`` is the i-th of the names that come with it.

    >>> read_formula("total + packs * 12")[1]
    ('total', 'packs')
    """
    names: dict[str, Number] = {}

    def resolve(leaf: str) -> Number | None:
        return names.setdefault(leaf, Number(len(names))) if leaf.isidentifier() else None

    return parse_infix(text, resolve), tuple(names)
