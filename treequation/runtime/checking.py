"""Checks a pupil's equation against the model's: right, written differently, another way, or wrong (and where)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, NamedTuple

from treequation.expression.equality import equal_up_to_algebra
from treequation.expression.evaluation import Evaluation, Value, calculate, evaluate, format_value
from treequation.expression.graph import Constant, Expression, ExpressionGraph, Number, Operator, Result
from treequation.expression.ordering import in_order
from treequation.expression.words import step_calculation
from treequation.runtime.pupil_equation import (
    Claim,
    by_value,
    leaf_value,
    read_equation,
    sides_of,
    text_values,
    whole_division,
    without_fractions,
)
from treequation.runtime.solution import Solution, equation_text, json_number
from treequation.runtime.solve_error import WORDS
from treequation.text.problem import Problem

_NEAR = 1e-9
_HUNDRED = Constant(Fraction(100))


class Verdict(StrEnum):
    """The verdict on an equation."""

    right = "right"
    """The same steps as the model's, up to the order of commuting operands."""
    rewritten = "rewritten"
    """Written differently, but algebraically equal for all numbers."""
    another_way = "another-way"
    """The same value for these numbers, reached in another way."""
    wrong = "wrong"


class Place(StrEnum):
    """Where an equation is wrong."""

    step = "step"
    """At a step that the model's tree does not have."""
    end = "end"
    """All its steps are in the model's tree, but the last ones are missing."""
    result = "result"
    """The equation is right, but the result written after it is not."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where an equation first differs from the model's tree: the pupil's step there, and the model's."""

    place: Place
    step: int
    pupil: str | None
    model: str | None

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {"place": self.place.value, "step": self.step, "pupil": self.pupil, "model": self.model}


@dataclass(frozen=True, slots=True)
class Check:
    """The result of checking a pupil's equation.

    ``difference`` says where it is wrong. ``strange`` has its numbers that are neither in the text nor in the model's
    equation. If the ``solution`` is unsure, so is the verdict.
    """

    solution: Solution
    graph: ExpressionGraph
    value: Value
    verdict: Verdict
    difference: Difference | None = None
    strange: tuple[str, ...] = ()

    @property
    def equation(self) -> str:
        """The pupil's equation in the usual notation."""
        return equation_text(self.graph, self.solution.problem)

    @property
    def unsure(self) -> bool:
        """Whether the model itself is unsure, so that a person should check."""
        return self.solution.unsure

    @property
    def also_thought_of(self) -> bool:
        """Whether the pupil's value is among the model's alternative answers."""
        return self.verdict is Verdict.wrong and any(_same(self.value, o.answer) for o in self.solution.alternatives)

    @property
    def messages(self) -> list[str]:
        """The verdict in words, in the problem's language, as a list of sentences."""
        return list(_messages(self))

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        solution = self.solution
        return {
            "problem": solution.problem.text,
            "equation": self.equation,
            "answer": str(self.value),
            "value": json_number(self.value),
            "verdict": self.verdict.value,
            "difference": None if self.difference is None else self.difference.to_dict(),
            "strange": list(self.strange),
            "also_thought_of": self.also_thought_of,
            "messages": self.messages,
            "unsure": self.unsure,
            "confidence": round(solution.confidence, 4),
            "model_equation": solution.equation,
            "model_answer": solution.shown,
            "model": solution.model,
        }


def check(solution: Solution, equation: str) -> Check:
    """Checks ``equation`` as an answer to the problem of ``solution``.

    Raises :class:`SolveError` with the code ``bad-equation`` or ``decimal-comma`` if the equation cannot be read.
    """
    written, claim = sides_of(equation)
    problem = solution.problem
    graph = read_equation(written, problem)
    # "17 ÷ 3 = 5 r 2" may answer with 17/3, with 5 or with 2.
    graphs = (graph,) if claim is None or claim.remainder is None else (graph, *whole_division(graph))
    evaluations = [evaluate(each, problem.values) for each in graphs]
    values = [evaluation.value for evaluation in evaluations]
    models = list(_accepted(solution))
    for each, value in zip(graphs, values, strict=True):
        verdict = _verdict(models, each, value, problem)
        if verdict is not Verdict.wrong:
            difference = None if claim is None else _wrong_result(claim, values, len(graph), problem.language)
            return Check(solution, each, value, verdict if difference is None else Verdict.wrong, difference)
    difference = _difference(models[0].graph, graph, evaluations[0], problem)
    known = {leaf_value(leaf, problem) for leaf in solution.graph.leaves} | set(text_values(problem))
    strange = tuple(
        format_value(leaf.value) for leaf in graph.leaves if isinstance(leaf, Constant) and leaf.value not in known
    )
    return Check(solution, graph, values[0], Verdict.wrong, difference, strange)


def _wrong_result(claim: Claim, values: Sequence[Value], step: int, language: str) -> Difference | None:
    """The difference between the result that is written after an equation and its own, if there is one.

    ``values`` has that of the equation; with a remainder, also the whole quotient and the remainder.
    """
    if claim.remainder is None:
        return (
            None if claim.fits(values[0]) else Difference(Place.result, step, format_value(claim.value), str(values[0]))
        )
    written, own = [claim.value, claim.remainder], values[1:]
    if written == [value.number for value in own]:
        return None
    between = f" {WORDS[language]['check']['remainder']} "
    return Difference(Place.result, step, between.join(map(format_value, written)), between.join(map(str, own)))


# --- judging ----------------------------------------------------------------------------------------------------------


class _Model(NamedTuple):
    """An equation that counts as the model's, with its value."""

    graph: ExpressionGraph
    value: Value


def _accepted(solution: Solution) -> Iterator[_Model]:
    """The equations that count as the model's: if a percentage is asked for, 15 and 0.15 are both right."""
    graph, problem = solution.graph, solution.problem
    yield _Model(by_value(graph, problem), solution.answer)
    if solution.percentage is not None:
        for operator in (Operator.MULTIPLY, Operator.DIVIDE):
            scaled = Expression(operator, graph.root, _HUNDRED)
            whole = ExpressionGraph((*graph.expressions, scaled), Result(len(graph)))
            yield _Model(by_value(whole, problem), calculate(operator, solution.answer, Value(_HUNDRED.value)))


def _verdict(models: Sequence[_Model], graph: ExpressionGraph, value: Value, problem: Problem) -> Verdict:
    if any(in_order(graph) == in_order(model.graph) for model in models):
        return Verdict.right
    if not any(_same(value, model.value) for model in models):
        return Verdict.wrong
    rewritten = any(_equal(graph, model.graph, problem) for model in models)
    return Verdict.rewritten if rewritten else Verdict.another_way


def _equal(one: ExpressionGraph, other: ExpressionGraph, problem: Problem) -> bool:
    """Whether two equations are equal for all numbers, not just for these."""
    plain = [without_fractions(graph, problem) for graph in (one, other)]
    varied = all(any(isinstance(leaf, Number) for leaf in graph.leaves) for graph in plain)
    return _algebra(one, other) or (varied and _algebra(*plain))


def _algebra(one: ExpressionGraph, other: ExpressionGraph) -> bool:
    has_number = any(isinstance(leaf, Number) for leaf in one.leaves)
    return has_number and equal_up_to_algebra(one, other)


def _same(one: Value, other: Value) -> bool:
    a, b = one.number, other.number
    if a is None or b is None:
        return False
    if one.exact and other.exact:
        return a == b
    try:
        return math.isclose(a, b, rel_tol=_NEAR)
    except OverflowError:  # larger than any float
        return False


def _difference(model: ExpressionGraph, graph: ExpressionGraph, evaluation: Evaluation, problem: Problem) -> Difference:
    """The pupil's first step that is not in the model's tree, and the model's first step that is not in the pupil's."""
    values = evaluate(model, problem.values).values
    theirs = {index: _upto(model, index) for index in range(len(model))}
    first, matched = None, set()
    for index in range(len(graph)):
        step = _upto(graph, index)
        alike = {
            other
            for other, whole in theirs.items()
            if _same(evaluation.values[index], values[other]) and _equal(step, whole, problem)
        }
        matched |= alike
        if not alike and first is None:
            first = index
    missing = next((index for index in range(len(model)) if index not in matched), None)

    def written(of: ExpressionGraph, index: int | None, known: tuple[Value, ...]) -> str | None:
        return None if index is None else step_calculation(of, index, problem.values, known, problem.language)

    there = written(model, missing, values)
    if first is None:
        last = len(graph) - 1
        here = written(graph, last, evaluation.values) if len(graph) else str(evaluation.value)
        return Difference(Place.end, len(graph) + 1, here, there)
    return Difference(Place.step, first + 1, written(graph, first, evaluation.values), there)


def _upto(graph: ExpressionGraph, index: int) -> ExpressionGraph:
    """The subgraph that computes one step."""
    part = ExpressionGraph(graph.expressions[: index + 1], Result(index))
    return part.replace_leaves(lambda builder, leaf: leaf)


# --- in words ---------------------------------------------------------------------------------------------------------


def _messages(check: Check) -> Iterator[str]:
    solution, difference = check.solution, check.difference
    words = WORDS[solution.problem.language]["check"]
    if check.verdict is not Verdict.wrong:
        yield words[check.verdict].format(model=solution.equation)
    elif difference is not None:
        is_result = difference.place is Place.result
        yield words["differs"] if check.unsure and not is_result else words[Verdict.wrong]
        yield words[difference.place].format(step=difference.step, pupil=difference.pupil, model=difference.model)
        if difference.model is not None and not is_result:
            yield words["next" if difference.place is Place.end else "there"].format(model=difference.model)
    if not check.value.defined:
        yield words["undefined"].format(reason=check.value.reason)
    if check.strange:
        yield words["strange"].format(strange=", ".join(check.strange))
    if check.unsure:
        yield words["unsure"].format(equation=solution.equation, share=f"{100 * solution.confidence:.0f} %")
        if check.also_thought_of:
            yield words["other"]
