"""Computes an expression graph exactly, over the rationals, and says so where that is not possible.

No values make it raise or hang: a result is exact, or inexact (an irrational root), or undefined with the reason in
plain words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from treequation.expression.graph import Constant, ExpressionGraph, Operand, Operator, Result

MAX_BITS = 4096
"""Bound on the numerator and the denominator of an exact value; without it, 9^9^9 would hang."""

_NEARLY = 1e-9  # an inexact quotient this close to a whole number counts as that number when it is rounded
_PLACES = 12  # a terminating decimal with more decimal places than this is easier to read as a fraction


@dataclass(frozen=True, slots=True)
class Value:
    """An exact value (a Fraction), an inexact one (a float), or none, with the reason.

    >>> Value(Fraction(1, 3)).exact, Value(2 ** 0.5).exact, Value(None, "5 ÷ 0 divides by zero").defined
    (True, False, False)
    """

    number: Fraction | float | None
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether the number is known exactly."""
        return isinstance(self.number, Fraction)

    @property
    def defined(self) -> bool:
        """Whether there is a number at all."""
        return self.number is not None

    def __str__(self) -> str:
        return format_value(self)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The value of each expression of a graph, and that of its root."""

    values: tuple[Value, ...]
    value: Value


def evaluate(graph: ExpressionGraph, numbers: Sequence[Fraction | int]) -> Evaluation:
    """The values of a graph when ``Number(i)`` is ``numbers[i]``.

    >>> from treequation.expression.parsing import parse_infix
    >>> evaluation = evaluate(parse_infix("n0*n1 + n2*n3"), [50, 5, 60, 4])
    >>> [str(value) for value in evaluation.values], str(evaluation.value)
    (['250', '240', '490'], '490')
    >>> str(evaluate(parse_infix("9^9^9"), []).value)
    'undefined (9 ^ 387420489 is too large)'
    """
    values: list[Value] = []
    for expression in graph.expressions:
        left, right = operand_value(expression.left, numbers, values), operand_value(expression.right, numbers, values)
        values.append(calculate(expression.operator, left, right))
    return Evaluation(tuple(values), operand_value(graph.root, numbers, values))


def operand_value(operand: Operand, numbers: Sequence[Fraction | int], values: Sequence[Value]) -> Value:
    """The value of an operand, given the text's numbers and the values of the graph's expressions."""
    if isinstance(operand, Result):
        return values[operand.index]
    if isinstance(operand, Constant):
        return Value(operand.value)
    if not 0 <= operand.index < len(numbers):
        raise ValueError(f"the graph uses number {operand.index}, but there are {len(numbers)} numbers")
    number = numbers[operand.index]
    return Value(number if isinstance(number, Fraction) else Fraction(number))


def calculate(operator: Operator, left: Value, right: Value) -> Value:
    """Computes one step; an undefined operand makes the result undefined for the same reason.

    >>> str(calculate(Operator.DIVIDE, Value(Fraction(7)), Value(Fraction(0))))
    'undefined (7 ÷ 0 divides by zero)'
    >>> str(calculate(Operator.POWER, Value(Fraction(4, 9)), Value(Fraction(1, 2))))
    '2/3'
    >>> str(calculate(Operator.POWER, Value(Fraction(2)), Value(Fraction(1, 2))))
    '≈1.414213562'
    >>> str(calculate(Operator.POWER, Value(Fraction(-8)), Value(Fraction(1, 3))))
    '-2'

    The remainder is a − b × ⌊a ÷ b⌋, whether or not a and b are whole, so it has the sign of b, as in Python.

    >>> [str(calculate(Operator.REMAINDER, Value(Fraction(a)), Value(Fraction(2)))) for a in ("7.5", "-7")]
    ['1.5', '1']
    >>> [str(calculate(Operator.ROUND_UP, Value(Fraction(a)), Value(Fraction(2)))) for a in ("7.5", "-7")]
    ['4', '-3']
    """
    a, b = left.number, right.number
    if a is None:
        return left
    if b is None:
        return right
    reason = _why_undefined(operator, a, b)
    if not reason:
        try:
            number = _apply(operator, a, b)
            if _is_bounded(number):
                return Value(number)
        except ArithmeticError:  # past the bounds, or an exact operand too large or too small for a float
            pass
        reason = "is too large"
    return Value(None, f"{operator.between(_brief(a), _brief(b))} {reason}")


def _why_undefined(operator: Operator, a: Fraction | float, b: Fraction | float) -> str:
    if operator.divides and b == 0:
        return "divides by zero"
    if operator is Operator.POWER:
        if a == 0 and b < 0:
            return "divides by zero"
        if a == 0 and b == 0:
            return "has no agreed value"
        if a < 0 and b != int(b) and not _is_odd_root(b):
            return "is a fractional power of a negative number"
    return ""


def _is_odd_root(exponent: Fraction | float) -> bool:
    """Whether a negative number has a real power: the cube root of -8 is -2."""
    return isinstance(exponent, Fraction) and exponent.denominator % 2 == 1


def _apply(operator: Operator, a: Fraction | float, b: Fraction | float) -> Fraction | float:
    if operator is Operator.POWER and a < 0 and b != int(b) and isinstance(b, Fraction):
        root = _apply(operator, -a, b)
        return -root if b.numerator % 2 else root
    if isinstance(a, float) or isinstance(b, float):
        a, b = float(a), float(b)
    if operator is Operator.ADD:
        return a + b
    if operator is Operator.SUBTRACT:
        return a - b
    if operator is Operator.MULTIPLY:
        return a * b
    if operator is Operator.DIVIDE:
        return a / b
    if operator.divides:
        return _whole_division(operator, a, b)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        exact = _exact_power(a, b)
        if exact is not None:
            return exact
    power: float = float(a) ** float(b)
    return power


def _whole_division(operator: Operator, a: Fraction | float, b: Fraction | float) -> Fraction | float:
    """The remainder of a division, or its rounded quotient."""
    quotient = a / b
    whole = math.ceil(quotient) if operator is Operator.ROUND_UP else math.floor(quotient)
    if isinstance(quotient, float) and math.isclose(quotient, round(quotient), rel_tol=_NEARLY, abs_tol=_NEARLY):
        whole = round(quotient)  # in floats, √2 × √2 ÷ 2 may be just above or just below 1
        if operator is Operator.REMAINDER:
            return 0.0
    rounded = whole if operator.rounds else a - b * whole
    return float(rounded) if isinstance(quotient, float) else Fraction(rounded)


def _exact_power(a: Fraction, b: Fraction) -> Fraction | None:
    """The exact power, or None where it is irrational."""
    base = a if b.denominator == 1 else _exact_root(a, b.denominator)
    if base is None:
        return None
    bits = max(abs(base.numerator), base.denominator).bit_length()
    # A number of n bits is at least 2^(n-1), so this never refuses a power that would fit.
    if (bits - 1) * abs(b.numerator) > MAX_BITS:
        raise OverflowError
    power: Fraction = base**b.numerator
    return power


def _exact_root(a: Fraction, degree: int) -> Fraction | None:
    """The ``degree``-th root of a non-negative number, if it is rational."""
    above, below = _whole_root(a.numerator, degree), _whole_root(a.denominator, degree)
    return None if above is None or below is None else Fraction(above, below)


def _whole_root(n: int, degree: int) -> int | None:
    if n <= 1:
        return n
    if degree >= n.bit_length():  # even 2^degree is larger than n
        return None
    root = 1 << -(-n.bit_length() // degree)  # Newton's method, from above
    while True:
        closer = ((degree - 1) * root + n // root ** (degree - 1)) // degree
        if closer >= root:
            return root if root**degree == n else None
        root = closer


def _is_bounded(number: Fraction | float) -> bool:
    if isinstance(number, float):
        return math.isfinite(number)
    return max(abs(number.numerator), number.denominator).bit_length() <= MAX_BITS


def format_value(value: Value | Fraction) -> str:
    """A value as a person would write it: whole, as a decimal, or as a fraction where the decimal never ends.

    An inexact value begins with ``≈`` and has ten significant digits.

    >>> [format_value(Fraction(text)) for text in ("490", "1/4", "5/2", "1/3", "-7/3")]
    ['490', '0.25', '2.5', '1/3', '-7/3']
    """
    number = value if isinstance(value, Fraction) else value.number
    if number is None:
        return f"undefined ({value.reason})" if isinstance(value, Value) else "undefined"
    if isinstance(number, float):
        return f"≈{number:.10g}"
    decimal = decimal_text(number)
    if decimal is None or len(decimal.partition(".")[2]) > _PLACES:
        return str(number)
    return decimal


def mixed_number(number: Fraction) -> str:
    """A number as a whole part and a proper fraction.

    >>> [mixed_number(Fraction(text)) for text in ("3/4", "7/3", "-5/2", "4")]
    ['3/4', '2 1/3', '-2 1/2', '4']
    """
    whole, rest = divmod(abs(number), 1)
    pieces = [str(piece) for piece in (whole, rest) if piece]
    return f"{'-' if number < 0 else ''}{' '.join(pieces) or '0'}"


def decimal_text(number: Fraction) -> str | None:
    """A number as a terminating decimal, or None if it has none.

    >>> decimal_text(Fraction(-5, 4)), decimal_text(Fraction(1, 3))
    ('-1.25', None)
    """
    rest, twos, fives = number.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return None
    places = max(twos, fives)
    if places == 0:
        return str(number.numerator)
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    return f"{'-' if number < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _brief(number: Fraction | float) -> str:
    text = format_value(Value(number))
    return text if len(text) <= 24 else f"{text[:10]}…{text[-10:]}"
