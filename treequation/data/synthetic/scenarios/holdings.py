# ruff: noqa: E501 (a template reads best in one line)
"""Who has how many: amounts stated, compared and changed, then asked for.

The one scenario that composes without limit: every new amount is stated through earlier ones, so that its
problems take every shape.
"""

from __future__ import annotations

from treequation.data.synthetic.terms import Term
from treequation.data.synthetic.vocabulary import Person, Thing
from treequation.data.synthetic.writing import Writer

_Holding = tuple[Person, Term]

_PACKS = (("box", "boxes", "盒"), ("bag", "bags", "袋"), ("crate", "crates", "箱"))


def holdings(w: Writer) -> None:
    """Several people with amounts of one thing."""
    thing = w.thing()
    first = w.person()
    held: list[_Holding] = [(first, _first_amount(w, first, thing))]
    for _ in range(w.pick((0, 1, 1, 1, 2, 2, 3))):
        who = w.person()
        held.append((who, _related_amount(w, who, thing, held)))
    changed = [False] * len(held)
    changes = w.pick((0, 0, 1, 1, 2)) if len(held) < 4 else 0
    if len(held) == 1 and held[0][1].mark:
        changes = max(changes, 1)  # otherwise the question would be answered by the only fact
    for _ in range(changes):
        at = w.below(len(held))
        if held[at][1].value >= 6:
            held[at] = (held[at][0], _changed_amount(w, held[at][0], thing, held[at][1], changed[at]))
            changed[at] = True
    w.aside_about(first)
    w.aside(
        "there are {n} {other.many} on the [table|shelf|floor]",
        "[桌子上|地上|旁边]有{n}{other.unit}{other.zh}",
        n=w.number(w.integer(3, 30)),
        other=w.thing(),
    )
    w.conditional = any(changed)
    _question(w, thing, held, any(changed))


def _first_amount(w: Writer, who: Person, thing: Thing) -> Term:
    if thing.dearest <= 15 and w.chance(0.35):  # nobody packs chairs in bags
        one, many, zh = w.pick(_PACKS)
        packs, each = w.number(w.integer(2, 9)), w.number(w.integer(3, 15))
        w.fact(
            "{who} has {packs} {many} of {thing.many} with {each} {thing.many} in each {one}"
            "|{who} has {packs} {many}, and each {one} [holds|contains] {each} {thing.many}"
            "|{who} [buys|owns] {packs} {many} of {thing.many}[. Each {one} has {each} {thing.many}|, {each} in each {one}]",
            "{who}有{packs}{zh}{thing.zh}，每{zh}[有|装着|]{each}{thing.unit}"
            "|{who}买了{packs}{zh}{thing.zh}，[每{zh}|一{zh}有]{each}{thing.unit}",
            who=who, thing=thing, packs=packs, each=each, one=one, many=many, zh=zh,
        )  # fmt: skip
        return packs * each
    amount = w.number(w.integer(6, w.pick((30, 100, 400))))
    w.fact(
        "{who} has {n} {thing.many}|{who} [owns|has got] {n} {thing.many}|there are {n} {thing.many} in {who}'s [bag|room|box]",
        "{who}有{n}{thing.unit}{thing.zh}|{who}[手里|家里]有{n}{thing.unit}{thing.zh}|{who}有{thing.zh}{n}{thing.unit}",
        who=who, thing=thing, n=amount,
    )  # fmt: skip
    return amount


def _related_amount(w: Writer, who: Person, thing: Thing, held: list[_Holding]) -> Term:
    """States what ``who`` has, mostly by comparison with somebody before."""
    other, amount = w.pick(held)
    value = amount.value
    slots = {"who": who, "other": other, "thing": thing}
    kind = w.below(8)
    if kind == 0:
        return _first_amount(w, who, thing)
    if kind == 1 and value >= 4:
        fewer = w.number(w.integer(2, int(value) - 1))
        w.fact(
            "{who} has {n} fewer {thing.many} than {other}|{other} has {n} more {thing.many} than {who}"
            "|{who}'s collection has {n} {thing.many} fewer than {other}'s",
            "{who}[比{other}少{n}{thing.unit}|的{thing.zh}比{other}少{n}{thing.unit}]|{other}比{who}多{n}{thing.unit}{thing.zh}",
            n=fewer, **slots,
        )  # fmt: skip
        return amount - fewer
    if kind == 2 and value <= 100:
        times = w.times(w.integer(2, 6))
        w.fact(
            "{who} has {k} as many {thing.many} as {other}|{who} has {k} the number of {thing.many} that {other} has",
            "{who}的{thing.zh}是{other}的{k}倍|{who}的{thing.zh}[数量|数]是{other}的{k}倍|{who}有的{thing.zh}是{other}的{k}倍",
            k=times, **slots,
        )  # fmt: skip
        return amount * times
    if kind == 3 and value <= 100:
        times, extra = w.times(w.integer(2, 4)), w.number(w.integer(2, 9))
        if w.chance(0.5) or (amount * times).value <= extra.value:
            w.fact(
                "{who} has {n} more {thing.many} than {k} [what {other} has|the number {other} has]"
                "|{who} has {n} more than {k} as many {thing.many} as {other}",
                "{who}的{thing.zh}比{other}的{k}倍[还|]多{n}{thing.unit}",
                k=times, n=extra, **slots,
            )  # fmt: skip
            return amount * times + extra
        w.fact(
            "{who} has {n} fewer {thing.many} than {k} [what {other} has|the number {other} has]"
            "|{who} has {n} fewer than {k} as many {thing.many} as {other}",
            "{who}的{thing.zh}比{other}的{k}倍少{n}{thing.unit}",
            k=times, n=extra, **slots,
        )  # fmt: skip
        return amount * times - extra
    if kind == 4:
        for whole in w.pick(((2, 3, 4), (3, 4, 5), (4, 5, 2), (5, 6, 2), (8, 10, 3))):
            if value % whole == 0 and value > whole:
                share = w.share(whole)
                w.fact(
                    "{who} has {f} as many {thing.many} as {other}|{who} has {f} of what {other} has",
                    "{who}的{thing.zh}是{other}的{f}|{who}的{thing.zh}[数量|数]是{other}的{f}",
                    f=share, **slots,
                )  # fmt: skip
                return amount * share
    if kind == 5 and len(held) > 1:
        (one, first), (two, second) = held[0], held[1]
        if w.chance(0.5):
            w.fact(
                "{who} has as many {thing.many} as {a} and {b} [together|combined]",
                "{who}的{thing.zh}和{a}、{b}的总数一样多|{who}的{thing.zh}[等于|正好是]{a}和{b}的总和",
                a=one, b=two, **slots,
            )  # fmt: skip
            return first + second
        extra = w.number(w.integer(2, 20))
        w.fact(
            "{who} has {n} more {thing.many} than {a} and {b} [together|combined]",
            "{who}比{a}和{b}的总和[还|]多{n}{thing.unit}",
            a=one, b=two, n=extra, **slots,
        )  # fmt: skip
        return first + second + extra
    more = w.number(w.integer(2, 40))
    w.fact(
        "{who} has {n} more {thing.many} than {other}|{who} has {n} {thing.many} more than {other}"
        "|{other} has {n} fewer {thing.many} than {who}",
        "{who}比{other}多{n}{thing.unit}[{thing.zh}|]|{who}的{thing.zh}比{other}多{n}{thing.unit}|{other}比{who}少{n}{thing.unit}",
        n=more, **slots,
    )  # fmt: skip
    return amount + more


def _changed_amount(w: Writer, who: Person, thing: Thing, amount: Term, again: bool) -> Term:
    """Tells of a gain or a loss."""
    value = int(amount.value)
    slots = {"who": who, "thing": thing, "then": w.say("then", "又") if again else w.say("[then|]", "")}
    kind = w.below(5)
    if kind == 0:
        gain = w.number(w.integer(2, 40))
        w.fact(
            "{who} {then} [buys|gets|finds|is given] {n} more {thing.many}|a friend {then} gives {who} {n} more {thing.many}",
            "{who}{then}[买|得到|拿到]了{n}{thing.unit}|朋友{then}送给{who}{n}{thing.unit}",
            n=gain, **slots,
        )  # fmt: skip
        return amount + gain
    if kind == 1 and thing.dearest <= 15:
        packs, each = w.number(w.integer(2, 5)), w.number(w.integer(2, 10))
        one, many, zh = w.pick(_PACKS)
        w.fact(
            "{who} {then} buys {p} {many} with {e} {thing.many} each|{who} {then} gets {p} more {many} of {e} {thing.many} each",
            "{who}{then}买了{p}{zh}，每{zh}{e}{thing.unit}",
            p=packs, e=each, many=many, one=one, zh=zh, **slots,
        )  # fmt: skip
        return amount + packs * each
    if kind == 2:
        for whole in w.pick(((2, 3), (3, 4), (4, 2), (5, 2))):
            if value % whole == 0:
                share = w.share(whole, part=1)
                w.fact(
                    "{who} {then} [gives away|sells|loses] {f} of [the|{who.his}] {thing.many}",
                    "{who}{then}[送出|卖掉]了自己{thing.zh}的{f}",
                    f=share, **slots,
                )  # fmt: skip
                return amount - amount * share
    loss = w.number(w.integer(2, value - 2))
    w.fact(
        "{who} {then} [gives away|loses|sells] {n} {thing.many}|{who} {then} gives {n} {thing.many} to [a friend|{who.his} [sister|brother|neighbor]]"
        "|{who} {then} [gives away|sells] {n} of {who.his} {thing.many}",
        "{who}{then}[送给[同学|弟弟|妹妹|朋友]|送出了|丢了|卖掉了]{n}{thing.unit}",
        n=loss, **slots,
    )  # fmt: skip
    return amount - loss


def _question(w: Writer, thing: Thing, held: list[_Holding], changed: bool) -> None:
    # Asked about somebody else than the last, the rest of the story is there to mislead.
    who, amount = w.pick(held) if w.distracts() else held[-1]
    slots: dict[str, object] = {
        "who": who,
        "thing": thing,
        "now": w.say(" [now|in the end]", "[现在|最后]") if changed else "",
    }
    kind = w.below(8)
    if len(held) == 1:
        _question_about_one(w, slots, amount, kind)
        return
    total = held[0][1]
    for _, part in held[1:]:
        total = total + part
    if kind <= 2:
        slots["they"] = w.say(
            "they" if len(held) > 2 else f"[they|{held[0][0]} and {held[1][0]}]",
            "他们" if len(held) > 2 else f"[他们|他们{{two}}人|{held[0][0]}和{held[1][0]}]",
        )
        w.ask(
            "how many {thing.many} do {they} have [altogether|in total|in all|together]{now}?"
                "|what is the total number of {thing.many} they have{now}?|find the total number of {thing.many}{now}.",
            "{they}{now}一共有多少{thing.unit}{thing.zh}？|{they}{now}共有{thing.zh}多少{thing.unit}？",
            total, **slots,
        )  # fmt: skip
    elif kind == 3 and total.value % len(held) == 0:
        people = w.number(len(held))
        w.ask(
            "[what is the average number of {thing.many} that the {n} [friends|of them] have|how many {thing.many} do the {n} of them have on average]{now}?",
            "他们{n}人{now}平均每人有多少{thing.unit}{thing.zh}？|{now}{n}个人平均每人有{thing.zh}多少{thing.unit}？",
            total / people, n=people, **slots,
        )  # fmt: skip
    elif kind == 4 and not w.said(abs(held[0][1].value - held[-1][1].value)) and held[0][1].value != held[-1][1].value:
        (one, first), (two, second) = held[0], held[-1]
        if first.value < second.value:
            (one, first), (two, second) = (two, second), (one, first)
        slots |= {"a": one, "b": two}
        w.ask(
            "how many more {thing.many} does {a} have than {b}{now}?|how many fewer {thing.many} does {b} have than {a}{now}?",
            "{a}{now}比{b}多多少{thing.unit}[{thing.zh}|]？|{b}{now}比{a}少多少{thing.unit}？",
            first - second, **slots,
        )  # fmt: skip
    elif kind == 5:
        price = w.money(w.integer(thing.cheapest, thing.dearest))
        w.fact(
            "each {thing.one} [costs|is worth|sells for] {p}",
            "每{thing.unit}{thing.zh}[卖|值|售价]{p}元",
            p=price,
            **slots,
        )
        w.ask(
            "how much are {who}'s {thing.many} worth [altogether|]{now}?",
            "{who}的{thing.zh}{now}一共值多少[元|元钱]？",
            amount * price, **slots,
        )  # fmt: skip
    else:
        _question_about_one(w, slots, amount, kind)


def _question_about_one(w: Writer, slots: dict[str, object], amount: Term, kind: int) -> None:
    divisors = [d for d in range(2, 10) if amount.value % d == 0 and amount.value > d]
    if kind == 7 and divisors:
        groups = w.number(w.pick(divisors))
        slots["one"], slots["many"], slots["zh"] = w.pick(
            (("box", "boxes", "盒子"), ("bag", "bags", "袋子"), ("basket", "baskets", "篮子"))
        )
        w.fact(
            "{who} [puts|packs] [all of|all] {who.his} {thing.many} equally into {n} {many}",
            "{who}把[自己的|]{thing.zh}平均[放进|装到]{n}个{zh}里",
            n=groups, **slots,
        )  # fmt: skip
        w.ask(
            "how many {thing.many} are there in each {one}?|how many {thing.many} does each {one} hold?",
            "每个{zh}里有多少{thing.unit}？", amount / groups, **slots,
        )  # fmt: skip
        return
    w.ask(
        "how many {thing.many} does {who} have{now}?|find [the number of {thing.many} that {who} has|how many {thing.many} {who} has]{now}.",
        "{who}{now}有多少{thing.unit}{thing.zh}？|{who}{now}有{thing.zh}多少{thing.unit}？",
        amount, **slots,
    )  # fmt: skip
