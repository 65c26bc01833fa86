"""Amounts that a number makes with the words around it: an hour and a half, 一斤半, 三块五, negative 5, 零下5度.

Each rule takes a number that was found already, or an article that stands for one, and reads more of the text with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from treequation.text.chinese import ARABIC_FRACTION, fraction_value
from treequation.text.problem import FoundNumber

_Found = Sequence[FoundNumber]

# --- and a half ------------------------------------------------------------------------------------------------------

_MEASURES = (
    "seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|inch(?:es)?|foot|feet|yards?|miles?"
    "|(?:kilo|centi)?met(?:er|re)s?|(?:kilo)?gram(?:me)?s?|kilos?|pounds?|ounces?|tons?|tonnes?|(?:milli)?lit(?:er|re)s?"
    "|gallons?|pints?|quarts?|cups?|(?:tea|table)spoons?|acres?|hectares?|dollars?|euros?|degrees?|laps?|times"
)
# "A day and a half" is one number. In "a lesson and a half day", "a dress and a third of the rest" it is not. Only a
# half is added to things that are no measures, and only where the amount clearly ends.
_AND_A_HALF = re.compile(
    rf"(?:\b(?P<time>time)|[ -]?\b(?P<unit>{_MEASURES})|[ ](?!time\b)(?P<thing>[A-Za-z]{{3,20}}))[ ]and[ ]a[ ]"
    r"(?P<part>half|(?(unit)quarter|half)|(?(unit)third|half))\b(?!-|[ ](?:as|price|off|hours?|days?|dozen|miles?|pints?|pounds?|years?|centur)\b)"
    r"(?(unit)(?!(?<!half)[ ]of[ ](?!an?\b))|(?=$|[.,;:?!)]|[ ][(]|[ ](?:of(?![ ](?:an?|the|his|her|its|their|my|our|your)\b)"
    r"|each|per|every|a|an|after|before|beyond|ago|later|longer|more|less|for|from|to|than|on|in|at|so|is|was)\b))",
    re.IGNORECASE | re.ASCII,
)
_ONE = re.compile(r"\b(?:an?|one|(?:the[ ])?(?:last|first|next|past))$", re.IGNORECASE | re.ASCII)
_LONGEST_ONE = 10
_PARTS = {"half": Fraction(1, 2), "third": Fraction(1, 3), "quarter": Fraction(1, 4)}


def _and_a_half(text: str, match: re.Match[str], found: _Found) -> FoundNumber | None:
    value = _PARTS[match["part"].lower()]
    if match["time"]:  # paid time and a half
        return FoundNumber(1 + value, match.start(), match.end(), "word")
    begin, last = match.start(), match.end()
    if whole := _ending(found, begin):
        fits = whole.kind in ("digits", "word") and whole.value.denominator == 1
        return FoundNumber(whole.value + value, whole.start, last, "word") if fits else None
    one = _ONE.search(text, max(0, begin - _LONGEST_ONE), begin)
    if one is None or any(begin <= number.start < match.start("part") - 2 for number in found):  # a dozen and a half
        return None
    return FoundNumber(1 + value, one.start(), last, "word")


_HALF = re.compile(
    "(?:小时|钟头|分钟|秒钟?|个?星期|个?礼拜|个月|个学期|[年天周岁斤吨亩克米里尺寸升度元块倍圈步车趟轮锅包袋箱杯瓶碗盒桶份勺页]"
    "|公里|公斤|公顷|千克|千米|厘米|毫升|个(?=半(?:小时|钟头|月|星期|礼拜|学期|世纪|[，。？,.?]|$)))"
    "半(?![价径圆球轴票糖熟成身袖裙导天日夜年月载个数路程生边脱开山透自]|小时)|个半(?=小时|钟头|月|星期|礼拜|学期|世纪)"
)


def _unit_and_a_half(text: str, match: re.Match[str], found: _Found) -> FoundNumber | None:
    whole = _whole(text, match.start(), found)
    if whole is None or (match[0][0] == "年" and whole.value > 200):
        return None
    return FoundNumber(whole.value + Fraction(1, 2), whole.start, match.end(), "word")


def _fraction(_text: str, match: re.Match[str], _found: _Found) -> FoundNumber | None:
    value = fraction_value(match)
    if value is None or not any(character.isascii() for character in match[0]):
        return None
    return FoundNumber(value, match.start(), match.end(), "word")


# --- 三块五 ----------------------------------------------------------------------------------------------------------

_CHINESE_DIGITS = {digit: value for value, digit in enumerate("一二三四五六七八九", start=1)}
_PRICE = re.compile(
    r"块(?P<tenth>[一二三四五六七八九]|[1-9](?![0-9.]))"
    r"(?=$|[\s，。！？、；,;!?）)]|[.．](?![0-9])|钱|的|每|一[斤个支本张条只份杯瓶盒袋包碗根件公千升米串块双])"
)


def _price(text: str, match: re.Match[str], found: _Found) -> FoundNumber | None:
    whole = _whole(text, match.start(), found)
    if whole is None or whole.value >= 100:
        return None
    tenth = _CHINESE_DIGITS.get(match["tenth"]) or int(match["tenth"])
    return FoundNumber(whole.value + Fraction(tenth, 10), whole.start, match.end(), "word")


def _whole(text: str, end: int, found: _Found) -> FoundNumber | None:
    """The whole number that ends here; 一 is one, though it is no number by itself."""
    whole = _ending(found, end)
    if whole is not None:
        return whole if whole.kind in ("digits", "word") and whole.value.denominator == 1 else None
    if text[end - 1 : end] == "一" and text[max(0, end - 2) : end - 1] not in tuple("第十百千万零点几同统唯"):
        return FoundNumber(Fraction(1), end - 1, end, "word")
    return None


# --- below zero ------------------------------------------------------------------------------------------------------

_DEGREES = r"[ ]?(?:°[ ]?[CF]?\b|℃|degrees?(?:[ ](?:celsius|centigrade|fahrenheit))?)"
_NEGATIVE = re.compile(r"\bnegative[ ]", re.IGNORECASE | re.ASCII)
_BEFORE_MINUS = r"(?:^|[.,:;(?!][ ]?|\b(?:was|is|it's|at|to|from|be|of|or|and|between|for|about|than|reached)[ ])"
_MINUS = re.compile(rf"{_BEFORE_MINUS}(?P<minus>minus[ ])(?=[0-9.]+{_DEGREES}|\w+[ ]degrees)", re.IGNORECASE | re.ASCII)
_BELOW_ZERO = re.compile(rf"(?:{_DEGREES})?[ ]below[ ](?:zero|0)\b", re.IGNORECASE | re.ASCII)
_IN_A_LIST = re.compile(r"[0-9](?:,|,?[ ](?:and|or))[ ]$", re.ASCII)
# A question for degrees below zero counts them, and so does what is told: 31 below zero is 31.
_COUNTED = re.compile(r"how[ ]many[ ]degrees[ ]below|零下(?:多少|几)|降到零下", re.IGNORECASE)
_BELOW = re.compile("零下[ ]?")
_MINUS_SIGN = re.compile("(?<![正胜平减担背抱自欺辜])负(?=[0-9零一二两三四五六七八九十百])")
_OF_MATCHES = re.compile("胜|[场局赛]")


def _after(text: str, match: re.Match[str], found: _Found) -> FoundNumber | None:
    """The number after a word for minus."""
    number = next((each for each in found if each.start == match.end()), None)
    group = "minus" if "minus" in match.re.groupindex else 0
    return None if number is None else FoundNumber(-number.value, match.start(group), number.end, _kind(number))


def _after_below(text: str, match: re.Match[str], found: _Found) -> FoundNumber | None:
    return None if _COUNTED.search(text) else _after(text, match, found)


def _after_minus_sign(text: str, match: re.Match[str], found: _Found) -> FoundNumber | None:
    return None if _OF_MATCHES.search(text) else _after(text, match, found)


def _before_below(text: str, match: re.Match[str], found: _Found) -> FoundNumber | None:
    number = _ending(found, match.start())
    if number is None or number.value < 0 or _COUNTED.search(text) or _IN_A_LIST.search(text, 0, number.start):
        return None
    return FoundNumber(-number.value, number.start, match.end(), _kind(number))


def _kind(number: FoundNumber) -> str:
    return "percent" if number.kind == "percent" else "word"


# --- all rules -------------------------------------------------------------------------------------------------------

_Rule = Callable[[str, re.Match[str], _Found], FoundNumber | None]
# Each has a piece of text that it needs, which is much faster to look for.
_ENGLISH: tuple[tuple[str, re.Pattern[str], _Rule], ...] = (
    (" and a ", _AND_A_HALF, _and_a_half),
    ("egative ", _NEGATIVE, _after),
    ("inus ", _MINUS, _after_below),
    (" below ", _BELOW_ZERO, _before_below),
)
_CHINESE: tuple[tuple[str, re.Pattern[str], _Rule], ...] = (
    ("分之", ARABIC_FRACTION, _fraction),
    ("半", _HALF, _unit_and_a_half),
    ("块", _PRICE, _price),
    ("负", _MINUS_SIGN, _after_minus_sign),
    ("零下", _BELOW, _after_below),
)


def joined(text: str, found: list[FoundNumber]) -> list[FoundNumber]:
    """The numbers ``found`` in the text, those that make one amount as one number.

    >>> half, tenth = Fraction(1, 2), Fraction(1, 10)
    >>> text = "3 hours and a half"
    >>> print(*joined(text, [FoundNumber(Fraction(3), 0, 1), FoundNumber(half, 12, 18, "word")]))
    FoundNumber(value=Fraction(7, 2), start=0, end=18, kind='word')
    """
    for sign, pattern, rule in _ENGLISH if text.isascii() else (*_ENGLISH, *_CHINESE):
        if sign in text:
            for match in pattern.finditer(text):
                number = rule(text, match, found)
                if number is not None:
                    found = _with(number, found)
    return found


def _ending(found: _Found, end: int) -> FoundNumber | None:
    return next((number for number in found if number.end == end), None)


def _with(new: FoundNumber, found: _Found) -> list[FoundNumber]:
    others = (number for number in found if number.end <= new.start or number.start >= new.end)
    return sorted([*others, new], key=lambda number: number.start)
