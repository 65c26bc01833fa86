# ruff: noqa: E501 (a wording reads best in one line)
"""Prices before a discount or a rise, and what is earned by selling."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import GOODS
from treequation.data.synthetic.stories.story import Ask, Story, count, money, percent, price, reduced
from treequation.data.synthetic.vocabulary import DEAR_THINGS

STORIES = (
    Story(
        {"p": money(6, 900), "d": percent(5, 75, 5)},
        "[a|the|{who}'s] {thing.one} [costs|is] {p} after [a|the] [discount|reduction] of {d}|after {d} off [a|the] {thing.one} [costs|is] {p}|{who} pays {p} for a {thing.one} that was reduced by {d}|with {d} off {who} paid {p} for a {thing.one}",
        "[一{thing.unit}|]{thing.zh}降价{d}后[是|卖]{p}元|{thing.zh}便宜{d}以后的价格是{p}元",
        (
            Ask(
                "what [was|is] the [original|old|first|usual|full] price?|what did it cost before?|how much was it before?|what was the price before?",
                "原价多少元？|降价前多少元？",
                lambda p, d: p / (1 - d),
            ),
        ),
        things=DEAR_THINGS,
        aside=False,
    ),
    Story(
        {"p": money(6, 900), "r": reduced()},
        "a {thing.one} [is sold|sells] for {p}, which is {r} of the usual price|{who} pays {p}, {r} of what the {thing.one} used to cost",
        "[一{thing.unit}|]{thing.zh}打{r}后[是|卖]{p}元",
        (Ask("what [was|is] the usual price?|how much did it use to cost?", "原价多少元？", lambda p, r: p / r),),
        things=DEAR_THINGS,
        aside=False,
    ),
    Story(
        {"p": money(20, 1200), "d": percent(5, 50, 5)},
        "[with|including] {d} tax [a|the] {thing.one} costs {p}|after a rise of {d} [a|the] {thing.one} costs {p}|the price of a {thing.one} rose by {d} and is {p} now",
        "{thing.zh}涨价{d}后是{p}元",
        (
            Ask(
                "what was the price before that?|how much was it before?",
                "原价多少元？|涨价前多少元？",
                lambda p, d: p / (1 + d),
            ),
        ),
        things=DEAR_THINGS,
        aside=False,
    ),
    Story(
        {"n": count(2, 30), "t": money(6, 400), "p": price(1, 30)},
        "{who} buys {n} {thing.many} for {t} [in all|altogether|] and sells them for {p} each|{who} pays {t} for {n} {thing.many} and sells each for {p}",
        "{who}用{t}元买了{n}{thing.unit}{thing.zh}，每{thing.unit}卖{p}元",
        (
            Ask(
                "what is {who.his} profit?|how much does {who.he} [earn|make|gain]?|how much profit is that?",
                "一共赚多少元？|盈利多少元？",
                lambda n, t, p: n * p - t,
            ),
            Ask("how much does {who.he} get for all of them?", "卖完能得多少元？", lambda n, p: n * p),
            Ask("what did one cost {who.him}?", "每{thing.unit}进价多少元？", lambda n, t: t / n),
        ),
        where=lambda n, t, p: n * p > t,
        things=GOODS,
        parts=100,
        aside=False,
    ),
    Story(
        {"a": money(5, 400, 5), "b": money(5, 900, 5), "n": count(2, 40)},
        "{who} buys {thing.many} for {a} each and sells them for {b} each|{who} gets {thing.many} at {a} and sells them at {b}",
        "{thing.zh}每{thing.unit}进价{a}元，售价{b}元",
        (
            Ask(
                "what is the profit [with|on] {n} of them?|how much does {who.he} earn with {n}?",
                "卖出{n}{thing.unit}赚多少元？",
                lambda a, b, n: (b - a) * n,
            ),
            Ask("what is the profit in percent?|how many percent profit is that?", "", lambda a, b: (b - a) / a * 100),
            Ask("", "利润率是百分之几？|赚了百分之几？", lambda a, b: (b - a) / a),
        ),
        where=lambda a, b: a < b and ((b - a) / a * 100).denominator == 1,
        things=DEAR_THINGS,
        parts=100,
        aside=False,
    ),
)
