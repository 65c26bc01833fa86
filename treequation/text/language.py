"""Which language a problem is written in."""

from __future__ import annotations

import re

from treequation.text.problem import Language

_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u024f]+")


def language_of(text: str) -> Language:
    """Chinese if the text has at least as many ideographs as Latin words, otherwise English.

    An ideograph is compared with a word, not with a letter: names, units and formulas in Latin letters are common in
    Chinese texts, and long.

    >>> language_of("How many apples are left?"), language_of("还剩几个苹果？")
    ('en', 'zh')
    >>> language_of("Mei (梅) has 3 boxes."), language_of("Elizabeth比Tom多5个，Tom有3个")
    ('en', 'zh')
    """
    ideographs = len(_IDEOGRAPH.findall(text))
    return "zh" if ideographs and ideographs >= len(_LATIN_WORD.findall(text)) else "en"
