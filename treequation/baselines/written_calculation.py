"""Reads what a language model wrote to be computed: an equation, or a few lines of Python arithmetic.

Nothing is run. Each line is parsed, and only arithmetic is computed, exactly; lines that are anything else are passed
over. The same rules hold for equations, so that nobody loses for writing × or 20% instead of Python.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction

_PLAIN = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "（": "(", "）": ")", "＝": "=", "，": ","})
_REWRITTEN = [
    (re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}"), r"((\1)/(\2))"),
    (re.compile(r"\\times|\\cdot"), "*"),
    (re.compile(r"\\div"), "/"),
    (re.compile(r"\\[()\[\]]|[$¥€£`]"), ""),
    (re.compile(r"(?<=\d),(?=\d{3}(?!\d))"), ""),
    (re.compile(r"(\d+(?:\.\d+)?) *%(?= *(?:[-+*/),=]|$))", re.MULTILINE), r"(\1/100)"),
    (re.compile(r"#.*"), ""),
]
_LABEL = re.compile(r".*(?:equation|answer|算式|方程|答案)(?: is|是|为)? *[:：]+ *", re.IGNORECASE)
_NAMED = re.compile(r"[^\W\d]\w*")
_SAID_LAST = "answer"
_MOST_LINES, _LONGEST_LINE = 200, 500
_LARGEST_POWER = 64
_LARGEST = 10**60
_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction | int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_CALLS: dict[str, Callable[..., Fraction | int]] = {
    "round": lambda value, places=0: round(value, int(places)),
    "int": math.trunc,
    "float": Fraction,
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "max": max,
    "min": min,
}


class _NoArithmeticError(Exception):
    """Something other than arithmetic, or too large."""


def read_calculation(text: str) -> Fraction | None:
    """The value of ``answer``, or else of the last line that can be computed; None if none can.

    >>> read_calculation("apples = 12 * 30\\npears = 5 * 26  # crates\\nanswer = apples + pears\\nprint(answer)")
    Fraction(490, 1)
    >>> read_calculation("Both together.\\nEquation: x = 1,200 × (1 − 20%) = 950"), read_calculation("I do not know.")
    (Fraction(960, 1), None)
    """
    plain = text.translate(_PLAIN)
    for written, rewritten in _REWRITTEN:
        plain = written.sub(rewritten, plain)
    names: dict[str, Fraction] = {}
    last: Fraction | None = None
    for line in plain.splitlines()[:_MOST_LINES]:
        sides = [side.strip(" \t.。;") for side in _LABEL.sub("", line[:_LONGEST_LINE]).split("=")]
        name = sides[0] if len(sides) > 1 and _NAMED.fullmatch(sides[0]) else ""
        found = [(_value(side, names), side) for side in (sides[1:] if name else sides)]
        known = [(value, side) for value, side in found if value is not None]
        if known:  # of a calculation and its result, the calculation
            last = next((value for value, side in known if not side.replace(".", "").isdigit()), known[0][0])
            names[name] = last
    return names.get(_SAID_LAST, last)


def _value(side: str, names: dict[str, Fraction]) -> Fraction | None:
    said = side.removeprefix("return ").strip()
    said = said[len("print(") : -1] if said.startswith("print(") and said.endswith(")") else said
    try:
        return _compute(ast.parse(said, mode="eval").body, names)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError, _NoArithmeticError):
        return None


def _compute(node: ast.expr, names: dict[str, Fraction]) -> Fraction:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        value = Fraction(repr(node.value))
    elif isinstance(node, ast.Name) and node.id in names:
        value = names[node.id]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        value = _compute(node.operand, names) * (-1 if isinstance(node.op, ast.USub) else 1)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.BitXor):  # ^ is a power in an equation
        value = _power(_compute(node.left, names), _compute(node.right, names))
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        value = Fraction(_OPERATORS[type(node.op)](_compute(node.left, names), _compute(node.right, names)))
    elif isinstance(node, ast.Call) and not node.keywords:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called not in _CALLS:
            raise _NoArithmeticError
        value = Fraction(_CALLS[called](*(_compute(argument, names) for argument in node.args)))
    else:
        raise _NoArithmeticError
    if max(abs(value.numerator), value.denominator) > _LARGEST:
        raise _NoArithmeticError
    return value


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if abs(exponent) > _LARGEST_POWER:
        raise _NoArithmeticError
    power = base**exponent  # a whole exponent keeps it exact
    if isinstance(power, complex):
        raise _NoArithmeticError
    return Fraction(power)
