"""Rewrites an equation in one standard order: commuting operands sorted, sums and products from left to right.

Data sets write a + b in one place and b + a in another. A model that sees only one order has less to learn.
"""

from __future__ import annotations

from treequation.expression.graph import Constant, ExpressionGraph, GraphBuilder, Number, Operand, Operator, Result

_SUM = {Operator.ADD: 1, Operator.SUBTRACT: -1}
_PRODUCT = {Operator.MULTIPLY: 1, Operator.DIVIDE: -1}


def in_order(graph: ExpressionGraph) -> ExpressionGraph:
    """The equation in standard order. A result that is used twice stays one step.

    >>> from treequation.expression.parsing import parse_infix
    >>> from treequation.expression.printing import to_infix
    >>> to_infix(in_order(parse_infix("100*(n2-n1+n0)/n3")))
    '(n0+n2-n1)*100/n3'
    """
    used = graph.uses
    builder = GraphBuilder()
    written: dict[int, tuple[tuple[int, ...], Operand]] = {}  # by old step: its sort key, and its new operand

    def write(operand: Operand) -> tuple[tuple[int, ...], Operand]:
        if isinstance(operand, Number):
            return (0, operand.index), operand
        if isinstance(operand, Constant):
            return (1, operand.value.numerator, operand.value.denominator), operand
        return written[operand.index]

    def terms(index: int, signs: dict[Operator, int], sign: int) -> list[tuple[int, Operand]]:
        """The terms of a sum, or the factors of a product, with their signs."""
        expression = graph.expressions[index]
        signed = []
        for operand, own in ((expression.left, sign), (expression.right, sign * signs[expression.operator])):
            inner = graph.expressions[operand.index].operator if isinstance(operand, Result) else None
            if isinstance(operand, Result) and inner in signs and used[operand.index] == 1:
                signed += terms(operand.index, signs, own)
            else:
                signed.append((own, operand))
        return signed

    for index, expression in enumerate(graph.expressions):
        signs = next((kind for kind in (_SUM, _PRODUCT) if expression.operator in kind), None)
        if signs is None:
            (left_key, left), (right_key, right) = write(expression.left), write(expression.right)
            written[index] = min(left_key, right_key), builder.add(expression.operator, left, right)
            continue
        ordered = sorted(((-sign, *write(operand)) for sign, operand in terms(index, signs, 1)), key=lambda t: t[:2])
        plus, minus = signs
        total = ordered[0][2]
        for sign, _, operand in ordered[1:]:
            total = builder.add(plus if sign < 0 else minus, total, operand)
        written[index] = min(key for _, key, _ in ordered), total
    return builder.graph(write(graph.root)[1])
