# ruff: noqa: E501 (a template reads best in one line)
"""Amounts of several days, places or groups, each told through those before it.

As in ``holdings``, every new amount may depend on earlier ones; where the total is asked for, results are used
more than once.
"""

from __future__ import annotations

from dataclasses import dataclass

from treequation.data.synthetic.terms import Term
from treequation.data.synthetic.writing import Writer


@dataclass(frozen=True, slots=True)
class _Places:
    """The days, shelves or groups of a series in both languages, and what one of them is called."""

    names: tuple[tuple[str, str], ...]
    one: str
    many: str
    zh_each: str  # 平均每天
    zh_count: str  # 3个班


@dataclass(frozen=True, slots=True)
class _Frame:
    """A kind of series: "a shop sold 5 bicycles on Monday", "class A planted 5 trees".

    Where the place itself is the subject, ``subject`` is empty. ``asked`` is how a question turns subject and
    verb, ``zh_compared`` the verb of a comparison (星期二比星期一多卖出5辆).
    """

    places: _Places
    subject: str
    verb: str
    asked: str
    things: str
    zh_subject: str
    zh_verb: str
    zh_compared: str
    zh_things: str
    unit: str


_WEEK = _Places(
    (("on Monday", "星期一"), ("on Tuesday", "星期二"), ("on Wednesday", "星期三"), ("on Thursday", "星期四")),
    "day", "days", "天", "天",
)  # fmt: skip
_MONTHS = _Places(
    (("in January", "一月份"), ("in February", "二月份"), ("in March", "三月份"), ("in April", "四月份")),
    "month", "months", "个月", "个月",
)  # fmt: skip
_CLASSES = _Places(
    (("class A", "甲班"), ("class B", "乙班"), ("class C", "丙班"), ("class D", "丁班")),
    "class",
    "classes",
    "班",
    "个班",
)
_TEAMS = _Places(
    (("the red team", "红队"), ("the blue team", "蓝队"), ("the green team", "绿队"), ("the yellow team", "黄队")),
    "team", "teams", "队", "个队",
)  # fmt: skip
_SHELVES = _Places(
    (("on the top shelf", "上层"), ("on the middle shelf", "中层"), ("on the bottom shelf", "下层")),
    "shelf",
    "shelves",
    "层",
    "层",
)
_STORES = _Places(
    (("in store A", "甲仓库"), ("in store B", "乙仓库"), ("in store C", "丙仓库"), ("in store D", "丁仓库")),
    "store",
    "stores",
    "个仓库",
    "个仓库",
)

_FRAMES = (
    _Frame(_SHELVES, "there", "are", "are there", "books", "书架", "有", "", "书", "本"),
    _Frame(_STORES, "there", "are", "are there", "bags of rice", "", "存有", "存", "大米", "袋"),
    _Frame(_WEEK, "a shop", "sold", "did the shop sell", "bicycles", "商店", "卖出", "卖出", "自行车", "辆"),
    _Frame(_WEEK, "a baker", "baked", "did the baker bake", "cakes", "面包店", "做了", "做", "蛋糕", "个"),
    _Frame(_WEEK, "a farmer", "picked", "did the farmer pick", "kg of apples", "王大伯", "摘了", "摘", "苹果", "千克"),
    _Frame(_MONTHS, "a factory", "made", "did the factory make", "machines", "工厂", "生产", "生产", "机器", "台"),
    _Frame(_MONTHS, "a museum", "had", "did the museum have", "visitors", "博物馆", "接待", "接待", "游客", "名"),
    _Frame(_CLASSES, "", "planted", "did they plant", "trees", "", "植了", "植", "树", "棵"),
    _Frame(_TEAMS, "", "collected", "did they collect", "bottles", "", "收集了", "收集", "瓶子", "个"),
    _Frame(_CLASSES, "", "folded", "did they fold", "paper cranes", "", "折了", "折", "纸鹤", "只"),
)


def series(w: Writer) -> None:
    """Two to four amounts, related to each other, and a question about all or some of them."""
    frame = w.pick(_FRAMES)
    count = min(w.pick((2, 2, 3, 3, 3, 4)), len(frame.places.names))
    amounts: list[Term] = []
    for place in range(count):
        amounts.append(_amount(w, frame, place, amounts))
    _question(w, frame, amounts)


def _amount(w: Writer, frame: _Frame, place: int, before: list[Term]) -> Term:
    english, chinese = frame.places.names[place]
    subject = frame.subject.replace("a ", "the ") if before else frame.subject
    slots: dict[str, object] = {
        "who": subject, "verb": frame.verb, "things": frame.things, "at": english,
        "z": chinese if before else frame.zh_subject + chinese, "zv": frame.zh_verb, "zc": frame.zh_compared, "zt": frame.zh_things, "u": frame.unit,
    }  # fmt: skip

    def state(en: str, zh: str, **more: object) -> None:
        """The statement that so many were there, then."""
        template = (
            f"[{{who}} {{verb}} {en} {{at}}|{{at}} {{who}} {{verb}} {en}]" if frame.subject else f"{{at}} {{verb}} {en}"
        )
        w.fact(template + ("{than}" if "than" in more else ""), zh, **slots, **more)

    if not before or w.chance(0.15):
        n = w.digits(w.integer(12, w.pick((40, 150, 600))))
        state("{n} {things}", "{z}{zv}{n}{u}{zt}|{z}{zv}{zt}{n}{u}", n=n)
        return n
    other = w.below(len(before))
    amount, value = before[other], before[other].value
    en_other, slots["o"] = frame.places.names[other]
    number_of = "the number" if frame.subject else "the number of"
    many = "{z}{zc}的" if frame.zh_compared else "{z}的{zt}"
    written = w.digits if frame.unit == "千克" else w.number  # 六千克 would read as 6000 g as well as 6 kg
    kind = w.below(7)
    if kind == 0 and value > 4:
        d = written(w.integer(2, int(value) - 2))
        state("{d} fewer {things}", "{z}比{o}少{zc}{d}{u}", d=d, than=f" than {en_other}")
        return amount - d
    if kind == 1 and value < 400:
        k = w.times(w.integer(2, 5))
        state("{k} as many {things}", many + "是{o}的{k}倍", k=k, than=f" as {en_other}")
        return amount * k
    if kind == 2 and value < 400:
        k, d = w.times(w.integer(2, 4)), written(w.integer(2, 10))
        than = f" than {k} {number_of} {en_other}"
        if w.chance(0.5) or (amount * k).value <= d.value:
            state("{d} more {things}", "{z}比{o}的{k}倍多{zc}{d}{u}", k=k, d=d, than=than)
            return amount * k + d
        state("{d} fewer {things}", "{z}比{o}的{k}倍少{zc}{d}{u}", k=k, d=d, than=than)
        return amount * k - d
    if kind == 3:
        for whole in w.pick(((2, 3), (3, 4), (4, 5), (5, 2))):
            if value % whole == 0 and value > whole:
                f = w.share(whole)
                state("{f} as many {things}", many + "是{o}的{f}", f=f, than=f" as {en_other}")
                return amount * f
    if kind == 4 and len(before) > 1:
        (a, za), (b, zb) = frame.places.names[:2]
        state("as many {things}", many + f"和{za}、{zb}的总数一样多", than=f" as {a} and {b} together")
        return before[0] + before[1]
    d = written(w.integer(2, 60))
    state("{d} more {things}", "{z}比{o}多{zc}{d}{u}", d=d, than=f" than {en_other}")
    return amount + d


def _question(w: Writer, frame: _Frame, amounts: list[Term]) -> None:
    total = amounts[0]
    for amount in amounts[1:]:
        total = total + amount
    last, zh_last = frame.places.names[len(amounts) - 1]
    slots: dict[str, object] = {
        "things": frame.things,
        "asked": frame.asked,
        "zv": frame.zh_verb,
        "zt": frame.zh_things,
        "u": frame.unit,
    }
    kind = w.below(6)
    if kind == 0 and (not amounts[-1].mark or w.distracts()):
        asked = f"{frame.asked} {last}" if frame.subject else frame.asked.replace("they", last)
        w.ask(f"how many {{things}} {asked}?", "{z}{zv}多少{u}{zt}？", amounts[-1], z=zh_last, **slots)
    elif kind == 1 and total.value % len(amounts) == 0:
        n = w.number(len(amounts))
        en = f"what is the average [number of {{things}}|] per {frame.places.one} for these {{n}} {frame.places.many}?"
        zh = f"{{n}}{frame.places.zh_count}平均每{frame.places.zh_each}{{zv}}多少{{u}}{{zt}}？"
        w.ask(en, zh, total / n, n=n, **slots)
    elif kind == 2:
        goal = w.digits(int(total.value) + w.integer(5, 200))
        w.fact("the [goal|plan] [is|was] {g} {things} [altogether|in all]", "目标是一共{g}{u}", g=goal, **slots)
        w.ask("how many {things} are [still|] missing?", "还差多少{u}？", goal - total, **slots)
    else:
        w.ask("how many {things} {asked} [altogether|in all|in total]?", "一共{zv}多少{u}{zt}？", total, **slots)
