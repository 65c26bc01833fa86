# ruff: noqa: E501 (a template reads best in one line)
"""Quantities known through each other: ages, sums and differences, ratios, averages, unknown numbers."""

from __future__ import annotations

from treequation.data.synthetic.terms import Term
from treequation.data.synthetic.writing import Writer


def ages(w: Writer) -> None:
    """How old somebody is, was or will be."""
    who, other = w.person(), w.person()
    age = w.integer(5, 14)
    a = w.digits(age)
    slots: dict[str, object] = {"who": who, "other": other}
    w.fact("{who} is {a} years old [now|]|{who} is {a}", "{who}今年{a}岁", a=a, **slots)
    kind = w.below(4)
    if kind == 0:
        k = w.times(w.integer(2, 2 + 18 // age))
        w.fact("{other} is {k} as old as {who}", "{other}的年龄是{who}的{k}倍", k=k, **slots)
        older = a * k
    elif kind == 1:
        d = w.number(w.integer(2, 30))
        w.fact(
            "{other} is {d} years older than {who}|{who} is {d} years younger than {other}",
            "{other}比{who}大{d}岁|{who}比{other}小{d}岁",
            d=d,
            **slots,
        )
        older = a + d
    elif kind == 2:
        k, d = w.times(w.integer(3, 3 + 9 // age)), w.number(w.integer(2, 6))
        slots["parent"] = w.say("[mother|father|uncle|aunt]", "[妈妈|爸爸|叔叔|姑姑]")
        w.fact(
            "{who}'s {parent} is {d} years older than {k} {who.his} age",
            "{who}的{parent}的年龄比{who}的{k}倍多{d}岁",
            k=k,
            d=d,
            **slots,
        )
        w.ask("how old is {who}'s {parent}?", "{who}的{parent}今年多少岁？", a * k + d, **slots)
        return
    else:
        d = w.number(w.integer(2, age - 2))
        w.fact(
            "{other} is {d} years younger than {who}|{who} is {d} years older than {other}",
            "{other}比{who}小{d}岁|{who}比{other}大{d}岁",
            d=d,
            **slots,
        )
        older = a - d
    years = w.number(w.integer(2, 15))
    form = w.below(4)
    if form == 0:
        w.ask("how old will {other} be in {n} years?", "{n}年后{other}多少岁？", older + years, n=years, **slots)
    elif form == 1:
        w.ask(
            "what is the sum of their ages?|how old are they together?", "他们{two}人的年龄和是多少[岁|]？", a + older
        )
    elif form == 2 and kind == 0:
        w.ask("how many years older than {who} is {other}?", "{other}比{who}大多少岁？", older - a, **slots)
    else:
        w.ask("how old is {other} [now|]?|find the age of {other}.", "{other}今年多少岁？", older, **slots)


def sum_and_difference(w: Writer) -> None:
    """Two amounts by their sum and their difference or multiple."""
    one, other, thing = w.person(), w.person(), w.thing()
    small, more = w.integer(4, 40), w.integer(2, 30)
    slots = {"a": one, "b": other, "thing": thing}
    total_en = "{a} and {b} have {t} {thing.many} [altogether|together|in all]"
    total_zh = "{a}和{b}一共有{t}{thing.unit}{thing.zh}"
    bigger = w.chance(0.5)
    if w.chance(0.5):
        t, d = w.digits(2 * small + more), w.number(more)
        w.fact(total_en, total_zh, t=t, **slots)
        w.fact("{a} has {d} more than {b}", "{a}比{b}多{d}{thing.unit}", d=d, **slots)
        answer = (t + d) / 2 if bigger else (t - d) / 2
    else:
        times = w.integer(2, 6)
        t, k = w.digits(small * (times + 1)), w.times(times)
        w.fact(total_en, total_zh, t=t, **slots)
        w.fact("{a} has {k} as many as {b}", "{a}的{thing.zh}是{b}的{k}倍", k=k, **slots)
        answer = t / (k + 1) * k if bigger else t / (k + 1)
    w.ask(
        "how many {thing.many} does {x} have?",
        "{x}有多少{thing.unit}{thing.zh}？",
        answer,
        x=one if bigger else other,
        **slots,
    )


def ratio(w: Writer) -> None:
    """Amounts in a ratio."""
    x, y = w.pick(((2, 3), (3, 2), (3, 4), (5, 3), (4, 5), (7, 4), (5, 2), (1, 3), (5, 8), (4, 1), (7, 3), (2, 5)))
    part = w.integer(3, 60)
    a, b = w.digits(x), w.digits(y)
    first, second, place, zh_first, zh_second, zh_place, unit = w.pick((
        ("boys", "girls", "at a school", "男生", "女生", "学校里", "人"),
        ("cats", "dogs", "in a shelter", "猫", "狗", "收养所里", "只"),
        ("red balls", "blue balls", "in a box", "红球", "蓝球", "盒子里", "个"),
        ("apple trees", "pear trees", "in an orchard", "苹果树", "梨树", "果园里", "棵"),
        ("adults", "children", "in a cinema", "大人", "小孩", "电影院里", "人"),
        ("cows", "sheep", "on a farm", "牛", "羊", "农场里", "头"),
    ))  # fmt: skip
    slots = {
        "x": first,
        "y": second,
        "place": place,
        "zx": zh_first,
        "zy": zh_second,
        "zp": zh_place,
        "u": unit,
        "number": "人数" if unit == "人" else "数量",
    }
    w.fact(
        "the ratio of {x} to {y} {place} is {a}[:| : | to ]{b}|the numbers of {x} and {y} {place} are in the ratio {a}:{b}",
        "{zp}{zx}和{zy}的{number}比是{a}[:|：]{b}",
        a=a,
        b=b,
        **slots,
    )
    form = w.below(4)
    if form == 0:
        t = w.digits((x + y) * part)
        w.fact("there are {t} of them [altogether|in all]", "一共有{t}{u}", t=t, **slots)
        w.ask("how many {x} are there?|find the number of {x}.", "{zx}有多少{u}？", t / (a + b) * a, **slots)
    elif form == 1:
        n = w.digits(x * part)
        w.fact("there are {n} {x}", "{zx}有{n}{u}", n=n, **slots)
        w.ask("how many {y} are there?|find the number of {y}.", "{zy}有多少{u}？", n / a * b, **slots)
    elif form == 2:
        n = w.digits(x * part)
        w.fact("there are {n} {x}", "{zx}有{n}{u}", n=n, **slots)
        w.ask(
            "how many {x} and {y} are there [altogether|in all]?", "{zx}和{zy}一共有多少{u}？", n / a * (a + b), **slots
        )
    else:
        d = w.digits(abs(x - y) * part)
        big, small = ("x", "y") if x > y else ("y", "x")
        difference = a - b if x > y else b - a
        w.fact(
            f"there are {{d}} more {{{big}}} than {{{small}}}", f"{{z{big}}}比{{z{small}}}多{{d}}{{u}}", d=d, **slots
        )
        w.ask("how many {x} are there?|find the number of {x}.", "{zx}有多少{u}？", d / difference * a, **slots)


def average(w: Writer) -> None:
    """The mean of several values, a total from a mean, or the one value that is missing."""
    who = w.person()
    form = w.below(4)
    slots: dict[str, object] = {"who": who}
    if form <= 1:
        count = w.integer(2, 4)
        mean = w.integer(70, 95)
        steps = [w.integer(-8, 8) for _ in range(count - 1)]
        values = [mean + step for step in steps]
        values.append(mean * count - sum(values))
        scores = [w.digits(value) for value in values]
        listed = (
            ", ".join(map(str, scores[:-1])) + f" and {scores[-1]}"
            if w.language == "en"
            else "、".join(map(str, scores))
        )
        total: Term = scores[0]
        for score in scores[1:]:
            total = total + score
        n = w.number(count)
        w.fact(
            "{who} scores {listed} [points|] in {n} tests|{who}'s scores in {n} tests are {listed}",
            "{who}{n}次[考试|测验]的成绩分别是{listed}分",
            listed=listed,
            n=n,
            **slots,
        )
        w.ask(
            "what is {who.his} average [score|]?|what is the average score of {who}?",
            "{who}的平均成绩是多少分？|{who}平均每次[得|考]多少分？",
            total / n,
            **slots,
        )
    elif form == 2:
        count, mean, new = w.integer(3, 8), w.integer(60, 90), w.integer(1, 9)
        n, m = w.number(count), w.digits(mean)
        better = w.digits(mean + new)
        w.fact(
            "the average of {who}'s scores in {n} tests is {m}", "{who}前{n}次测验的平均成绩是{m}分", n=n, m=m, **slots
        )
        w.ask(
            "what must {who.he} score in the next test for an average of {b}?",
            "下一次测验要得多少分，平均成绩才能达到{b}分？",
            better * (n + 1) - m * n,
            b=better,
            **slots,
        )
    else:
        boys, girls = w.integer(5, 25), w.integer(5, 25)
        x, y = w.digits(boys), w.digits(girls)
        p, q = w.digits(w.integer(70, 90)), w.digits(w.integer(70, 90))
        w.fact(
            "the average score of {x} boys is {p} and the average score of {y} girls is {q}",
            "{x}名男生的平均成绩是{p}分，{y}名女生的平均成绩是{q}分",
            x=x,
            y=y,
            p=p,
            q=q,
        )
        w.ask(
            "what is the average score of [the whole class|all of them]?",
            "全班的平均成绩是多少分？",
            (x * p + y * q) / (x + y),
        )


def unknown_number(w: Writer) -> None:
    """A number that is described by what is done with it."""
    number, factor, extra = w.integer(3, 40), w.integer(2, 9), w.integer(2, 30)
    form = w.below(5)
    if form == 0:
        k, e, r = w.times(factor), w.digits(extra), w.digits(number * factor + extra)
        w.fact("{e} more than {k} a number is {r}", "一个数的{k}倍[多|加上]{e}[是|等于]{r}", e=e, k=k, r=r)
        w.ask("what is the number?|find the number.", "这个数是多少？|求这个数。", (r - e) / k)
    elif form == 1:
        k, e = w.times(factor), w.digits(min(extra, number * factor - 1))
        r = w.digits(number * factor - int(e.value))
        w.fact("{e} less than {k} a number is {r}", "一个数的{k}倍[少|减去]{e}[是|等于]{r}", e=e, k=k, r=r)
        w.ask("what is the number?|find the number.", "这个数是多少？|求这个数。", (r + e) / k)
    elif form == 2:
        whole = w.pick((2, 3, 4, 5, 6, 8))
        f = w.share(whole)
        r = w.digits(f.value * whole * number)
        w.fact("{f} of a number is {r}", "一个数的{f}是{r}", f=f, r=r)
        w.ask("what is the number?|find the number.", "这个数是多少？|求这个数。", r / f)
    elif form == 3:
        a, b, c = w.digits(number), w.digits(factor), w.digits(extra)
        if w.chance(0.5):
            w.ask(
                "what is the sum of {c} and the product of {a} and {b}?|what do you get if you add {c} to the product of {a} and {b}?",
                "{a}与{b}的积加上{c}，和是多少？",
                a * b + c,
                a=a,
                b=b,
                c=c,
            )
        else:
            w.ask(
                "what do you get if you multiply the sum of {a} and {c} by {b}?|what is {b} times the sum of {a} and {c}?",
                "{a}与{c}的和乘{b}，积是多少？",
                (a + c) * b,
                a=a,
                b=b,
                c=c,
            )
    else:
        p = w.percent(w.pick((5, 10, 20, 25, 30, 40, 50, 60, 75, 80)))
        a = w.digits(20 * w.integer(1, 60))
        w.ask("what is {p} of {a}?|find {p} of {a}.|how much is {p} of {a}?", "{a}的{p}是多少？", a * p, a=a, p=p)


SCENARIOS = (ages, sum_and_difference, ratio, average, unknown_number)
