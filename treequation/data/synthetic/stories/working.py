# ruff: noqa: E501 (a wording reads best in one line)
"""Work that is shared: fewer hands take longer, two do it together, a tank fills while it leaks."""

from __future__ import annotations

from treequation.data.synthetic.stories.story import Ask, Story, count, digits

# Who works (plural, Chinese), at what, and in what time.
_WORKS = (
    ("workers", "名工人", "build a wall", "砌一面墙", "days", "天"),
    ("painters", "名油漆工", "paint a house", "粉刷一幢房子", "hours", "小时"),
    ("taps", "个水龙头", "fill a pool", "注满水池", "hours", "小时"),
    ("pumps", "台水泵", "empty a tank", "抽干水箱", "minutes", "分钟"),
    ("machines", "台机器", "finish an order", "完成订单", "days", "天"),
    ("cooks", "名厨师", "prepare a dinner", "准备晚餐", "hours", "小时"),
    ("trucks", "辆卡车", "carry the sand away", "运完沙子", "days", "天"),
)  # fmt: skip
_INVERSE = tuple(
    Story(
        {"a": count(2, 12), "t": count(2, 30), "b": count(2, 15), "u": count(2, 30)},
        f"{{a}} {hands} [{work}|can {work}|{work} together] in {{t}} {time}|{{a}} {hands} [need|take] {{t}} {time} to {work}|it takes {{a}} {hands} {{t}} {time} to {work}",
        f"{{a}}{zh_hands}{zh_work}[要|需要|用]{{t}}{zh_time}",
        (
            Ask(
                f"how [long|many {time}] [do|would] {{b}} {hands} [need|take]?|how many {time} does it take {{b}} {hands}?|in how many {time} do {{b}} {hands} {work}?",
                f"{{b}}{zh_hands}要多少{zh_time}？|如果有{{b}}{zh_hands}，几{zh_time}能完成？",
                lambda a, t, b: a * t / b,
            ),
            Ask(
                f"how many {hands} are needed to do it in {{u}} {time}?",
                f"要在{{u}}{zh_time}内完成，需要多少{zh_hands}？",
                lambda a, t, u: a * t / u,
            ),
            Ask(f"how long [does|would] one of them take [alone|]?|how many {time} is that for one alone?", "", lambda a, t: a * t),
        ),
        where=lambda a, b, t, u: a != b and t != u,
    )
    for hands, zh_hands, work, zh_work, time, zh_time in _WORKS
)  # fmt: skip

_TOGETHER = (
    Story(
        {"a": count(2, 30), "b": count(2, 30)},
        "{who} [paints|cleans|builds] [it|the fence|the shed] alone in {a} hours, {other} in {b} [hours|]|alone {who} [needs|takes] {a} hours for [a job|the garden], {other} {b} hours",
        "[一项工程|一批零件|一条路]，{who}单独做要{a}天，{other}单独做要{b}天|[一件工作|一条路]，甲队单独完成需{a}天，乙队单独完成需{b}天",
        (
            Ask(
                "how [long|many hours] do they [need|take] together?|in how many hours are they done together?",
                "{two}人合做要几天？|合作几天可以完成？",
                lambda a, b: 1 / (1 / a + 1 / b),
            ),
        ),
        where=lambda a, b: a != b and (a * b) % (a + b) == 0,
        named=True,
        aside=False,
    ),
    Story(
        {"v": digits(60, 2000, 10), "a": count(5, 60), "b": count(2, 40)},
        "[a tank|a pool|a pond|a barrel] [holds|takes|has room for] {v} liters / [water flows|water runs] in at {a} liters a minute and [flows|runs|leaks] out at {b}|it is filled with {a} liters a minute, but loses {b} liters a minute",
        "[水池|水箱]能装{v}升水 / 每分钟注入{a}升，同时每分钟流出{b}升",
        (
            Ask(
                "how long does it take to fill it?|after how many minutes is it full?|how many minutes until it is full?|when is it full?",
                "几分钟可以注满？|多少分钟后注满？",
                lambda v, a, b: v / (a - b),
            ),
            Ask(
                "how much more water is in it after a minute?|how much does it gain a minute?",
                "每分钟水增加多少升？",
                lambda a, b: a - b,
            ),
        ),
        where=lambda v, a, b: a > b + 1 and v > 5 * a,
    ),
    Story(
        {"a": count(3, 90), "b": count(2, 80), "t": count(2, 12)},
        "{who} [makes|packs|sorts|prints] {a} {thing.many} an hour, {other} {b}|in an hour {who} [packs|makes] {a} {thing.many} and {other} {b}",
        "{who}每小时做{a}{thing.unit}{thing.zh}，{other}每小时做{b}{thing.unit}",
        (
            Ask(
                "how many [do they make|are that|is that] [together|in all] in {t} hours?",
                "{t}小时{two}人一共做多少{thing.unit}？",
                lambda a, b, t: (a + b) * t,
            ),
            Ask(
                "how many more does {who} have than {other} after {t} hours?",
                "{t}小时{who}比{other}多做多少{thing.unit}？",
                lambda a, b, t: (a - b) * t,
            ),
        ),
        where=lambda a, b: a > b,
    ),
    Story(
        {"a": count(10, 90), "d": count(4, 40), "b": count(10, 90)},
        "{who} planned to [read|do|make|solve] {a} [pages|pieces|tasks] a day for {d} days / {who.he} [does|manages] {b} a day",
        "一批零件，计划每天做{a}个，{d}天做完 / 实际每天做{b}个",
        (
            Ask(
                "how many days does it take?|in how many days is {who.he} done?",
                "实际几天完成？|多少天做完？",
                lambda a, d, b: a * d / b,
            ),
            Ask(
                "how many days sooner is {who.he} done?|how many days does that save?",
                "提前几天完成？",
                lambda a, d, b: d - a * d / b,
            ),
        ),
        where=lambda a, b: b > a,
    ),
)

STORIES = (*_INVERSE, *_TOGETHER)
