# ruff: noqa: E501 (a wording reads best in one line)
"""Two and three steps: what is left of groups, who has more than whom and how many all have, what is spent of savings."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import FOOD
from treequation.data.synthetic.stories.story import (
    Ask,
    Story,
    bill,
    count,
    digits,
    money,
    percent,
    plain,
    price,
    share,
    times,
)
from treequation.data.synthetic.vocabulary import DEAR_THINGS

STORIES = (
    Story(
        {"n": count(2, 10), "each": count(3, 20), "a": count(2, 40), "b": count(2, 40)},
        "{who} [opens|fills|gets] {n} bags of {each} {thing.many} / {who} [uses|gives away|eats] {a} on Monday and {b} on Tuesday",
        "{who}有{n}袋{thing.zh}，每袋{each}{thing.unit} / 星期一吃了{a}{thing.unit} / 星期二吃了{b}{thing.unit}",
        (
            Ask(
                "how many {thing.many} [remain|are left then]?",
                "还有多少{thing.unit}？",
                lambda n, each, a, b: n * each - a - b,
            ),
            Ask(
                "how many {thing.many} [is that|were gone] after [these|the] days?|how many {thing.many} did {who} use up?",
                "{two}天一共吃了多少{thing.unit}？",
                lambda a, b: a + b,
            ),
        ),
        where=lambda n, each, a, b: a + b < n * each,
        things=FOOD,
    ),
    Story(
        {"n": count(2, 10), "each": count(3, 20), "m": count(2, 10), "size": count(2, 20)},
        "a store gets {n} [crates|boxes] of {each} {thing.many} and {m} [crates|boxes] of {size} {second.many}",
        "商店进了{n}箱{thing.zh}，每箱{each}{thing.unit} / 又进了{m}箱{second.zh}，每箱{size}{second.unit}",
        (
            Ask(
                "how many {thing.many} [is that|does it get]?",
                "{thing.zh}有多少{thing.unit}？",
                lambda n, each: n * each,
            ),
            Ask(
                "how many {second.many} [is that|does it get]?",
                "{second.zh}有多少{second.unit}？",
                lambda m, size: m * size,
            ),
            Ask("how many crates or boxes is that [in all|]?", "一共进了多少箱？", lambda n, m: n + m),
            Ask(
                "how many {thing.many} and {second.many} is that [in all|together]?",
                "一共有多少件？",
                lambda n, each, m, size: n * each + m * size,
            ),
        ),
        things=FOOD,
    ),
    Story(
        {"n": count(8, 60), "d": count(2, 20), "k": times(2, 4)},
        "{who} has {n} {thing.many} / {other} has {d} more than {who} / {third} has {k} as many as {who}",
        "{who}有{n}{thing.unit}{thing.zh} / {other}比{who}多{d}{thing.unit} / {third}是{who}的{k}倍",
        (
            Ask("how many {thing.many} has {other}?", "{other}有几{thing.unit}？", lambda n, d: n + d),
            Ask("how many {thing.many} has {third}?", "{third}有几{thing.unit}？", lambda n, k: n * k),
            Ask(
                "how many {thing.many} have {who} and {third} together?",
                "{who}和{third}一共有几{thing.unit}？",
                lambda n, k: n + n * k,
            ),
            Ask(
                "how many {thing.many} have {who} and {other} together?",
                "{who}和{other}一共有几{thing.unit}？",
                lambda n, d: n + (n + d),
            ),
            Ask(
                "how many {thing.many} more than {other} has {third}?",
                "{third}比{other}多几{thing.unit}？",
                lambda n, d, k: n * k - (n + d),
            ),
        ),
        aside=False,
    ),
    Story(
        {"x": count(10, 120), "d": count(2, 60)},
        "on [Saturday|the first day] {x} {kind} / on [Sunday|the next day] there were {d} more",
        "第一天{kind}{x}{unit} / 第二天比第一天多{d}{unit}",
        (
            Ask("how many were there on [Sunday|that day]?", "第二天有多少{unit}？", lambda x, d: x + d),
            Ask("how many were there [on both days|in all]?", "这{two}天一共有多少{unit}？", lambda x, d: x + (x + d)),
        ),
        cast={"kind": (("coats were sold", "卖出大衣"), ("parcels arrived", "送到包裹")), "unit": (("", "件"),)},
        aside=False,
    ),
    Story(
        {"x": count(10, 120), "d": count(2, 60)},
        "{place} has {x} {a} and {d} fewer {b}|in {place} there are {x} {a} and {d} fewer {b} than {a}",
        "{place}有{x}棵{a} / {b}比{a}少{d}棵",
        (
            Ask("how many {b} are there?", "{b}有多少棵？", lambda x, d: x - d),
            Ask("how many trees is that [in all|]?", "{a}和{b}共有多少棵？", lambda x, d: x + (x - d)),
        ),
        where=lambda x, d: d < x - 1,
        cast={
            "place": (("a park", "公园里"), ("the school yard", "校园里"), ("a small wood", "山坡上")),
            "a": (("oaks", "橡树"), ("pines", "松树")),
            "b": (("birches", "桦树"), ("maples", "枫树")),
        },
        aside=False,
    ),
    Story(
        {"all": count(20, 60), "x": count(5, 40), "y": count(2, 20)},
        "a [team|choir|course] has {all} people / {x} are women / {y} of the men [wear glasses|are left-handed|play chess]",
        "[合唱团|兴趣班]有{all}人 / 其中女的{x}人 / 男的中有{y}人戴眼镜",
        (
            Ask(
                "how many men do not?|how many of the men do not?",
                "不戴眼镜的男的有多少人？",
                lambda all, x, y: all - x - y,
            ),
            Ask("how many men are there?", "男的有多少人？", lambda all, x: all - x),
        ),
        where=lambda all, x, y: x + y < all,
        aside=False,
    ),
    Story(
        {"start": count(10, 90), "n": count(2, 9), "each": count(2, 12)},
        "{who} had {start} {thing.many} / then {who.he} got {n} more {pack} of {each}",
        "{who}有{start}{thing.unit}{thing.zh} / 又得到{n}{pack}，每{pack}{each}{thing.unit}",
        (
            Ask(
                "how many {thing.many} is that [now|in all]?",
                "现在一共有多少{thing.unit}？",
                lambda start, n, each: start + n * each,
            ),
            Ask(
                "how many {thing.many} did {who} get?|how many {thing.many} came in the {pack}?",
                "又得到多少{thing.unit}？",
                lambda n, each: n * each,
            ),
        ),
        cast={"pack": (("packs", "包"), ("boxes", "盒"), ("bags", "袋"))},
    ),
    Story(
        {"total": count(12, 120), "n": count(2, 9), "more": count(2, 12)},
        "{n} [kids|sisters|players] [divide|split] {total} {thing.many} evenly / [later|then] every one of them [finds|is given] {more} more",
        "{n}个人平分{total}{thing.unit}{thing.zh} / 后来每人又得到{more}{thing.unit}",
        (
            Ask(
                "how many {thing.many} has each of them [now|then]?",
                "每人现在有多少{thing.unit}？",
                lambda total, n, more: total / n + more,
            ),
            Ask(
                "how many {thing.many} did each have before that?",
                "先前每人分到多少{thing.unit}？",
                lambda total, n: total / n,
            ),
        ),
        where=lambda total, n: total > n and (total / n).denominator == 1,
        aside=False,
    ),
    Story(
        {"x": count(4, 60), "y": count(4, 60), "n": count(2, 9)},
        "{who} has {x} {thing.many} and {other} has {y} / they put them together and [make {n} equal piles|pack them into {n} equal bags]",
        "{who}有{x}{thing.unit}{thing.zh} / {other}有{y}{thing.unit} / 合在一起平均装成{n}袋",
        (
            Ask("how many {thing.many} are in each?", "每袋有多少{thing.unit}？", lambda x, y, n: (x + y) / n),
            Ask("how many {thing.many} do they have together?", "他们一共有多少{thing.unit}？", lambda x, y: x + y),
        ),
    ),
    Story(
        {"x": count(8, 90), "y": count(8, 90)},
        "{who} has {x} {thing.many} and {other} has {y} / they want to have the same number",
        "{who}有{x}{thing.unit}{thing.zh} / {other}有{y}{thing.unit} / 他们想变得一样多",
        (
            Ask(
                "how many {thing.many} must {who} give to {other}?",
                "{who}要给{other}多少{thing.unit}？",
                lambda x, y: (x - y) / 2,
            ),
        ),
        aside=False,
    ),
    Story(
        {"p": money(80, 400, 10), "n": count(2, 6), "off": percent(10, 50, 10)},
        "a {thing.one} costs {p} / {who} buys {n} and gets {off} off",
        "一{thing.unit}{thing.zh}{p}元 / {who}买了{n}{thing.unit} / 优惠{off}",
        (
            Ask(
                "how much does {who} pay [in the end|]?|how much is that with the discount?",
                "[实际|]付了多少元？",
                lambda p, n, off: p * n * (1 - off),
            ),
            Ask("how much is that without the discount?", "优惠前一共多少元？", lambda p, n: p * n),
        ),
        things=DEAR_THINGS,
        aside=False,
    ),
    Story(
        {"s": money(5, 60), "n": count(3, 20), "x": money(5, 200)},
        "{who} [saves|earns] {s} [a|every] {period} / after {n} {period}s {who.he} spends {x}",
        "{who}每{period}存{s}元 / 存了{n}{period}后花了{x}元",
        (
            Ask("how much is left?|how much does {who} still have?", "还剩多少元？", lambda s, n, x: s * n - x),
            Ask("how much had {who} before spending it?", "花钱以前有多少元？", lambda s, n: s * n),
        ),
        where=lambda s, n, x: x < s * n,
        cast={"period": (("week", "个星期"), ("day", "天"))},
    ),
    Story(
        {"pages": count(60, 400), "a": count(5, 40), "d": count(2, 9)},
        "a [novel|diary|comic] has {pages} pages / {who} reads {a} pages a day",
        "一本[小说|故事书]有{pages}页 / {who}每天看{a}页",
        (
            Ask(
                "how many pages are left after {d} days?|how many pages has {who.he} still to read after {d} days?",
                "{d}天后还有多少页没看？",
                lambda pages, a, d: pages - a * d,
            ),
            Ask("how many pages has {who} read after {d} days?", "{d}天看了多少页？", lambda a, d: a * d),
            Ask(
                "how many days does {who} need for it?|after how many days is {who} done?",
                "多少天可以看完？",
                lambda pages, a: pages / a,
            ),
        ),
        where=lambda pages, a, d: a * d < pages,
    ),
    Story(
        {"half": share("1/2", "1/3", "1/4"), "h": money(12, 240), "x": money(2, 60)},
        "{who} had {h} / {who} spent {half} of it on [a gift|clothes|food] and {x} on [a snack|the bus]",
        "{who}有{h}元 / 买[礼物|衣服]花了{half} / [坐车|买零食]又花了{x}元",
        (
            Ask(
                "how much is left?|how much money does {who} still have?",
                "还剩多少元？",
                lambda half, h, x: h - h * half - x,
            ),
            Ask("how much did the first thing cost?", "前一样花了多少元？", lambda half, h: h * half),
        ),
        where=lambda half, h, x: h * half + x < h and (h * half).denominator == 1,
        aside=False,
    ),
    Story(
        {"a": digits(4, 40), "b": digits(3, 30), "p": money(2, 40)},
        "a [floor|yard|terrace] is {a} m long and {b} m wide / [one|a] square meter of [tiles|paint|carpet] costs {p}",
        "[一块地面|一个院子]长{a}米，宽{b}米 / 每平方米铺砖要{p}元",
        (
            Ask(
                "how much does it cost to cover it?|what does it cost altogether?",
                "一共要花多少元？",
                lambda a, b, p: a * b * p,
            ),
            Ask("how many square meters are there to cover?", "要铺多少平方米？", lambda a, b: a * b),
        ),
        where=lambda a, b: a >= b,
    ),
    Story(
        {"n": count(2, 6), "p": price(2, 12), "b": bill(), "x": count(2, 9)},
        "{who} pays with a {b} bill for {n} {thing.many} at {p} each / {who.he} is with {x} friends",
        "{who}和{x}个朋友去买东西 / 付了{b}元买{n}{thing.unit}{thing.zh}，每{thing.unit}{p}元",
        (Ask("how much change does {who} get?", "找回多少元？", lambda n, p, b: b - n * p),),
        where=lambda n, p, b: n * p < b,
        parts=100,
        aside=False,
    ),
    Story(
        {"n": count(2, 9), "dozen": plain(12), "p": money(2, 15)},
        "[eggs|pens|rolls|buttons] come in boxes of {dozen} / a box costs {p} / {who} needs {n} boxes",
        "[鸡蛋|铅笔|面包]每盒{dozen}个 / 每盒{p}元 / {who}要买{n}盒",
        (
            Ask("how much is that?|how much does {who} pay?", "要付多少元？", lambda n, p: n * p),
            Ask("how many pieces is that?", "一共有多少个？", lambda n, dozen: n * dozen),
        ),
    ),
)
