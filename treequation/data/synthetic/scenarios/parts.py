# ruff: noqa: E501 (a template reads best in one line)
"""Parts of a whole: percentages, fractions, interest, mixtures, growth."""

from __future__ import annotations

from fractions import Fraction

from treequation.data.synthetic.writing import Writer

# A whole and one kind within it: English place, members, kind; Chinese place, measure word, members, kind.
_GROUPS = (
    ("at a school", "students", "girls", "学校", "名", "学生", "女生"),
    ("in a class", "pupils", "boys", "班级", "名", "学生", "男生"),
    ("at a company", "employees", "women", "公司", "名", "员工", "女员工"),
    ("in a village", "people", "farmers", "村子", "名", "村民", "农民"),
    ("in a library", "books", "novels", "图书馆", "本", "书", "小说"),
    ("in a garden", "flowers", "roses", "花园", "朵", "花", "玫瑰"),
    ("in an orchard", "trees", "apple trees", "果园", "棵", "果树", "苹果树"),
    ("on a farm", "animals", "sheep", "农场", "只", "动物", "羊"),
    ("in a car park", "cars", "red", "停车场", "辆", "车", "红色的车"),
    ("in a box", "balls", "blue", "箱子", "个", "球", "蓝球"),
)


def part_of_group(w: Writer) -> None:
    """So many per cent, or such a fraction, are of one kind: the part, the rest or the whole."""
    where, many, kind, zh_place, unit, zh_many, zh_kind = w.pick(_GROUPS)
    slots = {"where": where, "many": many, "kind": kind, "zp": zh_place, "u": unit, "zm": zh_many, "zk": zh_kind}
    if w.chance(0.5):
        percent = w.pick((5, 10, 15, 20, 25, 30, 35, 40, 45, 55, 60, 65, 70, 75, 80, 90))
        base, share = 20 * w.integer(2, 60), w.percent(percent)
    else:
        whole = w.integer(2, 9)
        base, share = whole * w.integer(6, 60), w.share(whole)
    part = base * share.value
    form = w.below(4)
    if form <= 1:
        total = w.digits(base)
        w.fact(
            "there are {t} {many} {where}|{where}, there are {t} {many}",
            "{zp}里[有|一共有]{t}{u}{zm}",
            t=total,
            **slots,
        )
        w.fact("{s} of [them|the {many}] are {kind}", "[其中|]{zk}占{s}", s=share, **slots)
        if form == 0:
            w.ask("how many of the {many} are {kind}?", "{zk}有多少{u}？", total * share, **slots)
        else:
            w.ask(
                "how many [of the {many}|{many}] are not {kind}?",
                "其余的有多少{u}？|不是{zk}的有多少{u}？",
                total * (1 - share),
                **slots,
            )
    elif form == 2:
        known = w.digits(part)
        w.fact(
            "{k} of the {many} {where} are {kind}, which is {s} of [all|] the {many}",
            "{zp}里{zk}有{k}{u}，占{zm}总数的{s}",
            s=share,
            k=known,
            **slots,
        )
        w.ask("how many {many} are there [altogether|in all]?", "{zp}里一共有多少{u}{zm}？", known / share, **slots)
    else:
        rest = w.digits(base - part)
        w.fact("{s} of the {many} {where} are {kind}", "{zp}里{zk}占{zm}总数的{s}", s=share, **slots)
        w.fact("the other {r} {many} are not", "其余的{r}{u}不是{zk}", r=rest, **slots)
        w.ask(
            "how many {many} are there [altogether|in all]?", "{zp}里一共有多少{u}{zm}？", rest / (1 - share), **slots
        )


def growth(w: Writer) -> None:
    """A quantity that grows or shrinks by a percentage or fraction, once or twice."""
    subjects = (
        ("the population of a town", "某镇的人口", "人"), ("the output of a factory", "一家工厂的产量", "吨"), ("the number of visitors of a museum", "博物馆的参观人数", "人"),
        ("the number of members of a club", "俱乐部的会员人数", "人"), ("a farm's harvest of wheat in kg", "一个农场的小麦产量", "千克"),
    )  # fmt: skip
    en, zh, unit = w.pick(subjects)
    base = 400 * w.integer(1, 30)
    p = w.pick((5, 10, 20, 25, 40, 50))
    percent = w.percent(p)
    up = w.chance(0.6)
    slots = {
        "s": en,
        "z": zh,
        "u": unit,
        "rises": w.say("[rises|grows|increases]" if up else "[falls|decreases|drops]", "增加" if up else "减少"),
    }
    form = w.below(5)
    if form == 4:
        start = w.digits(base)
        if w.language == "en":
            word, times = w.pick((("doubles", 2), ("triples", 3)))
            k = w.mention(word, Fraction(times), "word")
        else:
            k = w.times(w.integer(2, 5))
        w.fact("{s} is {a}", "{z}去年是{a}{u}", a=start, **slots)
        w.fact("it {k} within a few years", "今年是去年的{k}倍", k=k)
        if w.chance(0.5):
            w.ask("what is it then?", "今年是多少{u}？", start * k, **slots)
        else:
            w.ask("by how much does it grow?", "今年比去年增加了多少{u}？", start * k - start, **slots)
        return
    change = 1 + percent if up else 1 - percent
    if form == 0:
        now = w.digits(base * change.value)
        w.fact("{s} {rises} by {p} to {n}", "{z}今年比去年{rises}了{p}，今年是{n}{u}", p=percent, n=now, **slots)
        w.ask("what was it before?", "去年是多少{u}？", now / change, **slots)
        return
    start = w.digits(base)
    if form == 1:
        end = w.digits(base * change.value)
        w.fact("{s} was {a} last year and is {b} this year", "{z}去年是{a}{u}，今年是{b}{u}", a=start, b=end, **slots)
        difference = end - start if up else start - end
        if w.language == "en":
            w.ask(
                "by what percent did it [increase|grow]?" if up else "by what percent did it [decrease|fall]?",
                "",
                difference / start * 100,
            )
        else:
            w.ask("", "今年比去年{rises}了百分之几？", difference / start, **slots)
        return
    w.fact("{s} is {a}", "{z}去年是{a}{u}", a=start, **slots)
    if form == 2:
        w.fact("it {rises} by {p}", "今年比去年{rises}了{p}", p=percent, **slots)
        w.ask("what is it [then|after that]?", "今年是多少{u}？", start * change, **slots)
    else:
        again = w.percent(w.pick((10, 20, 25, 50)))
        w.fact(
            "it {rises} by {p} in the first year and by {q} in the next year",
            "今年{rises}了{p}，预计明年再{rises}{q}",
            p=percent,
            q=again,
            **slots,
        )
        w.ask(
            "what is it after [that|these changes]?",
            "预计明年是多少{u}？",
            start * change * (1 + again if up else 1 - again),
            **slots,
        )


def interest(w: Writer) -> None:
    """Simple interest."""
    who = w.person()
    sum_, rate, years = w.money(100 * w.integer(4, 90)), w.percent(w.integer(2, 12)), w.number(w.integer(2, 6))
    slots = {"who": who, "s": sum_, "r": rate, "n": years}
    w.fact(
        "{who} [puts|deposits|invests] {s} [in a bank|in an account] at {r} simple interest [a|per] year for {n} years",
        "{who}把{s}元存入银行，[年利率是|年利率]{r}，[存了|存期]{n}年",
        **slots,
    )
    earned = sum_ * rate * years
    if w.chance(0.5):
        w.ask(
            "how much interest does {who} [get|earn]?|what is the interest?", "[到期|]可得利息多少元？", earned, who=who
        )
    else:
        w.ask(
            "how much money does {who} have in the end?|what is the total amount after that time?",
            "到期时{who}一共可以取回多少元？",
            sum_ + earned,
            who=who,
        )


def mixture(w: Writer) -> None:
    """Something dissolved in water."""
    en, zh = w.pick((("salt", "盐"), ("sugar", "糖")))
    solute = w.integer(2, 40) * 5
    s, water = w.digits(solute), w.digits(solute * w.integer(3, 9))
    slots = {"x": en, "z": zh}
    form = w.below(4)
    if form == 0:
        w.fact(
            "{s} g of {x} is [dissolved|stirred] in {w} g of water", "把{s}克{z}放入{w}克水中", s=s, w=water, **slots
        )
        if w.language == "en":
            w.ask("what percent of the solution is {x}?", "", s / (s + water) * 100, **slots)
        else:
            w.ask("", "[{z}占{z}水的几分之几|这种{z}水的含{z}率是百分之几]？", s / (s + water), **slots)
    elif form == 1:
        total, share = w.digits(20 * w.integer(5, 50)), w.percent(w.pick((5, 10, 15, 20, 25, 30)))
        w.fact("there are {t} g of a solution that is {p} {x}", "有含{z}率{p}的{z}水{t}克", t=total, p=share, **slots)
        w.ask("how many g of {x} does it contain?", "其中含{z}多少克？", total * share, **slots)
    elif form == 2:
        a, b = w.digits(20 * w.integer(5, 30)), w.digits(20 * w.integer(5, 30))
        p, q = (w.percent(v) for v in w.pick(((5, 20), (10, 30), (15, 40), (25, 10), (40, 20))))
        w.fact(
            "{a} g of a {p} {x} solution is mixed with {b} g of a {q} {x} solution",
            "把{a}克浓度为{p}的{z}水和{b}克浓度为{q}的{z}水混合",
            a=a,
            b=b,
            p=p,
            q=q,
            **slots,
        )
        w.ask("how many g of {x} does the mixture contain?", "混合后的{z}水中含{z}多少克？", a * p + b * q, **slots)
    else:
        each, times = w.integer(2, 9), w.integer(2, 30)
        portion, ratio, amount = w.digits(each), w.digits(each * w.integer(3, 20)), w.digits(each * times)
        w.fact(
            "for every {o} g of {x} you take {r} g of water",
            "按{o}克{z}兑{r}克水的比例配制{z}水",
            o=portion,
            r=ratio,
            **slots,
        )
        w.ask(
            "how many g of water [are needed|do you need] for {n} g of {x}?",
            "{n}克{z}要兑多少克水？",
            ratio / portion * amount,
            n=amount,
            **slots,
        )


def rope(w: Writer) -> None:
    """A rope, a road or a sack of which parts are used one after the other."""
    whole, second = w.pick((2, 3, 4, 5)), w.pick((2, 3, 4))
    length = whole * second * w.integer(3, 20)
    thing, zh, unit, zh_unit, used, zh_used = w.pick((
        ("a rope is {n} m long", "一根绳子长{n}米", "m", "米", "is cut off", "用去"),
        ("a road of {n} m is to be repaired", "修一条长{n}米的公路", "m", "米", "is repaired", "修了"),
        ("a sack holds {n} kg of rice", "一袋大米重{n}千克", "kg", "千克", "is eaten", "吃了"),
        ("a shop has {n} kg of fruit", "水果店运来{n}千克水果", "kg", "千克", "is sold", "卖出"),
    ))  # fmt: skip
    n, f = w.digits(length), w.share(whole)
    slots = {"unit": unit, "zu": zh_unit, "used": used, "zused": zh_used}
    w.fact(thing, zh, n=n)
    w.fact(
        "on the first day {f} of it {used}",
        "第一天{zused}全部的{f}" if zh_used in ("吃了", "卖出") else "第一次{zused}全长的{f}",
        f=f,
        **slots,
    )
    rest = n * (1 - f)
    form = w.below(3)
    if form == 0:
        w.ask("how many {unit} are left?", "还剩多少{zu}？", rest, **slots)
    elif form == 1:
        g = w.share(second)
        w.fact("on the next day {g} of the rest {used}", "接着{zused}剩下的{g}", g=g, **slots)
        w.ask("how many {unit} are left [then|]?", "还剩多少{zu}？", rest * (1 - g), **slots)
    else:
        m = w.digits(Fraction(w.integer(1, int(rest.value) - 1)) if rest.value > 1 else Fraction(1, 2))
        w.fact("on the next day another {m} {unit} {used}", "接着又{zused}{m}{zu}", m=m, **slots)
        w.ask("how many {unit} are left [then|]?", "还剩多少{zu}？", rest - m, **slots)


SCENARIOS = (part_of_group, part_of_group, growth, interest, mixture, rope)
