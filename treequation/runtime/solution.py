"""A solver's solution: the value, the equation, the steps, and its confidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from html import escape
from typing import Any

from treequation.decoding.assembly import places_in
from treequation.decoding.trace import OperandEntry, Trace
from treequation.expression.evaluation import Evaluation, Value, decimal_text, evaluate, format_value, mixed_number
from treequation.expression.graph import Constant, Expression, ExpressionGraph, Number, Operand, Operator, Result
from treequation.expression.layers import layers
from treequation.expression.parsing import read_leaf
from treequation.expression.printing import to_infix, to_latex
from treequation.expression.words import steps_in_words
from treequation.runtime.drawing import draw_svg
from treequation.text.answer_unit import AnswerUnit, answer_unit
from treequation.text.language import language_of
from treequation.text.problem import FoundNumber, Problem
from treequation.text.question import asks_for_percentage

_MAX_PLACES, _LONGEST = 4, 12  # digits of a percentage, after the point and in all
_MAX_WHOLE = 1000  # beside which people still write a fraction
_MAX_PARTS = 16  # of which people still write a fraction: 3/16 rather than 0.1875, but not 43/100


@dataclass(frozen=True, slots=True)
class Step:
    """One expression of the answer: ``operand operator operand = value``. Operands are named as in :func:`name`."""

    id: str
    left: str
    operator: Operator
    right: str
    value: Value

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "id": self.id,
            "left": self.left,
            "operator": self.operator.value,
            "right": self.right,
            "answer": str(self.value),
            "value": json_number(self.value),
        }


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another answer that the model considered."""

    answer: Value
    equation: str
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "answer": str(self.answer),
            "value": json_number(self.answer),
            "equation": self.equation,
            "confidence": round(self.confidence, 4),
        }


@dataclass(frozen=True)
class Solution:
    """The answer to one problem.

    ``evaluation`` has the value of every expression of ``graph``. ``confidence`` is the probability that the answer is
    right; below the model's threshold it is ``unsure``. ``alternatives`` has the other answers of a beam search,
    the likeliest first. ``trace`` is present on request. A plain calculation is answered without a model:
    ``model`` is then None, and there is no trace.
    """

    problem: Problem
    graph: ExpressionGraph
    evaluation: Evaluation
    confidence: float
    unsure: bool
    alternatives: tuple[Alternative, ...]
    model: str | None
    trace: Trace | None = None

    @property
    def answer(self) -> Value:
        """The answer. ``answer.number`` is exact (a Fraction) except for irrational roots; ``str`` is readable text."""
        return self.evaluation.value

    @cached_property
    def percentage(self) -> str | None:
        """The answer as a percentage, such as ``12.25 %`` or ``33.3 %``, if the problem asks for one; otherwise None.

        An equation that contains 100 is taken to give percent; the value of any other is a share.
        """
        number = self.answer.number
        if number is None or not asks_for_percentage(self.problem.text):
            return None
        in_percent = number if Constant(Fraction(100)) in self.graph.leaves else number * 100
        try:
            return f"{_rounded(in_percent)} %"
        except OverflowError:  # larger than any float; the answer itself is exact
            return None

    @property
    def fraction(self) -> str | None:
        """The answer as a common fraction, such as 3/4 for 0.75 or 2 1/3 for 7/3; None if that is not usual."""
        number = self.answer.number
        if not isinstance(number, Fraction) or not 1 < number.denominator <= _MAX_PARTS:
            return None
        if abs(number) >= _MAX_WHOLE:
            return None
        if self.percentage is not None or (self.unit is not None and self.unit.sign):
            return None
        written = mixed_number(number)
        return None if written == str(self.answer) else written

    @cached_property
    def unit(self) -> AnswerUnit | None:
        """The unit of the answer if the question makes it clear; otherwise None."""
        if self.percentage is not None:
            return None
        unit = answer_unit(self.problem, self.graph)
        return unit if unit is not None and unit.fits(self.answer.number) else None

    @property
    def shown(self) -> str:
        """The answer as a person would write it: 490, 0.25, 1/3, 33.3 %, 45 km/h, $12.50."""
        answer = str(self.answer)
        return self.percentage or (answer if self.unit is None else self.unit.beside(answer))

    @property
    def numbers(self) -> tuple[FoundNumber, ...]:
        """The numbers of the text, with their positions and exact values."""
        return self.problem.numbers

    @property
    def equation(self) -> str:
        """The equation's right side with the text's numbers in it, such as ``50 × 5 + 60 × 4``."""
        return equation_text(self.graph, self.problem)

    @property
    def layers(self) -> tuple[tuple[Step, ...], ...]:
        """The expressions, layer by layer: those of one layer do not depend on each other."""
        values = self.evaluation.values

        def step(index: int) -> Step:
            expression = self.graph.expressions[index]
            left, right = name(expression.left), name(expression.right)
            return Step(name(Result(index)), left, expression.operator, right, values[index])

        return tuple(tuple(step(index) for index in layer) for layer in layers(self.graph))

    @property
    def steps(self) -> list[str]:
        """The steps to the answer in words, in the problem's language."""
        problem = self.problem
        return steps_in_words(self.graph, problem.values, problem.language, evaluation=self.evaluation)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON.

        ``answer`` is the exact value as text, ``value`` the nearest JSON number. Operands are ``n0``, ``n1``, …
        for the text's numbers, ``r0``, ``r1``, … for results, and constants as they are.
        """
        text = self.problem.text
        return {
            "problem": text,
            "answer": str(self.answer),
            "value": json_number(self.answer),
            "shown": self.shown,
            "percentage": self.percentage,
            "fraction": self.fraction,
            "equation": self.equation,
            "latex": self.to_latex(),
            "confidence": round(self.confidence, 4),
            "unsure": self.unsure,
            "layers": [[step.to_dict() for step in layer] for layer in self.layers],
            "steps": self.steps,
            "numbers": [
                {
                    "id": name(Number(index)),
                    "text": text[number.start : number.end],
                    "value": format_value(number.value),
                    "start": number.start,
                    "end": number.end,
                }
                for index, number in enumerate(self.numbers)
            ],
            "alternatives": [alternative.to_dict() for alternative in self.alternatives],
            "model": self.model,
            **({} if self.trace is None else {"trace": self._trace_to_dict(self.trace)}),
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Solution:
        """The inverse of :meth:`to_dict`, without the trace."""
        numbers = tuple(FoundNumber(Fraction(n["value"]), n["start"], n["end"]) for n in fields["numbers"])
        problem = Problem("", fields["problem"], numbers, language_of(fields["problem"]))
        graph = _graph_of(fields)
        others = tuple(
            Alternative(_value_of(other["answer"], other["value"]), other["equation"], other["confidence"])
            for other in fields["alternatives"]
        )
        evaluation = evaluate(graph, problem.values)
        return cls(problem, graph, evaluation, fields["confidence"], fields["unsure"], others, fields["model"])

    @cached_property
    def _places(self) -> dict[int, Result]:
        return {} if self.trace is None else places_in(self.graph, self.trace.decoded.layers)

    def name_in_trace(self, operand: Operand) -> str:
        """Like :func:`name`, for the trace: a result that the answer does not need is ``q`` and its index."""
        if isinstance(operand, Result):
            needed = self._places.get(operand.index)
            return f"q{operand.index}" if needed is None else name(needed)
        return name(operand)

    def _trace_to_dict(self, trace: Trace) -> dict[str, Any]:
        def operands(entries: Iterable[OperandEntry]) -> list[dict[str, Any]]:
            return [{"operand": self.name_in_trace(e.operand), "probability": round(e.probability, 4)} for e in entries]

        steps = [
            [
                {
                    "operator": [
                        {"operator": None if o is None else o.value, "probability": round(p, 4)}
                        for o, p in query.operator
                    ],
                    "left": operands(query.left),
                    "right": operands(query.right),
                    "similarity": [round(each, 3) for each in query.similarity],
                    "kept": None if query.kept is None else self.name_in_trace(Result(query.kept.place)),
                }
                for query in queries
            ]
            for queries in trace.steps
        ]
        return {"tokens": list(trace.tokens), "spans": list(trace.spans), "steps": steps}

    def to_latex(self) -> str:
        """The equation and its value as LaTeX."""
        values = self.problem.values
        left = to_latex(self.graph, lambda index: format_value(values[index]))
        answer = str(self.answer)
        return rf"{left} \approx {answer[1:]}" if answer.startswith("≈") else f"{left} = {answer}"

    def to_svg(self) -> str:
        """The expression tree, layer by layer, as a drawing."""
        language = self.problem.language
        return draw_svg(self.graph, self.problem.values, language, evaluation=self.evaluation, title=str(self))

    def __str__(self) -> str:
        return f"{self.equation} = {self.answer}" if self.answer.exact else f"{self.equation} {self.answer}"

    def _repr_html_(self) -> str:
        """The answer with the drawing, for notebooks."""
        sure = f"{self.confidence:.0%} sure" + (", so check it" if self.unsure else "")
        steps = "".join(f"<div>{escape(step)}</div>" for step in self.steps)
        return f"<p><b>{escape(self.shown)}</b>: {escape(str(self))} ({sure})</p>{self.to_svg()}{steps}"


def name(operand: Operand) -> str:
    """How an operand is named in :meth:`Solution.to_dict`.

    >>> from treequation.expression.graph import Constant
    >>> name(Number(0)), name(Result(2)), name(Constant(Fraction(1, 2)))
    ('n0', 'r2', '0.5')
    """
    if isinstance(operand, Number):
        return f"n{operand.index}"
    return f"r{operand.index}" if isinstance(operand, Result) else format_value(operand.value)


def _graph_of(fields: Mapping[str, Any]) -> ExpressionGraph:
    """The graph from the layers in :meth:`Solution.to_dict`."""
    steps = {step["id"]: step for layer in fields["layers"] for step in layer}

    def operand(written: str) -> Operand:
        leaf = Result(int(written[1:])) if written in steps else read_leaf(written)
        if leaf is None:
            raise ValueError(f"{written!r} is not an operand")
        return leaf

    expressions = tuple(
        Expression(Operator(step["operator"]), operand(step["left"]), operand(step["right"]))
        for step in (steps[name(Result(index))] for index in range(len(steps)))
    )
    if expressions:
        return ExpressionGraph(expressions, Result(len(expressions) - 1))
    alike = (Number(index) for index, n in enumerate(fields["numbers"]) if n["value"] == fields["answer"])
    return ExpressionGraph((), next(alike, operand(fields["answer"])))


_ONE_THIRD = re.compile(r"(?<![0-9.])0(\([0-9]+/[0-9]+\))")  # 0(1/3) is for programs: (1/3) would be a division


def _value_of(answer: str, value: int | float | None) -> Value:
    leaf = read_leaf(answer)
    return Value(leaf.value if isinstance(leaf, Constant) else value)


def _rounded(percentage: Fraction | float) -> str:
    """A percentage, in full if it is short, else with one decimal place; with more if that would give 0 or 100."""
    exact = decimal_text(percentage) if isinstance(percentage, Fraction) else None
    if exact is not None and len(exact) <= _LONGEST and len(exact.partition(".")[2]) <= _MAX_PLACES:
        return exact
    texts = [f"{float(percentage):.{places}f}" for places in range(1, _MAX_PLACES + 1)]
    return next((text for text in texts if float(text) not in (0, 100)), texts[-1]).removesuffix(".0")


def equation_text(graph: ExpressionGraph, problem: Problem) -> str:
    """The equation in the usual notation, or as steps if shared results would make it very long.

    >>> from treequation.expression.parsing import parse_infix
    >>> from treequation.text.numbers import find_numbers
    >>> equation_text(parse_infix("n0^0(1/3)"), Problem("", "What is the cube root of 27?", find_numbers("27")))
    '27^(1/3)'
    """
    values = problem.values
    try:
        text = to_infix(graph, lambda index: format_value(values[index]), symbols="unicode")
        return _ONE_THIRD.sub(r"\1", text)
    except ValueError:
        pieces = (
            f"{name(Result(index))} = {e.operator.between(name(e.left), name(e.right))}"
            for index, e in enumerate(graph.expressions)
        )
        return "; ".join(pieces)


def json_number(value: Value) -> int | float | None:
    """The value as a JSON number: an integer or the nearest float, or None if there is none.

    >>> json_number(Value(Fraction(490))), json_number(Value(Fraction(1, 4))), json_number(Value(None, "0 ÷ 0"))
    (490, 0.25, None)
    """
    number = value.number
    if not isinstance(number, Fraction):
        return number
    if number.denominator == 1:
        return number.numerator
    try:
        return float(number)
    except OverflowError:
        return None
