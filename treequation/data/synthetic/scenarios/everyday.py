# ruff: noqa: E501 (a template reads best in one line)
"""Short questions of everyday life: gained and lost, before and after, morning and afternoon, still needed."""

from __future__ import annotations

from fractions import Fraction

from treequation.data.synthetic.terms import Term
from treequation.data.synthetic.vocabulary import THINGS
from treequation.data.synthetic.writing import Writer

_FOOD_NAMES = ("apple", "orange", "peach", "pear", "egg", "candy", "cookie", "strawberry")
_COLORED_NAMES = (
    "balloon",
    "ball",
    "pencil",
    "pen",
    "bead",
    "marble",
    "flower",
    "T-shirt",
    "scarf",
    "towel",
    "umbrella",
    "sticker",
    "card",
    "block",
    "fish",
)
_FOOD = [thing for thing in THINGS if thing.one in _FOOD_NAMES]
_COLORED = [thing for thing in THINGS if thing.one in _COLORED_NAMES]

# What somebody does with many things: English past and infinitive, Chinese.
_COLLECTING = (
    ("collected", "collect", "收集"),
    ("sold", "sell", "卖出"),
    ("found", "find", "找到"),
    ("bought", "buy", "买"),
    ("packed", "pack", "包装"),
)


def i_have(w: Writer) -> None:
    """As somebody would type it: short, and about oneself."""
    thing = w.thing(_FOOD)
    many = w.integer(5, 40)
    a, b = w.number(many), w.number(w.integer(2, many - 2))
    slots = {"thing": thing, "a": a, "b": b}
    kind = w.below(6)
    if kind == 5 and w.language == "en":
        n = w.number(w.integer(2, 9))
        dozen = w.mention("dozen", Fraction(12), "word")
        w.ask(
            "how many {thing.many} are {n} {dozen}?|a shop has {n} {dozen} {thing.many}. How many {thing.many} is that?",
            "",
            n * dozen,
            n=n,
            dozen=dozen,
            **slots,
        )
        return
    if kind == 0:
        w.ask(
            "i have {a} {thing.many} and eat {b}. How many [are left|do I have left]?|if I eat {b} of my {a} {thing.many}, how many [are left|remain]?",
            "我有{a}{thing.unit}{thing.zh}，吃了{b}{thing.unit}，还剩多少{thing.unit}？",
            a - b,
            **slots,
        )
    elif kind == 1:
        w.ask(
            "i have {a} {thing.many} and [buy|get|find] {b} more. How many [do I have|{thing.many} are there] [now|]?",
            "我有{a}{thing.unit}{thing.zh}，又[买|拿]了{b}{thing.unit}，现在有多少{thing.unit}？",
            a + b,
            **slots,
        )
    elif kind == 2:
        price = w.money(w.integer(thing.cheapest, thing.dearest))
        w.ask(
            "what do {a} {thing.many} cost [if each costs {p}|at {p} each]?",
            "一{thing.unit}{thing.zh}{p}元，{a}{thing.unit}多少[钱|元]？",
            price * a,
            p=price,
            **slots,
        )
    elif kind == 3:
        groups, each = w.integer(2, 9), w.integer(2, 12)
        t, n = w.number(groups * each), w.number(groups)
        w.ask(
            "how many {thing.many} does each of {n} children get if {t} {thing.many} are shared equally?|{n} children share {t} {thing.many} equally. How many does each child get?",
            "{t}{thing.unit}{thing.zh}平均分给{n}个孩子，每个孩子分到多少{thing.unit}？",
            t / n,
            t=t,
            n=n,
            **slots,
        )
    else:
        bags, full = w.number(w.integer(2, 12)), w.number(w.integer(2, 15))
        w.ask(
            "how many {thing.many} are in {n} bags [of {e}|with {e} in each]?|there are {e} {thing.many} in every bag. How many are in {n} bags?",
            "每袋有{e}{thing.unit}{thing.zh}，{n}袋有多少{thing.unit}？",
            bags * full,
            n=bags,
            e=full,
            **slots,
        )


def before_and_after(w: Writer) -> None:
    """The start, the change or the end is asked for."""
    who, other, thing = w.person(), w.person(), w.thing()
    start = w.integer(12, 120)
    change = w.integer(3, start - 3)
    slots = {"who": who, "other": other, "thing": thing}
    kind = w.below(6)
    if kind == 0:
        a, b = w.number(change), w.number(start - change)
        w.fact("{who} had some {thing.many}", "{who}有一些{thing.zh}", **slots)
        w.fact(
            "after {who.he} gave {a} [{thing.many}|of them] to {other}, {who.he} had {b} left",
            "送给{other}{a}{thing.unit}后，还剩{b}{thing.unit}",
            a=a,
            b=b,
            **slots,
        )
        w.ask(
            "how many {thing.many} did {who} have [at first|in the beginning|to start with]?",
            "{who}原来有多少{thing.unit}{thing.zh}？",
            a + b,
            **slots,
        )
    elif kind == 1:
        a, b = w.number(start), w.number(start - change)
        w.fact("{who} had {a} {thing.many}", "{who}有{a}{thing.unit}{thing.zh}", a=a, **slots)
        w.fact(
            "after {who.he} gave some of them to {other}, {who.he} had {b} left",
            "送给{other}一些后，还剩{b}{thing.unit}",
            b=b,
            **slots,
        )
        w.ask(
            "how many {thing.many} did {who} give to {other}?|how many {thing.many} did {other} get?",
            "{who}送给{other}多少{thing.unit}？",
            a - b,
            **slots,
        )
    elif kind == 2:
        a, b = w.number(start - change), w.number(start)
        w.fact("{who} had {a} {thing.many}", "{who}原来有{a}{thing.unit}{thing.zh}", a=a, **slots)
        w.fact(
            "then {other} gave {who.him} some more, and now {who.he} has {b}",
            "{other}又送给{who}一些，现在{who}有{b}{thing.unit}",
            b=b,
            **slots,
        )
        w.ask("how many {thing.many} did {other} give to {who}?", "{other}送给{who}多少{thing.unit}？", b - a, **slots)
    elif kind == 3:
        a, b = w.number(change), w.number(start)
        w.fact(
            "{who} got {a} more {thing.many} from {other} and now has {b}",
            "{other}送给{who}{a}{thing.unit}{thing.zh}后，{who}现在有{b}{thing.unit}",
            a=a,
            b=b,
            **slots,
        )
        w.ask("how many {thing.many} did {who} have before?", "{who}原来有多少{thing.unit}{thing.zh}？", b - a, **slots)
    elif kind == 4:
        need, have = w.number(start), w.number(change)
        w.fact(
            "{who} [needs|wants] {n} {thing.many} [for a party|for the school fair|for a project]",
            "{who}[需要|想要]{n}{thing.unit}{thing.zh}",
            n=need,
            **slots,
        )
        w.fact("{who} [already has|has only] {h}", "[现在|]已经有{h}{thing.unit}", h=have, **slots)
        w.ask("how many more {thing.many} does {who} need?", "还[需要|差|缺]多少{thing.unit}？", need - have, **slots)
    else:
        give = w.integer(2, 20)
        a, b, g = w.number(start), w.number(w.integer(5, 100)), w.number(min(give, start - 2))
        w.fact(
            "{who} had {a} {thing.many} and {other} had {b} {thing.many}",
            "{who}有{a}{thing.unit}{thing.zh}，{other}有{b}{thing.unit}",
            a=a,
            b=b,
            **slots,
        )
        w.fact("{who} gave {g} {thing.many} to {other}", "{who}给了{other}{g}{thing.unit}", g=g, **slots)
        if w.chance(0.5):
            w.ask("how many {thing.many} does {who} have now?", "{who}现在有多少{thing.unit}？", a - g, **slots)
        else:
            w.ask("how many {thing.many} does {other} have now?", "{other}现在有多少{thing.unit}？", b + g, **slots)


def morning_and_afternoon(w: Writer) -> None:
    """Two kinds of things at two times, of which the question needs some."""
    who, thing, other = w.person(), w.thing(), w.thing()
    did, do, zh = w.pick(_COLLECTING)
    slots = {"who": who, "thing": thing, "other": other, "did": did, "do": do, "z": zh}
    values = [w.integer(4, 80) for _ in range(4)]
    if values[0] == values[1]:
        values[1] += 3
    a, b, c, d = (w.number(value) for value in values)
    first, second, zh_first, zh_second = w.pick((
        ("in the morning", "in the afternoon", "上午", "下午"),
        ("on Saturday", "on Sunday", "星期六", "星期天"),
        ("last week", "this week", "上周", "这周"),
        ("in spring", "in summer", "春天", "夏天"),
    ))  # fmt: skip
    slots |= {"t": first, "s": second, "zt": zh_first, "zs": zh_second}
    if w.distracts():
        w.fact(
            "{who} {did} {a} {thing.many} and {c} {other.many} {t}",
            "{who}{zt}{z}了{a}{thing.unit}{thing.zh}和{c}{other.unit}{other.zh}",
            a=a,
            c=c,
            **slots,
        )
        w.fact(
            "{s} {who} {did} {b} {thing.many} and {d} {other.many}",
            "{who}{zs}{z}了{b}{thing.unit}{thing.zh}和{d}{other.unit}{other.zh}",
            b=b,
            d=d,
            **slots,
        )
    else:
        w.fact("{who} {did} {a} {thing.many} {t}", "{who}{zt}{z}了{a}{thing.unit}{thing.zh}", a=a, **slots)
        w.fact("{s} {who} {did} {b} {thing.many}", "{who}{zs}{z}了{b}{thing.unit}", b=b, **slots)
    if w.chance(0.5):
        w.ask(
            "how many {thing.many} did {who} {do} [altogether|in all|in total]?",
            "{who}一共{z}了多少{thing.unit}{thing.zh}？",
            a + b,
            **slots,
        )
    elif a.value > b.value:
        w.ask(
            "how many more {thing.many} did {who} {do} {t} than {s}?",
            "{who}{zt}比{zs}多{z}多少{thing.unit}{thing.zh}？",
            a - b,
            **slots,
        )
    else:
        w.ask(
            "how many more {thing.many} did {who} {do} {s} than {t}?",
            "{who}{zs}比{zt}多{z}多少{thing.unit}{thing.zh}？",
            b - a,
            **slots,
        )


def bus(w: Writer) -> None:
    """People who get on and off."""
    place, zh, on, off = w.pick(
        (
            ("bus", "公共汽车", "got on", "got off"),
            ("train", "火车", "got on", "got off"),
            ("museum", "博物馆", "came in", "left"),
            ("library", "图书馆", "came in", "left"),
        )
    )
    start = w.integer(12, 60)
    count = w.number(start)
    in_ = place in ("museum", "library")
    slots = {"p": place, "z": zh, "on": on, "off": off, "prep": "in" if in_ else "on", "inside": "里" if in_ else "上"}
    w.fact("there were {n} people {prep} a {p}", "{z}{inside}原来有{n}人", n=count, **slots)
    total: Term = count
    leave, zh_off, zh_on = w.number(w.integer(2, start - 2)), "离开了" if in_ else "下车", "又进来" if in_ else "又上来"
    if w.chance(0.7):
        w.fact(
            "then {m} {off}|{m} of them {off}" if not in_ else "then {m} of them left",
            "{m}人{o}" if not in_ else "{o}{m}人",
            m=leave,
            o=zh_off,
            **slots,
        )
        total = total - leave
    if total is count or w.chance(0.6):
        more = w.number(w.integer(2, 30))
        w.fact("then {m} more {on}", "{o}{m}人", m=more, o=zh_on, **slots)
        total = total + more
    w.ask("how many people are {prep} the {p} now?", "[现在|这时]{z}{inside}有多少人？", total, **slots)


def two_kinds(w: Writer) -> None:
    """A collection of two kinds and what is known of each."""
    who, thing = w.person(), w.thing(_COLORED)
    colors = (("red", "红色"), ("blue", "蓝色"), ("green", "绿色"), ("yellow", "黄色"), ("white", "白色"))
    first = w.below(len(colors))
    (x, zx), (y, zy) = colors[first], colors[first - 1 - w.below(len(colors) - 1)]
    slots: dict[str, object] = {"who": who, "thing": thing, "x": x, "y": y, "zx": zx, "zy": zy}
    many = w.integer(6, 60)
    a = w.number(many)
    kind = w.below(4)
    w.aside_about(who)
    if kind == 0:
        b = w.number(w.integer(4, 60))
        w.fact(
            "{who} has {a} {x} {thing.many} and {b} {y} {thing.many}|{who} has {a} {x} and {b} {y} {thing.many}",
            "{who}有{a}{thing.unit}{zx}{thing.zh}和{b}{thing.unit}{zy}{thing.zh}",
            a=a,
            b=b,
            **slots,
        )
        w.ask(
            "how many {thing.many} does {who} have [altogether|in all]?",
            "{who}一共有多少{thing.unit}{thing.zh}？",
            a + b,
            **slots,
        )
    elif kind == 1:
        t = w.number(many + w.integer(4, 60))
        w.fact(
            "{a} of {who}'s {t} {thing.many} are {x}[ and the others are {y}|. The rest are {y}]",
            "{who}有{t}{thing.unit}{thing.zh}，其中{a}{thing.unit}是{zx}的，其余是{zy}的",
            a=a,
            t=t,
            **slots,
        )
        w.ask("how many {y} {thing.many} [are there|does {who} have]?", "{zy}的有多少{thing.unit}？", t - a, **slots)
    elif kind == 2:
        k = w.times(w.integer(2, 6))
        w.fact("{who} has {a} {x} {thing.many}", "{who}有{a}{thing.unit}{zx}{thing.zh}", a=a, **slots)
        w.fact("there are {k} as many {y} ones", "{zy}的是{zx}的{k}倍", k=k, **slots)
        if w.chance(0.5):
            w.ask("how many {y} {thing.many} are there?", "{zy}的有多少{thing.unit}？", a * k, **slots)
        else:
            w.ask(
                "how many {x} and {y} {thing.many} are there [altogether|in all]?",
                "{zx}和{zy}的一共有多少{thing.unit}？",
                a + a * k,
                **slots,
            )
    else:
        b, p, q = w.number(w.integer(4, 60)), w.money(w.integer(1, 12)), w.money(w.integer(1, 12))
        w.fact(
            "{who} sells {a} {x} {thing.many} for {p} each and {b} {y} {thing.many} for {q} each",
            "{who}卖了{a}{thing.unit}{zx}{thing.zh}，每{thing.unit}{p}元，还卖了{b}{thing.unit}{zy}{thing.zh}，每{thing.unit}{q}元",
            a=a,
            b=b,
            p=p,
            q=q,
            **slots,
        )
        w.ask(
            "how much money does {who} get [altogether|in all|]?", "{who}一共卖了多少[元|钱]？", a * p + b * q, **slots
        )


def compared(w: Writer) -> None:
    """How many times, how many more: two given amounts compared."""
    who, other, thing = w.person(), w.person(), w.thing()
    small, times = w.integer(3, 30), w.integer(2, 9)
    slots = {"a": who, "b": other, "thing": thing}
    kind = w.below(3)
    x, y = w.number(small * times), w.number(small)
    w.fact(
        "{a} has {x} {thing.many} and {b} has {y}[ {thing.many}|]",
        "{a}有{x}{thing.unit}{thing.zh}，{b}有{y}{thing.unit}[{thing.zh}|]",
        x=x,
        y=y,
        **slots,
    )
    if kind == 0:
        w.ask(
            "how many times as many {thing.many} as {b} does {a} have?",
            "{a}的{thing.zh}是{b}的多少倍？",
            x / y,
            **slots,
        )
    elif kind == 1:
        w.ask(
            "how many more {thing.many} does {a} have than {b}?|how many {thing.many} fewer does {b} have than {a}?",
            "{a}比{b}多多少{thing.unit}{thing.zh}？|{b}比{a}少多少{thing.unit}？",
            x - y,
            **slots,
        )
    else:
        w.ask(
            "what fraction of {a}'s number of {thing.many} does {b} have?",
            "{b}的{thing.zh}是{a}的几分之几？",
            y / x,
            **slots,
        )


SCENARIOS = (i_have, i_have, before_and_after, before_and_after, morning_and_afternoon, bus, two_kinds, compared)
