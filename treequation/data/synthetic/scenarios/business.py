# ruff: noqa: E501 (a template reads best in one line)
"""Money and marks in per cent: discounts, profit and loss, tips, votes, exams, budgets, compound growth."""

from __future__ import annotations

from fractions import Fraction

from treequation.data.synthetic.vocabulary import DEAR_THINGS
from treequation.data.synthetic.writing import Writer

_PERCENTAGES = (5, 10, 15, 20, 25, 30, 40, 50)


def discount(w: Writer) -> None:
    """A price lowered or raised by a percentage; forwards and backwards."""
    thing, who = w.thing(DEAR_THINGS), w.person()
    percent = w.pick((5, 10, 15, 20, 25, 30, 40, 50, 60, 75))
    full = 20 * w.integer(thing.cheapest // 20, thing.dearest // 20)
    off = w.percent(percent)
    end = w.below(5)
    if end == 0:  # backwards: the price after the discount is known
        now = w.money(Fraction(full * (100 - percent), 100))
        w.fact(
            "[after|with] a discount of {off}, {thing.a} costs {now}|the price of {thing.a} was reduced by {off} to {now}",
            "一{thing.unit}{thing.zh}降价{off}后[卖|售价是|的价钱是]{now}元",
            off=off,
            now=now,
            thing=thing,
        )
        w.ask(
            "what was the [original price|price before the discount]?",
            "[原价是|这{thing.unit}{thing.zh}原来卖|原来的价钱是]多少元？",
            now / (1 - off),
            thing=thing,
        )
        return
    price = w.money(full)
    if end == 1:
        now = w.money(Fraction(full * (100 - percent), 100))
        w.fact(
            "the price of {thing.a} [fell|was lowered|dropped] from {price} to {now}|{thing.a} that used to cost {price} now costs {now}",
            "一{thing.unit}{thing.zh}原价{price}元，现在[卖|只卖|售价]{now}元",
            price=price,
            now=now,
            thing=thing,
        )
        drop = price - now
        if w.language == "en":
            w.ask(
                "by what percent [was the price reduced|did the price fall]?|what is the discount in percent?",
                "",
                drop / price * 100,
            )
        else:
            w.ask("", "[降价|便宜]了百分之几？|价格下降了百分之几？", drop / price)
        return
    w.fact(
        "[the regular price of {thing.a} is {price}|{thing.a} normally costs {price}|{thing.a} costs {price}]",
        "一{thing.unit}{thing.zh}[原价|原来的价钱是|标价]{price}元",
        price=price,
        thing=thing,
    )
    if end == 2:
        w.fact("[its price|the price] [rises|goes up|is raised] by {off}", "[现在|后来]涨价{off}", off=off)
        w.ask(
            "what is the new price?|how much does it cost [now|then]?",
            "现在[的价钱是|卖|售价是]多少元？",
            price * (1 + off),
        )
        return
    if w.language == "zh" and w.chance(0.4):
        left = w.tenths(w.integer(3, 9))
        w.fact("", "[现在|节日期间]打{left}[出售|]", left=left)
        if end == 3:
            w.ask("", "[比原价|现在买一{thing.unit}]便宜多少元？", price * (1 - left), thing=thing)
        else:
            w.ask("", "现在[买一{thing.unit}要|的价钱是|售价是]多少元？", price * left, thing=thing)
        return
    w.fact(
        "[it is sold|the shop sells it] at a discount of {off}|it is on sale for {off} off|{who} gets {off} off",
        "[现在|促销时]降价{off}[出售|]|{who}有会员卡，可以便宜{off}",
        off=off,
        who=who,
    )
    w.conditional = w.language == "en"
    if end == 3:
        w.ask("how much [money|] does {who} save?", "[节省了|一共可以节省]多少元？", price * off, who=who)
    else:
        w.ask(
            "how much does {who} [pay|have to pay] for it?|what is the sale price?",
            "现在[买一{thing.unit}要|的价钱是|售价是]多少元？",
            price * (1 - off),
            who=who,
            thing=thing,
        )


def profit(w: Writer) -> None:
    """Bought at one price, sold at another."""
    thing, who = w.thing(), w.person()
    count, cost = w.integer(4, 60), w.integer(thing.cheapest, thing.dearest)
    gain = w.integer(1, max(2, cost // 2))
    n, bought, sold = w.number(count), w.money(cost), w.money(cost + gain)
    w.fact(
        "[{who}|a shopkeeper|a trader] [bought|purchased] {n} {thing.many} [at|for] {b} each and sold them [all|] [at|for] {s} each",
        "[{who}|商店|超市]进了{n}{thing.unit}{thing.zh}，每{thing.unit}进价{b}元，[以|按]每{thing.unit}{s}元的价格[全部卖出|卖出|出售]",
        who=who, n=n, b=bought, s=sold, thing=thing,
    )  # fmt: skip
    end = w.below(3)
    if end == 0:
        fee = w.money(w.integer(1, max(1, count * gain - 1)))
        w.fact("the transport cost {fee} [in all|]", "另外付了运费{fee}元", fee=fee)
        w.ask(
            "how much [profit|money] is made [after the transport is paid|in the end]?",
            "[最后|扣除运费后]赚了多少元？",
            (sold - bought) * n - fee,
        )
    elif end == 1 and w.language == "en":
        w.ask(
            "what is the profit in percent [of the cost|]?|what is the profit percentage?",
            "",
            (sold - bought) / bought * 100,
        )
    else:
        w.ask(
            "[how much profit|what profit] is made [in all|]?|what is the total profit?",
            "一共[可以赚|赚了|能赚]多少元？",
            (sold - bought) * n,
        )


def markup(w: Writer) -> None:
    """Cost, selling price and the profit or loss between them."""
    thing, who = w.thing(DEAR_THINGS), w.person()
    cost = 20 * w.integer(2, 40)
    percent = w.percent(w.pick(_PERCENTAGES))
    gain = w.chance(0.65)
    factor = 1 + percent if gain else 1 - percent
    slots: dict[str, object] = {"thing": thing, "who": who, "p": percent}
    slots["result"] = w.say("profit" if gain else "loss", "盈利" if gain else "亏损")
    form = w.below(3)
    if form == 0:
        c = w.money(cost)
        w.fact(
            "[{who}|a dealer] buys {thing.a} for {c}",
            "[{who}|商店]以{c}元的价格买进一{thing.unit}{thing.zh}",
            c=c,
            **slots,
        )
        w.fact("it is sold at a {result} of {p}", "卖出后{result}{p}", **slots)
        w.ask(
            "[what is the selling price|for how much is it sold]?|find the selling price.",
            "这{thing.unit}{thing.zh}的卖出价是多少元？",
            c * factor,
            **slots,
        )
    elif form == 1:
        s = w.money(cost * factor.value)
        w.fact(
            "{thing.a} is sold for {s} at a {result} of {p}|by selling {thing.a} for {s}, {who} makes a {result} of {p}",
            "一{thing.unit}{thing.zh}以{s}元卖出，{result}{p}",
            s=s,
            **slots,
        )
        w.ask(
            "[what was the cost price|how much had it cost]?|find the cost price.",
            "这{thing.unit}{thing.zh}的成本是多少元？",
            s / factor,
            **slots,
        )
    else:
        c, s = w.money(cost), w.money(cost * factor.value)
        w.fact(
            "[{who}|a dealer] buys {thing.a} for {c} and sells it for {s}",
            "[{who}|商店]以{c}元买进一{thing.unit}{thing.zh}，以{s}元卖出",
            c=c,
            s=s,
            **slots,
        )
        difference = s - c if gain else c - s
        if w.language == "en":
            w.ask("what is the {result} in percent?|find the {result} percentage.", "", difference / c * 100, **slots)
        else:
            w.ask("", "{result}了百分之几？", difference / c, **slots)


def bill(w: Writer) -> None:
    """A bill with tax or tip, perhaps shared; two discounts in a row."""
    n, base = w.integer(2, 6), 5 * w.integer(2, 12)
    who = w.person()
    form = w.below(3)
    if form == 2:
        thing = w.thing(DEAR_THINGS)
        price, a, b = (
            w.money(400 * w.integer(1, 5)),
            w.percent(w.pick((10, 20, 25, 50))),
            w.percent(w.pick((5, 10, 20, 25))),
        )
        w.fact("the list price of {thing.a} is {p}", "一{thing.unit}{thing.zh}原价{p}元", thing=thing, p=price)
        w.fact(
            "[there are|the shop gives] successive discounts of {a} and {b}|it is reduced by {a} and then by another {b}",
            "先降价{a}，再降价{b}",
            a=a,
            b=b,
        )
        w.ask(
            "what is the final price?|how much does it cost in the end?",
            "最后的价格是多少元？",
            price * (1 - a) * (1 - b),
        )
        return
    total, extra, friends = w.money(base * n), w.percent(w.pick((5, 10, 15, 20))), w.number(n)
    w.fact("a [dinner|lunch|meal] costs {t} [before the tip|without the tip]", "一顿饭的餐费是{t}元", t=total)
    w.fact("[a tip of {e} is added|{who} adds a tip of {e}]", "另加{e}的服务费", e=extra, who=who)
    with_tip = total * (1 + extra)
    if form == 0:
        w.ask("how much is the [whole bill|bill with the tip]?", "一共要付多少元？", with_tip)
    else:
        w.fact("{n} friends share the [whole bill|total] equally", "由{n}个朋友平均分担", n=friends)
        w.ask("how much does each [of them|friend] pay?", "每人要付多少元？", with_tip / friends)


def votes_and_marks(w: Writer) -> None:
    """A winner by so many votes; marks that are missing to pass."""
    who = w.person()
    form = w.below(3)
    if form == 0:
        percent = w.pick((52, 54, 55, 56, 60, 62, 64, 65, 70))
        voters = 50 * w.integer(4, 80)
        p = w.percent(percent)
        lead = w.digits(Fraction(voters * (2 * percent - 100), 100))
        w.fact(
            "in an election between {two} candidates the winner gets {p} of the votes and wins by {d} votes",
            "在{two}名候选人的选举中，获胜者得到{p}的选票，比对手多{d}票",
            p=p,
            d=lead,
        )
        w.ask("how many votes [are there|were cast] [in all|altogether]?", "一共有多少张选票？", lead / (p - (1 - p)))
    elif form == 1:
        percent, full = w.pick((30, 40, 50, 60)), 10 * w.integer(10, 80)
        needed = full * percent // 100
        short = w.integer(2, min(60, needed - 5))
        p, got, missing = w.percent(percent), w.digits(needed - short), w.digits(short)
        w.fact("a student needs {p} of the marks to pass an exam", "一次考试要得到总分的{p}才及格", p=p)
        w.fact(
            "{who} gets {g} marks and fails by {m} marks", "{who}得了{g}分，还差{m}分及格", who=who, g=got, m=missing
        )
        w.ask(
            "what is the maximum number of marks?|how many marks are there in all?",
            "这次考试的总分是多少分？",
            (got + missing) / p,
        )
    else:
        total, right = w.integer(4, 12) * 5, w.integer(2, 4)
        t, r = w.digits(total), w.digits(total * right // 5)
        w.fact("{who} answers {r} of {t} questions correctly", "{who}做了{t}道题，做对了{r}道", who=who, r=r, t=t)
        if w.language == "en":
            w.ask("what percent of the questions does {who} get right?", "", r / t * 100, who=who)
        else:
            w.ask("", "{who}的正确率是百分之几？", r / t, who=who)


def budget(w: Writer) -> None:
    """What is left of an income after two shares, forwards and backwards."""
    who = w.person()
    income = 200 * w.integer(4, 30)
    a, b = (w.percent(v) for v in w.pick(((30, 20), (40, 10), (25, 35), (20, 50), (15, 25), (35, 30))))
    slots = {"who": who, "a": a, "b": b}
    spending = "{who} spends {a} of {who.his} income on [rent|the house] and {b} on [food|clothes|travel]"
    zh_spending = "{who}每月收入的{a}用来付房租，{b}用来[买食物|买衣服|出行]"
    rest = 1 - a - b
    if w.chance(0.5):
        i = w.money(income)
        w.fact("{who} earns {i} a month", "{who}每月收入{i}元", i=i, **slots)
        w.fact(spending, "其中{a}用来付房租，{b}用来[买食物|买衣服|出行]", **slots)
        w.ask("how much is left?|how much does {who} have left [each month|]?", "还剩多少元？", i * rest, **slots)
    else:
        s = w.money(income * rest.value)
        w.fact(spending, zh_spending, **slots)
        w.fact("the remaining {s} is saved|{who} saves the rest, which is {s}", "其余的{s}元存起来", s=s, **slots)
        w.ask("[what is {who}'s income|how much does {who} earn]?", "{who}每月收入多少元？", s / rest, **slots)


def compound(w: Writer) -> None:
    """Growth by the same percentage year after year: a power."""
    p, n = w.percent(w.pick((5, 10, 20, 50))), w.number(w.integer(2, 3))
    who = w.person()
    if w.chance(0.5):
        s = w.money(1000 * w.integer(1, 20))
        w.fact(
            "{who} [invests|lends|deposits] {s} at {p} compound interest a year for {n} years",
            "{who}投资{s}元，年利率是{p}，按复利计算，投资{n}年",
            who=who,
            s=s,
            p=p,
            n=n,
        )
        amount = s * (1 + p) ** n
        if w.chance(0.5):
            w.ask("what is the amount in the end?|how much money is it in the end?", "到期时一共有多少元？", amount)
        else:
            w.ask("how much interest does {who} get [in all|]?", "一共得到利息多少元？", amount - s, who=who)
    else:
        s = w.digits(8000 * w.integer(1, 10))
        up = w.chance(0.6)
        w.fact(
            "the population of a town is {s} and [grows|increases] by {p} every year"
            if up
            else "the value of a machine is {s} dollars and falls by {p} every year",
            "某镇有{s}人，人口每年增加{p}" if up else "一台机器价值{s}元，每年贬值{p}",
            s=s,
            p=p,
        )
        w.ask(
            "what is it after {n} years?",
            "{n}年后有多少人？" if up else "{n}年后价值多少元？",
            s * ((1 + p if up else 1 - p) ** n),
            n=n,
        )


def round_trip(w: Writer) -> None:
    """Average speed there and back, and speeds in other units."""
    if w.chance(0.5):
        x, y = w.pick(
            ((20, 30), (30, 60), (40, 60), (60, 90), (40, 24), (50, 75), (60, 40), (72, 36), (80, 48), (90, 45))
        )
        a, b = w.digits(x), w.digits(y)
        w.fact(
            "a [car|bus|driver] goes to a town at {a} km/h and comes back on the same road at {b} km/h",
            "一辆汽车从甲地到乙地每小时行{a}千米，原路返回时每小时行{b}千米",
            a=a,
            b=b,
        )
        w.ask(
            "what is the average speed for the whole trip [in km/h|]?",
            "往返的平均速度是每小时多少千米？",
            2 / (1 / a + 1 / b),
        )
    else:
        v = w.digits(18 * w.integer(1, 12))
        meters = v * 1000 / 3600
        w.fact("a [train|car|bus] [runs|travels] at {v} km/h", "一列火车每小时行{v}千米", v=v)
        if w.chance(0.4):
            w.ask(
                "how many m does it [go|travel] per second?|what is its speed in m per second?",
                "它每秒行多少米？",
                meters,
            )
        else:
            t = w.digits(w.integer(5, 60))
            w.ask("how many m does it [go|travel] in {t} seconds?", "它{t}秒行多少米？", meters * t, t=t)


SCENARIOS = (discount, profit, markup, markup, bill, votes_and_marks, budget, compound, round_trip)
