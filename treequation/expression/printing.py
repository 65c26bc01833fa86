"""Writes an expression graph for people: infix without needless brackets, and LaTeX.

Infix is exact: :func:`~treequation.expression.parsing.parse_infix` reads what :func:`to_infix` writes back as the same
graph. So ``a-(b+c)`` and ``a+(b+c)`` keep their brackets; without them the steps would differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Literal

from treequation.expression.evaluation import decimal_text
from treequation.expression.graph import (
    Constant,
    Expression,
    ExpressionGraph,
    Number,
    Operand,
    Operator,
    Result,
)
from treequation.expression.notations import check_printable
from treequation.expression.parsing import PRECEDENCE

Name = Callable[[int], str]
"""Gives the text of the number with this index."""

_ASCII = {operator: ("", operator.value, "") for operator in Operator}
_ASCII |= {operator: (f"{operator.value}(", "/", ")") for operator in Operator if operator.rounds}
_UNICODE = {operator: tuple(operator.between("|", "|").split("|")) for operator in Operator}
_UNICODE[Operator.POWER] = ("", "^", "")
_LATEX = {Operator.ADD: " + ", Operator.SUBTRACT: " - ", Operator.MULTIPLY: r" \times ", Operator.REMAINDER: r" \bmod "}
_LATEX_ROUNDING = {Operator.ROUND_UP: "ceil", Operator.ROUND_DOWN: "floor"}
_ATOM = re.compile(r"[\w.]+%?")  # a name that needs no brackets beside any operator


def default_name(index: int) -> str:
    """``n0``, ``n1``, …: the names that every notation reads."""
    return f"n{index}"


def brackets(graph: ExpressionGraph, expression: Expression) -> tuple[bool, bool]:
    """Whether the left and the right operand need brackets for the text to keep the graph's structure.

    An operand that is a remainder, ``a mod b``, always gets brackets.

    >>> from treequation.expression.parsing import parse_infix
    >>> graph = parse_infix("n0-(n1-n2)")
    >>> brackets(graph, graph.expressions[-1])
    (False, True)
    """
    outer = PRECEDENCE[expression.operator]
    left, right = _precedence(graph, expression.left), _precedence(graph, expression.right)
    if expression.operator is Operator.POWER:  # groups from the right
        return left <= outer, right < outer
    if expression.operator is Operator.REMAINDER:  # few people know how to read a × b mod c
        return left <= outer, right <= outer
    return left < outer, right <= outer


def _precedence(graph: ExpressionGraph, operand: Operand) -> int:
    operator = graph.expressions[operand.index].operator if isinstance(operand, Result) else None
    if operator is None or operator.rounds:
        return max(PRECEDENCE.values()) + 1  # a leaf never needs brackets for its precedence, nor does ⌈a ÷ b⌉
    return 0 if operator is Operator.REMAINDER else PRECEDENCE[operator]


def to_infix(graph: ExpressionGraph, name: Name = default_name, symbols: Literal["ascii", "unicode"] = "ascii") -> str:
    """The graph in the usual notation; ``ValueError`` if it is too long to write out.

    ``ascii`` is for programs and writes ``mod(a,b)`` and ``ceil(a/b)``; ``unicode`` writes a mod b and ⌈a ÷ b⌉.

    ``name`` may return the numbers themselves; anything but a single number or word gets brackets.

    >>> from treequation.expression.parsing import parse_infix
    >>> to_infix(parse_infix("((n0*n1)-(n2-1))"))
    'n0*n1-(n2-1)'
    >>> to_infix(parse_infix("n0*n1+n0/2"), lambda index: ("50", "1/3")[index], symbols="unicode")
    '50 × (1/3) + 50 ÷ 2'
    """
    check_printable(graph)
    ascii = symbols == "ascii"
    signs = _ASCII if ascii else _UNICODE

    def join(expression: Expression, left: str, right: str) -> str:
        if ascii and expression.operator is Operator.REMAINDER:
            return f"mod({left},{right})"
        left_bracketed, right_bracketed = brackets(graph, expression)
        if ascii:  # mod(a,b) needs no brackets
            left_bracketed = left_bracketed and not _is(graph, expression.left, Operator.REMAINDER)
            right_bracketed = right_bracketed and not _is(graph, expression.right, Operator.REMAINDER)
        # A leading minus sign is clear only at the very start of the text, and binds less tightly than a power.
        if left_bracketed or (left.startswith("-") and expression.operator is Operator.POWER):
            left = f"({left})"
        if right_bracketed or right.startswith("-"):
            right = f"({right})"
        opening, sign, closing = signs[expression.operator]
        return f"{opening}{left}{sign}{right}{closing}"

    return graph.fold(lambda leaf: _leaf(leaf, name), join)


def _leaf(leaf: Number | Constant, name: Name) -> str:
    if isinstance(leaf, Number):
        text = name(leaf.index)
        return text if _ATOM.fullmatch(text) else f"({text})"
    return decimal_text(leaf.value) or _mixed_number(leaf.value)


def _mixed_number(value: Fraction) -> str:
    """``3(1/3)``: as ``10/3`` it would be read as a division of two constants."""
    whole, rest = divmod(abs(value.numerator), value.denominator)
    return f"{'-' if value < 0 else ''}{whole}({rest}/{value.denominator})"


def to_latex(graph: ExpressionGraph, name: Name | None = None) -> str:
    """The graph as LaTeX; divisions are fractions, which need no brackets.

    >>> from treequation.expression.parsing import parse_infix
    >>> print(to_latex(parse_infix("(n0+n1)*2/n2^2")))
    \\frac{\\left(n_{0} + n_{1}\\right) \\times 2}{n_{2}^{2}}
    """
    check_printable(graph)

    def written(leaf: Number | Constant) -> str:
        if isinstance(leaf, Number):
            return f"n_{{{leaf.index}}}" if name is None else _latex_text(name(leaf.index))
        decimal = decimal_text(leaf.value)
        if decimal is not None:
            return decimal
        sign, value = ("-" if leaf.value < 0 else ""), abs(leaf.value)
        return rf"{sign}\frac{{{value.numerator}}}{{{value.denominator}}}"

    def join(expression: Expression, left: str, right: str) -> str:
        left_bracketed, right_bracketed = brackets(graph, expression)
        if expression.operator is Operator.DIVIDE:
            return rf"\frac{{{left}}}{{{right}}}"
        if expression.operator.rounds:
            brace = _LATEX_ROUNDING[expression.operator]
            return rf"\left\l{brace}\frac{{{left}}}{{{right}}}\right\r{brace}"
        power = expression.operator is Operator.POWER
        if left_bracketed or (power and (left.startswith(("-", r"\frac")) or "/" in left)):
            left = rf"\left({left}\right)"
        if power:
            return f"{left}^{{{right}}}"
        is_fraction = right.startswith(r"\frac") and _is(graph, expression.right, Operator.DIVIDE)
        if right.startswith("-") or (right_bracketed and not is_fraction):
            right = rf"\left({right}\right)"
        return f"{left}{_LATEX[expression.operator]}{right}"

    return graph.fold(written, join)


def _is(graph: ExpressionGraph, operand: Operand, operator: Operator) -> bool:
    return isinstance(operand, Result) and graph.expressions[operand.index].operator is operator


def _latex_text(text: str) -> str:
    return re.sub(r"([%#$&_{}])", r"\\\1", text)
