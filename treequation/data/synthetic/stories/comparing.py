# ruff: noqa: E501 (a wording reads best in one line)
"""Two amounts compared: how many more, how many times, and one known through the other."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import DEEDS
from treequation.data.synthetic.stories.story import Ask, Story, count, digits, money, plain, share, times

_ANIMALS = (("ducks", "鸭子"), ("hens", "母鸡"), ("rabbits", "兔子"))
_OTHER_ANIMALS = (("geese", "鹅"), ("goats", "山羊"), ("sheep", "绵羊"))

STORIES = (
    Story(
        {"n": count(3, 60), "k": times(2, 6)},
        "[there are|a farm has] {k} as many {x} as {y} [on the pond|on the farm|in the barn|] / [there are|it has] {n} {y}",
        "农场里{x}的只数是{y}的{k}倍 / {y}有{n}只",
        (
            Ask("how many {x} are there?|what is the number of {x}?", "{x}有多少只？", lambda n, k: n * k),
            Ask(
                "how many {x} and {y} are there [altogether|together|in all]?",
                "{x}和{y}一共有多少只？",
                lambda n, k: n * k + n,
            ),
            Ask("how many more {x} than {y} are there?", "{x}比{y}多多少只？", lambda n, k: n * k - n),
        ),
        cast={"x": _ANIMALS, "y": _OTHER_ANIMALS},
        free=True,
    ),
    Story(
        {"n": count(3, 60), "k": times(2, 5)},
        "{other} {did.past} {n} {thing.many} / {who} {did.past} {k} as many [{thing.many}|]",
        "{other}{did.zh}{n}{thing.unit}{thing.zh} / {who}的{thing.zh}数是{other}的{k}倍",
        (
            Ask(
                "how many {thing.many} is that for {who}?|how many {thing.many} did {who} {did.base}?|what is {who}'s number of {thing.many}?",
                "{who}有多少{thing.unit}？|{who}的{thing.zh}有几{thing.unit}？",
                lambda n, k: n * k,
            ),
            Ask(
                "how many {thing.many} is that for both together?|how many {thing.many} did they {did.base} [altogether|in all|together]?",
                "{two}人合起来有多少{thing.unit}{thing.zh}？",
                lambda n, k: n + n * k,
            ),
        ),
        cast={"did": DEEDS},
    ),
    Story(
        {"n": count(3, 60), "k": times(2, 5)},
        "{who} {did.past} {k} as many {thing.many} as {other} [did|] / {other} {did.past} {n}[ {thing.many}|]",
        "{who}的{thing.zh}是{other}的{k}倍 / {other}{did.zh}{n}{thing.unit}",
        (
            Ask(
                "how many {thing.many} is that for {who}?|how many {thing.many} did {who} {did.base}?|work out {who}'s number of {thing.many}.",
                "求{who}有多少{thing.unit}{thing.zh}。|那么{who}有几{thing.unit}？",
                lambda n, k: n * k,
            ),
            Ask(
                "{other} has {n} {thing.many}, {who} has {k} as many. How many has {who}?|how many {thing.many} are {k} as many as {n}?",
                "{n}{thing.unit}的{k}倍是多少{thing.unit}？|{other}{n}{thing.unit}，{who}是{other}的{k}倍，{who}几{thing.unit}？",
                lambda n, k: n * k,
                alone=True,
            ),
        ),
        cast={"did": DEEDS},
    ),
    Story(
        {"big": count(6, 150), "k": times(2, 9)},
        "{who} {did.past} {big} {thing.many}, [which is|that is] {k} as many as {other}",
        "{who}{did.zh}{big}{thing.unit}{thing.zh}，是{other}的{k}倍",
        (
            Ask(
                "how many {thing.many} [does that make for {other}|are {other}'s]?",
                "{other}有多少{thing.unit}？",
                lambda big, k: big / k,
            ),
        ),
        cast={"did": DEEDS},
    ),
    Story(
        {"big": count(8, 120), "small": count(2, 30)},
        "{who} {did.past} {big} {thing.many} and {other} [only|] {small}",
        "{who}{did.zh}{big}{thing.unit}{thing.zh} / {other}{did.zh}{small}{thing.unit}",
        (
            Ask(
                "how many times as many is that?|how many times {other}'s number is {who}'s?",
                "{who}的是{other}的几倍？",
                lambda big, small: big / small,
            ),
            Ask(
                "how many {thing.many} is {other} behind?|by how many {thing.many} does {who} lead?",
                "{other}比{who}少多少{thing.unit}？",
                lambda big, small: big - small,
            ),
            Ask(
                "how many is that for both of them?|what do they get together?",
                "{two}人一共有多少{thing.unit}？",
                lambda big, small: big + small,
            ),
        ),
        where=lambda big, small: big > small,
        cast={"did": DEEDS},
    ),
    Story(
        {"n": count(5, 90), "d": count(2, 40)},
        "{who} {did.past} {n} {thing.many} / {other} {did.past} {d} more [than {who}|than that]",
        "{who}{did.zh}{n}{thing.unit}{thing.zh} / {other}比{who}多{d}{thing.unit}",
        (
            Ask(
                "how many {thing.many} is that for {other}?|how many {thing.many} did {other} {did.base}?",
                "{other}有多少{thing.unit}？",
                lambda n, d: n + d,
            ),
            Ask(
                "how many {thing.many} is that for both [of them|]?|how many {thing.many} did they {did.base} [altogether|in all|together]?",
                "{two}人共有多少{thing.unit}？",
                lambda n, d: n + (n + d),
            ),
        ),
        cast={"did": DEEDS},
    ),
    Story(
        {"n": count(8, 90), "d": count(2, 40)},
        "{who} {did.past} {n} {thing.many} / {other} {did.past} {d} fewer [than {who}|than that|]",
        "{who}{did.zh}{n}{thing.unit}{thing.zh} / {other}比{who}少{d}{thing.unit}",
        (
            Ask(
                "how many {thing.many} is that for {other}?|how many {thing.many} did {other} {did.base}?",
                "{other}有几{thing.unit}？",
                lambda n, d: n - d,
            ),
            Ask(
                "how many {thing.many} is that for both [of them|together]?|how many {thing.many} did they {did.base} [altogether|in all|together]?",
                "{two}人总共有多少{thing.unit}？",
                lambda n, d: n + (n - d),
            ),
        ),
        where=lambda n, d: d < n - 1,
        cast={"did": DEEDS},
    ),
    Story(
        {"n": count(8, 90), "d": count(2, 40)},
        "{who} {did.past} {n} {thing.many}, {d} more than {other}|{who} {did.past} {d} more {thing.many} than {other}, namely {n}",
        "{who}{did.zh}{n}{thing.unit}{thing.zh} / 比{other}多{d}{thing.unit}",
        (
            Ask(
                "how many {thing.many} is that for {other}?|how many {thing.many} did {other} {did.base}?",
                "{other}有多少{thing.unit}？",
                lambda n, d: n - d,
            ),
        ),
        where=lambda n, d: d < n - 1,
        cast={"did": DEEDS},
    ),
    Story(
        {"n": count(5, 90), "d": count(2, 40)},
        "{who} {did.past} {n} {thing.many}, {d} fewer than {other}|{who} {did.past} {n} {thing.many}, which is {d} less than {other}",
        "{who}{did.zh}{n}{thing.unit}{thing.zh} / 比{other}少{d}{thing.unit}",
        (
            Ask(
                "how many {thing.many} is that for {other}?|how many {thing.many} did {other} {did.base}?",
                "{other}有多少{thing.unit}？",
                lambda n, d: n + d,
            ),
        ),
        cast={"did": DEEDS},
    ),
    Story(
        {"n": count(4, 96), "f": share("1/2", "1/3", "1/4", "1/2")},
        "{who} {did.past} {n} {thing.many} / {other} {did.past} {f} as many",
        "{who}{did.zh}{n}{thing.unit}{thing.zh} / {other}的是{who}的{f}",
        (
            Ask(
                "how many {thing.many} is that for {other}?|how many {thing.many} did {other} {did.base}?",
                "{other}有多少{thing.unit}？",
                lambda n, f: n * f,
            ),
            Ask(
                "how many {thing.many} is that for both [together|]?|how many {thing.many} did they {did.base} [altogether|in all|together]?",
                "{two}人一共有多少{thing.unit}？",
                lambda n, f: n + n * f,
            ),
        ),
        cast={"did": DEEDS},
    ),
    Story(
        {"a": digits(20, 90), "b": digits(3, 60)},
        "{who} is {a} [years old|] and {other} is {b}",
        "{who}今年{a}岁 / {other}今年{b}岁",
        (
            Ask(
                "how many years younger is {other}?|what is the age difference?|what is the difference between their ages?",
                "{other}比{who}小多少岁？|他们相差几岁？",
                lambda a, b: a - b,
            ),
            Ask(
                "what do their ages add up to?|what is their total age?", "他们的年龄加起来是多少？", lambda a, b: a + b
            ),
        ),
        where=lambda a, b: b < a,
        aside=False,
        named=True,
    ),
    Story(
        {"a": digits(5, 40), "n": count(2, 25)},
        "{who} is {a} years old [now|today|]",
        "{who}今年{a}岁",
        (
            Ask(
                "[how old|what age] will {who.he} be {n} years from now?|how old is {who} in {n} years?",
                "再过{n}年，{who}多少岁？",
                lambda a, n: a + n,
            ),
            Ask("how old was {who.he} {n} years ago?", "{n}年前{who}几岁？", lambda a, n: a - n),
            Ask(
                "{who} turns {a} today. How old was {who.he} {n} years ago?",
                "{who}{a}岁，{n}年前多少岁？",
                lambda a, n: a - n,
                alone=True,
            ),
        ),
        aside=False,
        named=True,
    ),
    Story(
        {"a": digits(4, 15), "d": count(2, 35)},
        "{who} is {a} / {other} is {d} years older",
        "{who}{a}岁 / {other}比{who}大{d}岁",
        (
            Ask("how old is {other}?", "{other}几岁？", lambda a, d: a + d),
            Ask("how old are [they|both] together?", "{two}人共多少岁？", lambda a, d: a + (a + d)),
        ),
        aside=False,
        named=True,
    ),
    Story(
        {"a": digits(30, 70), "k": times(2, 9)},
        "{who} is {a} years old and {k} as old as {other}",
        "{who}今年{a}岁 / 年龄是{other}的{k}倍",
        (Ask("how old is {other}?|what is {other}'s age?", "{other}几岁？", lambda a, k: a / k),),
        aside=False,
        named=True,
    ),
    Story(
        {"a": digits(90, 200), "b": digits(80, 195)},
        "{who} is {a} cm tall / {other} is {b} cm [tall|]",
        "{who}身高{a}厘米 / {other}身高{b}厘米",
        (
            Ask(
                "how many cm taller is {who}?|how much taller than {other} is {who}?",
                "{who}比{other}高多少厘米？",
                lambda a, b: a - b,
            ),
            Ask(
                "how many cm shorter is {who}?|by how many cm is {other} taller?",
                "{who}比{other}矮多少厘米？",
                lambda a, b: b - a,
            ),
        ),
        free=True,
        named=True,
    ),
    Story(
        {"a": count(40, 900), "b": count(30, 850)},
        "{who} got {a} votes and {other} got {b} [votes|]",
        "{who}得了{a}票 / {other}得了{b}票",
        (
            Ask(
                "by how many votes did {who} win?|how many votes more did {who} get?",
                "{who}多得了多少票？",
                lambda a, b: a - b,
            ),
            Ask("how many votes were given [in total|altogether]?", "一共投了多少票？", lambda a, b: a + b),
        ),
        aside=False,
    ),
    Story(
        {"a": money(5, 90), "b": money(5, 90)},
        "in one shop {thing.a} costs {a} and in another {b}",
        "同样的{thing.zh}，甲店卖{a}元 / 乙店卖{b}元",
        (
            Ask(
                "how much [cheaper is it in the other shop|do you save in the other shop]?",
                "乙店比甲店便宜多少元？",
                lambda a, b: a - b,
            ),
            Ask("how much more does it cost in the other shop?", "乙店比甲店贵多少元？", lambda a, b: b - a),
        ),
    ),
    Story(
        {"a": count(15, 300), "b": count(15, 300), "c": count(15, 300)},
        "the North team has {a} members, the South team {b} and the East team {c}",
        "甲队有{a}人 / 乙队有{b}人 / 丙队有{c}人",
        (
            Ask(
                "how many more [people|] are in the North team than in the South team?",
                "甲队比乙队多多少人？",
                lambda a, b: a - b,
            ),
            Ask(
                "how many more [people|] are in the East team than in the South team?",
                "丙队比乙队多多少人？",
                lambda b, c: c - b,
            ),
            Ask(
                "how many [people|] are in the North team and the East team together?",
                "甲队和丙队一共有多少人？",
                lambda a, c: a + c,
            ),
            Ask(
                "how many fewer [people|] are in the North team than in the East team?",
                "甲队比丙队少多少人？",
                lambda a, c: c - a,
            ),
        ),
        aside=False,
    ),
    Story(
        {"older": plain(12, 14, 15, 16, 18), "sum": count(20, 60)},
        "{who} and {other} are {sum} years old together / {who} is {older}",
        "{who}和{other}的年龄和是{sum}岁 / {who}{older}岁",
        (Ask("how old is {other}?|what is {other}'s age?", "{other}多少岁？", lambda older, sum: sum - older),),
        where=lambda older, sum: sum > older + 1,
        aside=False,
        named=True,
    ),
)
