"""Reads the equation that a pupil wrote for a problem.

A number in the equation is matched to the number of the text with the same value, so that two equations can be compared
by algebra rather than by their values alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from treequation.expression.evaluation import Value
from treequation.expression.graph import Constant, ExpressionGraph, GraphBuilder, Number, Operand, Operator
from treequation.expression.parsing import EquationError, read_leaf
from treequation.runtime.solve_error import SolveError
from treequation.text.calculation import CalculationError, typed_equation
from treequation.text.problem import Problem

LONGEST = 200  # the most characters of an equation
_HINT = "write only the calculation, such as 3 × 12 − 8"
_UNKNOWN = {"", "x", "X", "?", "？"}
_NUMERAL = r"[0-9][0-9,]*(?:\.[0-9]+)?(?:\s*/\s*[0-9]+)?\s*%?"
_RESULT = re.compile(rf"≈?\s*([-−]?)\s*[$€£¥￥]?\s*({_NUMERAL})\s*[^0-9+\-−*×/÷()^%]*")  # 28, $3.50, 45 km/h, 71元
_FULL_WIDTH = str.maketrans("０１２３４５６７８９．，％＄", "0123456789.,%$")
_HUNDRED = Constant(Fraction(100))


def _bad(message: str) -> SolveError:
    return SolveError("bad-equation", message, _HINT)


@dataclass(frozen=True, slots=True)
class Claim:
    """The result written beside a calculation, possibly rounded to ``places``; 15 % may also mean 15."""

    value: Fraction
    places: int | None
    percent: bool

    def fits(self, value: Value) -> bool:
        """Whether it is the value, or the value rounded."""
        if value.number is None:
            return False
        number = Fraction(value.number)
        # One decimal place of a percentage is worth a hundredth of the same place elsewhere.
        scales = (1, 100) if self.percent else (1,)
        for scale in scales:
            off = abs(number - scale * self.value)
            unit = Fraction(scale, max(scales))
            if off == 0 or (self.places is not None and off <= unit / (2 * 10**self.places)):
                return True
        return False


def sides_of(equation: str) -> tuple[str, Claim | None]:
    """The calculation, and the result written beside it, if any.

    >>> sides_of("7 ÷ 3 = 2.33")
    ('7 ÷ 3', Claim(value=Fraction(233, 100), places=2, percent=False))
    """
    if not equation.strip():
        raise _bad("there is no equation")
    if len(equation) > LONGEST:
        raise _bad(f"the equation has {len(equation):,} characters; the limit is {LONGEST}")
    sides = [side.strip() for side in re.split("[=＝≈]", equation.translate(_FULL_WIDTH))]
    sides = [side for side in sides if side not in _UNKNOWN]
    if not sides:
        raise _bad("there is no equation")
    if len(sides) == 1:
        return sides[0], None
    if len(sides) > 2:
        raise _bad("the equation has several equals signs")
    for calculation, other in (sides, sides[::-1]):
        result = _RESULT.fullmatch(other)
        written = "".join(result[2].replace(",", "").split()) if result else ""
        leaf = read_leaf(written)
        if result and isinstance(leaf, Constant):
            decimals = len(written.rstrip("%").partition(".")[2])
            places = decimals if decimals or "≈" in equation else None  # a whole number is meant exactly
            return calculation, Claim(-leaf.value if result[1] else leaf.value, places, "%" in written)
    raise _bad("neither side of the equals sign is a number")


def read_equation(written: str, problem: Problem) -> ExpressionGraph:
    """The equation, with each number replaced by the number of the text with the same value, if there is one."""
    try:
        graph = typed_equation(written, _number_in(problem))
    except CalculationError as error:
        raise _bad(f"the equation cannot be read: {error.message}") from error
    except EquationError as error:
        rest = error.text[error.position : error.position + 12].encode("utf-8", "replace").decode()
        where = f"at “{rest}”" if rest.strip() else "at its end"
        raise _bad(f"the equation cannot be read {where}: {error.message}") from error
    if any(isinstance(leaf, Number) and leaf.index >= len(problem.numbers) for leaf in graph.leaves):
        raise _bad("the equation has a number that the text does not have")
    return by_value(graph, problem)


def _number_in(problem: Problem) -> Callable[[str], Operand | None]:
    def resolve(leaf: str) -> Operand | None:
        """The text's number that a leaf stands for; a bracketed fraction that the text lacks becomes a division."""
        bare = leaf[1:-1] if leaf.startswith("(") else leaf
        constant = read_leaf(bare)
        if bare != leaf and not (isinstance(constant, Constant) and constant.value in problem.values):
            return None
        return constant

    return resolve


def text_values(problem: Problem) -> Iterator[Fraction]:
    """The values of the text's numbers, and of every numeral in it: "20 %" gives both 1/5 and 20."""
    yield from problem.values
    yield from (Fraction(numeral) for numeral in re.findall(r"[0-9]{1,40}(?:\.[0-9]{1,40})?", problem.text))


def _is_percent(problem: Problem, end: int) -> bool:
    """Whether a number is followed by a percent sign that is not part of it."""
    return problem.text[end:].lstrip().startswith(("%", "％"))


def leaf_value(leaf: Number | Constant, problem: Problem) -> Fraction:
    """The value of a number of the text, or of a constant."""
    return leaf.value if isinstance(leaf, Constant) else problem.values[leaf.index]


def by_value(graph: ExpressionGraph, problem: Problem) -> ExpressionGraph:
    """The graph with leaves of equal value merged into the first number of the text with that value, or a constant."""

    def first(builder: GraphBuilder, leaf: Number | Constant) -> Operand:
        value = leaf_value(leaf, problem)
        if value in problem.values:
            return Number(problem.values.index(value))
        for index, number in enumerate(problem.numbers):
            if _is_percent(problem, number.end) and number.value == value * 100:
                return builder.add(Operator.DIVIDE, Number(index), _HUNDRED)
        if -value in problem.values:  # the -8 of "-8 + 3 × 12"
            return builder.add(Operator.SUBTRACT, Constant(Fraction(0)), Number(problem.values.index(-value)))
        return Constant(value)

    return graph.replace_leaves(first)


def without_fractions(graph: ExpressionGraph, problem: Problem) -> ExpressionGraph:
    """The graph with a fraction of the text, such as 3/4, as the division 3 ÷ 4, as it reads without brackets."""

    def divided(builder: GraphBuilder, leaf: Number | Constant) -> Operand:
        value = leaf_value(leaf, problem)
        return leaf if value.denominator == 1 and isinstance(leaf, Number) else Constant(value)

    return graph.replace_leaves(divided)
