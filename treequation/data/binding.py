"""Ties a data set's equations to the numbers that the finder finds in the text.

Data sets name the numbers of an equation in two ways. Some mark them in the text (``temp_a``, ``number0``):
:func:`marked_numbers` locates them, :func:`bind_marked` maps them onto the finder's. Others write
plain literals (``x=(11-1)*2``): :class:`LiteralBinder` looks for their values among the numbers found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from treequation.data.reading import RowReading
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, ExpressionGraph, GraphBuilder, Number, Operand, Operator
from treequation.expression.parsing import parse_infix, read_leaf
from treequation.text.alignment import match_spans
from treequation.text.numbers import find_numbers
from treequation.text.problem import FoundNumber, Language, NumberFormat, Problem

_UNSIGNED = re.compile(r"\d(?:[\d,]*\d)?(?:\.\d+)?|\.\d+")  # commas may be anywhere: "1,00,000" in India
_NUMERAL = re.compile(rf"-?(?:{_UNSIGNED.pattern})")


def marked_numbers(text: str, masked: str, mark: re.Pattern[str]) -> list[FoundNumber] | None:
    """The numbers of ``text`` that ``masked`` replaces by marks; None if the two differ in anything else.

    White space may differ, since data sets space their tokens in different ways.

    >>> mark = re.compile("temp_[a-z]+")
    >>> numbers = marked_numbers("Pay $5, then 2.5.", "Pay $ temp_a , then temp_b .", mark)
    >>> [(str(n.value), n.start, n.end) for n in numbers]
    [('5', 5, 6), ('5/2', 13, 16)]
    """
    numbers: list[FoundNumber] = []
    position = 0
    for index, piece in enumerate(mark.split(masked)):
        if index > 0:
            numeral = _NUMERAL.match(text, _skip_space(text, position))
            if numeral is None:
                return None
            numbers.append(_number(numeral))
            position = numeral.end()
        for character in "".join(piece.split()):
            position = _skip_space(text, position)
            if not text.startswith(character, position):
                return None
            position += 1
    return numbers


def numerals(text: str) -> list[FoundNumber]:
    """Every numeral in ``text``, for data sets that count the numbers of a text in this simple way.

    >>> [str(number.value) for number in numerals("sell 1,200 at 2.5 % off")]
    ['1200', '5/2']
    """
    return [_number(numeral) for numeral in _UNSIGNED.finditer(text)]


def _number(numeral: re.Match[str]) -> FoundNumber:
    return FoundNumber(Fraction(numeral.group().replace(",", "")), numeral.start(), numeral.end())


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def bind_marked(
    id: str,
    text: str,
    marked: Sequence[FoundNumber],
    graph: ExpressionGraph,
    answer: Fraction | None,
    *,
    format: NumberFormat,
) -> RowReading:
    """The problem, with ``graph`` rewritten from the ``marked`` numbers to those found in the text.

    A marked number that the finder does not find becomes a constant: the model has no other way to reach it.
    """
    numbers = find_numbers(text, format)
    places = match_spans(marked, numbers)
    missed: dict[int, str] = {}

    def found_number(_: GraphBuilder, leaf: Number | Constant) -> Operand:
        if isinstance(leaf, Constant):
            return leaf
        place = places[leaf.index]
        if place is None:
            number = marked[leaf.index]
            missed[leaf.index] = in_context(text, number.start, number.end)
            return Constant(number.value)
        return Number(place)

    used = {leaf for leaf in graph.leaves if isinstance(leaf, Number)}
    if any(leaf.index >= len(marked) for leaf in used):
        raise ValueError(f"the equation uses a number beyond the {len(marked)} that the text marks")
    bound = graph.replace_leaves(found_number)
    added = [number for index, number in enumerate(numbers) if index not in places]
    return RowReading(
        Problem(id, text, numbers, "en", format, bound, answer),
        gold=len(used),
        missed=tuple(missed.values()),
        added=tuple(in_context(text, number.start, number.end) for number in added),
    )


def in_context(text: str, start: int, end: int) -> str:
    """A number with the text around it, so that a reader can judge it.

    >>> in_context("He came in on the 19 th of the month.", 18, 20)
    '19 in "came in on the 19 th of the mont"'
    """
    around = text[max(0, start - 15) : end + 15]
    return f'{text[start:end]} in "{around.strip()}"'


class LiteralBinder:
    """Resolves the literals of an equation: one whose value was found in the text is that number.

    If the text has the value several times, numbers that are written like the literal are preferred. The first use of
    the literal is the first of them, the second use the second, and so on. Where "20 %" is read as the number 20, a
    literal 0.2 becomes ``Number(-1 - i)``, which :func:`bind_literals` writes out as number i divided by 100.

    >>> binder = LiteralBinder("Tom has 3 cats and 3 dogs.", NumberFormat())
    >>> parse_infix("3 + 3", binder).leaves
    (Number(index=0), Number(index=1))
    """

    def __init__(self, text: str, format: NumberFormat) -> None:
        self._text = text
        self._whole_percent = format.percent == "whole"
        self.numbers = find_numbers(text, format)
        self._uses: dict[tuple[int, ...], int] = {}
        self.gold: set[int] = set()
        self.missed: list[str] = []

    def __call__(self, literal: str) -> Operand | None:
        value = literal_value(literal)
        if value is None:
            return None
        places = self._places(value, literal)
        if places:
            use = self._uses.get(places, 0)
            self._uses[places] = use + 1
            place = places[min(use, len(places) - 1)]
            self.gold.add(place)
            return Number(place)
        for index, number in enumerate(self.numbers):
            if self._whole_percent and number.kind == "percent" and number.value == value * 100:
                self.gold.add(index)
                return Number(-1 - index)
        unfound = self._unfound_place(literal)
        if unfound is not None:
            self.missed.append(in_context(self._text, unfound.start(), unfound.end()))
        return None

    def _places(self, value: Fraction, literal: str) -> tuple[int, ...]:
        places = [index for index, number in enumerate(self.numbers) if number.value == value]
        if len(places) > 1:
            same = [index for index in places if self._written(index) == literal.strip("()")]
            places = same or places
        return tuple(places)

    def _written(self, index: int) -> str:
        number = self.numbers[index]
        return self._text[number.start : number.end].strip("()")

    def _unfound_place(self, literal: str) -> re.Match[str] | None:
        # An ordinal ("第2天") is not a quantity, and a numeral inside a found number is part of that number.
        for place in re.finditer(rf"(?<![\d.第]){re.escape(literal)}(?!\d|\.\d|%)", self._text):
            if not any(n.start < place.end() and place.start() < n.end for n in self.numbers):
                return place
        return None


def literal_value(literal: str) -> Fraction | None:
    """The value of a literal as equations write it, or None for anything else, such as a name.

    >>> [str(literal_value(literal)) for literal in ("2.50", "20%", "(1/5)", "3(1/2)", "n0")]
    ['5/2', '1/5', '1/5', '7/2', 'None']
    """
    leaf = read_leaf(literal[1:-1] if literal.startswith("(") else literal)
    return leaf.value if isinstance(leaf, Constant) else None


def bind_literals(
    id: str,
    text: str,
    parse: Callable[[LiteralBinder], ExpressionGraph],
    answer: Fraction | None,
    *,
    language: Language,
    format: NumberFormat,
) -> RowReading:
    """The problem, if its equation writes numbers as literals; ``parse`` reads the equation with the given binder."""
    binder = LiteralBinder(text, format)
    graph = parse(binder).replace_leaves(_percent_written_out)
    return RowReading(
        Problem(id, text, binder.numbers, language, format, graph, answer),
        gold=len(binder.gold) + len(set(binder.missed)),
        missed=tuple(dict.fromkeys(binder.missed)),
    )


def _percent_written_out(builder: GraphBuilder, leaf: Number | Constant) -> Operand:
    if isinstance(leaf, Constant) or leaf.index >= 0:
        return leaf
    return builder.add(Operator.DIVIDE, Number(-1 - leaf.index), Constant(Fraction(100)))


def plain_value(text: str) -> Fraction | None:
    """The value of an answer such as ``25%``, ``((7)/(15))`` or ``3((1)/(2))``; None if it has no exact one.

    >>> str(plain_value("((7)/(15))")), str(plain_value("3((1)/(2))"))
    ('7/15', '7/2')
    """
    value = evaluate(parse_infix(plain_fractions(text)), ()).value
    return value.number if isinstance(value.number, Fraction) else None


_LONG_FRACTION = re.compile(r"\(\((\d+)\)/\((\d+)\)\)")


def plain_fractions(equation: str) -> str:
    """The equation with ``((7)/(15))``, as Math23K also writes, in the form ``(7/15)``.

    >>> plain_fractions("x=3((1)/(2))*4")
    'x=3(1/2)*4'
    """
    return _LONG_FRACTION.sub(r"(\1/\2)", equation)
