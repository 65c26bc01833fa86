"""Reads and writes equations as data sets store them: prefix and triples.

All share :func:`~treequation.expression.parsing.read_leaf` for their leaves; constants are written as
decimals, or as ``1/3`` where the decimal would not end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from treequation.expression.evaluation import decimal_text
from treequation.expression.graph import Constant, ExpressionGraph, GraphBuilder, Number, Operand, Operator, Result
from treequation.expression.parsing import OPERATORS, BoundedBuilder, EquationError, read_leaf

MAX_TOKENS = 10_000
"""Bound on what is written out: shared results can make the text exponentially long."""

Symbol = Operator | Number | Constant

_WORD = re.compile(r"\S+")
_REVERSED = "_rev"


def parse_prefix(text: str) -> ExpressionGraph:
    """The graph of an equation in prefix notation, operators before operands, separated by spaces.

    >>> from treequation.expression.parsing import parse_infix
    >>> parse_prefix("- * n0 n1 2") == parse_infix("n0*n1 - 2")
    True
    """
    builder = BoundedBuilder(text)
    stack: list[tuple[Operand, int]] = []
    for word in reversed(list(_WORD.finditer(text))):
        position = word.start()
        operator = OPERATORS.get(word[0])
        if operator is None:
            stack.append((_leaf(word[0], text, position), position))
            continue
        if len(stack) < 2:
            raise EquationError(f"{word[0]!r} needs two operands", text, position)
        (left, _), (right, _) = stack.pop(), stack.pop()
        stack.append((builder.add(operator, left, right, position), position))
    if not stack:
        raise EquationError("the equation is empty", text, 0)
    if len(stack) > 1:
        raise EquationError(f"{len(stack)} values are left where one is expected", text, stack[0][1])
    return builder.graph(stack[0][0])


def _leaf(word: str, text: str, position: int) -> Operand:
    operand = read_leaf(word)
    if operand is None:
        raise EquationError(f"{word!r} is neither an operator nor a number", text, position)
    return operand


def prefix_operands(graph: ExpressionGraph) -> list[Operand]:
    """What stands at each place of the prefix notation: a leaf, or the result whose operator is written there.

    A shared result comes wherever it is used, so this can be exponentially long: look at :func:`prefix_length` first.

    >>> from treequation.expression.parsing import parse_infix
    >>> prefix_operands(parse_infix("n0*2"))
    [Result(index=0), Number(index=0), Constant(value=Fraction(2, 1))]
    """
    written: list[Operand] = []
    waiting = [graph.root]
    while waiting:
        operand = waiting.pop()
        written.append(operand)
        if isinstance(operand, Result):
            expression = graph.expressions[operand.index]
            waiting += [expression.right, expression.left]
    return written


def prefix_symbols(graph: ExpressionGraph) -> list[Symbol]:
    """The operators and leaves of the prefix notation; ``ValueError`` past :data:`MAX_TOKENS`.

    >>> from treequation.expression.parsing import parse_infix
    >>> [getattr(symbol, "value", symbol) for symbol in prefix_symbols(parse_infix("n0*2"))]
    ['*', Number(index=0), Fraction(2, 1)]
    """
    check_printable(graph)
    return [
        graph.expressions[operand.index].operator if isinstance(operand, Result) else operand
        for operand in prefix_operands(graph)
    ]


def from_prefix_symbols(symbols: Sequence[Symbol]) -> ExpressionGraph:
    """The graph that :func:`prefix_symbols` wrote.

    >>> from treequation.expression.parsing import parse_infix
    >>> graph = parse_infix("(n0+n1)*(n0+n1)")
    >>> from_prefix_symbols(prefix_symbols(graph)) == graph
    True
    """
    builder = GraphBuilder()
    stack: list[Operand] = []
    for symbol in reversed(symbols):
        stack.append(builder.add(symbol, stack.pop(), stack.pop()) if isinstance(symbol, Operator) else symbol)
    (root,) = stack
    return builder.graph(root)


def to_prefix(graph: ExpressionGraph) -> str:
    """The graph in prefix notation; ``ValueError`` past :data:`MAX_TOKENS`.

    >>> from treequation.expression.parsing import parse_infix
    >>> to_prefix(parse_infix("n0*n1 - 2"))
    '- * n0 n1 2'
    """
    check_printable(graph)
    return graph.fold(_written, lambda step, left, right: f"{step.operator.value} {left} {right}")


def _written(leaf: Number | Constant) -> str:
    return f"n{leaf.index}" if isinstance(leaf, Number) else decimal_text(leaf.value) or str(leaf.value)


def prefix_length(graph: ExpressionGraph) -> int:
    """The number of tokens in prefix notation, counted without writing it.

    >>> from treequation.expression.parsing import parse_infix
    >>> prefix_length(parse_infix("(n0+n1)*(n0+n1)"))
    7
    """
    return graph.fold(lambda leaf: 1, lambda step, left, right: 1 + left + right)


def check_printable(graph: ExpressionGraph) -> None:
    """Raises ``ValueError`` if the graph, written out as a tree, would be longer than :data:`MAX_TOKENS`."""
    length = prefix_length(graph)
    if length > MAX_TOKENS:
        tokens = str(length) if length < 10**9 else f"more than {10**9}"
        raise ValueError(f"the equation would take {tokens} tokens; write it as steps instead")


def from_triples(triples: Sequence[Sequence[str]]) -> ExpressionGraph:
    """The graph of a list of steps (left, right, operator), the last of which gives the answer.

    ``m_1`` is the result of the first step, letters are the numbers of the text, and the suffix ``_rev`` on an operator
    swaps its operands.

    >>> from treequation.expression.parsing import parse_infix
    >>> from_triples([("a", "b", "*"), ("m_1", "1.0", "-_rev")]) == parse_infix("1 - n0*n1")
    True
    """
    builder = BoundedBuilder("")
    results: list[Operand] = []
    for triple in triples:
        if len(triple) != 3 or not all(isinstance(part, str) for part in triple):
            raise EquationError("a step must be left, right, operator", str(triple)[:200], 0)
        left, right, sign = triple
        operator = OPERATORS.get(sign.removesuffix(_REVERSED))
        if operator is None:
            raise EquationError(f"{sign!r} is not an operator", " ".join(triple), len(f"{left} {right} "))
        operands = _step_operand(triple, 0, results), _step_operand(triple, 1, results)
        if sign.endswith(_REVERSED):
            operands = operands[::-1]
        results.append(builder.add(operator, *operands, 0))
    if not results:
        raise EquationError("there are no steps", "", 0)
    return builder.graph(results[-1])


def _step_operand(triple: Sequence[str], side: int, results: Sequence[Operand]) -> Operand:
    word = triple[side]
    position = len(triple[0]) + 1 if side else 0
    if word.startswith("m_"):
        step = word.removeprefix("m_")
        if not (step.isascii() and step.isdigit() and 1 <= int(step[:9]) <= len(results)):
            raise EquationError(f"{word!r} is not an earlier step", " ".join(triple), position)
        return results[int(step) - 1]
    if len(word) == 1 and "a" <= word <= "z":
        return Number(ord(word) - ord("a"))
    return _leaf(word, " ".join(triple), position)
