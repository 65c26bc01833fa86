# ruff: noqa: E501 (a wording reads best in one line)
"""What a household reckons: fuel and power, food and drink, bills with a tip, times of day, ages to come."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import GOODS
from treequation.data.synthetic.stories.story import Ask, Story, count, decimal, digits, money, percent, plain, price

_ON_THE_ROAD = (
    Story(
        {"k": digits(8, 25), "p": price(1, 4), "d": digits(40, 900, 10), "v": digits(5, 60)},
        "[my|our|{who}'s|the] [car|van|motorbike] [goes|does|drives|gets] {k} km [per|on a|on one|for each] [liter|litre], and [a|one] [liter|litre] [of petrol |of fuel |]costs {p}|petrol costs {p} [a|per] [liter|litre], and [my|our|{who}'s] [car|van] goes {k} km [on a|per] [liter|litre]",
        "[一辆|{who}的]汽车每升油行{k}千米，每升油{p}元",
        (
            Ask(
                "what do {d} km cost?|how much does a trip of {d} km cost?|how much is the [petrol|fuel] for {d} km?",
                "行{d}千米的油费是多少元？|行{d}千米，油费要多少元？",
                lambda k, p, d: d / k * p,
            ),
            Ask(
                "how many [liters|litres] are that for {d} km?|how much fuel does it need for {d} km?",
                "行{d}千米要多少升油？",
                lambda k, d: d / k,
            ),
            Ask("how far does it go with {v} [liters|litres]?", "{v}升油可以行多少千米？", lambda k, v: v * k),
        ),
        parts=100,
        aside=False,
    ),
    Story(
        {"u": digits(4, 15), "per": plain(100), "p": price(1, 4), "d": digits(50, 1200, 50)},
        "[my|our|{who}'s|a] [car|van] [uses|needs|takes] {u} [liters|litres] [of fuel |]per {per} km / [a|one] [liter|litre] costs {p}",
        "汽车每{per}千米用油{u}升 / 每升油{p}元",
        (
            Ask(
                "what do {d} km cost?|how much is the fuel for {d} km?|how much do you pay for {d} km?",
                "行{d}千米的油费是多少元？",
                lambda u, per, p, d: d / per * u * p,
            ),
        ),
        parts=100,
        aside=False,
    ),
    Story(
        {"d": digits(2, 60), "n": count(3, 6), "w": count(2, 9)},
        "[it is {d} km to work|{who}'s way to work is {d} km long|work is {d} km away] / {who} goes there and back {n} days a week",
        "{who}家到单位{d}千米 / {who}每周往返{n}天",
        (
            Ask(
                "how many km is that a week?|how far is that in a week?", "每周一共走多少千米？", lambda d, n: d * 2 * n
            ),
            Ask("how many km is that in {w} weeks?", "{w}周一共走多少千米？", lambda d, n, w: d * 2 * n * w),
            Ask("how many km is that a day?", "每天走多少千米？", lambda d: d * 2),
        ),
        aside=False,
    ),
    Story(
        {"s": digits(60, 130, 5), "m": count(5, 60, 5), "c": digits(40, 90, 5)},
        "{who} [takes|makes|walks] {s} steps a minute for {m} minutes / [a|each|every] step is {c} cm [long|]",
        "{who}每分钟走{s}步，走了{m}分钟 / 每步长{c}厘米",
        (
            Ask("how many steps is that?", "一共走了多少步？", lambda s, m: s * m),
            Ask(
                "how many meters is that?|how far is that in meters?",
                "一共走了多少米？",
                lambda s, m, c: s * m * c / 100,
            ),
        ),
        parts=10,
        aside=False,
    ),
)
_AT_HOME = (
    Story(
        {"n": count(2, 12), "ml": digits(100, 500, 50), "d": count(2, 30)},
        "{who} drinks {n} [glasses|cups|bottles] [of water|of juice|of tea|] of {ml} ml [a|each|every] day|I drink {n} [glasses|cups] of {ml} ml a day",
        "{who}每天喝{n}杯水，每杯{ml}毫升",
        (
            Ask("how many ml is that a day?", "每天喝多少毫升？", lambda n, ml: n * ml),
            Ask("how many [liters|litres] is that a day?", "每天喝多少升？", lambda n, ml: n * ml / 1000),
            Ask(
                "how many [liters|litres] is that [in a week|a week|per week]?",
                "一周喝多少升？",
                lambda n, ml: n * ml * 7 / 1000,
            ),
            Ask("how many [liters|litres] is that in {d} days?", "{d}天喝多少升？", lambda n, ml, d: n * ml * d / 1000),
        ),
        parts=100,
        aside=False,
    ),
    Story(
        {"w": digits(20, 2000, 20), "h": count(2, 12), "d": count(2, 31), "p": price(1, 3)},
        "a [lamp|heater|fan|television] of {w} watts [is on|runs] {h} hours a day / a kilowatt hour costs {p}",
        "一台{w}瓦的电器每天用{h}小时 / 每千瓦时{p}元",
        (
            Ask("how many kilowatt hours is that a day?", "每天用电多少千瓦时？", lambda w, h: w * h / 1000),
            Ask(
                "how many kilowatt hours is that in {d} days?",
                "{d}天用电多少千瓦时？",
                lambda w, h, d: w * h * d / 1000,
            ),
            Ask(
                "what does that cost in {d} days?|how much is that in {d} days?",
                "{d}天的电费是多少元？",
                lambda w, h, d, p: w * h * d / 1000 * p,
            ),
        ),
        parts=100,
        aside=False,
    ),
    Story(
        {"n": count(2, 4), "k": count(2, 4), "b": digits(12, 120, 6), "d": count(3, 21)},
        "{who} takes {n} [pills|tablets] {k} times a day / a box has {b} [pills|tablets|of them]",
        "{who}每天吃药{k}次，每次{n}片 / 一盒有{b}片",
        (
            Ask(
                "how many days does a box last?|for how many days is a box enough?",
                "一盒可以吃几天？",
                lambda b, n, k: b / (n * k),
            ),
            Ask("how many is that in {d} days?", "{d}天吃多少片？", lambda n, k, d: n * k * d),
            Ask("how many are left after {d} days?", "{d}天后一盒还剩多少片？", lambda b, n, k, d: b - n * k * d),
        ),
        aside=False,
    ),
    Story(
        {"c": digits(40, 300, 10), "n": count(2, 6), "d": count(2, 14)},
        "[a|one] {food} has {c} calories / {who} eats {n} [of them |]a day",
        "一个{food}有{c}卡路里 / {who}每天吃{n}个",
        (
            Ask("how many calories is that a day?", "每天是多少卡路里？", lambda c, n: c * n),
            Ask(
                "how many calories is that a week?|how many calories is that in a week?",
                "一周是多少卡路里？",
                lambda c, n: c * n * 7,
            ),
            Ask("how many calories is that in {d} days?", "{d}天是多少卡路里？", lambda c, n, d: c * n * d),
        ),
        cast={"food": (("cookie", "饼干"), ("banana", "香蕉"), ("muffin", "松饼"), ("egg", "鸡蛋"))},
        aside=False,
    ),
    Story(
        {"n": plain(4, 6, 8, 10, 12), "a": count(2, 7)},
        "a [pizza|cake|pie] is cut into {n} [equal |][slices|pieces] / {who} eats {a} [of them|]",
        "一个[蛋糕|比萨]切成{n}块 / {who}吃了{a}块",
        (
            Ask("how many are left?|how many [slices|pieces] remain?", "还剩多少块？", lambda n, a: n - a),
            Ask(
                "what [fraction|part] [is left|remains]?|which [fraction|part] of it is left?",
                "还剩几分之几？",
                lambda n, a: (n - a) / n,
            ),
            Ask(
                "what [fraction|part] did {who} eat?|what [fraction|part] is gone?",
                "吃了几分之几？",
                lambda n, a: a / n,
            ),
        ),
        where=lambda n, a: a < n,
        parts=120,
        aside=False,
    ),
    Story(
        {"h": digits(6, 18), "m": digits(10, 55, 5), "k": digits(7, 22), "l": digits(10, 55, 5)},
        "[a film|a lesson|a concert|the meeting] [starts|begins] at {h}:{m} and [ends|is over] at {k}:{l}|[a train|a bus|{who}] leaves at {h}:{m} and [arrives|gets there] at {k}:{l}",
        "[电影|会议]{h}:{m}开始，{k}:{l}结束|火车{h}:{m}出发，{k}:{l}到达",
        (
            Ask(
                "how many minutes is that?|how many minutes does it take?|how long is that in minutes?|how long does it take?",
                "一共多少分钟？|用了多少分钟？",
                lambda h, m, k, l: (k - h) * 60 + l - m,  # noqa: E741
            ),
        ),
        where=lambda h, k: 0 < k - h < 6,
        aside=False,
    ),
)
_WITH_MONEY = (
    Story(
        {"p": money(20, 300, 5), "n": count(2, 8), "t": percent(5, 25)},
        "[a|the|our] [bill|dinner|lunch] [is|comes to] {p} / {n} [friends|people] [split|share] it [evenly|equally|] [and add|with] a {t} tip",
        "一顿饭{p}元，另加{t}小费 / {n}人平分",
        (
            Ask(
                "how much does each [of them|person|] pay?|what is that [per person|for each|each]?",
                "每人付多少元？",
                lambda p, n, t: p * (1 + t) / n,
            ),
            Ask("how much is it with the tip?|what is it in all?", "连小费一共多少元？", lambda p, t: p * (1 + t)),
            Ask(
                "split a {p} bill [among|between] {n} people with a {t} tip.",
                "",
                lambda p, n, t: p * (1 + t) / n,
                alone=True,
            ),
        ),
        parts=100,
        aside=False,
    ),
    Story(
        {"p": money(20, 400, 5), "d": percent(5, 50), "t": percent(5, 20)},
        "[{thing.a}|the {thing.one}] costs {p} / there is {d} off, and then {t} tax [is added|comes on top]",
        "一{thing.unit}{thing.zh}{p}元，先降价{d} / 再加{t}的税",
        (
            Ask(
                "what is the [final price|price in the end]?|how much do you pay in the end?",
                "最后要付多少元？",
                lambda p, d, t: p * (1 - d) * (1 + t),
            ),
            Ask("what is it before the tax?", "加税前是多少元？", lambda p, d: p * (1 - d)),
        ),
        things=GOODS,
        parts=100,
        aside=False,
    ),
    Story(
        {"p": money(100, 9000, 50), "r": percent(1, 12, 1), "n": count(2, 6)},
        "{who} [puts|has] {p} [in the bank|in a savings account] at {r} [interest|simple interest] [a year|per year]",
        "{who}把{p}元存入银行，年利率{r}",
        (
            Ask("how much interest is that [a year|in a year]?", "一年的利息是多少元？", lambda p, r: p * r),
            Ask("how much interest is that in {n} years?", "{n}年的利息是多少元？", lambda p, r, n: p * r * n),
            Ask(
                "how much is there after a year?|how much is in it after a year?",
                "一年后一共有多少元？",
                lambda p, r: p * (1 + r),
            ),
        ),
        parts=100,
        aside=False,
    ),
    Story(
        {"n": digits(10, 60, 5), "p": count(2, 5), "w": count(2, 9)},
        "a test has {n} questions with {p} points each / {who} gets {w} [wrong|of them wrong]",
        "一次测验有{n}题，每题{p}分 / {who}做错了{w}题",
        (
            Ask(
                "how many points does {who.he} get?|what is {who.his} score?",
                "得了多少分？",
                lambda n, p, w: (n - w) * p,
            ),
            Ask("how many points does {who.he} lose?", "扣了多少分？", lambda p, w: p * w),
            Ask("how many are right?", "做对了多少题？", lambda n, w: n - w),
        ),
        where=lambda n, w: w < n,
        aside=False,
    ),
)
_WITH_TIME = (
    Story(
        {"a": digits(20, 60), "b": digits(2, 18), "c": digits(5, 40)},
        "{who} is {a} and {other} is {b} [years old|]",
        "{who}今年{a}岁，{other}今年{b}岁",
        (
            Ask(
                "how old will {who} be when {other} is {c}?|when {other} is {c}, how old is {who} [then|]?",
                "{other}{c}岁时，{who}多少岁？",
                lambda a, b, c: a + (c - b),
            ),
            Ask("how old was {who} when {other} was born?", "{other}出生时，{who}多少岁？", lambda a, b: a - b),
            Ask("in how many years is {other} {c}?", "再过几年{other}{c}岁？", lambda c, b: c - b),
        ),
        where=lambda b, c: c > b,
        named=True,
        aside=False,
    ),
    Story(
        {"a": digits(2, 25), "b": digits(2, 12), "c": digits(2, 12)},
        "[in the morning|at dawn] it [is|was] {a} degrees / [by noon|until noon] it [rises|gets warmer] by {b} degrees, [in the evening|at night] it [falls|gets colder] by {c}",
        "早上气温是{a}度 / 中午升高了{b}度，晚上降低了{c}度",
        (
            Ask(
                "how [warm|cold] is it then?|how many degrees is it then?", "晚上是多少度？", lambda a, b, c: a + b - c
            ),
            Ask("how warm is it at noon?|how many degrees is it at noon?", "中午是多少度？", lambda a, b: a + b),
        ),
        where=lambda a, b, c: a + b > c,
        aside=False,
    ),
    Story(
        {"a": decimal(1, 9), "n": count(2, 9), "m": decimal(1, 5), "k": count(2, 9)},
        "{who} [buys|carries] {n} bags of {a} kg and {k} bags of {m} kg",
        "{who}买了{n}袋{a}千克的米和{k}袋{m}千克的面",
        (
            Ask(
                "how many kg is that [in all|altogether|]?|how heavy is that in all?",
                "一共多少千克？",
                lambda n, a, k, m: n * a + k * m,
            ),
        ),
        where=lambda a, m: a != m,
        parts=10,
        aside=False,
    ),
)

STORIES = (*_ON_THE_ROAD, *_AT_HOME, *_WITH_MONEY, *_WITH_TIME)
