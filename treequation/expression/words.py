"""Explains an equation as numbered steps in words, layer by layer, in English or Chinese."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from treequation.expression.evaluation import Evaluation, Value, decimal_text, evaluate, format_value, operand_value
from treequation.expression.graph import ExpressionGraph, Operator
from treequation.expression.layers import layers

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_PLACES = 2  # decimal places shown of a quotient before it is rounded


def steps_in_words(
    graph: ExpressionGraph,
    numbers: Sequence[Fraction | int],
    language: Literal["en", "zh"] = "en",
    *,
    evaluation: Evaluation | None = None,
) -> list[str]:
    """One sentence per step, with its value; independent steps come one after the other.

    Pass ``evaluation`` if the graph has already been evaluated.

    >>> from treequation.expression.parsing import parse_infix
    >>> for step in steps_in_words(parse_infix("n0*n1 - n2"), [50, 5, 10]):
    ...     print(step)
    1. Multiply 50 by 5: 50 × 5 = 250.
    2. Subtract 10 from 250: 250 − 10 = 240.
    >>> steps_in_words(parse_infix("ceil(n0/n1)"), [95, 14])
    ['1. Divide 95 by 14 and round up: 95 ÷ 14 ≈ 6.79, rounded up to 7.']
    """
    words: dict[str, Any] = _WORDS[language]
    values = (evaluation or evaluate(graph, numbers)).values
    if not graph.expressions:
        return [words["bare_number"].format(value=_written(operand_value(graph.root, numbers, values)))]
    steps: list[str] = []
    for index in (index for layer in layers(graph) for index in layer):
        expression = graph.expressions[index]
        left, right = (_written(operand_value(o, numbers, values)) for o in (expression.left, expression.right))
        sentence = words["sentences"][expression.operator.value].format(left=left, right=right)
        calculation = step_calculation(graph, index, numbers, values, language)
        steps.append(words["step"].format(number=len(steps) + 1, sentence=sentence, calculation=calculation))
    return steps


def step_calculation(
    graph: ExpressionGraph,
    index: int,
    numbers: Sequence[Fraction | int],
    values: Sequence[Value],
    language: Literal["en", "zh"] = "en",
) -> str:
    """One step as a pupil writes it; ``values`` are those of the graph's expressions.

    >>> from treequation.expression.parsing import parse_infix
    >>> graph = parse_infix("n0*n1 - n2")
    >>> step_calculation(graph, 1, [50, 5, 10], evaluate(graph, [50, 5, 10]).values)
    '250 − 10 = 240'
    """
    expression, value = graph.expressions[index], values[index]
    dividend, divisor = (operand_value(o, numbers, values) for o in (expression.left, expression.right))
    left, right = _bracketed(_written(dividend)), _bracketed(_written(divisor))
    template: str | None = _WORDS[language]["whole_pieces"].get(expression.operator.value)
    if not value.exact or template is None:
        return f"{expression.operator.between(left, right)} {_equals(value, language)}"
    quotient = Fraction(dividend.number or 0) / Fraction(divisor.number or 0)
    divided = Operator.DIVIDE.between(left, right)
    if quotient.denominator == 1 and expression.operator.rounds:
        return f"{divided} = {quotient}"  # there is nothing to round
    return template.format(
        divided=divided, whole=math.floor(quotient), quotient=_roughly(quotient), value=format_value(value)
    )


def _written(value: Value) -> str:
    return format_value(value).removeprefix("≈") if value.defined else "?"


def _roughly(quotient: Fraction) -> str:
    """A quotient before it is rounded, with enough places that it does not already look whole.

    >>> _roughly(Fraction(95, 14)), _roughly(Fraction(5, 2)), _roughly(Fraction(2001, 1000))
    ('≈ 6.79', '= 2.5', '= 2.001')
    """
    exact = decimal_text(quotient)
    if exact is not None and len(exact.partition(".")[2]) <= _PLACES + 1:
        return f"= {exact}"
    near = round(quotient, _PLACES)
    return f"≈ {decimal_text(near)}" if near.denominator > 1 else f"= {format_value(quotient)}"


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") or "/" in text else text


def _equals(value: Value, language: str) -> str:
    if not value.defined:
        return str(_WORDS[language]["undefined"])
    text = format_value(value)
    return f"≈ {text[1:]}" if text.startswith("≈") else f"= {text}"
