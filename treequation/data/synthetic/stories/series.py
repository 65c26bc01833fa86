# ruff: noqa: E501 (a wording reads best in one line)
"""Rows of four to six numbers: their sum and their average, with a story and without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treequation.data.synthetic.stories.story import Ask, Formula, Story, digits

_NAMES = "abcdef"
_SUMS: dict[int, Formula] = {
    4: lambda a, b, c, d: a + b + c + d,
    5: lambda a, b, c, d, e: a + b + c + d + e,
    6: lambda a, b, c, d, e, f: a + b + c + d + e + f,
}
_AVERAGES: dict[int, Formula] = {
    4: lambda a, b, c, d: (a + b + c + d) / 4,
    5: lambda a, b, c, d, e: (a + b + c + d + e) / 5,
    6: lambda a, b, c, d, e, f: (a + b + c + d + e + f) / 6,
}


def _rows(story: Callable[[int, str, str, str], Story]) -> tuple[Story, ...]:
    """A story of each length; it is told the length and how the row is written: with an "and", without, in Chinese."""
    found = []
    for length in _SUMS:
        *first, last = [f"{{{name}}}" for name in _NAMES[:length]]
        found.append(
            story(length, f"{', '.join(first)} and {last}", ", ".join([*first, last]), "、".join([*first, last]))
        )
    return tuple(found)


def _numbers(length: int, largest: int) -> dict[str, Any]:
    return {name: digits(2, largest) for name in _NAMES[:length]}


def _bare(length: int, row: str, commas: str, zh: str) -> Story:
    return Story(
        _numbers(length, 90),
        "",
        "",
        (
            Ask(
                f"what is the sum of {row}?|[the |]sum of {commas}[?|]|add {row}.|[add up|find the sum of] {commas}.|what do {row} make [together|in all]?",
                f"{zh}的和是多少？|求{zh}的和。|{zh}加起来是多少？",
                _SUMS[length],
            ),
            Ask(
                f"what is the [average|mean] of {row}?|[the |][average|mean] of {commas}[?|]|find the [average|mean] of {row}.|[average|mean] of {row}[?|]",
                f"{zh}的平均数是多少？|求{zh}的平均数。|{zh}平均是多少？",
                _AVERAGES[length],
            ),
        ),
        parts=2,
    )


def _told(length: int, row: str, commas: str, zh: str) -> Story:
    return Story(
        _numbers(length, 60),
        f"[{{who}} scored {row} points in the last games|on the last days {{who}} [ran|walked|cycled] {row} km|{{who}}'s [marks|scores] are {commas}|on the last days {{who}} [sold|made|read] {row} of them]",
        f"[{{who}}这几次测验得了{zh}分|{{who}}这几天分别走了{zh}千米|{{who}}这几天分别卖出{zh}件]",
        (
            Ask(
                "how much is that [in all|altogether|together|in total]?|what is the total?",
                "一共是多少？",
                _SUMS[length],
            ),
            Ask(
                "what is the [average|mean]?|how much is that on average?|what is that on average?",
                "平均是多少？|平均数是多少？",
                _AVERAGES[length],
            ),
        ),
        parts=2,
        aside=False,
    )


STORIES = (*_rows(_bare), *_rows(_told))
