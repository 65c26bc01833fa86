"""The unit of an answer, if the text leaves no doubt; otherwise none, since a wrong unit is worse than none.

There are two ways to know it. The question names it: "how many kilometers", 多少千米. Or the question asks for a kind
of quantity, such as a price or a speed, and the units of the equation's numbers combine to that kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from treequation.expression.graph import Constant, Expression, ExpressionGraph, Number, Operator
from treequation.text.problem import Problem
from treequation.text.units import (
    UNITS,
    Dimension,
    Unit,
    chinese_pattern,
    dimension_of,
    english_pattern,
    english_unit,
    kind_of,
)


@dataclass(frozen=True, slots=True)
class AnswerUnit:
    """How the unit is written beside a number: ``sign`` before it ($), or ``one`` and ``many`` after it."""

    one: str = ""
    many: str = ""
    sign: str = ""

    def beside(self, number: str) -> str:
        """The number with its unit.

        >>> AnswerUnit("hour", "hours").beside("1"), AnswerUnit("km/h", "km/h").beside("45")
        ('1 hour', '45 km/h')
        >>> AnswerUnit(sign="$").beside("12.5"), AnswerUnit(sign="$").beside("-3")
        ('$12.50', '-$3')
        """
        if not self.sign:
            return f"{number} {self.one if number in ('1', '-1') else self.many}"
        below_zero, digits = ("-", number[1:]) if number.startswith("-") else ("", number)
        whole, point, cents = digits.partition(".")
        return f"{below_zero}{self.sign}{whole}{point}{cents.ljust(2, '0') if point else ''}"

    def fits(self, number: Fraction | float | None) -> bool:
        """Whether a value can be written with this unit: an amount with a currency sign must be in whole cents."""
        return not self.sign or (isinstance(number, Fraction) and (number * 100).denominator == 1)


def answer_unit(problem: Problem, graph: ExpressionGraph) -> AnswerUnit | None:
    """The unit of the answer that ``graph`` computes, or None if the text is not clear about it.

    >>> from treequation.expression.parsing import parse_infix
    >>> from treequation.text.numbers import find_numbers
    >>> def unit(text, equation):
    ...     return answer_unit(Problem("", text, find_numbers(text)), parse_infix(equation))
    >>> unit("A car drives 90 km in 2 hours. What is its speed?", "n0/n1").many
    'km/h'
    >>> unit("A pen costs $3. How much do 4 pens cost?", "n0*n1").sign
    '$'
    >>> unit("Tom has 3 boxes of 12 pencils. How many has he?", "n0*n1") is None
    True
    """
    question = _question(problem.text)
    if question is None:
        return None
    named = _named_in_chinese(question) if problem.language == "zh" else _named_in_english(question)
    if named is not _NOT_NAMED:
        return named
    return _computed(problem, graph, question)


_NOT_NAMED = AnswerUnit("?")  # the question names no unit; None means that it is unclear about the unit

# --- the question -----------------------------------------------------------------------------------------------------

_SENTENCE = re.compile(r"(?<=[。？！；?!])|(?<=\.)(?=\s|$)|\n")
_ASK = re.compile(r"\b(?:how|what|which|find|calculate|determine)\b|多少|[几求]|多[长远重高宽深快久]", re.IGNORECASE)


def _question(text: str) -> str | None:
    """The sentence that asks, if there is exactly one."""
    asking = [sentence.strip() for sentence in _SENTENCE.split(text) if re.search("[?？]", sentence)]
    if not asking:
        asking = [sentence.strip() for sentence in _SENTENCE.split(text) if _ASK.search(sentence)]
    return asking[0] if len(asking) == 1 else None


_HOW_MANY = re.compile(r"\bhow\s+many\b", re.IGNORECASE)
_MORE = r"(?:more|fewer|less|extra|additional|total|whole|full|complete)\s+"


@cache
def _english_question() -> tuple[re.Pattern[str], re.Pattern[str]]:
    unit = english_pattern()
    noun = r"[a-z]+(?=\s*[?.]|\s+(?:is|are|was|were|does|do|did|will|would|can)\b)"
    per = rf"(?:\s*/\s*|\s+per\s+)(?P<below>{unit}|{noun})"
    # "How many pound bags" asks for bags, and "how many hours and minutes" for two numbers.
    after = r"(?!\s*(?:and|or|,)\s)(?![-'’])(?!\s+(?:squared|cubed|square|cubic)\b)"
    many = rf"\bhow\s+many\s+(?:{_MORE})?(?P<unit>{unit}){after}(?:{per}|(?!\s*/|\s+per\b))"
    within = rf"[\s(]in\s+(?P<unit>{unit})(?:{per})?\s*\)?\s*[?.]?\s*$"
    return re.compile(many, re.IGNORECASE), re.compile(within, re.IGNORECASE)


_AFTER_NOUN = re.compile(
    r"\s*(?:$|[?.,)]|(?:of|in|is|are|was|were|does|do|did|will|would|can|could|should|must|has|have|had|per|longer|more|"
    r"less|shorter|taller|heavier|farther|further|away|long|tall|high|apart|left|altogether|total|on|to|from|for|at|each|"
    r"every|a|an|the)\b)",
    re.IGNORECASE,
)


def _named_in_english(question: str) -> AnswerUnit | None:
    many, within = _english_question()
    asks = _HOW_MANY.findall(question)
    if len(asks) > 1:
        return None
    if asks:
        match = many.search(question)
        if match is None:
            return None  # it asks how many things there are
        unit = english_unit(match["unit"])
        spelling = " ".join(match["unit"].lower().split())
        # A word is surely what is counted only in the plural; a symbol must be followed by what can follow a noun.
        adjective = unit is not None and not unit.is_symbol and spelling == unit.one != unit.many
        if unit is None or adjective or not _AFTER_NOUN.match(question, match.end()):
            return None
        return _rate(_as_unit(unit), match["below"])
    match = within.search(question)
    if match is None:
        return _NOT_NAMED
    unit = english_unit(match["unit"])
    if unit is None or re.search(r"\bratio\b|\bfraction\b", question, re.IGNORECASE):
        return None
    return _rate(_as_unit(unit), match["below"])


def _as_unit(unit: Unit) -> AnswerUnit:
    return AnswerUnit(unit.one, unit.many)


def _rate(above: AnswerUnit, below: str | None) -> AnswerUnit:
    """The unit, or its rate per ``below``: "miles per hour", km/h."""
    if not below:
        return above
    unit = english_unit(below)
    name = below if unit is None else unit.one
    if above.one == above.many:
        short = {"hour": "h", "second": "s", "minute": "min"}.get(name)
        if short or (unit is not None and unit.is_symbol):
            return AnswerUnit(*[f"{above.one}/{short or name}"] * 2)
    return AnswerUnit(f"{above.one} per {name}", f"{above.many} per {name}")


@cache
def _chinese_question() -> re.Pattern[str]:
    unit = chinese_pattern()
    return re.compile(rf"(?:多少|几)个?(?P<unit>{unit})(?:[/／](?P<below>小时|时|分钟|分|秒|{unit}))?")


_CHINESE_ASK = re.compile(r"多少|(?<!第)几(?!何)|多[长远重高宽深快久]")


def _named_in_chinese(question: str) -> AnswerUnit | None:
    asks = _CHINESE_ASK.findall(question)
    if len(asks) != 1:
        return None
    match = _chinese_question().search(question)
    if match is None:
        return None if re.search(r"几|多少(?!钱)", question) else _NOT_NAMED
    if re.match(r"[零又多余/／]", question[match.end() :]):
        return None
    name = f"{match['unit']}/{match['below']}" if match["below"] else match["unit"]
    return AnswerUnit(name, name)


# --- the equation -----------------------------------------------------------------------------------------------------

_SPEED = "length/time"
_MONEY = (
    r"\bhow\s+much\b.*\b(?:money|costs?|pay|paid|spen[dt]|earn(?:ed)?|owes?|charged?|change|profit|dollars?|price|bill|"
    r"salary|wages?|refund|tip)\b|\bwhat\b[^?]{0,40}\b(?:cost|price|bill|salary|profit)\b|多少钱"
)
_ASKED_KINDS = [
    (r"\bhow\s+far\b|\b(?:what|find)\b.*\bdistance\b|多远", {"length"}),
    (r"\bhow\s+(?:tall|high|deep|wide)\b|多[高宽深]", {"length"}),
    (r"\b(?:what|find)\b[^?]{0,40}\b(?:perimeter|height|width|length|depth)\b", {"length"}),
    (r"\bhow\s+long\b|多长", {"length", "time"}),
    (r"\bhow\s+fast\b|\b(?:what|find)\b[^?]{0,40}\bspeed\b|多快", {_SPEED}),
    (r"\bhow\s+heavy\b|\bhow\s+much\b.*\bweighs?\b|\b(?:what|find)\b[^?]{0,40}\b(?:weight|mass)\b|多重", {"mass"}),
    (r"\bhow\s+old\b", {"time"}),
    (_MONEY, {"money"}),
    (r"\b(?:what|find)\b[^?]{0,40}\barea\b", {"area"}),
]
_KINDS = [(re.compile(pattern, re.IGNORECASE), kinds) for pattern, kinds in _ASKED_KINDS]
_NO_QUANTITY = re.compile(r"\bratio\b|\bpercent|\bfraction\b|\btimes\b|%|比例|百分|几分之|倍", re.IGNORECASE)


def _computed(problem: Problem, graph: ExpressionGraph, question: str) -> AnswerUnit | None:
    kinds = [asked for pattern, asked in _KINDS if pattern.search(question)]
    if len(kinds) != 1 or _NO_QUANTITY.search(question):
        return None
    dimensions = [dimension_of(problem.text, number) for number in problem.numbers]
    dimension = _dimension(graph, dimensions)
    if not dimension:
        return None
    kind = _kind(dimension)
    if kind is None or kind not in kinds[0]:
        return None
    # Two units of one kind, such as m and km, may need converting, and the text does not say into which.
    for key, _ in dimension:
        alike = {other for each in dimensions for other, _ in each if kind_of(other) == kind_of(key)}
        if len(alike) > 1:
            return None
    return _written(dimension)


def _kind(dimension: Dimension) -> str | None:
    if len(dimension) == 1:
        ((key, exponent),) = dimension
        kind = kind_of(key)
        if exponent == 1:
            return kind
        return "area" if exponent == 2 and kind == "length" else None
    if len(dimension) == 2 and sorted(exponent for _, exponent in dimension) == [-1, 1]:
        above, below = (next(key for key, power in dimension if power == wanted) for wanted in (1, -1))
        return f"{kind_of(above)}/{kind_of(below)}"
    return None


def _written(dimension: Dimension) -> AnswerUnit | None:
    above = next(key for key, exponent in dimension if exponent > 0)
    below = next((key for key, exponent in dimension if exponent < 0), None)
    if above not in UNITS:
        return AnswerUnit(sign=above) if below is None else None
    unit = UNITS[above]
    if dict(dimension)[above] == 2:
        if unit.is_symbol and unit.key.isascii():
            return AnswerUnit(f"{unit.key}²", f"{unit.key}²")
        square = "平方" if not unit.key.isascii() else "square "
        return AnswerUnit(f"{square}{unit.one}", f"{square}{unit.many}")
    if below is None:
        return _as_unit(unit)
    if not above.isascii():
        name = f"{above}/{ {'小时': '时', '分钟': '分'}.get(below, below) }"
        return AnswerUnit(name, name)
    return _rate(_as_unit(unit), below)


def _dimension(graph: ExpressionGraph, numbers: Sequence[Dimension]) -> Dimension | None:
    """The dimension of the graph's value; None if it adds different units or cannot be determined."""
    return graph.fold(
        lambda leaf: numbers[leaf.index] if isinstance(leaf, Number) else (),
        lambda step, left, right: None if left is None or right is None else _step(step, left, right),
    )


def _step(step: Expression, left: Dimension, right: Dimension) -> Dimension | None:
    operator, operand = step.operator, step.right
    if operator in (Operator.ADD, Operator.SUBTRACT):
        return left if left == right else None
    if operator is Operator.REMAINDER:
        return left if right in (left, ()) else None
    if operator is Operator.POWER:
        if not isinstance(operand, Constant) or operand.value.denominator != 1:
            return None
        return tuple((key, power * operand.value.numerator) for key, power in left)
    sign = 1 if operator is Operator.MULTIPLY else -1
    total = dict(left)
    for key, power in right:
        total[key] = total.get(key, 0) + sign * power
    return tuple(sorted((key, power) for key, power in total.items() if power))
