# ruff: noqa: E501 (a wording reads best in one line)
"""Quantities that are measured rather than counted, often with a decimal; doubled, halved, poured and weighed."""

from __future__ import annotations

from treequation.data.synthetic.stories.story import (
    Ask,
    Story,
    count,
    decimal,
    digits,
    doubled,
    money,
    plain,
    price,
    share,
)

_GROCERIES = (
    ("rice", "大米"),
    ("flour", "面粉"),
    ("cheese", "奶酪"),
    ("grapes", "葡萄"),
    ("potatoes", "土豆"),
    ("fish", "鱼"),
    ("sugar", "白糖"),
    ("beans", "豆子"),
)
_DRINKS = (("milk", "牛奶"), ("juice", "果汁"), ("oil", "油"), ("water", "水"), ("tea", "茶"))

STORIES = (
    Story(
        {"p": price(1, 20), "k": decimal(0, 9)},
        "{food} [costs|is|sells for] {p} [a kilo|per kg|for each kg]",
        "{food}每千克{p}元",
        (
            Ask(
                "what do {k} kg cost?|{who} takes {k} kg. How much is that?|how much do you pay for {k} kg?",
                "买{k}千克要多少元？|{who}买了{k}千克，花了多少钱？",
                lambda p, k: p * k,
            ),
            Ask(
                "how much are {k} kg of {food} at {p} [a kilo|per kg]?|{k} kg of {food} at {p} per kg: how much?",
                "每千克{p}元的{food}，买{k}千克，多少钱？",
                lambda p, k: p * k,
                alone=True,
            ),
        ),
        cast={"food": (("rice", "大米"), ("flour", "面粉"), ("cheese", "奶酪"), ("fish", "鱼"), ("sugar", "白糖"))},
        parts=100,
    ),
    Story(
        {"t": money(4, 120), "k": count(2, 12)},
        "{who} [paid|pays] {t} for {k} kg of {food}",
        "{who}买{k}千克{food}付了{t}元",
        (
            Ask(
                "what is the price [of one kg|per kilo]?|how much is one kilo?",
                "一千克多少元？|{food}的单价是每千克多少元？",
                lambda t, k: t / k,
            ),
        ),
        cast={"food": _GROCERIES},
        parts=2,
    ),
    Story(
        {"a": decimal(0, 12), "b": decimal(0, 12)},
        "{who} bought {a} kg of {x} and {b} kg of {y}",
        "{who}买了{a}千克{x}和{b}千克{y}",
        (
            Ask(
                "how heavy is the shopping bag?|how many kg did {who} buy [in all|]?",
                "一共买了多少千克？",
                lambda a, b: a + b,
            ),
            Ask("how many kg more {x} than {y} did {who} buy?", "{x}比{y}多买多少千克？", lambda a, b: a - b),
            Ask("how many kg less {x} than {y} did {who} buy?", "{x}比{y}少买多少千克？", lambda a, b: b - a),
        ),
        cast={
            "x": (("rice", "大米"), ("flour", "面粉"), ("sugar", "白糖")),
            "y": (("cheese", "奶酪"), ("fish", "鱼"), ("meat", "肉")),
        },
        parts=10,
    ),
    Story(
        {"has": decimal(1, 30), "used": decimal(0, 20)},
        "a [can|barrel|jug|tank] [holds|contains] {has} liters of {drink} / {used} liters are [poured out|used up|drunk]",
        "桶里有{has}升{drink} / 用去{used}升",
        (
            Ask(
                "how many liters [remain|are left]?|how much {drink} is left?",
                "还剩多少升？",
                lambda has, used: has - used,
            ),
        ),
        where=lambda has, used: used < has,
        cast={"drink": _DRINKS},
        parts=10,
    ),
    Story(
        {"all": digits(2, 60), "each": share("1/2", "1/4", "1/5", "1/3")},
        "{who} pours {all} liters of {drink} into glasses / each glass takes {each} of a liter",
        "{who}把{all}升{drink}倒进杯子 / 每杯装{each}升",
        (
            Ask(
                "how many glasses does {who} fill?|how many glasses is that?",
                "能装多少杯？",
                lambda all, each: all / each,
            ),
        ),
        cast={"drink": _DRINKS},
    ),
    Story(
        {"all": count(4, 90), "n": count(2, 12)},
        "{n} [bottles|jugs|cans] of the same size hold {all} liters [in all|together]",
        "{n}个同样的瓶子一共装{all}升水",
        (
            Ask(
                "how much does one of them hold?|how many liters are in each?",
                "每个瓶子装多少升？",
                lambda all, n: all / n,
            ),
        ),
        parts=2,
    ),
    Story(
        {"n": digits(2, 150), "k": doubled()},
        "",
        "",
        (
            Ask(
                "what is {k} {n}?|what's {k} the number {n}?|how much is {k} {n}?|{k} {n}. What do you get?",
                "{n}的{k}倍是几？|把{n}扩大到{k}倍是多少？",
                lambda n, k: k * n,
            ),
        ),
    ),
    Story(
        {"n": count(4, 90), "k": doubled()},
        "[last year|last month|at first] {who} [sold|packed|had] {n} {thing.many} / now it is {k} that number",
        "{who}[上个月卖了{n}{thing.unit}{thing.zh}，这个月|昨天卖了{n}{thing.unit}{thing.zh}，今天]卖的是那时的{k}倍",
        (
            Ask("how many is it now?|how many {thing.many} is that?", "现在卖了多少{thing.unit}？", lambda n, k: n * k),
            Ask("how many more is that?|by how many did it grow?", "多卖了多少{thing.unit}？", lambda n, k: n * k - n),
        ),
    ),
    Story(
        {"n": digits(8, 120, 2), "k": share("1/2", "1/2", "1/3", "1/4")},
        "[last week|last time] {who} [ran|cycled|drove] {n} km / this time it was only {k} of that",
        "{who}[上周跑了{n}千米，这周|昨天跑了{n}千米，今天]只跑了那时的{k}",
        (
            Ask("how much was it this time?|how many was that this time?", "这次跑了多少千米？", lambda n, k: n * k),
            Ask("how much less was that?", "少跑了多少千米？", lambda n, k: n - n * k),
        ),
    ),
    Story(
        {"a": digits(2, 30), "b": digits(2, 30), "c": digits(2, 30)},
        "a [box|crate|tank|drawer] is {a} cm long, {b} cm wide and {c} cm high",
        "一个[纸箱|盒子|抽屉]长{a}厘米，宽{b}厘米，高{c}厘米",
        (
            Ask(
                "what is its volume?|how many cubic cm does it hold?|what is the volume in cubic cm?",
                "它的体积是多少立方厘米？",
                lambda a, b, c: a * b * c,
            ),
            Ask(
                "how many square cm does its floor have?|how large is its bottom?",
                "它的底面积是多少平方厘米？",
                lambda a, b: a * b,
            ),
        ),
        aside=False,
    ),
    Story(
        {"a": decimal(1, 12), "b": decimal(1, 12), "c": decimal(1, 12)},
        "{who} [ran|walked|hiked] {a} {unit} on Monday, {b} {unit} on Tuesday and {c} {unit} on Friday",
        "{who}周一跑了{a}千米 / 周二跑了{b}千米 / 周五跑了{c}千米",
        (
            Ask(
                "how many {unit} is that in all?|what distance is that altogether?",
                "一共跑了多少千米？",
                lambda a, b, c: a + b + c,
            ),
            Ask(
                "how many more {unit} was it on Friday than on Monday?", "周五比周一多跑多少千米？", lambda a, c: c - a
            ),
            Ask(
                "how many {unit} were Tuesday and Friday together?", "周二和周五一共跑了多少千米？", lambda b, c: b + c
            ),
        ),
        cast={"unit": (("miles", "千米"), ("km", "千米"), ("kilometers", "千米"))},
        parts=10,
        aside=False,
    ),
    Story(
        {"v": digits(3, 70), "t": decimal(0, 6), "n": count(2, 9)},
        "{who} [goes|rides|drives] {v} miles [an hour|per hour|every hour]",
        "{who}每小时行{v}千米",
        (
            Ask(
                "how many miles is that in {t} hours?|how far does {who} get in {t} hours?",
                "{t}小时行多少千米？",
                lambda v, t: v * t,
            ),
            Ask("how many miles is that in {n} hours?", "{n}小时能走多远？", lambda v, n: v * n),
        ),
        parts=10,
    ),
    Story(
        {"m": plain(5, 10, 15, 20, 30, 45), "n": count(2, 12), "h": digits(20, 180, 10)},
        "[a lesson|a song|one lap|a card game|washing a car] takes {m} minutes",
        "[一节课|跑一圈|洗一辆车]要{m}分钟",
        (
            Ask(
                "how long do {n} of them take?|how many minutes for {n}?|how many minutes do you need for {n} of them?",
                "{n}次要多少分钟？",
                lambda m, n: m * n,
            ),
            Ask("how many of them fit into {h} minutes?", "{h}分钟够做几次？", lambda m, h: h / m),
        ),
    ),
    Story(
        {"a": decimal(1, 3, 1), "b": decimal(1, 3, 1)},
        "{who} is {a} m tall and {other} is {b} m [tall|]",
        "{who}身高{a}米 / {other}身高{b}米",
        (
            Ask(
                "how many m taller is {who}?|by how much is {who} taller?",
                "{who}比{other}高多少米？",
                lambda a, b: a - b,
            ),
            Ask("how many m taller than {who} is {other}?", "{other}比{who}高多少米？", lambda a, b: b - a),
        ),
        where=lambda a, b: a < 2 and b < 2,
        parts=10,
        named=True,
    ),
    Story(
        {"t": digits(8, 90), "a": digits(2, 40), "b": digits(2, 40)},
        "{who} has {t} minutes of screen time / {who} [plays|chats] for {a} minutes and watches a clip of {b} minutes",
        "{who}可以看{t}分钟电视 / 先看了{a}分钟 / 又看了{b}分钟",
        (
            Ask("how many minutes [remain|are left]?", "还剩多少分钟？", lambda t, a, b: t - a - b),
            Ask("how many minutes did {who} use?", "一共看了多少分钟？", lambda a, b: a + b),
        ),
        where=lambda t, a, b: a + b < t,
    ),
)
