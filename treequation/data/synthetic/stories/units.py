# ruff: noqa: E501 (a wording reads best in one line)
"""Amounts in other units, both ways; nobody says how many days a week has."""

from __future__ import annotations

from treequation.data.synthetic.stories.known import TIME
from treequation.data.synthetic.stories.story import Ask, Formula, Story, digits

# Units beside those of time, the smaller first: plural, Chinese, and how many of them make one of the larger.
_UNITS = (
    ("cents", "分钱", "dollars", "元", 100),
    ("centimeters", "厘米", "meters", "米", 100),
    ("meters", "米", "kilometers", "千米", 1000),
    ("grams", "克", "kilograms", "千克", 1000),
    ("ml", "毫升", "liters", "升", 1000),
)
_UNITS_OF_TIME = tuple((small, zh_small, large, zh, size) for large, _, _, zh, small, zh_small, size in TIME)


def _in_larger(size: int) -> Formula:
    return lambda n: n / size


def _in_smaller(size: int) -> Formula:
    return lambda n: n * size


_TO_LARGER = tuple(
    Story(
        {"n": digits(size, (9 if size >= 100 else 20) * size, size)},
        "",
        "",
        (
            Ask(
                f"how many {large} are [there |]in {{n}} {small}?|how many {large} [is|are|make] {{n}} {small}?|{{n}} {small} is how many {large}?|convert {{n}} {small} to {large}.",
                f"{{n}}{zh_small}[是|等于|合]多少{zh_large}？",
                _in_larger(size),
            ),
        ),
    )
    for small, zh_small, large, zh_large, size in (*_UNITS_OF_TIME, *_UNITS)
)

_TO_SMALLER = tuple(
    Story(
        {"n": digits(2, 15)},
        "",
        "",
        (
            Ask(
                f"how many {small} are [there |]in {{n}} {large}?|{{n}} {large} is how many {small}?|how many {small} make {{n}} {large}?",
                f"{{n}}{zh_large}[是|等于|合]多少{zh_small}？",
                _in_smaller(size),
            ),
        ),
    )
    for small, zh_small, large, zh_large, size in _UNITS
)

STORIES = (*_TO_LARGER, *_TO_SMALLER)
