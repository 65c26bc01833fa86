# ruff: noqa: E501 (a wording reads best in one line)
"""Two amounts that are not told, found by what they are together and how they differ: ages, prices, heads and legs."""

from __future__ import annotations

from typing import Any

from treequation.data.synthetic.stories.cast import GOODS
from treequation.data.synthetic.stories.story import Ask, Story, count, digits, money, price, times


def _larger(s: Any, d: Any) -> Any:
    return (s + d) / 2


def _smaller(s: Any, d: Any) -> Any:
    return (s - d) / 2


def _even(s: Any, d: Any) -> bool:
    return bool(s > d and (s - d) % 2 == 0)


_SUM_AND_DIFFERENCE = (
    Story(
        {"s": digits(10, 300), "d": digits(2, 120)},
        "the sum of {two} numbers is {s} and their difference is {d}|{two} numbers add up to {s}. They differ by {d}|{two} numbers have the sum {s} and the difference {d}",
        "{two}个数的和是{s}，差是{d}|{two}个数之和为{s}，之差为{d}",
        (
            Ask("what is the [larger|greater|bigger] [number|one]?", "较大的数是多少？|大数是多少？", _larger),
            Ask("what is the smaller [number|one]?", "较小的数是多少？|小数是多少？", _smaller),
        ),
        where=_even,
        aside=False,
    ),
    Story(
        {"s": count(12, 120), "d": count(2, 40)},
        "{who} is {d} years older than {other}|{other} is {d} years younger than {who} / [together|in sum] they are {s} [years old|]|the sum of their ages is {s}",
        "{who}比{other}大{d}岁 / {two}人[今年|]一共{s}岁|{two}人的年龄和是{s}岁",
        (
            Ask("how old is {who}?|what is {who}'s age?", "{who}[今年|]多少岁？", _larger),
            Ask("how old is {other}?|what is {other}'s age?", "{other}[今年|]多少岁？", _smaller),
        ),
        where=lambda s, d: _even(s, d) and s - d > 6,
        named=True,
        aside=False,
    ),
    Story(
        {"s": count(10, 200), "d": count(2, 60)},
        "{who} and {other} [have|own|collected] {s} {thing.many} [together|altogether|in all] / {who} has {d} more than {other}|{other} has {d} fewer than {who}",
        "{who}和{other}共有{s}{thing.unit}{thing.zh} / {who}比{other}多{d}{thing.unit}",
        (
            Ask(
                "how many [does {who} have|has {who}]?|how many {thing.many} are {who}'s?",
                "{who}有多少{thing.unit}？",
                _larger,
            ),
            Ask(
                "how many [does {other} have|has {other}]?|how many {thing.many} are {other}'s?",
                "{other}有多少{thing.unit}？",
                _smaller,
            ),
        ),
        where=_even,
        aside=False,
    ),
    Story(
        {"s": digits(20, 900), "d": digits(2, 200)},
        "[a school|a club|a choir|a camp] has {s} [children|members|pupils] / there are {d} more boys than girls",
        "[学校|合唱团|夏令营]共有{s}人 / 男生比女生多{d}人",
        (
            Ask("how many boys are there?|how many are boys?", "男生有多少人？", _larger),
            Ask("how many girls are there?|how many are girls?", "女生有多少人？", _smaller),
        ),
        where=_even,
    ),
)

_SUM_AND_MULTIPLE = (
    Story(
        {"s": count(6, 300), "k": times(2, 8)},
        "{who} and {other} have {s} {thing.many} [together|in all]. {who} has {k} as many as {other}|{who} has {k} as many {thing.many} as {other}. Together they have {s}",
        "{who}和{other}共有{s}{thing.unit}{thing.zh} / {who}的{thing.zh}是{other}的{k}倍",
        (
            Ask("how many [does {other} have|has {other}]?", "{other}有多少{thing.unit}？", lambda s, k: s / (k + 1)),
            Ask("how many [does {who} have|has {who}]?", "{who}有多少{thing.unit}？", lambda s, k: s / (k + 1) * k),
        ),
        where=lambda s, k: s % (k + 1) == 0,
        aside=False,
    ),
    Story(
        {"s": count(12, 120), "k": times(2, 6)},
        "{who} is {k} as old as {other}. Together they are {s} [years old|]|the ages of {who} and {other} add up to {s}. {who} is {k} as old as {other}",
        "{who}的年龄是{other}的{k}倍 / {two}人年龄和是{s}岁",
        (
            Ask("how old is {other}?", "{other}[今年|]多少岁？", lambda s, k: s / (k + 1)),
            Ask("how old is {who}?", "{who}[今年|]多少岁？", lambda s, k: s / (k + 1) * k),
        ),
        where=lambda s, k: s % (k + 1) == 0,
        named=True,
        aside=False,
    ),
    Story(
        {"d": count(4, 150), "k": times(2, 8)},
        "{who} has {k} as many {thing.many} as {other}, which is {d} more|{who} has {d} {thing.many} more than {other}, and that is {k} as many",
        "{who}的{thing.zh}是{other}的{k}倍，比{other}多{d}{thing.unit}",
        (
            Ask("how many [does {other} have|has {other}]?", "{other}有多少{thing.unit}？", lambda d, k: d / (k - 1)),
            Ask("how many [does {who} have|has {who}]?", "{who}有多少{thing.unit}？", lambda d, k: d / (k - 1) * k),
        ),
        where=lambda d, k: d % (k - 1) == 0,
        aside=False,
    ),
    Story(
        {"f": digits(24, 70), "c": digits(3, 30), "k": times(2, 5)},
        "{who} is {f} [years old|] and {other} is {c} [years old|]|{who} is {f}, {other} {c}",
        "{who}今年{f}岁，{other}今年{c}岁",
        (
            Ask(
                "in how many years will {who} be {k} as old as {other}?|after how many years is {who} {k} as old as {other}?",
                "几年后{who}的年龄是{other}的{k}倍？",
                lambda f, c, k: (f - c * k) / (k - 1),
            ),
            Ask("how much older is {who} than {other}?", "{who}比{other}大多少岁？", lambda f, c: f - c),
        ),
        where=lambda f, c, k: f > c * k and (f - c * k) % (k - 1) == 0,
        named=True,
        aside=False,
    ),
)

# Those with four legs or wheels, those with two (plural, Chinese with what counts them), the place, and what is counted.
_HERDS = (
    ("rabbits", "兔", "只", "chickens", "鸡", "a farmer keeps", "[笼子里有|同一个笼子里有]", "heads", "个头", "legs", "只脚"),
    ("cows", "牛", "头", "geese", "鹅", "on a farm there are", "农场里有", "heads", "个头", "legs", "条腿"),
    ("pigs", "猪", "头", "ducks", "鸭", "in the yard are", "院子里有", "heads", "个头", "legs", "只脚"),
    ("cars", "小汽车", "辆", "bikes", "自行车", "in a garage there are", "车库里有", "vehicles", "辆车", "wheels", "个轮子"),
)  # fmt: skip
_HEADS_AND_LEGS = tuple(
    Story(
        {"heads": digits(5, 60), "legs": digits(12, 220)},
        f"{place} {fours} and {twos} with {{heads}} {head} and {{legs}} {leg} [altogether|in all|]|{place} {twos} and {fours}. There are {{heads}} {head} and {{legs}} {leg}",
        f"{zh_place}{zh_twos}和{zh_fours}共{{heads}}{zh_head}，{{legs}}{zh_leg}|{zh_twos}和{zh_fours}一共有{{heads}}{zh_head}，{{legs}}{zh_leg}",
        (
            Ask(
                f"how many {fours} are there?|how many of them are {fours}?",
                f"{zh_fours}有[几|多少]{unit}？|有[几|多少]{unit}{zh_fours}？",
                lambda heads, legs: (legs - heads * 2) / 2,
            ),
            Ask(
                f"how many {twos} are there?|how many of them are {twos}?",
                f"{zh_twos}有多少？|有多少是{zh_twos}？",
                lambda heads, legs: (heads * 4 - legs) / 2,
            ),
        ),
        where=lambda heads, legs: heads * 2 < legs < heads * 4 and legs % 2 == 0,
        aside=False,
    )
    for fours, zh_fours, unit, twos, zh_twos, place, zh_place, head, zh_head, leg, zh_leg in _HERDS
)  # fmt: skip

_PRICES = (
    Story(
        {"n": count(2, 9), "m": count(2, 9), "t": money(8, 200), "p": price(1, 15)},
        "{n} {thing.many} and {m} {second.many} cost {t} [together|in all|]|{who} pays {t} for {n} {thing.many} and {m} {second.many} / [one|a single|each] {thing.one} [costs|is] {p}|the {thing.many} are {p} each",
        "{who}买{n}{thing.unit}{thing.zh}和{m}{second.unit}{second.zh}共用{t}元 / {thing.zh}每{thing.unit}{p}元",
        (
            Ask(
                "how much does [one|each] {second.one} cost?|what is the price of [one|each] {second.one}?|how much is one {second.one}?",
                "{second.zh}每{second.unit}多少元？|每{second.unit}{second.zh}多少元？",
                lambda n, m, t, p: (t - n * p) / m,
            ),
            Ask("how much are the {second.many} together?", "买{second.zh}用了多少元？", lambda n, t, p: t - n * p),
            Ask("how much are the {thing.many} together?", "买{thing.zh}用了多少元？", lambda n, p: n * p),
        ),
        where=lambda n, m, t, p: t > n * p,
        things=GOODS,
        parts=2,
        aside=False,
    ),
    Story(
        {"n": count(2, 9), "t": money(10, 200), "d": money(1, 20)},
        "{n} {thing.many} and [one|a single] {second.one} cost {t}|for {n} {thing.many} and one {second.one} {who} pays {t} / the {second.one} [costs|is] {d}",
        "{n}{thing.unit}{thing.zh}和一{second.unit}{second.zh}共{t}元 / {second.zh}{d}元",
        (
            Ask(
                "how much does [one|each] {thing.one} cost?",
                "每{thing.unit}{thing.zh}多少元？",
                lambda n, t, d: (t - d) / n,
            ),
            Ask("how much are the {thing.many} together?", "{thing.zh}一共多少元？", lambda t, d: t - d),
        ),
        where=lambda t, d: t > d,
        things=GOODS,
        parts=2,
        aside=False,
    ),
)

STORIES = (*_SUM_AND_DIFFERENCE, *_SUM_AND_MULTIPLE, *_HEADS_AND_LEGS, *_PRICES)
