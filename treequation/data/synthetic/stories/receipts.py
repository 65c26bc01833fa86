# ruff: noqa: E501 (a wording reads best in one line)
"""Several things bought at once, and bills with a tip, a discount or a fee: what all of it costs, what is left, what each pays."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import GOODS
from treequation.data.synthetic.stories.story import (
    Ask,
    Story,
    count,
    decimal,
    money,
    percent,
    plain,
    price,
    reduced,
)
from treequation.data.synthetic.vocabulary import DEAR_THINGS

_EXTRAS = (
    ("a bag", "一个袋子"),
    ("a calendar", "一本日历"),
    ("a pair of socks", "一双袜子"),
    ("a pot", "一口锅"),
    ("a belt", "一条腰带"),
    ("a jar of honey", "一罐蜂蜜"),
)
_OUTINGS = (("a cinema ticket", "电影票"), ("a boat trip", "船票"), ("the entrance", "门票"), ("the ride", "车费"))
_SNACKS = (("popcorn", "爆米花"), ("an ice cream", "冰淇淋"), ("a drink", "饮料"), ("a snack", "点心"))

_RECEIPTS = (
    Story(
        {
            "n": count(2, 8),
            "p": price(1, 15),
            "m": count(2, 8),
            "q": price(1, 15),
            "r": price(3, 40),
            "b": plain(100, 200, 500),
        },
        "{who} [buys|takes|orders] {n} {thing.many} at {p}, {m} {second.many} at {q} and {extra} for {r}|{who} [buys|gets] {n} {thing.many} for {p} each, {m} {second.many} for {q} each and {extra} that costs {r}",
        "{who}买了{n}{thing.unit}{thing.zh}，每{thing.unit}{p}元，买了{m}{second.unit}{second.zh}，每{second.unit}{q}元，还买了{extra}，{r}元|{who}买了{n}{thing.unit}{p}元的{thing.zh}、{m}{second.unit}{q}元的{second.zh}和{extra}，后者{r}元",
        (
            Ask(
                "how much [is that|does {who} pay|does it all cost|does {who.he} spend] [altogether|in all|]?|what does {who.he} pay?|what is the total?",
                "一共[要付|花了|是]多少元？",
                lambda n, p, m, q, r: n * p + m * q + r,
            ),
            Ask(
                "how much do the {thing.many} and the {second.many} cost together?",
                "{thing.zh}和{second.zh}共多少元？",
                lambda n, p, m, q: n * p + m * q,
            ),
            Ask(
                "how much is left of {b} dollars?|how much change does {who} get from {b} dollars?",
                "付{b}元，找回多少元？",
                lambda n, p, m, q, r, b: b - (n * p + m * q + r),
            ),
        ),
        things=GOODS,
        cast={"extra": _EXTRAS},
        parts=100,
        aside=False,
    ),
    Story(
        {"n": count(2, 9), "p": price(1, 20), "r": price(3, 40), "b": plain(50, 100, 200)},
        "{who} [buys|takes] {n} {thing.many} at {p} each and {extra} for {r}|{who} [buys|needs] {extra} for {r} and {n} {thing.many} that cost {p} each",
        "{who}买{n}{thing.unit}{thing.zh}，每{thing.unit}{p}元，再买{extra}，{r}元|{who}买了{n}{thing.unit}{p}元的{thing.zh}和{extra}，后者{r}元",
        (
            Ask(
                "how much [is that|does {who} pay|does it cost] [altogether|in total|]?|what is the bill?",
                "一共要付多少元？",
                lambda n, p, r: n * p + r,
            ),
            Ask(
                "{who.he} has {b} dollars. How much is left?|how much remains of {b} dollars?",
                "{who}带了{b}元，还剩多少元？",
                lambda n, p, r, b: b - (n * p + r),
            ),
            Ask(
                "how much more than the {thing.many} does the last thing cost?|by how much is the single thing dearer than all {thing.many}?",
                "",
                lambda n, p, r: r - n * p,
            ),
        ),
        things=GOODS,
        cast={"extra": _EXTRAS},
        parts=100,
        aside=False,
    ),
    Story(
        {"h": money(20, 300, 5), "n": count(2, 6), "p": money(3, 40), "r": money(3, 40)},
        "I [have|had|went out with] {h} / I [buy|bought] {n} {thing.many} [at|for] {p} each and {extra} for {r}",
        "我[有|带了]{h}元 / 买了{n}{thing.unit}{p}元的{thing.zh}，又花{r}元买了{extra}|买{thing.zh}{n}{thing.unit}，每{thing.unit}{p}元，又买{extra}，{r}元",
        (
            Ask(
                "how much [is left|money do I have left|have I left]?|what is left?",
                "还剩多少元？|我还有多少钱？",
                lambda h, n, p, r: h - (n * p + r),
            ),
            Ask("how much [is that|did I spend] [in all|]?", "一共花了多少元？", lambda n, p, r: n * p + r),
            Ask("how much are the {thing.many}?", "买{thing.zh}花了多少元？", lambda n, p: n * p),
        ),
        where=lambda h, n, p, r: n * p + r < h,
        things=GOODS,
        cast={"extra": _EXTRAS},
        aside=False,
    ),
    Story(
        {"n": count(2, 8), "b": money(10, 100, 5), "c": money(1, 12)},
        "[I|we] paid for {n} {thing.many} with {b} and got {c} back|{who} pays for {n} {thing.many} with {b} and gets {c} back",
        "{who}用{b}元买了{n}{thing.unit}{thing.zh} / 找回{c}元",
        (
            Ask(
                "what did [one|each] {thing.one} cost?|how much was [one|each] {thing.one}?|what is the price of one {thing.one}?",
                "每{thing.unit}{thing.zh}多少元？",
                lambda n, b, c: (b - c) / n,
            ),
            Ask(
                "how much were the {thing.many} together?|how much was the bill?",
                "这些{thing.zh}共多少元？",
                lambda b, c: b - c,
            ),
        ),
        where=lambda b, c: c < b,
        things=GOODS,
        parts=2,
        aside=False,
    ),
    Story(
        {"n": count(3, 8), "x": money(4, 40), "y": money(2, 30)},
        "[{n} friends go out|there are {n} of us|we are {n} people|{n} of us go out] / each [of us|person] pays {x} for {outing} and {y} for {snack}",
        "{n}个人出去玩 / 每人[付|花]{x}元买{outing}，{y}元买{snack}",
        (
            Ask(
                "how much [is that|do we pay|does it cost] [together|in all|altogether]?",
                "一共花了多少元？",
                lambda n, x, y: n * (x + y),
            ),
            Ask(
                "how much does [one|each] [person|] pay?|how much is it per person?",
                "每人花多少元？",
                lambda x, y: x + y,
            ),
            Ask("how much do we pay for {snack} [in all|alone]?", "买{snack}一共花了多少元？", lambda n, y: n * y),
        ),
        cast={"outing": _OUTINGS, "snack": _SNACKS},
        aside=False,
    ),
)

_BILLS = (
    Story(
        {"n": count(2, 8), "t": money(20, 400, 4), "tip": percent(5, 25, 5)},
        "{n} [friends|people|colleagues] [have dinner|go out for lunch|eat out]|[they|we] are {n} [friends|people] / the bill is {t} and [they|we] add a {tip} tip|[dinner|lunch|the meal] [was|costs] {t}, and there is a {tip} tip",
        "{n}个人吃饭 / 餐费{t}元，另加{tip}的服务费",
        (
            Ask(
                "how much does [each|each of them|each person|everyone] pay [if they split it evenly|]?|what is one person's share?",
                "平均每人付多少元？",
                lambda n, t, tip: (t + t * tip) / n,
            ),
            Ask(
                "how much is [it|the bill] with the tip?|how much is paid in all?",
                "一共要付多少元？",
                lambda t, tip: t + t * tip,
            ),
            Ask("how much is the tip?", "服务费是多少元？", lambda t, tip: t * tip),
            Ask("how much is it for each without the tip?", "不算服务费，平均每人多少元？", lambda n, t: t / n),
        ),
        parts=100,
        aside=False,
    ),
    Story(
        {"n": count(2, 6), "p": money(40, 600, 10), "off": percent(10, 50, 5)},
        "{n} [friends|sisters|neighbors] buy {thing.a} [together|] / it costs {p}, but there is {off} off",
        "{n}个人合买一{thing.unit}{thing.zh} / 原价{p}元，[便宜|优惠]{off}",
        (
            Ask("how much does each [of them|] pay?", "每人付多少元？", lambda n, p, off: p * (1 - off) / n),
            Ask("how much do they pay [in all|together]?", "一共付多少元？", lambda p, off: p * (1 - off)),
            Ask("how much do they save?", "便宜了多少元？", lambda p, off: p * off),
        ),
        things=DEAR_THINGS,
        parts=100,
        aside=False,
    ),
    Story(
        {"n": count(2, 6), "p": money(20, 300, 10), "rest": reduced()},
        "{thing.a} [costs|is] {p}, and in the sale it is {rest} of that",
        "一{thing.unit}{thing.zh}原价{p}元，现在打{rest}",
        (
            Ask("what do {n} cost in the sale?", "{who}买{n}{thing.unit}要付多少元？", lambda p, rest, n: p * rest * n),
            Ask("what is the price in the sale?", "现在一{thing.unit}多少元？", lambda p, rest: p * rest),
            Ask("how much does one save?", "买一{thing.unit}便宜了多少元？", lambda p, rest: p - p * rest),
        ),
        things=DEAR_THINGS,
        parts=100,
        aside=False,
    ),
    Story(
        {"p": money(40, 600, 10), "c": money(5, 60, 5), "off": percent(5, 50, 5)},
        "{thing.a} [costs|is] {p} / {who} has a coupon for {c} and then gets {off} off the rest",
        "一{thing.unit}{thing.zh}{p}元 / {who}先用了{c}元的优惠券，余下的再减{off}",
        (
            Ask("how much does {who} pay?", "{who}要付多少元？", lambda p, c, off: (p - c) * (1 - off)),
            Ask("how much is it with the coupon alone?", "只用优惠券要付多少元？", lambda p, c: p - c),
        ),
        where=lambda p, c: c < p,
        things=DEAR_THINGS,
        parts=100,
        aside=False,
    ),
    Story(
        {"fee": money(20, 90, 5), "p": money(10, 70, 5), "t": decimal(0, 6), "x": money(5, 90)},
        "[a plumber|an electrician|a mechanic|a painter] [charges|takes] {fee} for [the visit|coming] and {p} [per|an|for each] hour",
        "[水管工|电工|修理工]上门费{fee}元 / 每小时{p}元",
        (
            Ask(
                "what does a job of {t} hours cost?|how much is it for {t} hours [of work|]?",
                "干{t}小时要付多少元？",
                lambda fee, p, t: fee + p * t,
            ),
            Ask(
                "the job takes {t} hours and {x} of material. How much is that [in all|]?",
                "干了{t}小时，材料{x}元，一共要付多少元？",
                lambda fee, p, t, x: fee + p * t + x,
            ),
        ),
        parts=10,
    ),
)

STORIES = (*_RECEIPTS, *_BILLS)
