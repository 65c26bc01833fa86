"""Scores one problem: the decoded equation against the annotated answer and the gold equation.

There are three scores, because each answers a different question:

*answer*
    Is the value the annotated answer? It is if they differ by less than 1e-4, or if the annotated answer has
    decimal places and is the value rounded to them, and the two differ by less than 2 % (so 1/3 passes for 0.333
    and 0.33, but 0.54 does not pass for 0.5, nor 4.6 for 5). An answer of 50 % is the number 0.5; 50 is wrong.
    Without an annotated answer, the value of the gold equation stands in for it. A model that gives a number instead of
    an equation may round it, by the same rule: 33.33 passes for 100/3.
*equation*
    Is it the gold equation, up to algebra? A wrong equation that happens to give the right value is wrong here. A
    problem without a gold equation does not have this score; its other scores are not affected.
*literature*
    What published results report: the value against that of the *gold equation*, in floating point; right if they
    differ by less than 1e-4, with x ÷ 0 taken as x ÷ 0.001 and a power that fails taken as 0. Without a gold equation,
    the annotated answer stands in for its value.

A missing answer is a wrong answer; every problem counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from treequation.data.reading import DataError
from treequation.data.validation import agrees
from treequation.decoding.answer import answer_to
from treequation.decoding.search import Equation
from treequation.expression.equality import equal_up_to_algebra
from treequation.expression.evaluation import Value, decimal_text, evaluate, format_value
from treequation.expression.graph import Constant, Expression, ExpressionGraph, Operator
from treequation.expression.layers import shape
from treequation.expression.printing import to_infix
from treequation.text.problem import Problem

ROUNDING = Fraction(2, 100)
"""The largest relative difference that a rounded annotation can explain."""

_LITERATURE_TOLERANCE = 1e-4
_LITERATURE_ZERO = 0.001


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one problem. All fields are plain values, so that files of outcomes can be compared by line."""

    id: str
    answer_right: bool
    equation_right: bool | None  # None if there is no gold equation
    literature_right: bool
    equation: str  # in infix over n0, n1, …; empty if nothing was decoded
    value: str  # as a person would write it; empty if there is none
    gold_equation: str  # empty if there is none
    gold_value: str
    steps: int  # that the decoder took, such as layers of expressions, without the last one, which only stops
    confidence: float  # the probability that the model gives to its equation
    seen: bool | None  # whether the text, numbers aside, is a training text; None if the training texts are not known
    shape: str  # of the gold equation, as are the next two; empty if there is none
    expressions: int | None
    operators: str  # each once, in the order of +-*/^, mod, ceil, floor
    reason: str = ""  # why there is no value


def score(
    problem: Problem,
    decoded: Equation | None,
    *,
    amounts: bool = False,
    seen: bool | None = None,
) -> Outcome:
    """The outcome of a problem; ``decoded`` is None if nothing was decoded; it is ignored if the problem is refused.

    For ``amounts`` see :func:`~treequation.decoding.answer.answer_to`.

    >>> from treequation.expression.graph import Number, Operator
    >>> from treequation.expression.parsing import parse_infix
    >>> from treequation.decoding.search import Decoded
    >>> from treequation.decoding.assembly import Proposed
    >>> from treequation.text.numbers import find_numbers
    >>> text = "A shelf has 4 rows of 6 books. How many books?"
    >>> problem = Problem("p1", text, find_numbers(text), graph=parse_infix("n0*n1"), answer=Fraction(24))
    >>> outcome = score(problem, Decoded([[Proposed(0, Operator.MULTIPLY, Number(1), Number(0))]]))
    >>> outcome.equation, outcome.value, outcome.answer_right, outcome.equation_right
    ('n1*n0', '24', True, True)
    """
    if problem.refused:
        decoded = None
    graph = None if decoded is None else answer_to(problem, decoded, amounts=amounts)
    return score_graph(
        problem,
        graph,
        steps=0 if decoded is None else decoded.steps,
        confidence=0.0 if decoded is None or graph is None else _probability(decoded.score),
        seen=seen,
        reason=problem.refused or "nothing was decoded",
    )


def score_graph(
    problem: Problem,
    graph: ExpressionGraph | None,
    *,
    steps: int,
    confidence: float,
    seen: bool | None = None,
    reason: str = "",
) -> Outcome:
    """The outcome of a problem answered with this equation; None means no answer, and ``reason`` says why."""
    gold, gold_value = _gold(problem)
    value = Value(None, reason)
    if graph is not None:
        value = gold_value if gold is not None and graph == gold else evaluate(graph, problem.values).value
    used = set() if gold is None else {expression.operator for expression in gold.expressions}
    return Outcome(
        id=problem.id,
        answer_right=_answer_right(problem, value, gold_value),
        equation_right=None if gold is None else graph is not None and equal_up_to_algebra(graph, gold),
        literature_right=graph is not None and _literature_right(graph, problem),
        equation="" if graph is None else _written(graph),
        value=format_value(value) if value.defined else "",
        gold_equation="" if gold is None else _written(gold),
        gold_value=format_value(gold_value if problem.answer is None else problem.answer),
        steps=steps,
        confidence=confidence,
        seen=seen,
        shape="" if gold is None else shape(gold).value,
        expressions=None if gold is None else len(gold),
        operators="".join(operator.value for operator in Operator if operator in used),
        reason=value.reason,
    )


def score_value(problem: Problem, number: Fraction | None, *, confidence: float, seen: bool | None = None) -> Outcome:
    """The outcome of a problem answered with a number instead of an equation; None means no answer."""
    outcome = score_graph(problem, None, steps=0, confidence=confidence, seen=seen, reason="no number was given")
    if number is None:
        return outcome
    _, gold_value = _gold(problem)
    answer = gold_value if problem.answer is None else Value(problem.answer)
    rounded = answer.defined and is_answer(answer, number)
    return replace(
        outcome,
        answer_right=rounded or _answer_right(problem, Value(number), gold_value),
        literature_right=abs(_float(number) - _literature_gold(problem)) < _LITERATURE_TOLERANCE,
        value=format_value(number),
        reason="",
    )


def can_be_scored(problem: Problem) -> bool:
    """Whether a problem has an answer, or an equation that gives one."""
    return problem.graph is not None or problem.answer is not None


def _gold(problem: Problem) -> tuple[ExpressionGraph | None, Value]:
    if not can_be_scored(problem):
        raise DataError(f"problem {problem.id} has neither an equation nor an answer, so it cannot be scored")
    if problem.graph is None:
        return None, Value(problem.answer)
    return problem.graph, evaluate(problem.graph, problem.values).value


def _answer_right(problem: Problem, value: Value, gold: Value) -> bool:
    if problem.answer is not None:
        return is_answer(value, problem.answer)
    return gold.number is not None and agrees(value, Fraction(gold.number))


def is_answer(value: Value, answer: Fraction) -> bool:
    """Whether ``value`` is the annotated answer, by the rule of this module.

    >>> [is_answer(Value(Fraction(1, 3)), Fraction(text)) for text in ("1/3", "0.333", "0.33", "0.35")]
    [True, True, True, False]
    """
    if agrees(value, answer):
        return True
    if value.number is None:
        return False
    places = len((decimal_text(answer) or "").partition(".")[2])
    difference = abs(Fraction(value.number) - answer)
    return places > 0 and difference <= Fraction(1, 2 * 10**places) and difference < ROUNDING * abs(answer)


def _literature_right(graph: ExpressionGraph, problem: Problem) -> bool:
    return graph == problem.graph or (
        abs(literature_value(graph, problem.values) - _literature_gold(problem)) < _LITERATURE_TOLERANCE
    )


def _literature_gold(problem: Problem) -> float:
    if problem.graph is not None:
        return literature_value(problem.graph, problem.values)
    return math.nan if problem.answer is None else _float(problem.answer)


def literature_value(graph: ExpressionGraph, numbers: tuple[Fraction, ...]) -> float:
    """A graph's value as the literature computes it, in floats that never fail.

    >>> from treequation.expression.parsing import parse_infix
    >>> [literature_value(parse_infix(text), ()) for text in ("1/4", "5/0", "0^(0-1)", "(0-8)^0.5")]
    [0.25, 5000.0, 0.0, 0.0]
    """

    def step(expression: Expression, left: float, right: float) -> float:
        if expression.operator is Operator.ADD:
            return left + right
        if expression.operator is Operator.SUBTRACT:
            return left - right
        if expression.operator is Operator.MULTIPLY:
            return left * right
        if expression.operator.divides:
            return _division(expression.operator, left, right if right != 0 else _LITERATURE_ZERO)
        return _power(left, right)

    return graph.fold(lambda leaf: _float(leaf.value if isinstance(leaf, Constant) else numbers[leaf.index]), step)


def _division(operator: Operator, left: float, right: float) -> float:
    quotient = left / right
    if operator is Operator.DIVIDE or not math.isfinite(quotient):
        return quotient
    if operator is Operator.REMAINDER:
        return left % right
    return float(math.ceil(quotient) if operator is Operator.ROUND_UP else math.floor(quotient))


def _power(left: float, right: float) -> float:
    try:
        return math.pow(left, right)
    except (ValueError, OverflowError):
        return 0.0


def _float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _probability(score: float) -> float:
    """A log-probability as a probability; a model that has diverged is not sure of anything."""
    return min(1.0, math.exp(score)) if math.isfinite(score) else 0.0


def _written(graph: ExpressionGraph) -> str:
    try:
        return to_infix(graph)
    except ValueError as error:  # shared results can make the written form far longer than the graph
        return f"({error})"
