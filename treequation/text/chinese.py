"""Numbers in Chinese numerals: 三, 二十三, 一百零五, 两, 半, 三分之二, 百分之五, 八折.

Only what says how many or how much counts, since each false one is one more number among which a model must
choose. A single numeral counts before a measure word or a unit (三个, 两年), which leaves out ordinals
(第三), names (三角形) and pairs just mentioned (甲乙两地). 一 is nearly always an article: alone it never
counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from treequation.text.problem import FoundNumber, NumberFormat

_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1_000}
_MYRIADS = {"万": 10**4, "亿": 10**8}

_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]"
_NUMBER_WORDS = re.compile(
    rf"(?P<hundredths>百分之)(?P<percent>{_NUMERAL}++)"
    rf"|(?:(?P<whole>{_NUMERAL}++)又)?(?P<denominator>{_NUMERAL}++)分之(?P<numerator>{_NUMERAL}++)"
    rf"|(?P<tenths>[一二三四五六七八九]{{1,2}})(?P<sale>折|成(?!人|为|本|绩|功|员|立|长|熟|了))"
    r"|(?<=[0-9])(?P<myriad>[万亿])"
    r"|(?<![上下前后两大多])(?P<half>一?半)(?![径圆球价轴])"
    rf"|(?P<cardinal>{_NUMERAL}++)(?!分之)"
)
_ORDINAL = re.compile("(?:第|周|星期|礼拜|初|高|[几数])$")
# What a single numeral counts. Of units that are also parts of names only the use as a unit is taken: 三角形,
# 四年级, 三位数, 十分 (very).
_COUNTED = re.compile(
    "[个名只条根张本件块支枝把棵颗粒朵头匹辆架艘台套双对组层楼间座幅篇页行排袋箱盒桶瓶罐碗盘杯壶篮筐堆批份次遍场节门科道"
    "段圈口户人天周岁秒元吨斤升亩倍]"
    "|年(?![级0-9一二三四五六])|位(?![数小上的间和与是])|点(?!整|钟)|小时|分(?=钟|[，。．,.])|角(?![形钢度尺])|平方|立方"
    "|米|厘米|分米|毫米|千米|公里|克|千克|公斤|毫升|公顷"
)
#: A longer numeral is a list of digits, not an amount.
_LONGEST = 24


def find_chinese(text: str, format: NumberFormat) -> Iterator[FoundNumber]:
    """The numbers in Chinese numerals, in order.

    >>> text = "二十三个梨，三分之二，半小时，百分之五，打八折，第三天，甲乙两地，半径"
    >>> [str(number.value) for number in find_chinese(text, NumberFormat())]
    ['23', '2/3', '1/2', '1/20', '4/5']
    """
    for match in _NUMBER_WORDS.finditer(text):
        start, end = match.span()
        value: Fraction | None
        if match["hundredths"]:
            value = _cardinal(match["percent"])
            if value is not None and format.percent == "fraction":
                yield FoundNumber(value / 100, start, end, "percent")
            elif value is not None:
                yield FoundNumber(value, match.start("percent"), end, "percent")
            continue
        if match["denominator"]:
            value = _fraction(match)
        elif match["tenths"]:
            tenths = match["tenths"]  # 八折 is 0.8 of the price, 七五折 is 0.75
            value = Fraction(sum(Fraction(_DIGITS[d], 10**n) for n, d in enumerate(tenths, start=1)))
        elif match["myriad"]:
            value = Fraction(_MYRIADS[match["myriad"]])
        elif match["half"]:
            value = Fraction(1, 2)
        else:
            value = _cardinal(match["cardinal"]) if _is_amount(text, match) else None
        if value is not None:
            yield FoundNumber(value, start, end, "word")


def _is_amount(text: str, match: re.Match[str]) -> bool:
    if match["cardinal"] in "一零〇" or _ORDINAL.search(text, max(0, match.start() - 2), match.start()):
        return False
    return len(match["cardinal"]) > 1 or _COUNTED.match(text, match.end()) is not None


def _fraction(match: re.Match[str]) -> Fraction | None:
    numerator, denominator = _cardinal(match["numerator"]), _cardinal(match["denominator"])
    whole = _cardinal(match["whole"]) if match["whole"] else Fraction(0)
    if numerator is None or not denominator or whole is None:
        return None
    return whole + numerator / denominator


def _cardinal(numeral: str) -> Fraction | None:
    """The value of a numeral, or None if the characters do not make one.

    >>> _cardinal("一百零五"), _cardinal("三千万"), _cardinal("十二"), _cardinal("三五")
    (Fraction(105, 1), Fraction(30000000, 1), Fraction(12, 1), None)
    """
    if len(numeral) > _LONGEST:
        return None
    total = section = 0  # the section is what 万 or 亿 will multiply
    digit: int | None = None
    last_unit = 10_000
    for character in numeral:
        if character in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[character]
        elif character in _UNITS:
            unit = _UNITS[character]
            if unit >= last_unit or digit == 0 or (digit is None and (unit != 10 or section)):
                return None
            section += (1 if digit is None else digit) * unit
            last_unit, digit = unit, None
        else:
            section += digit or 0
            if not section and not (total and character == "亿"):
                return None
            total = (total + section) * 10**8 if character == "亿" else total + section * 10**4
            section, last_unit, digit = 0, 10_000, None
    return Fraction(total + section + (digit or 0))
