"""Reads what a language model wrote to be computed: an equation, or a few lines of Python arithmetic.

Nothing is run. What is written is parsed, and only arithmetic is computed, exactly: assignments, conditions, a few
functions. All else is passed over. What is not Python is read line by line, so that nobody loses for writing × or 20%.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import textwrap
from collections.abc import Callable, Sequence
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
_MOST_LINES, _LONGEST_LINE, _LONGEST = 200, 500, 10_000
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
_COMPARISONS: dict[type[ast.cmpop], Callable[[Fraction, Fraction], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
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


_FAILURES = (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError, _NoArithmeticError)


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
    last = None
    try:
        last = _follow(ast.parse(textwrap.dedent(plain[:_LONGEST]).strip()).body, names)
    except _FAILURES:
        names = {}
    if last is None:
        last = _line_by_line(plain, names)
    return names.get(_SAID_LAST, last)


def _follow(statements: Sequence[ast.stmt], names: dict[str, Fraction]) -> Fraction | None:
    """Computes what can be computed into ``names``, and gives what was computed last."""
    last = None
    for statement in statements:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=said)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as said)
            ):
                value = _computed(said, names)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=said):
                value = _computed(ast.BinOp(ast.Name(target.id), op, said), names)
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[said, *_])):
                name, value = "", _computed(said, names)
            case ast.Expr(value=said) | ast.Return(value=ast.expr() as said):
                name, value = "", _computed(said, names)
            case ast.If(test=test, body=body, orelse=otherwise):
                held = _computed(test, names)
                name, value = "", None if held is None else _follow(body if held else otherwise, names)
            case ast.FunctionDef(body=body):
                name, value = "", _follow(body, names)
            case _:
                continue
        if value is not None:
            last = value
            if name:
                names[name] = value
    return last


def _line_by_line(plain: str, names: dict[str, Fraction]) -> Fraction | None:
    last: Fraction | None = None
    for line in plain.splitlines()[:_MOST_LINES]:
        sides = [side.strip(" \t.。;") for side in _LABEL.sub("", line[:_LONGEST_LINE]).split("=")]
        name = sides[0] if len(sides) > 1 and _NAMED.fullmatch(sides[0]) else ""
        found = [(_value(side, names), side) for side in (sides[1:] if name else sides)]
        known = [(value, side) for value, side in found if value is not None]
        if known:  # of a calculation and its result, the calculation
            last = next((value for value, side in known if not side.replace(".", "").isdigit()), known[0][0])
            names[name] = last
    return last


def _value(side: str, names: dict[str, Fraction]) -> Fraction | None:
    said = side.removeprefix("return ").strip()
    said = said[len("print(") : -1] if said.startswith("print(") and said.endswith(")") else said
    try:
        return _computed(ast.parse(said, mode="eval").body, names)
    except _FAILURES:
        return None


def _computed(said: ast.expr, names: dict[str, Fraction]) -> Fraction | None:
    try:
        return _compute(said, names)
    except _FAILURES:
        return None


def _compute(node: ast.expr, names: dict[str, Fraction]) -> Fraction:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        value = Fraction(repr(node.value))
    elif isinstance(node, ast.IfExp):
        value = _compute(node.body if _compute(node.test, names) else node.orelse, names)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
        compared = _COMPARISONS[type(node.ops[0])]
        value = Fraction(compared(_compute(node.left, names), _compute(node.comparators[0], names)))
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
