"""A word problem: its text, the numbers found in it, and, where it is known, its equation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from treequation.expression.graph import ExpressionGraph

Language = Literal["en", "zh"]
NumberKind = Literal["digits", "percent", "fraction", "word"]


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How numbers are read from a text, where data sets differ.

    ``percent``: "5 %" is the number 5 (``whole``; equations divide by 100) or 1/20 (``fraction``).
    ``fraction``: "2/3" is ``one`` number or ``two`` with a division between them; ½ is one in any case.
    ``words``: whether "three", "half" and "twice" count as numbers.
    ``ordinals``: whether "3rd", 第3 and labels ("No. 7", "#2", "the 1990s") count. "Third" and 第三 never do.
    """

    percent: Literal["whole", "fraction"] = "fraction"
    fraction: Literal["one", "two"] = "one"
    words: bool = True
    ordinals: bool = False

    def percentage(
        self, value: Fraction, bare: tuple[int, int], signed: tuple[int, int], *, parts: int = 100
    ) -> FoundNumber:
        """A number found as a percentage: ``bare`` is its span without the percent sign, ``signed`` the one with it."""
        if self.percent == "fraction":
            return FoundNumber(value / parts, *signed, "percent")
        return FoundNumber(value, *bare, "percent")


@dataclass(frozen=True, slots=True)
class FoundNumber:
    """A number in a text: ``text[start:end]`` has this exact ``value``."""

    value: Fraction
    start: int
    end: int
    kind: NumberKind = "digits"


@dataclass(frozen=True, slots=True)
class Problem:
    """A word problem. ``graph`` and ``answer`` are the gold ones; both are None if only the text is known.

    The graph's ``Number(i)`` is ``numbers[i]``. ``format`` says how the numbers were read; the graph follows it.
    ``refused`` says why the model under test cannot be given the problem, which then counts as wrong: its equation
    cannot be written in the model's number format. Almost always it is empty.
    """

    id: str
    text: str
    numbers: tuple[FoundNumber, ...]
    language: Language = "en"
    format: NumberFormat = NumberFormat()
    graph: ExpressionGraph | None = None
    answer: Fraction | None = None
    refused: str = ""

    def __reduce__(self) -> tuple[Callable[..., Problem], tuple[Any, ...]]:
        """Pickled as a row of plain values, which is many times faster than field by field."""
        return problem_of, self.row

    @property
    def row(self) -> tuple[Any, ...]:
        """All fields in their order, with plain values for numbers and answer; :func:`problem_of` takes them."""
        return (
            self.id,
            self.text,
            [(str(number.value), number.start, number.end, number.kind) for number in self.numbers],
            self.language,
            self.format,
            self.graph,
            None if self.answer is None else str(self.answer),
            self.refused,
        )

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The numbers' values, in the order of the text."""
        return tuple(number.value for number in self.numbers)

    @property
    def masked_text(self) -> str:
        """The text with ``#`` for every number: two problems that share it differ in their numbers only."""
        pieces, end = [], 0
        for number in self.numbers:
            pieces += [self.text[end : number.start], "#"]
            end = number.end
        return " ".join("".join([*pieces, self.text[end:]]).lower().split())

    @property
    def wording(self) -> str:
        """Only the letters of :attr:`masked_text`, so that editions with other spacing or punctuation are the same."""
        return "".join(filter(str.isalpha, self.masked_text))


def problem_of(
    id: str,
    text: str,
    numbers: Iterable[tuple[str, int, int, NumberKind]],
    language: Language,
    format: NumberFormat,
    graph: ExpressionGraph | None,
    answer: str | None,
    refused: str,
) -> Problem:
    """The problem of a :attr:`Problem.row`."""
    return Problem(
        id,
        text,
        tuple(FoundNumber(_fraction(value), start, end, kind) for value, start, end, kind in numbers),
        language,
        format,
        graph,
        None if answer is None else _fraction(answer),
        refused,
    )


_fraction = lru_cache(maxsize=100_000)(Fraction)
