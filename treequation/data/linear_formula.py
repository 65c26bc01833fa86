"""MathQA's own annotation of an equation: a program of calls, whose operations ``linear_formulas.toml`` spells out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from treequation.expression.graph import ExpressionGraph, Number, Operand
from treequation.expression.parsing import BoundedBuilder, EquationError, parse_infix, read_leaf

_FORMULAS: dict[str, str] = tomllib.loads(Path(__file__).with_name("linear_formulas.toml").read_text(encoding="utf-8"))
_CONSTANTS = {"const_pi": "3.1416", "const_deg_to_rad": "0.0175"}
_CALL = re.compile(r"\s*([a-z_]+)\s*\(([^()|]*)\)\s*(?:\||$)\s*", re.IGNORECASE)


@cache
def _formula(operation: str) -> tuple[ExpressionGraph, int]:
    """An operation's graph and the number of its arguments."""
    graph = parse_infix(_FORMULAS[operation])
    return graph, 1 + max(leaf.index for leaf in graph.leaves if isinstance(leaf, Number))


def parse_linear_formula(text: str) -> ExpressionGraph:
    """The graph of calls separated by ``|``, the last of which gives the answer.

    ``#0`` is the result of the first call, ``n0`` the first number, and ``const_3_6`` is 3.6. An operation that
    + − × ÷ ^ cannot express, such as ``gcd`` or ``floor``, raises an error that names it.

    >>> formula = "multiply(n2,const_100)|rectangle_perimeter(n0,n1)|divide(#0,#1)|"
    >>> parse_linear_formula(formula) == parse_infix("n2*100 / ((n0+n1)*2)")
    True
    """
    builder = BoundedBuilder(text)
    results: list[Operand] = []
    position = 0
    while position < len(text):
        call = _CALL.match(text, position)
        if call is None:
            raise EquationError("a call such as add(n0,n1) is expected here", text, position)
        operation = call[1].lower()
        if operation not in _FORMULAS:
            raise EquationError(f"{operation!r} cannot be written with + − × ÷ ^", text, call.start(1))
        graph, arity = _formula(operation)
        words = [word.strip() for word in call[2].split(",")]
        if len(words) != arity:
            raise EquationError(f"{operation!r} takes {arity} operands, not {len(words)}", text, call.start(2))
        arguments = [_argument(word, results, text, call.start(2)) for word in words]
        results.append(_insert(graph, arguments, builder, call.start(1)))
        position = call.end()
    if not results:
        raise EquationError("the formula is empty", text, 0)
    return builder.graph(results[-1])


def _argument(word: str, results: Sequence[Operand], text: str, position: int) -> Operand:
    if word.startswith("#"):
        step = word[1:]
        if not (step.isascii() and step.isdigit() and int(step[:9]) < len(results)):
            raise EquationError(f"{word!r} is not an earlier call", text, position)
        return results[int(step)]
    if word.startswith("const_"):
        word = _CONSTANTS.get(word) or word.removeprefix("const_").replace("_", ".")
    leaf = read_leaf(word)
    if leaf is None:
        raise EquationError(f"{word!r} is neither an operator nor a number", text, position)
    return leaf


def _insert(formula: ExpressionGraph, arguments: Sequence[Operand], builder: BoundedBuilder, position: int) -> Operand:
    """Adds an operation's formula to the graph, with the arguments in place of its numbers."""
    return formula.fold(
        lambda leaf: arguments[leaf.index] if isinstance(leaf, Number) else leaf,
        lambda step, left, right: builder.add(step.operator, left, right, position),
    )
