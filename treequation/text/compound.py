"""Amounts that a number makes with the words around it: an hour and a half, 一斤半, 三块五, negative 5, 零下5度.

Each rule takes a number that was found already, or a word for one that does not count by itself, and reads on.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple
from unicodedata import numeric

from treequation.text.chinese import ARABIC_FRACTION, fraction_value
from treequation.text.english import PARTS, SCALES
from treequation.text.problem import FoundNumber


class _Places:
    """The numbers found so far, by their places."""

    def __init__(self, found: Sequence[FoundNumber]) -> None:
        self._found = found
        self._starts = [number.start for number in found]
        self.starting = {number.start: number for number in found}
        self.ending = {number.end: number for number in found}

    def overlap(self, start: int, end: int) -> bool:
        """Whether a number has a character in this part of the text."""
        last = bisect_right(self._starts, end - 1) - 1
        return last >= 0 and self._found[last].end > start

    def whole(self, end: int) -> FoundNumber | None:
        """The whole number that ends here."""
        number = self.ending.get(end)
        fits = number is not None and number.kind in ("digits", "word") and number.value.denominator == 1
        return number if fits else None


_Rule = Callable[[str, re.Match[str], _Places], FoundNumber | None]


# --- and a half ------------------------------------------------------------------------------------------------------

_MEASURES = (
    "seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|inch(?:es)?|foot|feet|yards?|miles?"
    "|(?:kilo|centi)?met(?:er|re)s?|(?:kilo)?gram(?:me)?s?|kilos?|pounds?|ounces?|tons?|tonnes?|(?:milli)?lit(?:er|re)s?"
    "|gallons?|pints?|quarts?|cups?|(?:tea|table)spoons?|acres?|hectares?|dollars?|euros?|degrees?|laps?|times"
)
# "A day and a half" is one number. In "a lesson and a half day" and "a dress and a third of the rest" it is not. Only a
# half is added to things that are no measures, and only where the amount clearly ends.
_AND_A_HALF = re.compile(
    rf"""
    (?: \b(?P<time>time) | [ -]?\b(?P<unit>{_MEASURES}) | [ ](?!time\b)(?P<thing>[a-z]{{3,20}}) )
    [ ]and[ ]a[ ](?P<part> half | (?(unit)(?:quarter|third)|half) )\b
    (?! - | [ ](?:as|price|off|hours?|days?|dozen|miles?|pints?|pounds?|years?|century)\b )
    (?(unit)
        (?! (?<!half)[ ]of[ ](?!an?\b) )
      | (?= $ | [.,;:?!)] | [ ]\( | [ ]of\b(?![ ](?:an?|the|his|her|its|their|my|our|your)\b)
          | [ ](?:each|per|every|an?|after|before|beyond|ago|later|longer|more|less|for|from|to|than|on|in|at|so|is)\b
        )
    )""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_ONE = re.compile(r"\b(?:an?|one|(?:the[ ])?(?:last|first|next|past))$", re.IGNORECASE | re.ASCII)
_LONGEST_ONE = 10


def _and_a_half(text: str, match: re.Match[str], places: _Places) -> FoundNumber | None:
    part, (begin, end) = Fraction(1, PARTS[match["part"].lower()]), match.span()
    if match["time"]:  # paid time and a half
        return FoundNumber(1 + part, begin, end, "word")
    if places.overlap(begin, match.start("part") - 2):  # a dozen and a half
        return None
    if begin in places.ending:
        whole = places.whole(begin)
        return None if whole is None else FoundNumber(whole.value + part, whole.start, end, "word")
    one = _ONE.search(text, max(0, begin - _LONGEST_ONE), begin)
    return None if one is None else FoundNumber(1 + part, one.start(), end, "word")


_UNIT_AND_A_HALF = re.compile(
    "(?:小时|钟头|分钟|秒钟?|个?星期|个?礼拜|个月|个学期|公里|公斤|公顷|千克|千米|厘米|毫升"
    "|[年天周岁斤吨亩克米里尺寸升度元块倍圈步车趟轮锅包袋箱杯瓶碗盒桶份勺页]|个(?=半(?:月|星期|礼拜|[，。？,.?]|$)))"
    "半(?![价径圆球轴票糖熟成身袖裙导天日夜年月载个数路程生边脱开山透自]|小时)"
    "|个半(?=小时|钟头|月|星期|礼拜|学期|世纪)"
)


def _unit_and_a_half(text: str, match: re.Match[str], places: _Places) -> FoundNumber | None:
    whole = _whole(text, match.start(), places)
    if whole is None or (match[0][0] == "年" and whole.value > 200):  # 2019年半
        return None
    return FoundNumber(whole.value + Fraction(1, 2), whole.start, match.end(), "word")


def _whole(text: str, end: int, places: _Places) -> FoundNumber | None:
    """The whole number that ends here; 一 is one, though it is mostly no number by itself."""
    if end in places.ending:
        return places.whole(end)
    if text[end - 1 : end] == "一" and text[max(0, end - 2) : end - 1] not in tuple("第十百千万零点几同统唯"):
        return FoundNumber(Fraction(1), end - 1, end, "word")
    return None


# --- 三块五, 1米35, 1万3千, 5分之3 ------------------------------------------------------------------------------------

_PRICE = re.compile(
    r"块(?P<tenths>[一二三四五六七八九]|[1-9](?![0-9.]))"
    r"(?=$|[\s，。！？、；,;!?）)]|[.．](?![0-9])|钱|的|每|一[斤个支本张条只份杯瓶盒袋包碗根件公千升米串块双])"
)


def _price(text: str, match: re.Match[str], places: _Places) -> FoundNumber | None:
    whole = _whole(text, match.start(), places)
    if whole is None or whole.value >= 100:
        return None
    tenths = Fraction(int(numeric(match["tenths"])), 10)
    return FoundNumber(whole.value + tenths, whole.start, match.end(), "word")


# Beside a word for a length, 1米5 is 1.5 and 一米零五 is 1.05. But 9米2 may be nine square metres, and 一米60 a price.
_METRES = re.compile(
    "米(?P<part>[0-9]{2}|[1-9](?<![23])|[零一二三四五六七八九]{1,2})(?=$|[\\s，。！？、；：,;:!?）)]|[.．](?![0-9])|[高长宽深的和比])"
)
_LENGTH = re.compile("[高长宽深远厚]")


def _metres(text: str, match: re.Match[str], places: _Places) -> FoundNumber | None:
    whole = _whole(text, match.start(), places)
    if whole is None or text[whole.start].isascii() != match["part"].isascii():
        return None
    if not _LENGTH.search(text, max(0, whole.start - 3), match.end() + 1):
        return None
    part = "".join(str(int(numeric(digit))) for digit in match["part"])
    value = Fraction(int(part), 10 ** len(part))
    return FoundNumber(whole.value + value, whole.start, match.end(), "word")


# 1万3千 and 3千5百; 2万5千克 may be 25 000 g, or 20 005 kg.
_TWO_SCALES = re.compile(
    "(?:(?P<myriads>万)|(?<!万[1-9])千)(?P<digit>[1-9])(?(myriads)千(?![0-9克米瓦卡])|百(?![0-9分货]))"
)


def _two_scales(_text: str, match: re.Match[str], places: _Places) -> FoundNumber | None:
    whole = places.whole(match.start())
    if whole is None:
        return None
    value = (10 * whole.value + int(match["digit"])) * (1_000 if match["myriads"] else 100)
    return FoundNumber(value, whole.start, match.end(), "word")


def _fraction(_text: str, match: re.Match[str], _places: _Places) -> FoundNumber | None:
    value = fraction_value(match) if any(map(str.isascii, match[0])) else None
    return None if value is None else FoundNumber(value, match.start(), match.end(), "word")


# 3 quarters of the class: a share, unlike the coins in "3 quarters and a dime".
_PARTS_OF = re.compile(rf"[ -](?P<part>{'|'.join(PARTS)})s(?=[ ]of[ ])", re.IGNORECASE | re.ASCII)


def _parts_of(_text: str, match: re.Match[str], places: _Places) -> FoundNumber | None:
    number, parts = places.ending.get(match.start()), PARTS[match["part"].lower()]
    if number is None or number.kind != "digits" or not 1 < number.value < parts:
        return None
    return FoundNumber(number.value / parts, number.start, match.end(), "word")


# 45 lakh and 2.5 crore; "million" stays a number of its own, as in the training data.
_LAKHS = re.compile(r"[ ]?(?P<scale>lakh|lac|crore)s?\b", re.IGNORECASE | re.ASCII)


def _lakhs(_text: str, match: re.Match[str], places: _Places) -> FoundNumber | None:
    number = places.ending.get(match.start())
    if number is None or number.kind != "digits":
        return None
    return FoundNumber(number.value * SCALES[match["scale"].lower()], number.start, match.end(), "word")


# --- below zero ------------------------------------------------------------------------------------------------------

_DEGREES = r"[ ]?(?:°[ ]?[CF]?\b|℃|degrees?(?:[ ](?:celsius|centigrade|fahrenheit))?)"
_NEGATIVE = re.compile(r"\bnegative[ ]", re.IGNORECASE | re.ASCII)
_BEFORE_MINUS = r"(?:^|[.,:;(?!][ ]?|\b(?:was|is|it's|at|to|from|be|of|or|and|between|for|about|than|reached)[ ])"
_MINUS = re.compile(rf"{_BEFORE_MINUS}(?P<minus>minus[ ])(?=[0-9.]+{_DEGREES}|\w+[ ]degrees)", re.IGNORECASE | re.ASCII)
_OWED = re.compile(r"(?<![^ (])(?<![0-9)%][ ])-[$€£¥₹](?=[0-9.])")  # -$50
_BELOW_ZERO = re.compile(rf"(?:{_DEGREES})?[ ]below[ ](?:zero|0)\b", re.IGNORECASE | re.ASCII)
_IN_A_LIST = re.compile(r"[0-9](?:,|,?[ ](?:and|or))[ ]$", re.ASCII)
_LONGEST_IN_A_LIST = 6
_CHINESE_BELOW_ZERO = re.compile("零下[ ]?")
# A question for degrees below zero counts them, and so does all that is told: 31 degrees below zero are 31.
_COUNTS_DEGREES = re.compile(r"how[ ]many[ ]degrees[ ]below|零下(?:多少|几)|降到零下", re.IGNORECASE)
_CHINESE_MINUS = re.compile("(?<![正胜平减担背抱自欺辜])负(?=[0-9零一二两三四五六七八九十百])")
_OF_MATCHES = re.compile("胜|[场局赛]")  # where 负4 are four lost matches


def _after(_text: str, match: re.Match[str], places: _Places) -> FoundNumber | None:
    number = places.starting.get(match.end())
    start = match.start("minus") if "minus" in match.re.groupindex else match.start()
    return None if number is None else _negative(number, start, number.end)


def _before(text: str, match: re.Match[str], places: _Places) -> FoundNumber | None:
    number = places.ending.get(match.start())
    if number is None or _IN_A_LIST.search(text, max(0, number.start - _LONGEST_IN_A_LIST), number.start):
        return None
    return _negative(number, number.start, match.end())


def _negative(number: FoundNumber, start: int, end: int) -> FoundNumber | None:
    if number.value < 0:
        return None
    return FoundNumber(-number.value, start, end, "percent" if number.kind == "percent" else "word")


# --- all rules -------------------------------------------------------------------------------------------------------


class _Form(NamedTuple):
    sign: str  # a piece of text that every match has, which is much faster to look for
    pattern: re.Pattern[str]
    rule: _Rule
    unless: re.Pattern[str] | None = None  # in texts that have this, the words mean something else


_ENGLISH = (
    _Form(" and a ", _AND_A_HALF, _and_a_half),
    _Form("egative ", _NEGATIVE, _after),
    _Form("lakh", _LAKHS, _lakhs),
    _Form(" lac", _LAKHS, _lakhs),
    _Form("crore", _LAKHS, _lakhs),
    _Form("s of ", _PARTS_OF, _parts_of),
    _Form("-", _OWED, _after),
    _Form("inus ", _MINUS, _after, _COUNTS_DEGREES),
    _Form(" below ", _BELOW_ZERO, _before, _COUNTS_DEGREES),
)
_CHINESE = (
    _Form("分之", ARABIC_FRACTION, _fraction),
    _Form("半", _UNIT_AND_A_HALF, _unit_and_a_half),
    _Form("块", _PRICE, _price),
    _Form("米", _METRES, _metres),
    _Form("千", _TWO_SCALES, _two_scales),
    _Form("负", _CHINESE_MINUS, _after, _OF_MATCHES),
    _Form("零下", _CHINESE_BELOW_ZERO, _after, _COUNTS_DEGREES),
)


def joined(text: str, found: Sequence[FoundNumber]) -> Sequence[FoundNumber]:
    """The numbers ``found`` in the text, in order, with one number for what makes one amount.

    >>> found = [FoundNumber(Fraction(3), 0, 1), FoundNumber(Fraction(1, 2), 12, 18, "word")]
    >>> joined("3 hours and a half", found)
    [FoundNumber(value=Fraction(7, 2), start=0, end=18, kind='word')]
    """
    for form in _ENGLISH if text.isascii() else (*_ENGLISH, *_CHINESE):
        if form.sign in text and not (form.unless and form.unless.search(text)):
            places = _Places(found)
            new = [number for match in form.pattern.finditer(text) if (number := form.rule(text, match, places))]
            if new:
                found = _merged(found, new)
    return found


def _merged(found: Sequence[FoundNumber], new: Sequence[FoundNumber]) -> list[FoundNumber]:
    """All numbers in order; one that overlaps a new one gives way to it, and a new one to the new one before it."""
    kept: list[FoundNumber] = []
    for number in new:
        if not kept or kept[-1].end <= number.start:
            kept.append(number)
    places = _Places(kept)
    kept += (number for number in found if not places.overlap(number.start, number.end))
    return sorted(kept, key=lambda number: number.start)
