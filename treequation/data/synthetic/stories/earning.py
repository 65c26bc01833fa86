# ruff: noqa: E501 (a wording reads best in one line)
"""Money earned and saved, prices cut and raised."""

from __future__ import annotations

from treequation.data.synthetic.stories.story import Ask, Story, count, money, percent, reduced, share
from treequation.data.synthetic.vocabulary import DEAR_THINGS

STORIES = (
    Story(
        {"wage": money(8, 60), "t": count(2, 12), "d": count(2, 7)},
        "{who} [earns|gets|makes] {wage} [an hour|per hour|for each hour of work] / {who} works {t} hours [a day|every day]",
        "{who}每小时挣{wage}元 / 每天工作{t}小时",
        (
            Ask(
                "how much [is that a day|does {who} make in a day|is that per day]?",
                "一天挣多少元？",
                lambda wage, t: wage * t,
            ),
            Ask(
                "how much is that in {d} days?|how much does {who} make in {d} days?",
                "{d}天挣多少元？",
                lambda wage, t, d: wage * t * d,
            ),
            Ask("how many hours does {who} work in {d} days?", "{d}天工作多少小时？", lambda t, d: t * d),
        ),
    ),
    Story(
        {"total": money(20, 600), "t": count(2, 15)},
        "{who} [got|was paid|made] {total} for {t} hours [of work|]",
        "{who}工作{t}小时得到{total}元",
        (
            Ask(
                "what is {who.his} hourly [wage|pay]?|how much is that [an hour|for one hour]?",
                "[平均|]每小时多少元？",
                lambda total, t: total / t,
            ),
        ),
        where=lambda total, t: total > 4 * t,
    ),
    Story(
        {"s": money(2, 60), "n": count(2, 20), "cats": count(2, 9)},
        "{who} [puts|puts aside|saves] {s} [every|each|per] {period} / {other} has {cats} [dogs|fish|birds|hamsters]",
        "{who}每{period}存{s}元 / {other}养了{cats}只[狗|鸟|仓鼠]",
        (
            Ask(
                "how much [is that|has {who} put aside|has {who} saved] after {n} {period}s?",
                "{n}{period}后{who}存了多少元？",
                lambda s, n: s * n,
            ),
        ),
        cast={"period": (("week", "个星期"), ("day", "天"))},
        aside=False,
    ),
    Story(
        {"goal": money(20, 600), "s": money(2, 50)},
        "{who} [needs|wants to save] {goal} and [saves|sets aside] {s} [a|every|each] {period}",
        "{who}要存够{goal}元 / 每{period}存{s}元",
        (
            Ask(
                "how many {period}s does [it|that] take?|after how many {period}s is that enough?",
                "需要存几{period}？",
                lambda goal, s: goal / s,
            ),
        ),
        where=lambda goal, s: goal > s,
        cast={"period": (("week", "个星期"), ("day", "天"))},
    ),
    Story(
        {"p": money(60, 900, 10), "off": percent(10, 75)},
        "a {thing.one} costs {p} [normally|] / [today|now|in the sale] [it is {off} off|you get {off} off|its price is cut by {off}]",
        "一{thing.unit}{thing.zh}原价{p}元 / [现在|促销时]降价{off}",
        (
            Ask(
                "[what is the new price|what does it cost now|how much is it now]?",
                "现价多少元？|现在卖多少元？",
                lambda p, off: p * (1 - off),
            ),
            Ask(
                "how much [do you save|cheaper is it|money is that off]?|how many dollars off is that?",
                "便宜了多少元？",
                lambda p, off: p * off,
            ),
            Ask(
                "{p} with {off} off is how much?|what do I pay for a {thing.one} of {p} with {off} off?",
                "{p}元降价{off}是多少元？",
                lambda p, off: p * (1 - off),
                alone=True,
            ),
        ),
        things=DEAR_THINGS,
        parts=2,
    ),
    Story(
        {"p": money(20, 900, 10), "up": percent(5, 50)},
        "[the rent|a monthly pass|a course|a subscription] was {p} / [it|the price] [goes up|rises|increases] by {up}",
        "[房租|月票|课程]原来是{p}元 / [涨了|提高了|上涨]{up}",
        (
            Ask(
                "[what is it now|how much is it then|what is the new price]?",
                "现在是多少元？",
                lambda p, up: p * (1 + up),
            ),
            Ask("[by how much|by how many dollars] does it go up?", "涨了多少元？", lambda p, up: p * up),
        ),
        parts=2,
    ),
    Story(
        {"p": money(60, 400, 4), "half": share("1/2", "1/4", "1/2")},
        "a {thing.one} [normally|usually] costs {p} / [this week|today] it is {half} off",
        "一{thing.unit}{thing.zh}{p}元 / [今天|这周]便宜{half}",
        (
            Ask("[what is the price now|how much is it now]?", "现在多少元？", lambda p, half: p - p * half),
            Ask("how much money [is saved|do you save]?", "省了多少元？", lambda p, half: p * half),
        ),
        things=DEAR_THINGS,
    ),
    Story(
        {"p": money(60, 400), "off": money(2, 60)},
        "a {thing.one} costs {p} / [with a coupon|with a voucher|on sale] it is {off} [cheaper|less]",
        "一{thing.unit}{thing.zh}{p}元 / 用优惠券便宜{off}元",
        (
            Ask(
                "what is [the price|to pay] [then|]?|how much is it with that?",
                "[实际|]要付多少元？",
                lambda p, off: p - off,
            ),
        ),
        where=lambda p, off: off < p,
        things=DEAR_THINGS,
    ),
    Story(
        {"p": money(40, 900, 20), "k": reduced()},
        "a {thing.one} [normally|usually] costs {p} / [in the sale|today|for members] it costs [only|] {k} of that",
        "一{thing.unit}{thing.zh}[标价|原来卖]{p}元 / [现在|会员]打{k}[出售|]",
        (
            Ask(
                "how much is it [then|now]?|what do you pay [then|now]?",
                "[打折后|折后]卖多少元？|[实付|只要]多少元？",
                lambda p, k: p * k,
            ),
            Ask(
                "how much do you save?|how much cheaper is that?",
                "[比原来|]便宜多少元？|省下多少元？",
                lambda p, k: p - p * k,
            ),
            Ask(
                "what is the price of a {thing.one} of {p} at {k} of its price?",
                "{p}元的{thing.zh}打{k}是多少元？",
                lambda p, k: p * k,
                alone=True,
            ),
        ),
        things=DEAR_THINGS,
        parts=100,
        aside=False,
    ),
    Story(
        {"p": money(10, 200, 2), "tip": percent(5, 25)},
        "[a meal|dinner|lunch|the bill] comes to {p} / {who} [adds|leaves] a {tip} tip",
        "吃饭花了{p}元 / 另加{tip}的服务费",
        (
            Ask("how much is the tip?|how much tip is that?", "服务费是多少元？", lambda p, tip: p * tip),
            Ask(
                "how much is that in all?|what does {who} pay with the tip?",
                "一共付多少元？",
                lambda p, tip: p + p * tip,
            ),
        ),
        parts=100,
    ),
)
