"""Reads the equation that a pupil wrote for a problem.

A number in the equation is matched to the number of the text with the same value, so that two equations can be compared
by algebra rather than by their values alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from treequation.expression.evaluation import Value
from treequation.expression.graph import Constant, Expression, ExpressionGraph, GraphBuilder, Number, Operand, Operator
from treequation.expression.parsing import EquationError, read_leaf
from treequation.runtime.solve_error import SolveError
from treequation.text.calculation import CalculationError, typed_equation, with_mixed_numbers
from treequation.text.problem import Problem

LONGEST = 200  # the most characters of an equation
_HINT = "write only the calculation, such as 3 × 12 − 8"
_UNKNOWN = {"", "x", "X", "?", "？"}
_NUMERAL = r"[0-9]*\([0-9]+/[0-9]+\)|[0-9][0-9,]*(?:\.[0-9]+)?(?:\s*/\s*[0-9]+)?\s*%?"
# 28, $3.50, 45 km/h, 9 cm2, 71元
_RESULT = re.compile(rf"≈?\s*([-−]?)\s*[$€£¥￥]?\s*({_NUMERAL})\s*(?:[cdkm]?m\^?[23]|[^0-9+\-−*×/÷()^%]*)")
_AND_REMAINDER = re.compile(r"余数?|…+|\.{3,6}|(?<![A-Za-z])(?:r|rem|remainder)(?![A-Za-z])\.?", re.IGNORECASE)
_WITH_COMMA = re.compile(r"[0-9][0-9.]*(?:,[0-9.]+)+")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]+)?")
_FULL_WIDTH = str.maketrans("０１２３４５６７８９．，％＄", "0123456789.,%$")
_HUNDRED = Constant(Fraction(100))


def _bad(message: str) -> SolveError:
    return SolveError("bad-equation", message, _HINT)


@dataclass(frozen=True, slots=True)
class Claim:
    """The result written beside a calculation, possibly rounded to ``places``; 15 % may also mean 15.

    In "17 ÷ 3 = 5 r 2", the value is 5 and the ``remainder`` 2.
    """

    value: Fraction
    places: int | None
    percent: bool
    remainder: Fraction | None = None

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
    ('7 ÷ 3', Claim(value=Fraction(233, 100), places=2, percent=False, remainder=None))
    >>> sides_of("7 ÷ 3 = 2 1/3")[1].value, sides_of("7 ÷ 3 = 2 r 1")[1].remainder
    (Fraction(7, 3), Fraction(1, 1))
    """
    if not equation.strip():
        raise _bad("there is no equation")
    if len(equation) > LONGEST:
        raise _bad(f"the equation has {len(equation):,} characters; the limit is {LONGEST}")
    equation = equation.translate(_FULL_WIDTH)
    _check_commas(equation)
    sides = [side.strip() for side in re.split("[=＝≈]|等于|equals", with_mixed_numbers(equation))]
    sides = [side for side in sides if side not in _UNKNOWN]
    if not sides:
        raise _bad("there is no equation")
    if len(sides) == 1:
        return sides[0], None
    if len(sides) > 2:
        raise _bad("the equation has several equals signs")
    for calculation, other in (sides, sides[::-1]):
        claims = [_claim(part, rounded="≈" in equation) for part in _AND_REMAINDER.split(other)]
        if len(claims) == 1 and claims[0]:
            return calculation, claims[0]
        if len(claims) == 2 and claims[0] and claims[1]:
            return calculation, replace(claims[0], remainder=claims[1].value)
    raise _bad("neither side of the equals sign is a number")


def _claim(side: str, *, rounded: bool) -> Claim | None:
    result = _RESULT.fullmatch(side.strip())
    if result is None:
        return None
    written = "".join(result[2].replace(",", "").split())
    leaf = read_leaf(written[1:-1] if written.startswith("(") else written)
    if not isinstance(leaf, Constant):
        return None
    decimals = len(written.rstrip("%").partition(".")[2])
    places = decimals if decimals or rounded else None  # a whole number is meant exactly
    return Claim(-leaf.value if result[1] else leaf.value, places, "%" in written)


def _check_commas(equation: str) -> None:
    """Refuses 2,33: it would be read as 233. In mod(7,3) the comma separates the operands."""
    for number in [] if "mod" in equation else _WITH_COMMA.findall(equation):
        if not _GROUPED.fullmatch(number):
            whole, _, decimals = number.rpartition(",")
            point = f"{whole.replace(',', '').replace('.', '')}.{decimals}"
            message = f"the equation has a number with a comma ({number}) that does not group its digits by three"
            raise SolveError("decimal-comma", message, f"write {point}, or leave the comma out")


def whole_division(graph: ExpressionGraph) -> tuple[ExpressionGraph, ExpressionGraph]:
    """The whole quotient and the remainder of an equation whose last step is a division."""
    last = graph.expressions[-1] if graph.expressions else None  # the root
    if last is None or last.operator is not Operator.DIVIDE:
        raise _bad("the result has a remainder, but the calculation does not end with a division")
    others = graph.expressions[:-1]
    quotient, remainder = (
        ExpressionGraph((*others, Expression(operator, last.left, last.right)), graph.root)
        for operator in (Operator.ROUND_DOWN, Operator.REMAINDER)
    )
    return quotient, remainder


def read_equation(written: str, problem: Problem) -> ExpressionGraph:
    """The equation, with each number replaced by the number of the text with the same value, if there is one."""

    def operand_of(leaf: str) -> Operand | None:
        """What a leaf stands for; a bracketed fraction that the text lacks becomes a division."""
        if not leaf.startswith("("):
            return read_leaf(leaf)
        fraction = read_leaf(leaf[1:-1])
        return fraction if isinstance(fraction, Constant) and fraction.value in problem.values else None

    try:
        graph = typed_equation(written, operand_of)
    except CalculationError as error:
        raise _bad(f"the equation cannot be read: {error.message}") from error
    except EquationError as error:
        rest = error.text[error.position : error.position + 12].encode("utf-8", "replace").decode()
        where = f"at “{rest}”" if rest.strip() else "at its end"
        raise _bad(f"the equation cannot be read {where}: {error.message}") from error
    if any(isinstance(leaf, Number) and leaf.index >= len(problem.numbers) for leaf in graph.leaves):
        raise _bad("the equation has a number that the text does not have")
    return by_value(graph, problem)


def text_values(problem: Problem) -> Iterator[Fraction]:
    """The values of the text's numbers, and of every numeral in it: "20 %" gives both 1/5 and 20."""
    yield from problem.values
    yield from (Fraction(numeral) for numeral in re.findall(r"[0-9]{1,40}(?:\.[0-9]{1,40})?", problem.text))


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
            # The number is a percentage whose sign is not part of it.
            if number.value == value * 100 and problem.text[number.end :].lstrip().startswith(("%", "％")):
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
