# ruff: noqa: E501 (a wording reads best in one line)
"""So much for so many, and then for more or for one: recipes, fuel, machines, packs."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import GOODS
from treequation.data.synthetic.stories.story import Ask, Story, count, digits, money, plain, price

STORIES = (
    Story(
        {"a": count(2, 8), "b": count(2, 20), "c": count(3, 30)},
        "[a|the|this] recipe [for|serves] {a} [people|guests|persons] [needs|takes|and needs|with] {b} {part}|for {a} [people|guests] {who} [uses|takes] {b} {part}",
        "{a}人份的菜要用{b}{part}",
        (
            Ask(
                "how many {part} [do I need|are needed|does {who} need|is that] for {c} [people|guests|persons]?",
                "{c}人份要用多少{part}？",
                lambda a, b, c: b / a * c,
            ),
            Ask("how many {part} is that per person?", "每人份用多少{part}？", lambda a, b: b / a),
        ),
        where=lambda a, c: a != c,
        cast={
            "part": (
                ("eggs", "个鸡蛋"),
                ("potatoes", "个土豆"),
                ("cups of rice", "杯米"),
                ("spoons of oil", "勺油"),
                ("carrots", "根胡萝卜"),
            )
        },
        parts=2,
    ),
    Story(
        {"use": count(4, 12), "per": plain(100), "d": digits(25, 900, 25), "c": price(1, 3)},
        "[a|my|our] [car|van|truck] [uses|needs|takes] {use} [liters|litres] [of fuel|] [for|per|every] {per} km",
        "一辆汽车每{per}千米耗油{use}升",
        (
            Ask(
                "how many [liters|litres] [does it need|are needed|is that] for {d} km?|how much fuel is that for {d} km?",
                "行{d}千米要用多少升油？",
                lambda use, per, d: use / per * d,
            ),
            Ask(
                "fuel is {c} a liter. How much does a trip of {d} km cost?",
                "每升油{c}元，行{d}千米油费多少元？",
                lambda use, per, d, c: use / per * d * c,
            ),
        ),
        parts=1000,
    ),
    Story(
        {"a": count(2, 12), "b": count(6, 200), "c": count(3, 60)},
        "[a printer prints|a machine fills|{who} types|a baker bakes] {b} {made} in {a} minutes",
        "[一台机器|{who}]{a}分钟完成{b}{made}",
        (
            Ask(
                "how many {made} [is that|are done] in {c} minutes?",
                "{c}分钟完成多少{made}？",
                lambda a, b, c: b / a * c,
            ),
            Ask("how many {made} is that per minute?", "每分钟完成多少{made}？", lambda a, b: b / a),
        ),
        where=lambda a, b: (b / a).denominator == 1,
        cast={"made": (("pages", "页"), ("pieces", "个"), ("labels", "张"))},
    ),
    Story(
        {"n": count(3, 12), "t": money(2, 40), "one": price(1, 12)},
        "a pack of {n} {thing.many} [costs|is] {t} / a single {thing.one} [costs|is] {one}",
        "{n}{thing.unit}一包的{thing.zh}{t}元 / 单买一{thing.unit}{one}元",
        (
            Ask(
                "how much [more|dearer] is a single {thing.one} than one [from|of] the pack?",
                "单买一{thing.unit}比包里的一{thing.unit}贵多少元？",
                lambda n, t, one: one - t / n,
            ),
            Ask(
                "how much does one save with the pack?|how much cheaper is the pack than as many single ones?",
                "买一包比同样多的单买便宜多少元？",
                lambda n, t, one: n * one - t,
            ),
            Ask(
                "how much is one {thing.one} [from|in] the pack?",
                "包里的{thing.zh}每{thing.unit}多少元？",
                lambda n, t: t / n,
            ),
        ),
        where=lambda n, t, one: one < t < n * one,
        things=GOODS,
        parts=100,
        aside=False,
    ),
)
