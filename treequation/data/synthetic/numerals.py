"""Whole numbers in words, in English and Chinese."""

from __future__ import annotations

_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_ENGLISH = _SMALL.split()
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
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
    if value == 2:
        return "两"
    tens, ones = divmod(value, 10)
    if not tens:
        return _CHINESE[ones]
    return ("" if tens == 1 else _CHINESE[tens]) + "十" + (_CHINESE[ones] if ones else "")
