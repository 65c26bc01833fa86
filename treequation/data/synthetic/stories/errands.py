# ruff: noqa: E501 (a wording reads best in one line)
"""Errands of two to four steps: what is left to do, wages and trips.

Every number of a text may be needed or not; only the question tells.
"""

from __future__ import annotations

import operator

from treequation.data.synthetic.stories.cast import FOOD, GOODS
from treequation.data.synthetic.stories.story import (
    Ask,
    Formula,
    Story,
    bill,
    count,
    decimal,
    digits,
    money,
    plain,
    price,
    share,
)
from treequation.data.synthetic.vocabulary import DEAR_THINGS

_REST = (
    Story(
        {"n": count(2, 12), "each": count(4, 24), "loose": count(2, 20), "used": count(2, 30)},
        "[a box|a bag|a pack] holds {each} {thing.many}, and {who} has {n} full ones and {loose} loose {thing.many}|{who} has {n} [boxes|bags|packs] of {each} {thing.many} and {loose} loose ones",
        "每盒{each}{thing.unit}{thing.zh} / {who}有{n}盒和散装的{loose}{thing.unit}",
        (
            Ask(
                "how many {thing.many} [does {who} have|is that|are there] [in all|altogether|]?",
                "一共有多少{thing.unit}？",
                lambda n, each, loose: n * each + loose,
            ),
            Ask(
                "how many {thing.many} are left if {used} [are used|are given away|go bad]?",
                "用掉{used}{thing.unit}后还剩多少{thing.unit}？",
                lambda n, each, loose, used: n * each + loose - used,
            ),
            Ask("how many {thing.many} are in the full ones?", "整盒的有多少{thing.unit}？", lambda n, each: n * each),
        ),
        aside=False,
    ),
    Story(
        {"all": count(12, 160), "bad": count(2, 40), "n": count(2, 9)},
        "[we are {n} people and|{n} friends] picked {all} {thing.many}, of which {bad} were [bad|rotten|too small]|{who} has {all} {thing.many}, keeps {bad} and [shares|divides] the others [equally|] among {n} [friends|children|neighbors]",
        "有{all}{thing.unit}{thing.zh}，坏了{bad}{thing.unit}，其余的平均分给{n}个人|把{all}{thing.unit}{thing.zh}平均分给{n}个人，先留下{bad}{thing.unit}",
        (
            Ask(
                "how many [good|] {thing.many} does each [of them|person|] get?",
                "每人分到多少{thing.unit}？",
                lambda all, bad, n: (all - bad) / n,
            ),
            Ask(
                "how many {thing.many} are shared?|how many {thing.many} are there to share?",
                "一共分掉多少{thing.unit}？",
                lambda all, bad: all - bad,
            ),
        ),
        where=lambda all, bad: bad < all - 2,
        things=FOOD,
        aside=False,
    ),
    Story(
        {"all": count(20, 240, 2), "x": count(4, 160), "f": share("1/2", "1/2", "1/3", "1/4")},
        "[a hall|a cinema|a bus|a train] has {all} [places|seats] / {x} are taken [at first|], and then {f} of the free ones|first {x} are [sold|taken], then {f} of the rest",
        "[礼堂|影院]有{all}个座位 / 先坐了{x}个，后来余下的又坐了{f}",
        (
            Ask(
                "how many are still free?|how many are free in the end?",
                "还有多少个空座位？",
                lambda all, x, f: (all - x) - (all - x) * f,
            ),
            Ask(
                "how many were free at first?|how many were free before that?",
                "起先还有多少个空座位？",
                lambda all, x: all - x,
            ),
            Ask(
                "how many were taken in the second go?|how many were taken after that?",
                "后来坐了多少个？",
                lambda all, x, f: (all - x) * f,
            ),
        ),
        where=lambda all, x, f: x < all - 3 and ((all - x) * f).denominator == 1,
        aside=False,
    ),
    Story(
        {"a": count(8, 120, 2), "f": share("1/2", "1/2", "1/3", "1/4"), "b": count(2, 20)},
        "{who} [has|had] {a} {thing.many} / {who} [gives|gave] {f} of them to {other} and then [loses|lost|ate] {b}",
        "{who}有{a}{thing.unit}{thing.zh} / 把{f}给了{other}，后来又少了{b}{thing.unit}",
        (
            Ask(
                "how many {thing.many} has {who} left?|how many {thing.many} remain?",
                "{who}还剩多少{thing.unit}？",
                lambda a, f, b: a - a * f - b,
            ),
            Ask("how many {thing.many} did {other} get?", "{other}得到多少{thing.unit}？", lambda a, f: a * f),
        ),
        where=lambda a, f, b: (a * f).denominator == 1 and b < a - a * f,
        aside=False,
    ),
    Story(
        {"a": count(3, 30), "b": count(3, 30), "c": count(3, 30), "off": count(2, 20)},
        "[a|the] [bus|tram|train|school bus] [picks|takes] up {a} [people|children|passengers] at the first stop, {b} at the second and {c} at the third",
        "[校车|公交车]第一站上来{a}人，第二站上来{b}人，第三站上来{c}人",
        (
            Ask(
                "how many [got on|are on it now|is that] [in all|]?|how many people is that?",
                "一共上来多少人？",
                lambda a, b, c: a + b + c,
            ),
            Ask(
                "then {off} get off. How many are still on it?",
                "接着下去{off}人，车上还有多少人？",
                lambda a, b, c, off: a + b + c - off,
            ),
            Ask(
                "how many more got on at the first stop than at the last?",
                "第一站比第三站多上来多少人？",
                lambda a, c: a - c,
            ),
        ),
        aside=False,
    ),
    Story(
        {"goal": money(60, 900, 5), "h": money(10, 400, 5), "s": money(5, 50, 5), "n": count(2, 20)},
        "{who} [wants|needs] {goal} for {thing.a} / {who.he} has {h} [now|already] and [saves|puts aside] {s} [a|every] {period}",
        "{who}要攒{goal}元买{thing.zh} / 已有{h}元，每{period}存{s}元",
        (
            Ask(
                "[how many {period}s does it take|after how many {period}s is it enough]?",
                "还要存多少{period}？",
                lambda goal, h, s: (goal - h) / s,
            ),
            Ask("how much has {who} after {n} {period}s?", "{n}{period}后有多少元？", lambda h, s, n: h + s * n),
            Ask("how much is missing now?", "现在还差多少元？", lambda goal, h: goal - h),
        ),
        where=lambda goal, h, s, n: h + s * n < goal,
        things=DEAR_THINGS,
        cast={"period": (("week", "周"), ("month", "个月"))},
        aside=False,
    ),
    Story(
        {"pages": count(80, 500, 5), "read": count(10, 300, 5), "a": count(5, 50, 5)},
        "[a|the|my] book has {pages} pages / {who} has read {read} [already|] and reads {a} pages a day|{read} are read, and {who} reads {a} pages a day",
        "一本书{pages}页 / {who}已看{read}页，以后每天看{a}页",
        (
            Ask(
                "how many more days does {who} need?|in how many days is {who} done?",
                "还要多少天看完？",
                lambda pages, read, a: (pages - read) / a,
            ),
            Ask("how many pages are left [now|to read]?", "还有多少页没看？", lambda pages, read: pages - read),
        ),
        where=lambda pages, read: read < pages,
        aside=False,
    ),
    Story(
        {"gb": count(5, 60), "used": decimal(0, 20), "more": decimal(0, 10), "d": count(2, 15)},
        "[my|{who}'s] [phone plan|plan] has {gb} GB [a month|] / {used} GB [were used|are gone] in the first week and {more} GB in the second",
        "手机套餐每月{gb}G流量 / 第一周用了{used}G，第二周用了{more}G",
        (
            Ask("how much data is left?|how many GB are left?", "还剩多少G？", lambda gb, used, more: gb - used - more),
            Ask("how many GB were used [in all|]?", "一共用了多少G？", lambda used, more: used + more),
            Ask(
                "there are {d} days left. How many GB is that per day?",
                "还有{d}天，平均每天可用多少G？",
                lambda gb, used, more, d: (gb - used - more) / d,
            ),
        ),
        where=lambda gb, used, more: used + more < gb,
        parts=10,
        aside=False,
    ),
    Story(
        {"long": digits(4, 60), "n": count(2, 9), "piece": digits(1, 9)},
        "{who} has a [rope|ribbon|board|pipe] of {long} m / {who} cuts off {n} pieces of {piece} m each",
        "一根[绳子|木条|水管]长{long}米 / {who}剪下{n}段，每段{piece}米",
        (
            Ask(
                "how many meters are left?|how long is the rest?",
                "还剩多少米？",
                lambda long, n, piece: long - n * piece,
            ),
            Ask("how many meters were cut off?", "一共剪下多少米？", lambda n, piece: n * piece),
            Ask(
                "how much longer is the whole than one piece?", "全长比一段长多少米？", lambda long, piece: long - piece
            ),
        ),
        where=lambda long, n, piece: n * piece < long,
        aside=False,
    ),
)


def _class(than: str, zh: str, girls: Formula) -> Story:
    """Boys, and so many girls more or fewer."""
    return Story(
        {"x": count(8, 30), "d": count(2, 10), "k": count(2, 8)},
        f"a class has {{x}} boys and {{d}} {than} girls [than boys|]|there are {{x}} boys in a class, and {{d}} {than} girls",
        f"某班有男生{{x}}人 / 女生比男生{zh}{{d}}人",
        (
            Ask(
                "how many [children|] are [in the class|there] [in all|altogether]?",
                "全班一共有多少人？",
                lambda x, d: x + girls(x, d),
            ),
            Ask(
                "they make {k} equal groups. How many are in each?",
                "平均分成{k}组，每组多少人？",
                lambda x, d, k: (x + girls(x, d)) / k,
            ),
            Ask("how many girls are there?", "女生有多少人？", lambda x, d: girls(x, d)),
        ),
        where=lambda x, d: d < x - 2,
        aside=False,
    )


_WORK_AND_TRAVEL = (
    Story(
        {"p": money(8, 60), "h": count(3, 10), "d": count(2, 6), "x": money(20, 300, 5)},
        "{who} [earns|makes|gets] {p} an hour and works {h} hours a day, {d} days a week|I [earn|make] {p} per hour and work {h} hours a day, {d} days a week",
        "{who}每小时挣{p}元 / 每天工作{h}小时，每周工作{d}天",
        (
            Ask(
                "[how much|what] is that [a week|per week]?|how much is the pay for a week?",
                "每周挣多少元？",
                lambda p, h, d: p * h * d,
            ),
            Ask("how much is that a day?|how much for one day?", "每天挣多少元？", lambda p, h: p * h),
            Ask("how many hours of work are there in a week?", "每周工作多少小时？", lambda h, d: h * d),
            Ask(
                "how much of a week's pay is left after {x} for rent?",
                "一周的工钱付{x}元房租后还剩多少元？",
                lambda p, h, d, x: p * h * d - x,
            ),
        ),
        where=lambda p, h, d, x: x < p * h * d,
        aside=False,
    ),
    Story(
        {"p": money(8, 40), "h": count(20, 45), "q": money(10, 70), "o": count(2, 12)},
        "{who} [works|worked] {h} hours at {p} an hour and {o} [hours of overtime|extra hours] at {q} an hour",
        "{who}工作{h}小时，每小时{p}元 / 又加班{o}小时，每小时{q}元",
        (
            Ask(
                "how much [is that|is the pay|does {who} get] [in all|altogether]?",
                "一共挣多少元？",
                lambda p, h, q, o: p * h + q * o,
            ),
            Ask(
                "how much of it is for overtime?|how much do the extra hours bring?",
                "加班挣了多少元？",
                lambda q, o: q * o,
            ),
            Ask("how many hours is that [in all|]?", "一共工作了多少小时？", lambda h, o: h + o),
        ),
        where=lambda p, q: p < q,
        aside=False,
    ),
    Story(
        {
            "v": digits(20, 120, 5),
            "t": count(2, 8),
            "w": digits(20, 120, 5),
            "u": count(2, 8),
            "s": digits(200, 1500, 10),
        },
        "{who} drives {t} hours at {v} km/h and then {u} hours at {w} km/h",
        "{who}先以每小时{v}千米的速度行了{t}小时，再以每小时{w}千米的速度行了{u}小时",
        (
            Ask(
                "how many km is that [in all|]?|how far is that?",
                "一共行了多少千米？",
                lambda v, t, w, u: v * t + w * u,
            ),
            Ask("how many hours does it take [in all|]?", "一共行了多少小时？", lambda t, u: t + u),
            Ask(
                "the trip is {s} km long. How many km are left?",
                "全程{s}千米，还剩多少千米？",
                lambda v, t, w, u, s: s - (v * t + w * u),
            ),
            Ask(
                "what is the average speed?|how many km per hour is that on average?",
                "平均每小时行多少千米？",
                lambda v, t, w, u: (v * t + w * u) / (t + u),
            ),
        ),
        aside=False,
    ),
    Story(
        {"s": digits(60, 900, 10), "v": digits(20, 120, 5), "t": count(2, 7)},
        "[it is|the way is|the trip is] {s} km [to the sea|to Grandma's|long] / {who} has driven for {t} hours at {v} km/h",
        "全程{s}千米 / {who}以每小时{v}千米的速度行了{t}小时",
        (
            Ask("how many km are left?|how far is it still?", "还剩多少千米？", lambda s, v, t: s - v * t),
            Ask(
                "how many more hours does it take [at this speed|]?",
                "照这样，还要行多少小时？",
                lambda s, v, t: (s - v * t) / v,
            ),
            Ask("how many km has {who} driven?", "已经行了多少千米？", lambda v, t: v * t),
        ),
        where=lambda s, v, t: v * t < s,
        parts=2,
        aside=False,
    ),
    _class("more", "多", operator.add),
    _class("fewer", "少", operator.sub),
    Story(
        {"n": count(12, 400), "d": plain(5, 6, 7)},
        "[a bookshop sold {n} books|a bakery sold {n} loaves|a museum sold {n} tickets|a clinic had {n} patients] in a week, and it is open {d} days [a week|]",
        "[书店|面包店|水果店]一周卖出{n}件，每周营业{d}天",
        (
            Ask(
                "how many is that [per|a] day on average?|what is the average per day?",
                "平均每天卖出多少件？",
                lambda n, d: n / d,
            ),
        ),
        aside=False,
    ),
    Story(
        {"a": digits(6, 36), "d": digits(2, 20)},
        "",
        "",
        (
            Ask(
                "yesterday [we|they] had {a} degrees, today it is {d} degrees [colder|cooler]. How [warm|many degrees] is it today?|it was {a} degrees and got {d} degrees [colder|cooler]. How many degrees is it [now|]?",
                "昨天{a}度，今天[冷了|低了]{d}度，今天多少度？",
                lambda a, d: a - d,
            ),
            Ask(
                "yesterday [we|they] had {a} degrees, today it is {d} degrees [warmer|hotter]. How [warm|many degrees] is it today?|it was {a} degrees and got {d} degrees [warmer|hotter]. How many degrees is it [now|]?",
                "昨天{a}度，今天[热了|高了]{d}度，今天多少度？",
                lambda a, d: a + d,
            ),
        ),
    ),
    Story(
        {"b": bill(), "n": count(2, 6), "p": price(1, 9), "m": count(2, 6)},
        "{thing.many} are {p} each / {who} [takes|buys] {n} [for {who.him}self|] and {m} for {other} and pays with a {b} bill",
        "{thing.zh}每{thing.unit}{p}元 / {who}给自己买{n}{thing.unit}，给{other}买{m}{thing.unit}，付了{b}元",
        (
            Ask(
                "how much change does {who} get?|how much comes back?",
                "找回多少元？",
                lambda b, n, p, m: b - (n + m) * p,
            ),
            Ask("how much does that cost?|how much is it?", "一共多少元？", lambda n, p, m: (n + m) * p),
            Ask("how many {thing.many} is that?", "一共买了多少{thing.unit}？", lambda n, m: n + m),
        ),
        where=lambda b, n, p, m: (n + m) * p < b,
        things=GOODS,
        parts=100,
        aside=False,
    ),
)

STORIES = (*_REST, *_WORK_AND_TRAVEL)
