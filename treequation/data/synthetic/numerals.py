"""How a number is written: digits or words, in English and Chinese."""

from __future__ import annotations

from fractions import Fraction

_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_ENGLISH = _SMALL.split()
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
#: The English names of shares, by denominator.
SHARES = {3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 8: "eighth", 10: "tenth"}
_CHINESE = "零一二三四五六七八九"


def english_words(value: int) -> str:
    """A whole number from 0 to 99 in words.

    >>> english_words(23)
    'twenty-three'
    """
    if value < 20:
        return _ENGLISH[value]
    tens, ones = divmod(value, 10)
    return _TENS[tens - 2] + (f"-{_ENGLISH[ones]}" if ones else "")


def chinese_words(value: int) -> str:
    """A whole number from 0 to 99 in Chinese numerals, as written before a measure word.

    >>> chinese_words(2), chinese_words(12), chinese_words(35)
    ('两', '十二', '三十五')
    """
    return "两" if value == 2 else chinese_numeral(value)


def chinese_numeral(value: int) -> str:
    """A whole number from 0 to 99 in Chinese numerals, as written within a larger number.

    >>> chinese_numeral(2), chinese_numeral(10)
    ('二', '十')
    """
    tens, ones = divmod(value, 10)
    if not tens:
        return _CHINESE[ones]
    return ("" if tens == 1 else _CHINESE[tens]) + "十" + (_CHINESE[ones] if ones else "")


def digits(value: Fraction) -> str:
    """A whole number or a terminating decimal.

    >>> digits(Fraction(5, 2)), digits(Fraction(12))
    ('2.5', '12')
    """
    if value.denominator == 1:
        return str(value.numerator)
    scaled, places = value, 0
    while scaled.denominator != 1:
        scaled, places = scaled * 10, places + 1
        if places > 9:
            raise ValueError(f"{value} is not a short decimal")
    text = str(scaled.numerator).rjust(places + 1, "0")
    return f"{text[:-places]}.{text[-places:]}"
