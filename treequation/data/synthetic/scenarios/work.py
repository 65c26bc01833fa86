# ruff: noqa: E501 (a template reads best in one line)
"""Getting things done: output a day, plans, several workers, books to read, tanks to fill."""

from __future__ import annotations

from fractions import Fraction

from treequation.data.synthetic.writing import Writer

# What a factory makes: English plural, Chinese noun and measure word.
_PRODUCTS = (
    ("chairs", "椅子", "把"), ("toys", "玩具", "个"), ("cups", "杯子", "个"), ("lamps", "台灯", "盏"), ("shirts", "衬衫", "件"),
    ("bicycles", "自行车", "辆"), ("tables", "桌子", "张"), ("phones", "手机", "部"), ("bags", "书包", "个"), ("clocks", "闹钟", "个"),
)  # fmt: skip


def production(w: Writer) -> None:
    """So many a day: the total, the rest, or the days that are still needed."""
    many, zh, unit = w.pick(_PRODUCTS)
    slots = {"many": many, "z": zh, "u": unit}
    daily, days = w.integer(12, 120), w.integer(3, 20)
    d, n = w.digits(daily), w.number(days)
    kind = w.below(5)
    if kind == 0:
        w.fact(
            "a [factory|workshop|machine] makes {d} {many} [a|per|every] day",
            "[工厂|车间]每天生产{d}{u}{z}",
            d=d,
            **slots,
        )
        w.ask("how many {many} does it make in {n} days?", "{n}天[一共|]生产多少{u}{z}？", d * n, n=n, **slots)
    elif kind == 1:
        done = w.integer(2, 12)
        order = w.digits(daily * done + w.integer(5, 40) * days)
        faster = w.number(done)
        w.fact("a [factory|workshop] has an order for {o} {many}", "[工厂|车间]要生产{o}{u}{z}", o=order, **slots)
        w.fact("it makes {d} {many} a day for the first {f} days", "前{f}天每天生产{d}{u}", d=d, f=faster, **slots)
        w.fact("the rest must be finished in {n} [more|] days", "剩下的要在{n}天内完成", n=n, **slots)
        w.ask(
            "how many {many} must it make [each|a|per] day [then|from then on]?",
            "剩下的平均每天要生产多少{u}？",
            (order - d * faster) / n,
            **slots,
        )
    elif kind == 2:
        fewer, rate = w.integer(2, days - 1), w.integer(2, 12)  # the days it really takes; a common rate
        total, extra = w.digits(days * fewer * rate), w.digits((days - fewer) * rate)
        w.fact(
            "a [factory|workshop] planned to make {t} {many} in {n} days",
            "[工厂|车间]计划{n}天生产{t}{u}{z}",
            t=total,
            n=n,
            **slots,
        )
        w.fact(
            "it [actually|in fact] made {e} more [a|per] day than planned",
            "实际每天比计划多生产{e}{u}",
            e=extra,
            **slots,
        )
        if w.chance(0.6):
            w.ask(
                "in how many days was it finished?|how many days did it take?",
                "实际多少天完成？",
                total / (total / n + extra),
            )
        else:
            w.ask(
                "how many {many} did it [actually|] make [a|per] day?",
                "实际每天生产多少{u}？",
                total / n + extra,
                **slots,
            )
    elif kind == 3:
        machines, hours = w.integer(2, 9), w.integer(2, 9)
        each = w.integer(3, 30)
        m, h, total = w.number(machines), w.number(hours), w.digits(machines * hours * each)
        w.fact(
            "{m} machines make {t} {many} in {h} hours",
            "{m}台机器{h}小时[生产|加工]{t}{u}{z}",
            m=m,
            h=h,
            t=total,
            **slots,
        )
        hourly = total / m / h
        if w.chance(0.4):
            w.ask(
                "how many {many} does each machine make [in an|per] hour?",
                "平均每台机器每小时[生产|加工]多少{u}？",
                hourly,
                **slots,
            )
        else:
            m2, h2 = w.number(w.integer(2, 12)), w.number(w.integer(2, 12))
            w.ask(
                "how many {many} do {a} [such|of these] machines make in {b} hours?",
                "照这样计算，{a}台[这样的|]机器{b}小时[可以|能]生产多少{u}？",
                hourly * m2 * h2,
                a=m2,
                b=h2,
                **slots,
            )
    else:
        a, b = w.digits(w.integer(10, 60)), w.digits(w.integer(10, 60))
        total = w.digits(int(a.value + b.value) * days)
        w.fact(
            "team A makes {a} {many} a day and team B makes {b} {many} a day",
            "甲组每天生产{a}{u}{z}，乙组每天生产{b}{u}",
            a=a,
            b=b,
            **slots,
        )
        if w.chance(0.5):
            w.ask(
                "how many days do they need together for {t} {many}?",
                "{two}组一起生产{t}{u}[需要|要]多少天？",
                total / (a + b),
                t=total,
                **slots,
            )
        else:
            w.ask(
                "how many {many} do they make together in {n} days?",
                "{n}天{two}组一共生产多少{u}？",
                (a + b) * n,
                n=n,
                **slots,
            )


def together(w: Writer) -> None:
    """A job that each finishes alone in so many days, done together."""
    x, y = w.pick(
        (
            (3, 6),
            (4, 12),
            (6, 12),
            (10, 15),
            (12, 6),
            (6, 3),
            (20, 30),
            (12, 4),
            (15, 10),
            (20, 5),
            (8, 24),
            (30, 20),
            (12, 24),
            (18, 9),
        )
    )
    one, two = w.person(), w.person()
    a, b = w.digits(x), w.digits(y)
    en, zh = w.pick(
        (
            ("paint a house", "粉刷这所房子"),
            ("finish a job", "完成这项工作"),
            ("build a wall", "砌好这堵墙"),
            ("dig a ditch", "挖通这条水渠"),
            ("type a report", "打完这份稿件"),
        )
    )
    unit, zh_unit = w.pick((("days", "天"), ("hours", "小时")))
    slots = {"one": one, "other": two, "job": en, "z": zh, "unit": unit, "zu": zh_unit}
    w.fact(
        "{one} can {job} in {a} {unit}[ and {other} [can do it|] in {b} {unit}|. {other} [alone|] needs {b} {unit} for it]",
        "{one}单独{z}[需要|要]{a}{zu}，{other}单独[做|完成]要{b}{zu}",
        a=a,
        b=b,
        **slots,
    )
    rate = 1 / a + 1 / b
    if w.chance(0.6):
        w.ask(
            "how many {unit} do they need [if they work together|together|working together]?",
            "{two}人合作[需要|要]多少{zu}[完成|]？",
            1 / rate,
            **slots,
        )
    else:
        w.ask(
            "what [fraction|part] of the job do they [finish|do] together each {day}?",
            "{two}人合作，每{zu}完成这项工作的几分之几？",
            rate,
            day=unit[:-1],
            **slots,
        )


def reading(w: Writer) -> None:
    """A book of so many pages."""
    who = w.person()
    daily, days, rest = w.integer(6, 40), w.integer(3, 12), w.integer(2, 10)
    more = w.integer(5, 40)
    total = daily * days + more * rest
    d, n, all_pages = w.digits(daily), w.number(days), w.digits(total)
    slots = {"who": who}
    kind = w.below(4)
    if kind == 3:
        whole = w.pick((2, 3, 4, 5, 6))
        pages = w.digits(whole * w.integer(12, 60))
        share = w.share(whole)
        w.fact(
            "{who} is reading a book of {t} pages|{who}'s book has {t} pages", "{who}看一本{t}页的书", t=pages, **slots
        )
        w.fact("{who} has [already|] read {f} of [it|the book]", "已经看了全书的{f}", f=share, **slots)
        if w.chance(0.5):
            w.ask(
                "how many pages are left?|how many pages does {who} still have to read?",
                "还剩多少页没有看？",
                pages * (1 - share),
                **slots,
            )
        else:
            w.ask("how many pages has {who} read?", "{who}已经看了多少页？", pages * share, **slots)
        return
    w.fact(
        "{who} is reading a book with {t} pages|{who} [borrows|has] a book of {t} pages",
        "{who}看一本{t}页的[故事书|书|小说]",
        t=all_pages,
        **slots,
    )
    w.fact(
        "{who} reads {d} pages a day for {n} days|in the first {n} days {who} reads {d} pages [a|each] day",
        "[{who}|]每天看{d}页，看了{n}天|[{who}|]前{n}天每天看{d}页",
        d=d,
        n=n,
        **slots,
    )
    left = all_pages - d * n
    w.aside_about(who)
    if kind == 0:
        w.ask("how many pages are [left|still to be read]?", "还剩多少页没看？", left)
    elif kind == 1:
        r = w.number(rest)
        w.fact("{who} wants to finish it in {r} more days", "剩下的要{r}天看完", r=r, **slots)
        w.ask(
            "how many pages must {who} read [each|a|per] day [from now on|]?",
            "[剩下的|]平均每天要看多少页？",
            left / r,
            **slots,
        )
    else:
        m = w.digits(more)
        w.fact("after that {who} reads {m} pages a day", "以后每天看{m}页", m=m, **slots)
        w.ask(
            "how many more days does {who} need [for the rest|to finish the book]?",
            "还要多少天才能看完？",
            left / m,
            **slots,
        )


def tank(w: Writer) -> None:
    """Water that flows in and out."""
    in_, out, minutes = w.integer(8, 40), w.integer(2, 7), w.integer(4, 30)
    i, o, t = w.digits(in_), w.digits(out), w.digits(minutes)
    place, zh = w.pick((("tank", "水箱"), ("pool", "水池"), ("barrel", "水桶")))
    slots = {"place": place, "z": zh}
    w.fact(
        "a pipe pours {i} liters of water [into a {place} every minute|per minute into a {place}] and another pipe drains {o} liters per minute",
        "一个{z}，进水管每分钟进水{i}升，出水管每分钟出水{o}升",
        i=i,
        o=o,
        **slots,
    )
    if w.chance(0.5):
        start = w.digits(w.integer(10, 200))
        w.fact("there are {s} liters in the {place} at first", "{z}里原来有{s}升水", s=start, **slots)
        w.ask(
            "how many liters are in the {place} after {t} minutes [with both pipes open|]?",
            "两管同时打开，{t}分钟后{z}里有多少升水？",
            start + (i - o) * t,
            t=t,
            **slots,
        )
    else:
        volume = w.digits((in_ - out) * minutes)
        w.fact("the empty {place} holds {v} liters", "空的{z}能装{v}升水", v=volume, **slots)
        w.ask(
            "how many minutes does it take to fill it with both pipes open?",
            "两管同时打开，多少分钟能装满？",
            volume / (i - o),
            **slots,
        )


def wages(w: Writer) -> None:
    """Pay by the hour."""
    who = w.person()
    hourly, hours, days = w.money(w.integer(8, 30)), w.number(w.integer(3, 9)), w.number(w.integer(2, 6))
    w.fact("{who} [earns|is paid|makes] {p} an hour", "{who}每小时[挣|赚]{p}元", who=who, p=hourly)
    w.fact(
        "{who} works {h} hours a day for {n} days", "{who}每天工作{h}小时，[一共|]工作了{n}天", who=who, h=hours, n=days
    )
    pay = hourly * hours * days
    w.free = True
    kind = w.below(3)
    if kind == 0:
        spent = w.money(Fraction(w.integer(5, int(pay.value) - 5)))
        w.fact("{who} spends {s} of [the money|what {who.he} earns]", "{who}花掉了其中的{s}元", who=who, s=spent)
        w.free = False
        w.ask("how much [money|] is left?|how much does {who} have left?", "{who}还剩多少元？", pay - spent, who=who)
    elif kind == 1:
        tax = w.percent(w.pick((5, 10, 15, 20, 25)))
        w.fact("{t} of the pay goes to [tax|taxes]", "其中{t}要交税", t=tax)
        w.free = False
        w.ask("how much [money does {who} keep|is left after tax]?", "税后{who}得到多少元？", pay * (1 - tax), who=who)
    else:
        w.ask(
            "how much [money|] does {who} earn [altogether|in total|in all]?",
            "{who}一共[挣|赚]了多少元？",
            pay,
            who=who,
        )


SCENARIOS = (production, production, together, reading, tank, wages)
