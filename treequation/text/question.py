"""What kind of number a problem asks for."""

from __future__ import annotations

import re

from treequation.text.numbers import find_numbers

# Rates that Chinese school books give as percentages.
_RATE = "(?:合格|及格|优秀|优良|出勤|缺勤|发芽|成活|存活|命中|达标|正确|成功|出油|出粉|出米|含盐|含糖)"
_ASKS = re.compile(
    # No digit and no condition between the two: "what is 15 percent of 80" asks for an amount, and so does "what is
    # left if the percentage that is lost is 5 %".
    r"\b(?:(?:what|which|find|calculate|determine|work\s+out)\b"
    r"(?:(?!\b(?:if|when|after|with|given)\b)[^.?!\d]){0,60}?|how\s+(?:many|much)\s+)"
    r"(?:\bpercent(?:age)?\b|\bper\s+cent\b|%)"
    # "12 as a percentage of 48" asks for one, but "the tax, as a percentage, is 5" does not.
    r"|\bas\s+an?\s+(?:percent(?:age)?\b|per\s+cent\b|%)(?=[^.!;]{0,80}\?|\s*[.)]?\s*$)"
    r"|\b(?:express|write|give|convert|work\s+out|find|calculate|determine)\b(?:[^.?!]|\.(?=\d)){0,80}"
    r"\b(?:as|to|into)\s+an?\s+(?:percent|per\s+cent|%)"
    r"|百分之(?:几|多少)|百分[比率数](?:是|为)(?:几|多少)|求[^。？?]{0,60}百分[比率数]"
    rf"|{_RATE}率(?:是|为)?(?:几|多少)(?!.{{0,9}}小数)|求[^。？?]{{0,60}}{_RATE}率",
    re.IGNORECASE,
)
_DIGIT = r"[\d零一二两三四五六七八九十百千万]"
_SUBTRACTS = re.compile(
    rf"\bminus\b|\bsubtract(?:ed|ing)?\b|{_DIGIT}(?:\s*(?:减去?|−)\s*|\s+[-–]\s+){_DIGIT}"
    # Temperatures go below zero.
    r"|°\s?[CF]\b|℃|\b(?:temperature|thermometer|celsius|fahrenheit)\b|气温|温度|零下|摄氏",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？=＝]|\b(?:how|what|which|find|calculate|compute|work\s+out|determine|give|solve|write|express|convert|estimate)\b"
    r"|多少|[几求算]|何|吗|呢|多[长远重高宽深快久]",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether the text asks for anything.

    >>> asks("Tom has 5 apples. How many are 3 times as many?"), asks("My number is 5550100."), asks("我有3个苹果。")
    (True, False, False)
    """
    return bool(_QUESTION.search(text))


def subtracts(text: str) -> bool:
    """Whether the answer may be negative: the text spells out a subtraction, or is about temperatures.

    >>> subtracts("What is 5 minus 8?"), subtracts("How many more are 5 than 8?"), subtracts("5减8等于多少？")
    (True, False, True)
    """
    return bool(_SUBTRACTS.search(text))


def asks_for_percentage(text: str) -> bool:
    """Whether the question asks for a percentage.

    >>> asks_for_percentage("What percent of 80 is 12?"), asks_for_percentage("What is 15 percent of 80?")
    (True, False)
    >>> asks_for_percentage("今年比去年增加了百分之几？"), asks_for_percentage("80的15%是多少？")
    (True, False)
    >>> asks_for_percentage("What is fifteen percent of 80?")
    False
    """
    questions = list(_ASKS.finditer(text))
    percents = [number for number in find_numbers(text) if number.kind == "percent"] if questions else []
    return any(not any(number.start < ask.end() <= number.end for number in percents) for ask in questions)
