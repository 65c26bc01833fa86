"""Wrong answers by cause, and a list of annotations that contradict themselves.

A wrong answer has one cause, the first that applies: no model could get it right; this model cannot express it; and
then how its equation differs from the gold equation, from coarse to fine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from treequation.data.reading import Explained
from treequation.data.validation import rounds_to
from treequation.evaluation.scoring import Outcome, is_answer
from treequation.expression.equality import equal_up_to_algebra
from treequation.expression.evaluation import Value, evaluate, format_value
from treequation.expression.graph import Constant, Expression, ExpressionGraph
from treequation.expression.layers import layers
from treequation.expression.parsing import EquationError, parse_infix
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat, Problem

_EXAMPLES = 5  # of each cause, in the finding
_LONGEST = 60  # characters of an equation or a value in an example


class Cause(Explained):
    """Why an answer is wrong."""

    ANNOTATION = "annotation contradicts itself", "the gold equation does not give the annotated answer"
    NUMBER = (
        "number not found",
        "the gold equation needs a number of the text that was not found there, or not in this format",
    )
    CONSTANT = "unseen constant", "the gold equation needs a constant that the model does not know"
    DEPTH = "too deep", "the gold equation needs more layers than the model has"
    NOTHING = "nothing decoded", "the model wrote no valid equation"
    MISSING = "missing expression", "it has fewer expressions than the gold equation"
    EXTRA = "extra expression", "it has more expressions"
    STRUCTURE = "wrong structure", "it has as many expressions, put together differently"
    OPERATOR = "wrong operator", "it is put together the same way, with another operator"
    OPERAND = "wrong operand", "structure and operators are right; a number is wrong or on the wrong side"


def cause_of(
    problem: Problem,
    outcome: Outcome,
    vocabulary: Vocabulary,
    *,
    steps: int | None = None,
    queries: int | None = None,
) -> Cause | None:
    """Why a problem's answer is wrong; None if it is right.

    ``steps`` is the number of layers that the model has, with at most ``queries`` expressions each.
    """
    gold = problem.graph
    if outcome.answer_right or gold is None:
        return None
    if _contradicting_value(problem) is not None:
        return Cause.ANNOTATION
    unknown = {leaf.value for leaf in gold.leaves if isinstance(leaf, Constant)} - set(vocabulary.constants)
    if problem.refused or unknown & _every_number(problem):
        return Cause.NUMBER
    if unknown:
        return Cause.CONSTANT
    if steps is not None and len(layers(gold, queries)) > steps:
        return Cause.DEPTH
    try:
        graph = parse_infix(outcome.equation) if outcome.equation else None
    except EquationError:  # the graph was too long to be written out
        return Cause.EXTRA
    if graph is None:
        return Cause.NOTHING
    if len(graph) != len(gold):
        return Cause.MISSING if len(graph) < len(gold) else Cause.EXTRA
    if _skeleton(graph, operators=False) != _skeleton(gold, operators=False):
        return Cause.STRUCTURE
    return Cause.OPERAND if _skeleton(graph, operators=True) == _skeleton(gold, operators=True) else Cause.OPERATOR


def _contradicting_value(problem: Problem) -> Value | None:
    """The value of the annotated equation, if it is not the annotated answer by the scorer's rule."""
    if problem.graph is None or problem.answer is None:
        return None
    value = evaluate(problem.graph, problem.values).value
    return None if is_answer(value, problem.answer) else value


def _every_number(problem: Problem) -> set[Any]:
    """The values of all numbers in the text, in any format, including words and ordinals."""
    formats = (NumberFormat(percent, "one", True, True) for percent in ("whole", "fraction"))
    return {number.value for format in formats for number in find_numbers(problem.text, format)}


def _skeleton(graph: ExpressionGraph, *, operators: bool) -> str:
    """The structure of a graph, whatever its numbers and the order of operands; a shared result is written out."""

    def join(expression: Expression, left: str, right: str) -> str:
        first, second = sorted((left, right))
        return f"({first}{expression.operator.value if operators else ' '}{second})"

    return graph.fold(lambda leaf: ".", join)


@dataclass(frozen=True, slots=True)
class AnnotationError:
    """A problem whose annotation cannot be right; it contains none of the problem's text."""

    id: str
    kind: str
    reason: str


def annotation_errors(problems: Sequence[Problem]) -> list[AnnotationError]:
    """Equations that do not give their answer, and problems with the same text, numbers aside, but other equations."""
    return [*_contradictions(problems), *_disagreements(problems)]


def _contradictions(problems: Iterable[Problem]) -> Iterator[AnnotationError]:
    for problem in problems:
        value = _contradicting_value(problem)
        if value is not None and problem.answer is not None:
            reason = f"the equation gives {format_value(value)}, the answer is {format_value(problem.answer)}"
            kind = "rounded answer" if rounds_to(value, problem.answer) else "equation and answer"
            yield AnnotationError(problem.id, kind, reason)


def _disagreements(problems: Iterable[Problem]) -> Iterator[AnnotationError]:
    """Problems whose texts differ at most in their numbers must have the same equation, up to algebra."""
    first: dict[str, Problem] = {}
    for problem in problems:
        if problem.graph is None:
            continue
        other = first.setdefault(problem.masked_text, problem)
        if other is problem or other.graph is None or len(other.numbers) != len(problem.numbers):
            continue
        if not equal_up_to_algebra(problem.graph, other.graph):
            yield AnnotationError(
                problem.id, "same text", f"problem {other.id} has the same text, numbers aside, but another equation"
            )


def measure(
    problems: Sequence[Problem],
    outcomes: Sequence[Outcome],
    vocabulary: Vocabulary,
    *,
    steps: int | None = None,
    queries: int | None = None,
) -> dict[str, Any]:
    """The finding: how often each cause occurs, how often for unseen texts, and examples without their texts."""
    causes = [
        cause_of(problem, outcome, vocabulary, steps=steps, queries=queries)
        for problem, outcome in zip(problems, outcomes, strict=True)
    ]
    counts, unseen = Counter(causes), Counter(c for c, o in zip(causes, outcomes, strict=True) if o.seen is False)
    return {
        "problems": len(problems),
        "wrong": len(problems) - counts[None],
        "causes": {cause.value: {"count": counts[cause], "unseen": unseen[cause]} for cause in Cause},
        "examples": {cause.value: _examples(cause, causes, outcomes) for cause in Cause if counts[cause]},
        "annotation_errors": dict(Counter(error.kind for error in annotation_errors(problems))),
    }


def _examples(cause: Cause, causes: Sequence[Cause | None], outcomes: Sequence[Outcome]) -> list[dict[str, str]]:
    """The surest mistakes, which are the most telling."""
    own = [outcome for found, outcome in zip(causes, outcomes, strict=True) if found is cause]
    own.sort(key=lambda outcome: (-outcome.confidence, outcome.id))
    return [
        {
            "id": o.id,
            "prediction": _cut(o.equation),
            "value": _cut(o.value),
            "gold": _cut(o.gold_equation),
            "answer": _cut(o.gold_value),
        }
        for o in own[:_EXAMPLES]
    ]


def _cut(text: str) -> str:
    """Shortens a long equation or value."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
