"""Tells an equation as numbered steps in words, layer by layer, in English or Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from treequation.expression.evaluation import Value, evaluate, format_value
from treequation.expression.graph import Constant, ExpressionGraph, Operand, Operator, Result
from treequation.expression.layers import layers

_SENTENCES = {
    "en": {
        Operator.ADD: "Add {left} and {right}",
        Operator.SUBTRACT: "Subtract {right} from {left}",
        Operator.MULTIPLY: "Multiply {left} by {right}",
        Operator.DIVIDE: "Divide {left} by {right}",
        Operator.POWER: "Raise {left} to the power of {right}",
    },
    "zh": {
        Operator.ADD: "{left} 加 {right}",
        Operator.SUBTRACT: "{left} 减 {right}",
        Operator.MULTIPLY: "{left} 乘 {right}",
        Operator.DIVIDE: "{left} 除以 {right}",
        Operator.POWER: "{left} 的 {right} 次方",
    },
}
_STEP = {
    "en": "{number}. {sentence}: {left} {sign} {right} {equals}.",
    "zh": "{number}. {sentence}：{left} {sign} {right} {equals}。",
}
_BARE_NUMBER = {"en": "The answer is {value}.", "zh": "答案是 {value}。"}
_UNDEFINED = {"en": "has no value", "zh": "没有值"}


def steps_in_words(
    graph: ExpressionGraph, numbers: Sequence[Fraction | int], language: Literal["en", "zh"] = "en"
) -> list[str]:
    """One sentence a step, with its value; steps that do not need each other stand side by side.

    >>> from treequation.expression.parsing import parse_infix
    >>> for step in steps_in_words(parse_infix("n0*n1 - n2"), [50, 5, 10]):
    ...     print(step)
    1. Multiply 50 by 5: 50 × 5 = 250.
    2. Subtract 10 from 250: 250 − 10 = 240.
    """
    evaluation = evaluate(graph, numbers)

    def write(operand: Operand) -> str:
        if isinstance(operand, Result):
            value = evaluation.values[operand.index]
            return format_value(value).removeprefix("≈") if value.defined else "?"
        return format_value(operand.value if isinstance(operand, Constant) else Fraction(numbers[operand.index]))

    if not graph.expressions:
        return [_BARE_NUMBER[language].format(value=write(graph.root))]
    steps: list[str] = []
    for index in (index for layer in layers(graph) for index in layer):
        expression = graph.expressions[index]
        value = evaluation.values[index]
        left, right = write(expression.left), write(expression.right)
        sentence = _SENTENCES[language][expression.operator].format(left=left, right=right)
        steps.append(
            _STEP[language].format(
                number=len(steps) + 1,
                sentence=sentence,
                left=_bracketed(left),
                sign=expression.operator.sign,
                right=_bracketed(right),
                equals=_equals(value, language),
            )
        )
    return steps


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") or "/" in text else text


def _equals(value: Value, language: str) -> str:
    if not value.defined:
        return _UNDEFINED[language]
    text = format_value(value)
    return f"≈ {text[1:]}" if text.startswith("≈") else f"= {text}"
