# ruff: noqa: E501 (a wording reads best in one line)
"""So much each, or so much in some hours, and then the whole: baskets of goods, change, work and travel."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import GOODS
from treequation.data.synthetic.stories.story import Ask, Story, count, digits, money, plain, price

STORIES = (
    Story(
        {"n": count(2, 8), "p": price(1, 20), "m": count(2, 8), "q": price(1, 20), "b": plain(100, 200, 500)},
        "{who} [buys|orders|takes] {n} {thing.many} at {p} each and {m} {second.many} at {q} each",
        "{who}买了{n}{thing.unit}{thing.zh}，每{thing.unit}{p}元 / 又买了{m}{second.unit}{second.zh}，每{second.unit}{q}元",
        (
            Ask(
                "how much [is that|does it come to] [altogether|in all|]?|what is the total?",
                "[总共|一共]花了多少元？",
                lambda n, p, m, q: n * p + m * q,
            ),
            Ask("how much do the {thing.many} cost?", "买{thing.zh}花了多少元？", lambda n, p: n * p),
            Ask("how much do the {second.many} cost?", "买{second.zh}花了多少元？", lambda m, q: m * q),
            Ask(
                "how much change is there from {b} dollars?",
                "付{b}元，找回多少元？",
                lambda n, p, m, q, b: b - (n * p + m * q),
            ),
            Ask(
                "how much more do the {thing.many} cost than the {second.many}?",
                "买{thing.zh}比买{second.zh}多花多少元？",
                lambda n, p, m, q: n * p - m * q,
            ),
            Ask("how many things does {who} buy [in all|]?", "{who}一共买了多少件东西？", lambda n, m: n + m),
        ),
        parts=100,
        things=GOODS,
    ),
    Story(
        {"p": money(2, 15), "q": money(2, 15), "n": count(2, 9), "m": count(2, 9), "n2": count(2, 9)},
        "{thing.many} [are|cost] {p} each, {second.many} {q} each",
        "{thing.zh}每{thing.unit}{p}元 / {second.zh}每{second.unit}{q}元",
        (
            Ask(
                "what do {n} {thing.many} and {m} {second.many} cost [together|]?|how much is it for {n} {thing.many} and {m} {second.many}?",
                "买{n}{thing.unit}{thing.zh}和{m}{second.unit}{second.zh}要多少元？",
                lambda p, q, n, m: n * p + m * q,
            ),
            Ask(
                "what do {n} {thing.many} and one {second.one} cost?",
                "买{n}{thing.unit}{thing.zh}和一{second.unit}{second.zh}要多少元？",
                lambda p, q, n: n * p + q,
            ),
            Ask(
                "how much more are {n} {second.many} than {n2} {thing.many}?",
                "{n}{second.unit}{second.zh}比{n2}{thing.unit}{thing.zh}贵多少元？",
                lambda p, q, n, n2: n * q - n2 * p,
            ),
        ),
        things=GOODS,
    ),
    Story(
        {"h": money(20, 200), "n": count(2, 9), "p": money(2, 25)},
        "{who} [has|goes shopping with] {h} / {who} [buys|pays for] {n} {thing.many} at {p} each",
        "{who}带了{h}元 / 买了{n}{thing.unit}{thing.zh} / 每{thing.unit}{p}元",
        (
            Ask(
                "how much does {who} have after that?|how much money remains?",
                "{who}还有多少元？",
                lambda h, n, p: h - n * p,
            ),
            Ask("how much did the {thing.many} cost [together|]?", "买{thing.zh}花了多少元？", lambda n, p: n * p),
            Ask(
                "you have {h} and buy {n} {thing.many} at {p} each. What is left?",
                "有{h}元，买{n}{thing.unit}{p}元一{thing.unit}的{thing.zh}，剩几元？",
                lambda h, n, p: h - n * p,
                alone=True,
            ),
        ),
        where=lambda h, n, p: n * p < h,
        things=GOODS,
    ),
    Story(
        {"n": count(2, 9), "total": money(4, 120), "m": count(2, 15)},
        "{n} {thing.many} [cost|are] {total}",
        "{n}{thing.unit}{thing.zh}卖{total}元",
        (
            Ask(
                "[what|how much] do {m} [of them|{thing.many}] cost?|how much is it for {m}?",
                "买{m}{thing.unit}要花多少元？",
                lambda n, total, m: total / n * m,
            ),
            Ask(
                "if {n} {thing.many} are {total}, what are {m}?|{n} for {total}. How much for {m}?",
                "{n}{thing.unit}{total}元，{m}{thing.unit}多少钱？",
                lambda n, total, m: total / n * m,
                alone=True,
            ),
        ),
        where=lambda n, total: (total / n).denominator == 1,
        things=GOODS,
    ),
    Story(
        {"t": count(2, 9), "made": count(6, 300), "u": count(2, 15)},
        "[in|within] {t} hours {who} [makes|packs|sorts|wraps] {made} {thing.many}",
        "{who}{t}小时[做|包装|整理]{made}{thing.unit}{thing.zh}",
        (
            Ask(
                "how many {thing.many} is that in {u} hours [at the same speed|at this rate|]?",
                "照这样的速度，{u}小时能做多少{thing.unit}？",
                lambda t, made, u: made / t * u,
            ),
            Ask(
                "how many {thing.many} is that per hour?|how many {thing.many} in one hour?",
                "每小时多少{thing.unit}？",
                lambda t, made: made / t,
            ),
        ),
        where=lambda t, made: (made / t).denominator == 1,
    ),
    Story(
        {"t": count(2, 9), "s": digits(10, 900), "u": count(2, 12)},
        "[a tram|a coach|a boat|a freight train] needs {t} hours for {s} km",
        "一[辆客车|艘轮船]走{s}千米用{t}小时",
        (
            Ask(
                "how many km does it cover in {u} hours [at the same speed|]?|how far does it get in {u} hours?",
                "同样的速度，{u}小时走多少千米？",
                lambda t, s, u: s / t * u,
            ),
        ),
        where=lambda t, s: (s / t).denominator == 1 and 20 <= s / t <= 110,
    ),
    Story(
        {"n": count(2, 9), "made": count(6, 200), "m": count(2, 12)},
        "{n} [bakers|painters|machines|printers|gardeners] [finish|do] {made} [pieces|items] a day",
        "{n}台机器一天生产{made}个零件",
        (
            Ask(
                "how many do {m} [of them|] finish [a day|in a day|]?",
                "{m}台这样的机器一天生产多少个？",
                lambda n, made, m: made / n * m,
            ),
            Ask("how many does [one|each] of them finish?", "每台一天生产多少个？", lambda n, made: made / n),
        ),
        where=lambda n, made: (made / n).denominator == 1,
        aside=False,
    ),
)
