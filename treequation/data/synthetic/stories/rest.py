# ruff: noqa: E501 (a wording reads best in one line)
"""A part is told, and the rest is asked for: its number, its share, its percentage, or the number that is missing."""

from __future__ import annotations

from treequation.data.synthetic.stories.story import Ask, Story, count, digits, percent, share

_GROUPS = (
    ("students", "boys", "girls", "名学生", "男生", "女生"),
    ("members", "men", "women", "名会员", "男会员", "女会员"),
    ("guests", "adults", "children", "位客人", "大人", "孩子"),
    ("cars", "red", "not red", "辆车", "红色的", "别的颜色的"),
    ("eggs", "broken", "whole", "个鸡蛋", "破的", "好的"),
    ("balls", "blue", "green", "个球", "蓝球", "绿球"),
)
_COMPLEMENTS = tuple(
    story
    for group, first, last, zh_group, zh_first, zh_last in _GROUPS
    for story in (
        Story(
            {"n": digits(10, 900, 5), "a": digits(2, 700)},
            f"[there are|we have|{{who}} counts] {{n}} {group}, {{a}} of them {first}|{{a}} of [the |]{{n}} {group} are {first}, the others {last}",
            f"有{{n}}{zh_group}，其中{zh_first}{{a}}{zh_group[0]}",
            (
                Ask(f"what [percentage|percent] [of them|] are {last}?|how many percent are {last}?", "", lambda n, a: (n - a) / n * 100),
                Ask(f"what [percentage|percent] [of them|] are {first}?|how many percent are {first}?", "", lambda n, a: a / n * 100),
                Ask(f"what [fraction|part] of them are {last}?", "", lambda n, a: (n - a) / n),
                Ask(f"how many are {last}?", f"{zh_last}有多少{zh_group[0]}？", lambda n, a: n - a),
                Ask("", f"{zh_last}占百分之几？|{zh_last}占全部的百分之几？", lambda n, a: (n - a) / n),
                Ask("", f"{zh_first}占百分之几？|{zh_first}占全部的百分之几？", lambda n, a: a / n),
            ),
            where=lambda n, a: a < n and (a / n * 100).denominator == 1,
            parts=100,
            aside=False,
        ),
        Story(
            {"n": digits(12, 900), "f": share("1/2", "1/3", "2/3", "1/4", "3/4", "1/5", "2/5", "3/5", "4/5", "3/8", "5/6")},
            f"[there are|we have|{{who}} counts] {{n}} {group}; {{f}} of them are {first}|{{f}} of [the |]{{n}} {group} are {first}, the others {last}",
            f"有{{n}}{zh_group}，其中{{f}}是{zh_first}",
            (
                Ask(f"how many are {last}?|how many of them are {last}?", f"{zh_last}有多少{zh_group[0]}？", lambda n, f: n * (1 - f)),
                Ask(f"how many are {first}?", f"{zh_first}有多少{zh_group[0]}？", lambda n, f: n * f),
            ),
            aside=False,
        ),
        Story(
            {"n": digits(20, 1500, 5), "f": percent(5, 95, 5)},
            f"[there are|we have|{{who}} counts] {{n}} {group}; {{f}} of them are {first}|{{f}} of [the |]{{n}} {group} are {first}, the others {last}",
            f"有{{n}}{zh_group}，{zh_first}占{{f}}",
            (
                Ask(f"how many are {last}?|how many of them are {last}?", f"{zh_last}有多少{zh_group[0]}？", lambda n, f: n * (1 - f)),
                Ask(f"how many are {first}?", f"{zh_first}有多少{zh_group[0]}？", lambda n, f: n * f),
            ),
            aside=False,
        ),
    )
)  # fmt: skip

_MEANS = (
    Story(
        {"n": count(3, 3), "m": digits(8, 100), "a": digits(5, 100), "b": digits(5, 100)},
        "the [average|mean] of {n} [numbers|scores|weights] is {m} / [some of them are|among them are] {a} and {b}",
        "{n}个数的平均数是{m} / 其中有{a}和{b}",
        (
            Ask(
                "what is the [other|missing|third] [number|one]?",
                "另一个数是多少？",
                lambda n, m, a, b: n * m - (a + b),
            ),
            Ask("what is the sum of all?", "这些数的和是多少？", lambda n, m: n * m),
        ),
        where=lambda n, m, a, b: n * m - (a + b) < 2 * m,
        aside=False,
    ),
    Story(
        {"n": count(4, 4), "m": digits(8, 100), "a": digits(5, 100), "b": digits(5, 100), "c": digits(5, 100)},
        "the [average|mean] of {n} [numbers|scores|weights] is {m} / [some of them are|among them are] {a}, {b} and {c}",
        "{n}个数的平均数是{m} / 其中几个是{a}、{b}和{c}",
        (
            Ask(
                "what is the [other|missing|last] [number|one]?",
                "另一个数是多少？",
                lambda n, m, a, b, c: n * m - (a + b + c),
            ),
            Ask("what is the sum of all?", "这些数的和是多少？", lambda n, m: n * m),
        ),
        where=lambda n, m, a, b, c: n * m - (a + b + c) < 2 * m,
        aside=False,
    ),
)

STORIES = (*_COMPLEMENTS, *_MEANS)
