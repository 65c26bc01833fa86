"""Reads a text that only asks for an amount in another unit, such as "How many ml are in 1.5 litres?"."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from treequation.expression.graph import ExpressionGraph
from treequation.expression.parsing import parse_infix
from treequation.text.problem import Problem
from treequation.text.units import english_pattern, english_unit

# How many of the smallest unit of its row each unit is, by the units' keys. Only what is the same everywhere: a gallon,
# a ton or a month is not.
_ROWS = (
    "mm 1 cm 10 dm 100 m 1000 km 1000000",
    "mm² 1 cm² 100 dm² 10000 m² 1000000 hectare 10000000000 km² 1000000000000",
    "mm³ 1 cm³ 1000 ml 1000 dm³ 1000000 L 1000000 m³ 1000000000",
    "inch 1 foot 12 yard 36 mile 63360",
    "ounce 1 lb 16 pound 16",
    "mg 1 g 1000 kg 1000000 tonne 1000000000",
    "second 1 minute 60 hour 3600 day 86400 week 604800",
    "cent 1 dollar 100",
    "毫米 1 厘米 10 分米 100 米 1000 千米 1000000 公里 1000000",
    "平方厘米 1 平方分米 100 平方米 10000 公顷 100000000 平方千米 10000000000 平方公里 10000000000",
    "毫升 1 升 1000 立方厘米 1 立方分米 1000 立方米 1000000",
    "毫克 1 克 1000 斤 500000 千克 1000000 公斤 1000000 吨 1000000000",
    "秒 1 分钟 60 小时 3600 天 86400 星期 604800",
    "角 1 元 10",
)
_SIZES = {
    unit: (row, int(size))
    for row, units in enumerate(map(str.split, _ROWS))
    for unit, size in zip(units[::2], units[1::2], strict=True)
}


@cache
def _forms() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """What comes before the number and after it, with the unit ``told`` beside it and the one that is ``asked`` for."""
    unit, chinese = english_pattern(), "|".join(sorted((key for key in _SIZES if not key.isascii()), key=len)[::-1])
    told, asked = rf"\s*-?(?P<told>{unit})", rf"(?P<asked>{unit})"
    verb = r"(?:(?:are|is)(?:\s+there)?(?:\s+in)?|in|equals?|make)"
    end = r"\s*[?.!？。]*\s*"
    forms = (
        (rf"(?:[a-z]+,?\s+)?how\s+many\s+{asked}\s+{verb}\s+", rf"{told}{end}"),
        (
            r"(?:convert|change|what\s+is|what's|how\s+much\s+is)?\s*",
            rf"{told}\s+(?:in|to|into|as|(?:is|are|equals?)\s+how\s+many)\s+{asked}{end}",
        ),
        ("", rf"\s*(?P<told>{chinese})\s*(?:等[于於]|是|有|合|[=＝])\s*(?:多少|几)(?:个)?\s*(?P<asked>{chinese}){end}"),
    )
    return tuple((re.compile(before, re.IGNORECASE), re.compile(after, re.IGNORECASE)) for before, after in forms)


def unit_conversion(problem: Problem) -> ExpressionGraph | None:
    """The equation of a text that only asks for its number in another unit, or None if it does not.

    >>> from treequation.expression.printing import to_infix
    >>> from treequation.text.numbers import find_numbers
    >>> for text in ("How many ml are in 1.5 litres?", "2500克是多少千克？", "5 km in miles", "3 boxes in kg"):
    ...     graph = unit_conversion(Problem("", text, find_numbers(text)))
    ...     print(graph and to_infix(graph))
    n0*1000
    n0/1000
    None
    None
    """
    if len(problem.numbers) != 1 or len(problem.text) > 100:
        return None
    number = problem.numbers[0]
    start, end = problem.text[: number.start].strip(), problem.text[number.end :]
    for before, after in _forms():
        told = after.fullmatch(end)
        asked = told and before.fullmatch(f"{start} " if start else "")
        if told and asked:
            return _equation(told["told"], (told.groupdict() | asked.groupdict())["asked"])
    return None


def _equation(told: str, asked: str) -> ExpressionGraph | None:
    sizes = [_SIZES.get(unit.key if (unit := english_unit(name)) else name) for name in (told, asked)]
    if sizes[0] is None or sizes[1] is None or sizes[0][0] != sizes[1][0] or sizes[0] == sizes[1]:
        return None
    ratio = Fraction(sizes[0][1], sizes[1][1])
    if ratio.denominator == 1:
        return parse_infix(f"n0*{ratio.numerator}")
    return parse_infix(f"n0/{ratio.denominator}") if ratio.numerator == 1 else None
