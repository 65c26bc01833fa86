# ruff: noqa: E501 (a wording reads best in one line)
"""Buying and paying: prices, change, what is still needed, tickets, what it costs more or less."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import GOODS
from treequation.data.synthetic.stories.story import Ask, Story, bill, count, money, plain, price
from treequation.data.synthetic.vocabulary import DEAR_THINGS

STORIES = (
    Story(
        {"p": price(1, 25), "n": count(2, 15)},
        "[{thing.a}|one {thing.one}] [costs|is|sells for] {p}|{thing.many} are {p} each|the price of {thing.a} is {p}",
        "[一{thing.unit}{thing.zh}卖{p}元|{thing.zh}{p}元一{thing.unit}|每{thing.unit}{thing.zh}的价格是{p}元]",
        (
            Ask(
                "{who} [takes|buys|wants] {n}. How much [is that|does {who.he} pay]?|what is the price of {n}?|what do you pay for {n} of them?",
                "{n}{thing.unit}[要|需要|是]多少[元|钱]？|{who}买{n}{thing.unit}，花多少钱？",
                lambda p, n: p * n,
            ),
            Ask(
                "{n} {thing.many} at {p} [each|a piece]: [how much|total price]?|how much money do I need for {n} {thing.many} at {p} each?|if one {thing.one} is {p}, how much are {n}?",
                "{n}{thing.unit}{thing.zh}，单价{p}元，总价多少元？|单价{p}元，买{n}{thing.unit}{thing.zh}，多少钱？",
                lambda p, n: p * n,
                alone=True,
            ),
        ),
        things=GOODS,
        parts=100,
    ),
    Story(
        {"total": money(4, 180), "n": count(2, 12)},
        "{who} [paid|spent] {total} [on|for] {n} {thing.many} [that all cost the same|]|{n} {thing.many} cost {total} together",
        "{who}花{total}元买了{n}{thing.unit}[同样的|]{thing.zh}",
        (
            Ask(
                "[how much was|what was the price of] [one|a single] {thing.one}?|how much is that per {thing.one}?",
                "[每|一]{thing.unit}[{thing.zh}|]的价格是多少元？",
                lambda total, n: total / n,
            ),
            Ask(
                "{n} {thing.many} for {total}: how much per {thing.one}?|what does one {thing.one} cost if {n} cost {total}?",
                "{n}{thing.unit}{thing.zh}{total}元，一{thing.unit}多少钱？",
                lambda total, n: total / n,
                alone=True,
            ),
        ),
        things=GOODS,
        parts=4,
    ),
    Story(
        {"total": money(6, 200), "p": money(2, 25)},
        "[{thing.a}|each {thing.one}] costs {p} / {who} [spent|has] {total}",
        "每{thing.unit}{thing.zh}{p}元 / {who}[有|带了]{total}元",
        (
            Ask(
                "how many {thing.many} [does {who} get for it|is that|can {who.he} afford]?",
                "[能|可以]买多少{thing.unit}？",
                lambda total, p: total / p,
            ),
            Ask(
                "how many {thing.many} at {p} each can you get for {total}?|you have {total}. How many {thing.many} at {p} each is that?",
                "{total}元能买几{thing.unit}{p}元的{thing.zh}？",
                lambda total, p: total / p,
                alone=True,
            ),
        ),
        where=lambda total, p: total > p,
        things=GOODS,
        free=True,
    ),
    Story(
        {"p": price(2, 90), "b": bill()},
        "{who} [bought|got] {thing.a} [for|that cost] {p} / {who} paid with a {b} bill",
        "一{thing.unit}{thing.zh}{p}元 / {who}付了一张{b}元的[钞票|纸币]",
        (
            Ask(
                "how much change did {who} get [back|]?|what is the change?|how much money did the cashier give back?",
                "[应|要]找{who}多少元？|找回多少钱？",
                lambda p, b: b - p,
            ),
            Ask(
                "what change do you get from a {b} bill for something that costs {p}?|change from a {b} bill after paying {p}?",
                "用{b}元买{p}元的东西，找回几元？",
                lambda p, b: b - p,
                alone=True,
            ),
        ),
        where=lambda p, b: p < b,
        things=GOODS,
        parts=100,
    ),
    Story(
        {"n": count(2, 9), "p": price(1, 15), "b": bill()},
        "{who} [bought|took|ordered] {n} {thing.many} at {p} each and paid with a {b} bill",
        "{who}买了{n}{thing.unit}{thing.zh} / 每{thing.unit}{p}元 / 付了{b}元",
        (
            Ask(
                "how much change [did {who} get|was there]?|how much money [came|did {who} get] back?",
                "应找回多少元？|找回多少钱？",
                lambda n, p, b: b - n * p,
            ),
            Ask("how much did the {thing.many} cost [together|]?", "这些{thing.zh}一共多少元？", lambda n, p: n * p),
        ),
        where=lambda n, p, b: n * p < b,
        parts=100,
    ),
    Story(
        {"p": price(2, 40), "q": price(2, 40), "b": plain(50, 100)},
        "{who} [buys|picks] {thing.a} for {p} and {second.a} for {q}",
        "{who}买了一{thing.unit}{thing.zh}，{p}元 / 又买了一{second.unit}{second.zh}，{q}元",
        (
            Ask(
                "how much [is that|does that come to|do both cost] [together|]?|what does {who} have to pay?",
                "一共[花了|要付]多少元？",
                lambda p, q: p + q,
            ),
            Ask(
                "how much more than the {second.one} does the {thing.one} cost?|how much more expensive is the {thing.one}?",
                "{thing.zh}比{second.zh}贵多少元？",
                lambda p, q: p - q,
            ),
            Ask(
                "how much cheaper is the {thing.one} than the {second.one}?",
                "{thing.zh}比{second.zh}便宜多少元？",
                lambda p, q: q - p,
            ),
            Ask(
                "{who.he} pays with {b} dollars. How much does {who.he} get back?",
                "付出{b}元，应找回多少元？",
                lambda p, q, b: b - p - q,
            ),
        ),
        things=GOODS,
        parts=100,
    ),
    Story(
        {"p": money(60, 900), "h": money(20, 850)},
        "{who} [wants|dreams of|would like to buy] a {thing.one} [that costs|for] {p} / {who} [has saved|has put aside|owns] {h} so far",
        "{who}想买一{thing.unit}{p}元的{thing.zh} / [手上|已]有{h}元",
        (
            Ask(
                "how much is [still missing|missing]?|how much more must {who} save?",
                "还[差|缺]多少元？|还要存多少钱？",
                lambda p, h: p - h,
            ),
            Ask(
                "a {thing.one} is {p}, you have {h}. How much is missing?|how much short are you with {h} for a {thing.one} that costs {p}?",
                "{thing.zh}{p}元，我只有{h}元，差多少？",
                lambda p, h: p - h,
                alone=True,
            ),
        ),
        where=lambda p, h: h < p,
        things=DEAR_THINGS,
    ),
    Story(
        {"h": money(10, 200), "x": money(2, 150)},
        "{who} [had|went out with|took along] {h} / {who} [spent|paid] {x} [at the fair|for lunch|on a gift|at the bakery]",
        "{who}[带了|有]{h}元 / [吃午饭|买礼物|坐车]用去{x}元",
        (
            Ask(
                "how much does {who} have [then|after that]?|how much money remains?",
                "{who}还有多少钱？|剩下几元？",
                lambda h, x: h - x,
            ),
        ),
        where=lambda h, x: x < h,
    ),
    Story(
        {"h": money(10, 120), "x": money(2, 60), "y": money(2, 60)},
        "{who} had {h} / {who} [got|earned|was given] {x} [for helping a neighbor|as a present|from {other}] / {who} spent {y}",
        "{who}有{h}元 / {other}给了{x}元 / 后来用去{y}元",
        (
            Ask(
                "how much money [does {who} have in the end|is that now]?",
                "{who}最后有多少元？",
                lambda h, x, y: h + x - y,
            ),
            Ask(
                "how much money did {who} have before spending anything?",
                "没花钱之前{who}有多少元？",
                lambda h, x: h + x,
            ),
        ),
        where=lambda h, x, y: y < h + x,
    ),
    Story(
        {"total": money(12, 240), "n": count(2, 8)},
        "{n} [friends|people|roommates|sisters] [share|split] a bill of {total} [evenly|fairly]|a bill of {total} is split [evenly|] [by|between] {n} people",
        "{n}个人吃饭花了{total}元，费用平摊",
        (
            Ask(
                "how much does [each|everyone|each person] pay?|what is one person's share?",
                "每人付多少元？",
                lambda total, n: total / n,
            ),
        ),
        parts=2,
        aside=False,
    ),
    Story(
        {"c": money(2, 60), "p": money(4, 90), "n": count(2, 30)},
        "{who} buys {thing.many} for {c} each and sells them for {p} each",
        "{who}以每{thing.unit}{c}元买进{thing.zh} / 又以每{thing.unit}{p}元卖出",
        (
            Ask(
                "how much does {who} [earn|gain] on each {thing.one}?|what is the profit on one {thing.one}?",
                "每{thing.unit}赚多少元？",
                lambda c, p: p - c,
            ),
            Ask(
                "how much does {who} gain if {who.he} sells {n} {thing.many}?|what is the profit on {n} {thing.many}?",
                "卖{n}{thing.unit}赚多少元？",
                lambda c, p, n: (p - c) * n,
            ),
        ),
        where=lambda c, p: p > c,
        things=GOODS,
    ),
    Story(
        {"kids": count(2, 6), "p": money(3, 20), "b": count(2, 6), "q": money(3, 25), "one": plain(1)},
        "[entry|a ride|a day pass] is {p} for [kids|children] and {q} for grown-ups",
        "儿童票每张{p}元 / 成人票每张{q}元",
        (
            Ask(
                "what do {kids} kids and {one} grown-up pay [together|]?",
                "{kids}个儿童和{one}个成人一共付多少元？",
                lambda p, q, kids, one: kids * p + one * q,
            ),
            Ask(
                "what do {kids} kids and {b} grown-ups pay [together|in all]?",
                "{kids}个儿童和{b}个成人一共付多少元？",
                lambda p, q, kids, b: kids * p + b * q,
            ),
            Ask("how much more does a grown-up pay than a child?", "成人票比儿童票贵多少元？", lambda p, q: q - p),
            Ask("what do {kids} kids pay?", "{kids}个儿童付多少元？", lambda p, kids: kids * p),
        ),
        where=lambda p, q: p < q,
        aside=False,
    ),
    Story(
        {"fee": money(5, 60), "p": money(2, 40), "t": count(2, 12)},
        "[renting a boat|renting a bike|a plumber|a taxi] costs {fee} [plus|and then] {p} for every {unit}",
        "[租船|租车|请师傅]先付{fee}元 / 再按每{unit}{p}元付",
        (
            Ask(
                "how much is it for {t} {unit}s?|what do {t} {unit}s cost?",
                "{t}{unit}要付多少元？",
                lambda fee, p, t: fee + p * t,
            ),
        ),
        cast={"unit": (("hour", "小时"), ("day", "天"))},
    ),
    Story(
        {"old": money(4, 90), "new": money(3, 90)},
        "[a ticket|a haircut|a kilo of coffee|a large pizza] used to cost {old} / now it costs {new}",
        "[门票|理发|一千克咖啡]以前{old}元 / 现在{new}元",
        (
            Ask(
                "how much [dearer is it now|has it gone up|did the price rise]?",
                "涨了多少元？",
                lambda old, new: new - old,
            ),
            Ask(
                "how much cheaper is it now?|how much has the price fallen?",
                "便宜了多少元？",
                lambda old, new: old - new,
            ),
        ),
        where=lambda old, new: new < 2 * old and old < 2 * new,
    ),
)
