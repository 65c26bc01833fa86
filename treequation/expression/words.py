"""Tells an equation as numbered steps in words, layer by layer, in English or Chinese."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from treequation.expression.evaluation import Evaluation, Value, decimal_text, evaluate, format_value
from treequation.expression.graph import Constant, ExpressionGraph, Operand, Operator, Result
from treequation.expression.layers import layers

_SENTENCES = {
    "en": {
        Operator.ADD: "Add {left} and {right}",
        Operator.SUBTRACT: "Subtract {right} from {left}",
        Operator.MULTIPLY: "Multiply {left} by {right}",
        Operator.DIVIDE: "Divide {left} by {right}",
        Operator.POWER: "Raise {left} to the power of {right}",
        Operator.REMAINDER: "Divide {left} by {right} and keep the remainder",
        Operator.ROUND_UP: "Divide {left} by {right} and round up",
        Operator.ROUND_DOWN: "Divide {left} by {right} and round down",
    },
    "zh": {
        Operator.ADD: "{left} 加 {right}",
        Operator.SUBTRACT: "{left} 减 {right}",
        Operator.MULTIPLY: "{left} 乘 {right}",
        Operator.DIVIDE: "{left} 除以 {right}",
        Operator.POWER: "{left} 的 {right} 次方",
        Operator.REMAINDER: "{left} 除以 {right}，取余数",
        Operator.ROUND_UP: "{left} 除以 {right}，向上取整",
        Operator.ROUND_DOWN: "{left} 除以 {right}，向下取整",
    },
}
_STEP = {
    "en": "{number}. {sentence}: {calculation}.",
    "zh": "{number}. {sentence}：{calculation}。",
}
# What a pupil writes for a division whose result is whole pieces.
_IN_WHOLE_PIECES = {
    "en": {
        Operator.REMAINDER: "{divided} = {whole}, remainder {value}",
        Operator.ROUND_UP: "{divided} {quotient}, rounded up {value}",
        Operator.ROUND_DOWN: "{divided} {quotient}, rounded down {value}",
    },
    "zh": {
        Operator.REMAINDER: "{divided} = {whole} 余 {value}",
        Operator.ROUND_UP: "{divided} {quotient}，向上取整得 {value}",
        Operator.ROUND_DOWN: "{divided} {quotient}，向下取整得 {value}",
    },
}
_BARE_NUMBER = {"en": "The answer is {value}.", "zh": "答案是 {value}。"}
_PLACES = 2  # of a quotient that is rounded
_UNDEFINED = {"en": "has no value", "zh": "没有值"}


def steps_in_words(
    graph: ExpressionGraph,
    numbers: Sequence[Fraction | int],
    language: Literal["en", "zh"] = "en",
    *,
    evaluation: Evaluation | None = None,
) -> list[str]:
    """One sentence a step, with its value; steps that do not need each other stand side by side.

    ``evaluation`` is that of the graph, where it is known already.

    >>> from treequation.expression.parsing import parse_infix
    >>> for step in steps_in_words(parse_infix("n0*n1 - n2"), [50, 5, 10]):
    ...     print(step)
    1. Multiply 50 by 5: 50 × 5 = 250.
    2. Subtract 10 from 250: 250 − 10 = 240.
    >>> steps_in_words(parse_infix("ceil(n0/n1)"), [95, 14])
    ['1. Divide 95 by 14 and round up: 95 ÷ 14 ≈ 6.79, rounded up 7.']
    """
    values = (evaluation or evaluate(graph, numbers)).values

    def write(operand: Operand) -> str:
        if isinstance(operand, Result):
            value = values[operand.index]
            return format_value(value).removeprefix("≈") if value.defined else "?"
        return format_value(operand.value if isinstance(operand, Constant) else Fraction(numbers[operand.index]))

    def exact(operand: Operand) -> Fraction:
        if isinstance(operand, Result):
            return Fraction(values[operand.index].number or 0)
        return operand.value if isinstance(operand, Constant) else Fraction(numbers[operand.index])

    if not graph.expressions:
        return [_BARE_NUMBER[language].format(value=write(graph.root))]
    steps: list[str] = []
    for index in (index for layer in layers(graph) for index in layer):
        expression = graph.expressions[index]
        value = values[index]
        left, right = write(expression.left), write(expression.right)
        sentence = _SENTENCES[language][expression.operator].format(left=left, right=right)
        calculation = f"{expression.operator.between(_bracketed(left), _bracketed(right))} {_equals(value, language)}"
        if value.exact and expression.operator in _IN_WHOLE_PIECES[language]:
            a, b = exact(expression.left), exact(expression.right)
            quotient, divided = a / b, Operator.DIVIDE.between(_bracketed(left), _bracketed(right))
            if quotient.denominator == 1 and expression.operator.rounds:
                calculation = f"{divided} = {quotient}"  # there is nothing to round
            else:
                calculation = _IN_WHOLE_PIECES[language][expression.operator].format(
                    divided=divided,
                    whole=math.floor(quotient),
                    quotient=_roughly(quotient),
                    value=format_value(value),
                )
        steps.append(_STEP[language].format(number=len(steps) + 1, sentence=sentence, calculation=calculation))
    return steps


def _roughly(quotient: Fraction) -> str:
    """A quotient that is going to be rounded; never so few places that it looks whole already.

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
        return _UNDEFINED[language]
    text = format_value(value)
    return f"≈ {text[1:]}" if text.startswith("≈") else f"= {text}"
