"""Which equation answers a problem, given what a decoder said about it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from treequation.decoding.search import Decoded, Equation
from treequation.expression.evaluation import Evaluation, evaluate
from treequation.expression.graph import ExpressionGraph, GraphBuilder, Number, Operand, Operator, Result
from treequation.text.problem import Problem
from treequation.text.question import subtracts


class Answer(NamedTuple):
    """A value that a search found, with the likeliest equation that has it.

    ``likelihood`` is that of all equations together that have the value.
    """

    decoded: Decoded
    graph: ExpressionGraph
    evaluation: Evaluation
    likelihood: float


def rank_answers(problem: Problem, hypotheses: Sequence[Decoded], *, amounts: bool) -> tuple[list[Answer], str]:
    """The answers among some hypotheses, each value once and the likeliest first.

    The text beside them says why the first equation without a value has none; it is empty where there is no such
    equation. ``hypotheses`` come with the likeliest first; for ``amounts`` see :func:`answer_to`.
    """
    reason = ""
    found: dict[object, Answer] = {}
    for decoded in hypotheses:
        graph = answer_to(problem, decoded, amounts=amounts)
        if graph is None:
            continue
        evaluation = evaluate(graph, problem.values)
        if not evaluation.value.defined:
            reason = reason or evaluation.value.reason
            continue
        number = evaluation.value.number
        known = found.get(number) or Answer(decoded, graph, evaluation, 0.0)
        found[number] = known._replace(likelihood=known.likelihood + float(np.exp(decoded.score)))
    return sorted(found.values(), key=lambda answer: -answer.likelihood), reason


def answer_to(problem: Problem, decoded: Equation, *, amounts: bool) -> ExpressionGraph | None:
    """The equation that answers a problem, given what a decoder said about it; None where there is none.

    With ``amounts`` the answer is not below zero, unless the text itself subtracts.
    """
    return answer_graph(decoded, problem.values, amounts=amounts and not subtracts(problem.text))


def answer_graph(decoded: Equation, values: Sequence[Fraction], *, amounts: bool = False) -> ExpressionGraph | None:
    """The equation that answers a text whose numbers have these values, or None where there is none.

    A decoder that proposes nothing says that there is nothing to compute. Where the text has one number alone, that
    number is the answer; among several there is nothing to choose by. An equation over a number that the text does not
    have, which a text without any number can lead to, is not an answer either.

    With ``amounts`` the answer is taken for an amount, which is not below zero: see :func:`as_amount`.

    >>> from treequation.decoding.search import Decoded
    >>> answer_graph(Decoded(), [Fraction(7)])
    ExpressionGraph(expressions=(), root=Number(index=0))
    >>> answer_graph(Decoded(), [Fraction(7), Fraction(8)]) is None
    True
    """
    graph = decoded.graph
    if graph is None:
        return ExpressionGraph((), Number(0)) if len(values) == 1 else None
    if any(isinstance(leaf, Number) and leaf.index >= len(values) for leaf in graph.leaves):
        return None
    return as_amount(graph, values) if amounts else graph


def as_amount(graph: ExpressionGraph, values: Sequence[Fraction]) -> ExpressionGraph:
    """The same equation; or, if its value is below zero, with each difference below zero turned round.

    People ask how much and how many, and the answer to that is not below zero: of 60,000 training equations in seven
    data sets five have such a value. Someone who asks how many more 8 is than 5 means 3, whichever comes first. Where
    turning does not help, the equation stays as it is.

    >>> from treequation.expression import parse_infix, to_infix
    >>> to_infix(as_amount(parse_infix("(n0-n1)*n2"), [Fraction(5), Fraction(8), Fraction(2)]))
    '(n1-n0)*n2'
    """
    if not _below_zero(graph, values):
        return graph
    builder = GraphBuilder()
    turned: list[Operand] = []

    def now(operand: Operand) -> Operand:
        return turned[operand.index] if isinstance(operand, Result) else operand

    for expression in graph.expressions:
        left, right = now(expression.left), now(expression.right)
        result = builder.add(expression.operator, left, right)
        if expression.operator is Operator.SUBTRACT and _below_zero(builder.graph(result), values):
            result = builder.add(Operator.SUBTRACT, right, left)
        turned.append(result)
    other = builder.graph(now(graph.root))
    helps = evaluate(other, values).value.defined and not _below_zero(other, values)
    return other if helps else graph


def _below_zero(graph: ExpressionGraph, values: Sequence[Fraction]) -> bool:
    number = evaluate(graph, values).value.number
    return number is not None and number < 0
