"""Which language a problem is written in."""

from __future__ import annotations

import re

from treequation.text.problem import Language

_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")


def language_of(text: str) -> Language:
    """Chinese if the text has any ideograph, otherwise English.

    >>> language_of("How many apples are left?"), language_of("还剩几个苹果？")
    ('en', 'zh')
    """
    return "zh" if _IDEOGRAPH.search(text) else "en"
