# ruff: noqa: E501 (a template reads best in one line)
"""Buying and saving: prices, baskets, change, weights."""

from __future__ import annotations

from fractions import Fraction

from treequation.data.synthetic.terms import Term
from treequation.data.synthetic.vocabulary import Thing
from treequation.data.synthetic.writing import Writer


def _price(w: Writer, thing: Thing) -> Term:
    """A price within the thing's range, sometimes with cents."""
    value = Fraction(w.integer(thing.cheapest, thing.dearest))
    if value < 20 and w.chance(0.25):
        value += w.pick((Fraction(1, 2), Fraction(1, 4), Fraction(4, 5)))
    return w.money(value)


def _note_above(w: Writer, cost: Fraction) -> int:
    """The amount that somebody would pay with."""
    return next(note for note in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if note > cost)


def basket(w: Writer) -> None:
    """One to three sorts of goods: their cost, the change, or what is left."""
    who = w.person()
    sorts = w.pick((1, 1, 2, 2, 2, 3))
    buys, does = w.pick((("buys", "does"), ("bought", "did")))
    tense = {"who": who, "buys": buys, "does": does}
    cost: Term | None = None
    prices: list[tuple[Thing, Term]] = []
    for _ in range(sorts):
        thing = w.thing()
        count = w.number(w.integer(2, 12))
        if prices and w.chance(0.3):
            before, earlier = prices[-1]
            price = _compared_price(w, thing, before, earlier)
            w.fact(
                "{who} {buys} {n} {thing.many}",
                "{who}买了{n}{thing.unit}{thing.zh}",
                n=count,
                thing=thing,
                **tense,
            )
        else:
            price = _price(w, thing)
            w.fact(
                "{who} {buys} {n} {thing.many} [for|at] {p} each|{who} {buys} {n} {thing.many} costing {p} each"
                "|{thing.many} cost {p} each. {who} {buys} {n} of them|each {thing.one} costs {p}. {who} {buys} {n} {thing.many}",
                "{who}买了{n}{thing.unit}{thing.zh}，每{thing.unit}{p}元|{thing.zh}每{thing.unit}{p}元，{who}买了{n}{thing.unit}"
                "|每{thing.unit}{thing.zh}[卖|售价|的价钱是]{p}元，{who}[买|买了]{n}{thing.unit}",
                n=count, thing=thing, p=price, **tense,
            )  # fmt: skip
        prices.append((thing, price))
        part = price * count
        cost = part if cost is None else cost + part
    assert cost is not None
    w.free = all(price.mark for _, price in prices)
    w.aside_about(who)
    w.aside(
        "[{thing.a} costs {p} in that shop|{thing.many} cost {p} each in the same shop]",
        "店里的{thing.zh}每{thing.unit}{p}元",
        thing=(other := w.thing()),
        p=_price(w, other),
    )
    end = w.below(4)
    if end == 0 and cost.value < 5000:
        note = w.money(_note_above(w, cost.value))
        w.ask(
            "how much change {does} {who} get from {note}?|{who} hands over {note}. How much change should {who.he} get?",
            "{who}付了{note}元，[应找回|应该找回|可以找回]多少元？|{who}给了售货员{note}元，应找回多少[元|钱]？",
            note - cost, note=note, **tense,
        )  # fmt: skip
    elif end == 1:
        left = w.money(w.integer(2, 60))
        w.fact(
            "[after that|afterwards|then] {who} has {left} left",
            "{who}还剩{left}元", who=who, left=left,
        )  # fmt: skip
        w.free = False
        w.ask(
            "how much money did {who} have at first?",
            "{who}[原来|原先|一开始]有多少[元|元钱]？",
            cost + left,
            who=who,
        )
    else:
        w.ask(
            "how much {does} {who} [pay|spend|have to pay] [in total|altogether|in all|]?|what is the total cost?|find the total cost.",
            "{who}[一共|]要付多少[元|钱]？|{who}一共[花了|要花|用了]多少[元|元钱]？|[一共需要|共需]多少元？",
            cost, **tense,
        )  # fmt: skip


def _compared_price(w: Writer, thing: Thing, before: Thing, earlier: Term) -> Term:
    slots = {"thing": thing, "before": before}
    kind = w.below(3)
    if kind == 0 and earlier.value > 3:
        less = w.money(w.integer(1, int(earlier.value) - 1))
        w.fact(
            "{thing.a} costs {d} less than {before.a}|{thing.a} is {d} cheaper than {before.a}",
            "每{thing.unit}{thing.zh}比每{before.unit}{before.zh}便宜{d}元", d=less, **slots,
        )  # fmt: skip
        return earlier - less
    if kind == 1:
        times = w.times(w.integer(2, 5))
        w.fact(
            "{thing.a} costs {k} as much as {before.a}",
            "每{thing.unit}{thing.zh}的价钱是每{before.unit}{before.zh}的{k}倍", k=times, **slots,
        )  # fmt: skip
        return earlier * times
    more = w.money(w.integer(1, 20))
    w.fact(
        "{thing.a} costs {d} more than {before.a}|the price of {thing.a} is {d} higher than that of {before.a}",
        "每{thing.unit}{thing.zh}比每{before.unit}{before.zh}贵{d}元", d=more, **slots,
    )  # fmt: skip
    return earlier + more


def by_weight(w: Writer) -> None:
    """Food by the kilogram, in whole and in parts."""
    food, zh = w.pick(
        (
            ("apples", "苹果"),
            ("rice", "大米"),
            ("cheese", "奶酪"),
            ("nuts", "坚果"),
            ("fish", "鱼"),
            ("grapes", "葡萄"),
            ("flour", "面粉"),
        )
    )
    who = w.person()
    slots = {"who": who, "food": food, "z": zh}
    price = w.money(w.integer(2, 20))
    kilos = (
        w.mixed(w.integer(1, 6), *w.pick(((1, 2), (1, 4), (3, 4), (1, 5))))
        if w.chance(0.6)
        else w.digits(w.integer(2, 12))
    )
    cost = price * kilos
    form = w.below(3)
    if form == 2:
        total = w.money(cost.value)
        w.fact(
            "{who} pays {t} for {k} kg of {food}", "{who}买{k}千克{z}[用了|花了|付了]{t}元", t=total, k=kilos, **slots
        )
        w.ask("what is the price per kg?|how much does a kg cost?", "每千克{z}多少元？", total / kilos, **slots)
        return
    w.fact(
        "[a kg of {food} costs {p}|the price of {food} is {p} per kg]",
        "[{z}每千克{p}元|每千克{z}[卖|售价]{p}元]",
        p=price,
        **slots,
    )
    w.fact("{who} buys {k} kg of {food}", "{who}买了{k}千克", k=kilos, **slots)
    w.free = True
    w.conditional = True
    w.aside_about(who)
    if form == 0:
        w.ask("how much does {who} [pay|have to pay|spend]?", "{who}[要付|一共花了|应付]多少元？", cost, **slots)
    else:
        note = w.money(_note_above(w, cost.value))
        w.ask(
            "how much change does {who} get from {n}?", "{who}付了{n}元，应找回多少元？", note - cost, n=note, **slots
        )


def unit_price(w: Writer) -> None:
    """Some cost so much: one of them, more of them, or how many for a sum."""
    who, thing = w.person(), w.thing()
    count, more, each = w.integer(2, 9), w.integer(3, 25), w.integer(thing.cheapest, thing.dearest)
    n, total = w.number(count), w.money(count * each)
    w.fact(
        "{n} {thing.many} cost {t}|{who} [paid|pays] {t} for {n} {thing.many}|the price of {n} {thing.many} is {t}",
        "{n}{thing.unit}{thing.zh}[共|一共|][卖|要|需要]{t}元|{who}买{n}{thing.unit}{thing.zh}[用了|花了]{t}元|买{n}{thing.unit}{thing.zh}[需要|要付]{t}元",
        who=who, thing=thing, n=n, t=total,
    )  # fmt: skip
    end = w.below(4)
    if end == 0:
        w.ask(
            "how much does each {thing.one} cost?|what is the price of {thing.a}?",
            "[每|平均每]{thing.unit}{thing.zh}多少元？|一{thing.unit}{thing.zh}多少[元|钱]？",
            total / n,
            thing=thing,
        )
    elif end == 1:
        m = w.number(more)
        w.conditional = False
        w.ask(
            "how much [do|would] {m} {thing.many} cost [at this price|]?|what do {m} such {thing.many} cost?",
            "买{m}{thing.unit}[这样的|同样的]{thing.zh}[要|需要]多少元？|照这样计算，买{m}{thing.unit}要多少元？",
            total / n * m,
            thing=thing,
            m=m,
        )
    elif end == 2:
        money = w.money(more * each)
        w.ask(
            "how many {thing.many} can [{who}|you] buy with {m} [at the same price|]?|how many {thing.many} can be bought for {m} at this price?",
            "{m}元可以买多少{thing.unit}[这样的|]{thing.zh}？|照这样计算，{m}元能买多少{thing.unit}？",
            money / (total / n),
            who=who,
            thing=thing,
            m=money,
        )
    else:
        other = w.thing()
        k, each_other = w.integer(2, 9), w.integer(other.cheapest, other.dearest)
        if each_other == each:
            each_other += 1
        m, sum_ = w.number(k), w.money(k * each_other)
        w.fact("{m} {thing.many} cost {t}", "{m}{thing.unit}{thing.zh}[卖|要]{t}元", m=m, thing=other, t=sum_)
        (dear, a, dear_term), (cheap, b, cheap_term) = (thing, each, total / n), (other, each_other, sum_ / m)
        if a < b:
            (dear, dear_term), (cheap, cheap_term) = (cheap, cheap_term), (dear, dear_term)
        w.ask(
            "how much more does {dear.a} cost than {cheap.a}?",
            "每{dear.unit}{dear.zh}比每{cheap.unit}{cheap.zh}贵多少元？",
            dear_term - cheap_term,
            dear=dear,
            cheap=cheap,
        )


def saving(w: Writer) -> None:
    """Money put aside week by week until something can be bought."""
    who, thing = w.person(), w.thing()
    weekly, weeks, start = w.integer(2, 30), w.integer(3, 20), w.integer(10, 120)
    end = w.below(3)
    en_period, zh_period = w.pick((("week", "周"), ("month", "月"), ("day", "天")))
    zh_count = "个月" if zh_period == "月" else zh_period
    zh_each = f"每{zh_period}" if zh_period != "月" else "每个月"
    slots = {"who": who, "thing": thing, "period": en_period, "count": zh_count, "each": zh_each}
    per = w.money(weekly)
    if end == 0:
        have, t = w.money(start), w.digits(weeks)
        w.fact("{who} has {have} [in {who.his} piggy bank|]", "{who}[的储蓄罐里|]有{have}元", have=have, **slots)
        w.fact(
            "{who.he} saves {per} [every|each] {period}|every {period} {who.he} puts {per} aside",
            "{each}[存|攒]{per}元",
            per=per,
            **slots,
        )
        w.conditional = False
        w.ask(
            "how much money does {who} have after {t} {period}s?",
            "{t}{count}后{who}[一共|]有多少元？",
            have + per * t,
            t=t,
            **slots,
        )
    elif end == 1:
        price, have = w.money(start + weekly * weeks), w.money(start)
        w.fact(
            "{who} wants to buy a [bicycle|camera|guitar|phone] that costs {price}",
            "{who}想买一[辆自行车|台相机|把吉他|部手机]，[需要|价格是]{price}元",
            price=price,
            **slots,
        )
        w.fact("{who} already has {have}", "{who}已经[存|攒]了{have}元", have=have, **slots)
        w.fact("{who} saves {per} [every|each|a] {period}", "{who}{each}[存|攒]{per}元", per=per, **slots)
        w.free = True
        w.ask(
            "how many {period}s does {who} [need|have] to save [money|]?|after how many {period}s can {who} buy it?",
            "{who}还要[存|攒]多少{count}[才能买到|]？",
            (price - have) / per,
            **slots,
        )
    else:
        spend, t = w.integer(1, weekly), w.digits(weeks)
        if spend == weekly:
            per = w.money(weekly + 3)
        out = w.money(spend)
        w.fact(
            "{who} [earns|gets] {per} [every|each|a] {period} and spends {out} of it",
            "{who}{each}[得到|挣]{per}元，[花掉|用去]其中的{out}元",
            per=per,
            out=out,
            **slots,
        )
        w.ask(
            "how much does {who} save in {t} {period}s?|how much money [is left|does {who} have] after {t} {period}s?",
            "{t}{count}[能|可以][存|攒]多少元？",
            (per - out) * t,
            t=t,
            **slots,
        )


SCENARIOS = (basket, basket, basket, by_weight, unit_price, saving)
