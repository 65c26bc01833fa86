"""Numbers in Chinese numerals: 三, 二十三, 一百零五, 两, 半, 三分之二, 百分之五.

Only what says how many or how much counts. Ordinals (第三, 三年级, 星期三) and words that merely contain a numeral
(三角形, 半径, 千米, 一共) are left out: each would be one more number among which a model must choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from treequation.text.problem import FoundNumber

_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1_000}
#: The characters that multiply a number written in digits before them: 3.5亿.
MAGNITUDES = {"万": 10**4, "亿": 10**8}

_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]"
_NUMBER_WORDS = re.compile(
    rf"(?:(?P<whole>{_NUMERAL}+)又)?(?P<denominator>{_NUMERAL}+)分之(?P<numerator>{_NUMERAL}+)"
    rf"|(?P<cardinal>{_NUMERAL}+)|(?P<half>半)"
)
_NOT_BEFORE = re.compile("(?:第|周|星期|礼拜|初|张|李|王|赵|其|统|唯|万|十|之|任|某|每|同|这|那|另)$")
_NOT_AFTER = re.compile(
    "年级|班|角|边形|川|月|日|号|共|样|起|些|定|般|半|直|次性|下|致|同|律|旦|切|百货|方面|周|千米|千克|克|米|瓦|分之|位数|倍"
)
_HALF_NOT_AFTER = re.compile("径|圆|球|成品|决赛|价")


def find_chinese(text: str) -> Iterator[FoundNumber]:
    """The numbers in Chinese numerals, in order.

    >>> [str(number.value) for number in find_chinese("二十三个，一百零五个，三分之二，半小时，半径")]
    ['23', '105', '2/3', '1/2']
    """
    for match in _NUMBER_WORDS.finditer(text):
        start, end = match.span()
        value: Fraction | None
        if match["half"]:
            value = None if _HALF_NOT_AFTER.match(text, end) else Fraction(1, 2)
        elif match["cardinal"]:
            value = _cardinal(match["cardinal"]) if _is_quantity(text, match) else None
        else:
            numerator, denominator = _cardinal(match["numerator"]), _cardinal(match["denominator"])
            whole = _cardinal(match["whole"]) if match["whole"] else Fraction(0)
            value = None
            if numerator is not None and denominator and whole is not None:
                value = whole + numerator / denominator
        if value is not None:
            yield FoundNumber(value, start, end, "word")


def _is_quantity(text: str, match: re.Match[str]) -> bool:
    if match["cardinal"] == "一":
        return False
    before = _NOT_BEFORE.search(text, max(0, match.start() - 2), match.start())
    return before is None and _NOT_AFTER.match(text, match.end()) is None


#: Longer numerals are lists of digits, not amounts.
_LONGEST = 24


def _cardinal(numeral: str) -> Fraction | None:
    """The value of a numeral, or None if the characters do not make one: 二十三 is 23, 千 alone and 三五 are none.

    >>> _cardinal("一百零五"), _cardinal("三千万"), _cardinal("十二"), _cardinal("千")
    (Fraction(105, 1), Fraction(30000000, 1), Fraction(12, 1), None)
    """
    if len(numeral) > _LONGEST:
        return None
    total = section = 0  # section: what 万 or 亿 will multiply
    digit: int | None = None
    smallest_unit = 10**9
    for character in numeral:
        if character in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[character]
        elif character in _UNITS:
            unit = _UNITS[character]
            if unit >= smallest_unit or (digit is None and (unit != 10 or section)):
                return None
            section += (1 if digit is None else digit) * unit
            smallest_unit, digit = unit, None
        else:
            section += digit or 0
            if not section:
                return None
            total = (
                (total + section) * MAGNITUDES[character] if character == "亿" else total + section * 10_000
            )
            section, smallest_unit, digit = 0, 10**9, None
    return Fraction(total + section + (digit or 0))
