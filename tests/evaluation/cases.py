"""Problems, decoded equations and outcomes in one line each."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from treequation.decoding.assembly import Proposed
from treequation.decoding.search import Decoded
from treequation.evaluation.scoring import Outcome
from treequation.expression.graph import ExpressionGraph
from treequation.expression.parsing import parse_infix
from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat, Problem


def problem(text: str, equation: str, answer: str | None = None, id: str = "p") -> Problem:
    """A problem whose numbers are those of its text."""
    numbers = find_numbers(text, NumberFormat(words=False))
    return Problem(id, text, numbers, graph=parse_infix(equation), answer=None if answer is None else Fraction(answer))


def decoded_as(equation: str | ExpressionGraph, score: float = 0.0) -> Decoded:
    """What a decoder says that proposes this equation, an expression a layer."""
    graph = parse_infix(equation) if isinstance(equation, str) else equation
    return Decoded([[Proposed(i, e.operator, e.left, e.right)] for i, e in enumerate(graph.expressions)], score)


def outcome(id: str = "p", right: bool = True, **changes: Any) -> Outcome:
    """An outcome that is right, or wrong, by all three scores, but for the changes."""
    fields: dict[str, Any] = {
        "answer_right": right,
        "equation_right": right,
        "literature_right": right,
        "equation": "n0+n1",
        "value": "3",
        "gold_equation": "n0+n1",
        "gold_value": "3",
        "steps": 1,
        "confidence": 0.5,
        "seen": None,
        "shape": "single",
        "expressions": 1,
        "operators": "+",
    }
    return Outcome(id=id, **(fields | changes))


def outcomes(*right: bool) -> Sequence[Outcome]:
    """Outcomes of problems p0, p1, …"""
    return [outcome(f"p{index}", each) for index, each in enumerate(right)]
