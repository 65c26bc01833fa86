"""Wrong equations that look right: one edit away from a gold one, and with another value.

They teach a model to tell the two apart. The edits are those of Shen et al., "Generate & Rank" (2021): an operation is
grafted somewhere, a leaf is deleted with its operation, an operator or a leaf is replaced by another, or the two sides
of an operation are swapped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isclose
from random import Random

from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, ExpressionGraph, Number, Operator
from treequation.expression.notations import Symbol, from_prefix_symbols, prefix_symbols
from treequation.text.number_vocabulary import Vocabulary

Leaf = Number | Constant
Leaves = Sequence[Leaf]
Operators = Sequence[Operator]
_ATTEMPTS = 4  # draws for each wrong equation that is wanted


def end_of(symbols: Sequence[Symbol], start: int) -> int:
    """Where the sub-tree that begins at ``start`` of a prefix equation ends.

    >>> end_of([Operator.ADD, Operator.MULTIPLY, Number(0), Number(1), Number(2)], 1)
    4
    """
    missing = 1
    while missing:
        missing += 1 if isinstance(symbols[start], Operator) else -1
        start += 1
    return start


def graft(symbols: list[Symbol], random: Random, leaves: Leaves, operators: Operators) -> list[Symbol]:
    """One more operation, between some sub-tree and some leaf."""
    start = random.randrange(len(symbols))
    end = end_of(symbols, start)
    sides: list[list[Symbol]] = [symbols[start:end], [random.choice(leaves)]]
    random.shuffle(sides)
    return [*symbols[:start], random.choice(operators), *sides[0], *sides[1], *symbols[end:]]


def delete(symbols: list[Symbol], random: Random, leaves: Leaves, operators: Operators) -> list[Symbol]:
    """One operation less: that of a leaf, of which the other side stays."""
    choices = []
    for start, symbol in enumerate(symbols):
        if isinstance(symbol, Operator):
            middle = end_of(symbols, start + 1)
            end = end_of(symbols, middle)
            if middle == start + 2:
                choices.append((start, end, symbols[middle:end]))
            if end == middle + 1:
                choices.append((start, end, symbols[start + 1 : middle]))
    if not choices:
        return symbols
    start, end, rest = random.choice(choices)
    return [*symbols[:start], *rest, *symbols[end:]]


def exchange(symbols: list[Symbol], random: Random, leaves: Leaves, operators: Operators) -> list[Symbol]:
    """Another operator in the place of one, or another leaf."""
    place = random.randrange(len(symbols))
    kind: Sequence[Symbol] = operators if isinstance(symbols[place], Operator) else leaves
    return [*symbols[:place], random.choice(kind), *symbols[place + 1 :]]


def swap(symbols: list[Symbol], random: Random, leaves: Leaves, operators: Operators) -> list[Symbol]:
    """The two sides of an operation the other way round."""
    places = [place for place, symbol in enumerate(symbols) if isinstance(symbol, Operator)]
    if not places:
        return symbols
    start = random.choice(places)
    middle = end_of(symbols, start + 1)
    end = end_of(symbols, middle)
    return [*symbols[: start + 1], *symbols[middle:end], *symbols[start + 1 : middle], *symbols[end:]]


Edit = Callable[[list[Symbol], Random, Leaves, Operators], list[Symbol]]
EDITS: tuple[Edit, ...] = (graft, delete, exchange, swap)


def wrong_equations(
    graph: ExpressionGraph,
    values: Sequence[Fraction],
    count: int,
    random: Random,
    known: Vocabulary,
    edits: Sequence[Edit] = EDITS,
) -> list[ExpressionGraph]:
    """Up to ``count`` different equations, each an edit away from ``graph``, whose values are not its value.

    What an edit leaves the same, or gives the same value to, is dropped; so there may be fewer. The numbers of the text
    have these ``values``; leaves are drawn from them and from the ``known`` constants.

    >>> from treequation.expression.parsing import parse_infix
    >>> from treequation.expression.printing import to_infix
    >>> values, known = [Fraction(3), Fraction(4)], Vocabulary(())
    >>> drawn = wrong_equations(parse_infix("n0*n1"), values, 3, Random(1), known, [exchange])
    >>> [to_infix(each) for each in drawn]
    ['n0*n0', 'n0/n1', 'n1*n1']
    """
    leaves: list[Leaf] = [*map(Number, range(len(values))), *map(Constant, known.constants)]
    if not leaves:
        return []
    gold, right = prefix_symbols(graph), evaluate(graph, values).value.number
    found: dict[ExpressionGraph, None] = {}
    for _ in range(_ATTEMPTS * count):
        if len(found) == count:
            break
        drawn = from_prefix_symbols(random.choice(edits)(gold, random, leaves, known.operators))
        if not has_value(drawn, values, right):
            found.setdefault(drawn)
    return list(found)


def has_value(graph: ExpressionGraph, values: Sequence[Fraction], right: Fraction | float | None) -> bool:
    """Whether this is the equation's value where the numbers of the text have these ``values``; None: it has none.

    An equation that uses a number that the text does not have is never right.

    >>> from treequation.expression.parsing import parse_infix
    >>> three, four = Fraction(3), Fraction(4)
    >>> [has_value(parse_infix(text), [three, four], Fraction(7)) for text in ("n1+n0", "n0*n1", "n0+n2")]
    [True, False, False]
    """
    if any(isinstance(leaf, Number) and leaf.index >= len(values) for leaf in graph.leaves):
        return False
    value = evaluate(graph, values).value.number
    return value == right or (isinstance(value, float) and right is not None and isclose(value, right))
