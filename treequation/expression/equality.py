"""Decides whether two equations are equivalent, whatever the order and grouping of their steps.

:func:`equal_up_to_algebra` compares two equations at random points modulo a large prime, where arithmetic is
fast and exact: two different rational functions of degree d agree at such a point with probability about d / 2⁶¹. An
agreement is confirmed by exact evaluation at a rational point. No symbolic engine is needed.
"""

from __future__ import annotations

import math
from fractions import Fraction
from hashlib import blake2b

from treequation.expression.evaluation import Value, calculate, evaluate
from treequation.expression.graph import (
    PAPER_OPERATORS,
    Constant,
    Expression,
    ExpressionGraph,
    Number,
    Operator,
)
from treequation.expression.normal_form import canonical

_PRIME = 2**61 - 1
_POINTS = 2
_ATTEMPTS = 8  # where an equation is undefined at a point, another point is tried
_MAX_EXPONENT = 64  # a larger power is opaque: degrees near the prime would fool the test
_TOLERANCE = 1e-9
_Known = tuple[int, Value | None]
"""A value modulo the prime, and the exact value if it depends on no number of the text."""


def equal_up_to_algebra(a: ExpressionGraph, b: ExpressionGraph) -> bool:
    """Whether two equations have the same value for all numbers for which both are defined.

    Powers whose exponent is not a small whole number are equal only if their bases and exponents are; so (a^0.5)^2 is
    not known to equal a. Rounded quotients are equal if they are equal before rounding, and the remainder of a by b is
    a − b × ⌊a ÷ b⌋; so ⌈a + 1⌉ is not known to equal ⌈a⌉ + 1. Different equations pass as equal with probability below
    2⁻⁵⁰.

    >>> from treequation.expression.parsing import parse_infix
    >>> equal_up_to_algebra(parse_infix("2*(n0+n1)"), parse_infix("n1*2 + n0*2"))
    True
    >>> equal_up_to_algebra(parse_infix("n0-(n1-n2)"), parse_infix("n0-n1-n2"))
    False
    """
    if a == b:
        return True
    agreed = 0
    for attempt in range(_ATTEMPTS):
        left, right = _value_modulo_prime(a, attempt), _value_modulo_prime(b, attempt)
        if left is None or right is None:
            continue
        if left != right:
            return _same_form(a, b)
        agreed += 1
        if agreed == _POINTS:
            break
    return bool(agreed and _equal_exactly(a, b)) or _same_form(a, b)


def _same_form(a: ExpressionGraph, b: ExpressionGraph) -> bool:
    """Whether the equations have the same normal form, which settles what points cannot.

    An equation may be undefined at every point tried. An opaque power, such as 4^0.5, looks different from its value
    2. And a root has limited precision, all of which may cancel in a difference of two large ones.
    """
    return canonical(a) == canonical(b)


def _value_modulo_prime(graph: ExpressionGraph, attempt: int) -> int | None:
    """The graph's value at the ``attempt``-th random point, or None if it divides by zero there."""

    def known(leaf: Number | Constant) -> _Known:
        if isinstance(leaf, Number):
            return _random(attempt, leaf.index), None
        return _residue(leaf.value), Value(leaf.value)

    def join(expression: Expression, left: _Known, right: _Known) -> _Known:
        (a, left_constant), (b, constant) = left, right
        operator, result = expression.operator, None
        if left_constant is not None and constant is not None:
            result = calculate(operator, left_constant, constant)
            if isinstance(result.number, Fraction) and operator not in PAPER_OPERATORS:
                return _residue(result.number), result
        return _step(operator, a, b, None if constant is None else constant.number), result

    try:
        return graph.fold(known, join)[0]
    except ZeroDivisionError:
        return None


def _step(operator: Operator, left: int, right: int, exponent: Fraction | float | None) -> int:
    if operator is Operator.ADD:
        return (left + right) % _PRIME
    if operator is Operator.SUBTRACT:
        return (left - right) % _PRIME
    if operator is Operator.MULTIPLY:
        return left * right % _PRIME
    if operator is Operator.DIVIDE:
        return left * _inverse(right) % _PRIME
    if operator.divides:
        quotient = left * _inverse(right) % _PRIME
        if operator is Operator.ROUND_UP:  # ⌈q⌉ = −⌊−q⌋
            return -_rounded_down(-quotient % _PRIME) % _PRIME
        down = _rounded_down(quotient)
        return down if operator is Operator.ROUND_DOWN else (left - right * down) % _PRIME
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and abs(exponent) <= _MAX_EXPONENT:
        return pow(left if exponent >= 0 else _inverse(left), abs(exponent.numerator), _PRIME)
    return _random(left, right)  # equal for equal bases and exponents, and for no others


def _rounded_down(quotient: int) -> int:
    """Equal for equal quotients and for no others; zero stays zero."""
    return _random(quotient) if quotient else 0


def _residue(value: Fraction) -> int:
    return value.numerator * pow(value.denominator, -1, _PRIME) % _PRIME


def _inverse(value: int) -> int:
    if value == 0:
        raise ZeroDivisionError
    return pow(value, -1, _PRIME)


def _random(*seed: int) -> int:
    """A number below the prime that looks random but is the same in every process and on every machine."""
    digest = blake2b(repr(seed).encode(), digest_size=16).digest()
    return int.from_bytes(digest, "big") % _PRIME


def _equal_exactly(a: ExpressionGraph, b: ExpressionGraph) -> bool | None:
    """Whether the equations agree at a rational point; None if no point was found where both are defined."""
    count = 1 + max((leaf.index for leaf in a.leaves + b.leaves if isinstance(leaf, Number)), default=-1)
    for attempt in range(_ATTEMPTS):
        numbers = [
            Fraction(1 + _random(attempt, index, 0) % 97, 1 + _random(attempt, index, 1) % 7) for index in range(count)
        ]
        left, right = evaluate(a, numbers).value, evaluate(b, numbers).value
        if left.number is None or right.number is None:
            continue
        if left.exact and right.exact:
            return left == right
        return math.isclose(left.number, right.number, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return None
