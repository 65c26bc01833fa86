"""Computes what a language model wrote: an equation, or a few lines of Python arithmetic.

No code is executed. The text is parsed, and only exact arithmetic is computed: assignments, conditions, a few
functions. Everything else is ignored. Text that is not Python is read line by line, so × or 20% are understood.
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
_ANSWER = "answer"
_MAX_LINES, _MAX_LINE_LENGTH, _MAX_LENGTH = 200, 500, 10_000
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


class _NotArithmeticError(Exception):
    """The code is not arithmetic, or a value is too large."""


_FAILURES = (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError, _NotArithmeticError)


def read_calculation(text: str) -> Fraction | None:
    """The value of ``answer``, or else of the last line that can be computed; None if there is none.

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
        last = _compute_statements(ast.parse(textwrap.dedent(plain[:_MAX_LENGTH]).strip()).body, names)
    except _FAILURES:
        names = {}
    if last is None:
        last = _line_by_line(plain, names)
    return names.get(_ANSWER, last)


def _compute_statements(statements: Sequence[ast.stmt], names: dict[str, Fraction]) -> Fraction | None:
    """Computes statements into ``names``, skipping those it cannot; returns the last value."""
    last = None
    for statement in statements:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=node)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as node)
            ):
                value = _compute_or_none(node, names)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=node):
                value = _compute_or_none(ast.BinOp(ast.Name(target.id), op, node), names)
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[node, *_])):
                name, value = "", _compute_or_none(node, names)
            case ast.Expr(value=node) | ast.Return(value=ast.expr() as node):
                name, value = "", _compute_or_none(node, names)
            case ast.If(test=test, body=body, orelse=otherwise):
                held = _compute_or_none(test, names)
                name, value = "", None if held is None else _compute_statements(body if held else otherwise, names)
            case ast.FunctionDef(body=body):
                name, value = "", _compute_statements(body, names)
            case _:
                continue
        if value is not None:
            last = value
            if name:
                names[name] = value
    return last


def _line_by_line(plain: str, names: dict[str, Fraction]) -> Fraction | None:
    last: Fraction | None = None
    for line in plain.splitlines()[:_MAX_LINES]:
        sides = [side.strip(" \t.。;") for side in _LABEL.sub("", line[:_MAX_LINE_LENGTH]).split("=")]
        name = sides[0] if len(sides) > 1 and _NAMED.fullmatch(sides[0]) else ""
        found = [(_value(side, names), side) for side in (sides[1:] if name else sides)]
        known = [(value, side) for value, side in found if value is not None]
        if known:  # prefer a calculation to its stated result
            last = next((value for value, side in known if not side.replace(".", "").isdigit()), known[0][0])
            names[name] = last
    return last


def _value(side: str, names: dict[str, Fraction]) -> Fraction | None:
    code = side.removeprefix("return ").strip()
    code = code[len("print(") : -1] if code.startswith("print(") and code.endswith(")") else code
    try:
        return _compute_or_none(ast.parse(code, mode="eval").body, names)
    except _FAILURES:
        return None


def _compute_or_none(node: ast.expr, names: dict[str, Fraction]) -> Fraction | None:
    try:
        return _compute(node, names)
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
            raise _NotArithmeticError
        value = Fraction(_CALLS[called](*(_compute(argument, names) for argument in node.args)))
    else:
        raise _NotArithmeticError
    if max(abs(value.numerator), value.denominator) > _LARGEST:
        raise _NotArithmeticError
    return value


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if abs(exponent) > _LARGEST_POWER:
        raise _NotArithmeticError
    power = base**exponent  # exact for whole exponents
    if isinstance(power, complex):
        raise _NotArithmeticError
    return Fraction(power)
