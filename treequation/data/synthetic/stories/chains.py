# ruff: noqa: E501 (a wording reads best in one line)
"""Several steps in a row: so much in some minutes and then an hour, one known through another through a third."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import FOOD
from treequation.data.synthetic.stories.story import Ask, Story, count, digits, money, price, share, times, word

_BAKED = tuple(
    food for food in FOOD if food.one in {"muffin", "doughnut", "biscuit", "dumpling", "bread roll", "cookie"}
)
_RATES = (
    Story(
        {"b": count(3, 90), "a": count(2, 30), "h": count(2, 9)},
        "[a machine|{who}|a factory] [makes|does|finishes] {b} {thing.many} in {a} minutes",
        "[{who}|一台机器]{a}分钟做{b}{thing.unit}{thing.zh}",
        (
            Ask(
                "how many [is that|are that] [in an hour|per hour|an hour]?|how many does that make in an hour?",
                "一小时做多少{thing.unit}？|平均每小时做多少{thing.unit}？",
                lambda b, a: b / a * 60,
            ),
            Ask("how many is that in {h} hours?", "{h}小时做多少{thing.unit}？", lambda b, a, h: b / a * 60 * h),
            Ask("how many is that a minute?", "每分钟做多少{thing.unit}？", lambda b, a: b / a),
        ),
    ),
    Story(
        {"d": count(2, 60), "m": count(5, 55, 5)},
        "[{who}|I|a boat|a runner] [covers|does] {d} [km|kilometers|miles] in {m} minutes|it takes {who} {m} minutes [for|to go] {d} [km|miles]",
        "{who}{m}分钟行{d}千米",
        (
            Ask(
                "how [far|many km|many miles] is that in an hour?|how far does that go in an hour?|what is the speed per hour?",
                "一小时行多少千米？|每小时行多少千米？",
                lambda d, m: d / m * 60,
            ),
        ),
        parts=2,
        aside=False,
    ),
    Story(
        {"b": count(2, 20), "a": count(2, 40), "c": count(3, 90)},
        "[a|the|this] recipe [needs|takes|uses] {b} {part} for {a} {food.many}|{b} {part} are enough for {a} {food.many}|with {b} {part} {who} makes {a} {food.many}",
        "{b}{part}可以做{a}{food.unit}{food.zh}",
        (
            Ask(
                "how many {part} [are needed|does one need|do I need] for {c} {food.many}?",
                "做{c}{food.unit}{food.zh}要多少{part}？",
                lambda b, a, c: b / a * c,
            ),
            Ask(
                "how many {food.many} are that with {c} {part}?|how many {food.many} can be made with {c} {part}?",
                "{c}{part}可以做多少{food.unit}{food.zh}？",
                lambda b, a, c: a / b * c,
            ),
        ),
        where=lambda a, c, b: a != c != b,
        cast={
            "part": (
                ("cups of flour", "杯面粉"),
                ("cups of sugar", "杯糖"),
                ("spoons of honey", "勺蜂蜜"),
                ("ounces of butter", "块黄油"),
            ),
            "food": _BAKED,
        },
        aside=False,
    ),
    Story(
        {"z": word(12, "dozen"), "p": price(1, 20), "n": digits(2, 15), "y": word(12, "dozen")},
        "[a|one] {z} {thing.many} [costs|is|cost] {p}",
        "一打（{z}{thing.unit}）{thing.zh}{p}元",
        (
            Ask("how much do {n} {y} cost?|what is the price of {n} {y}?", "{n}打多少元？", lambda p, n: p * n),
            Ask(
                "how much is one {thing.one}?|how much does a single {thing.one} cost?",
                "每{thing.unit}多少元？",
                lambda z, p: p / z,
            ),
        ),
        things=FOOD,
        parts=100,
        aside=False,
    ),
)

_CHAINS = (
    Story(
        {"d": count(2, 20), "k": times(2, 5), "a": count(3, 30)},
        "{who} is {d} years younger than {other}, who is {k} as old as {third} / {third} is {a} [years old|]",
        "{who}比{other}小{d}岁 / {other}的年龄是{third}的{k}倍 / {third}[今年|]{a}岁",
        (
            Ask("how old is {who}?", "{who}[今年|]多少岁？", lambda d, k, a: k * a - d),
            Ask("how old is {other}?", "{other}[今年|]多少岁？", lambda k, a: k * a),
        ),
        where=lambda d, k, a: k * a > d + 1,
        named=True,
        aside=False,
    ),
    Story(
        {"d": count(2, 20), "e": count(2, 20), "a": count(3, 60)},
        "{who} has {d} more {thing.many} than {other}, [and {other}|who] has {e} more than {third} / {third} has {a}",
        "{who}比{other}多{d}{thing.unit}{thing.zh} / {other}比{third}多{e}{thing.unit} / {third}有{a}{thing.unit}",
        (
            Ask("how many [does {who} have|has {who}]?", "{who}有多少{thing.unit}？", lambda d, e, a: d + (e + a)),
            Ask("how many [does {other} have|has {other}]?", "{other}有多少{thing.unit}？", lambda e, a: e + a),
        ),
        aside=False,
    ),
    Story(
        {"c": count(2, 20), "e": count(4, 40), "g": count(2, 9), "k": count(2, 40)},
        "{thing.many} come in [packs|boxes|bags] of {e} / {who} buys {c} of them and gives {g} {thing.many} to each of {k} [children|students|friends|people]",
        "{thing.zh}每盒{e}{thing.unit} / {who}买了{c}盒，分给{k}个同学，每人{g}{thing.unit}",
        (
            Ask(
                "how many [{thing.many} |]are left?|how many remain?",
                "还剩多少{thing.unit}？",
                lambda c, e, g, k: c * e - g * k,
            ),
            Ask("how many {thing.many} did {who} hand out?", "一共分出多少{thing.unit}？", lambda g, k: g * k),
            Ask("how many {thing.many} were there [at first|]?", "原来一共有多少{thing.unit}？", lambda c, e: c * e),
        ),
        where=lambda c, e, g, k: c * e > g * k,
        aside=False,
    ),
    Story(
        {"v": digits(60, 900, 5), "r": count(5, 60), "d": count(2, 12), "e": count(2, 12)},
        "a book has {v} pages / {who} reads {r} pages a day for {d} days / {who.he} wants to read the rest in {e} days",
        "一本书{v}页 / {who}每天看{r}页，看了{d}天 / 余下的要在{e}天看完",
        (
            Ask(
                "how many pages a day is that [then|]?|how many pages must {who.he} read a day [now|then]?",
                "每天要看多少页？",
                lambda v, r, d, e: (v - r * d) / e,
            ),
        ),
        where=lambda v, r, d: v > r * d,
        aside=False,
    ),
    Story(
        {"h": money(20, 900, 5), "f": share("1/2", "1/3", "1/4", "1/5", "2/5", "2/3", "3/4"), "r": money(2, 200)},
        "{who} [has|had|saved] {h} / {who.he} [spends|spent] {f} of it on [a book|clothes|food] and then {r} on [lunch|a ticket|a gift]",
        "{who}有{h}元 / 花了{f}买衣服，又花{r}元买书",
        (
            Ask(
                "how much is left?|how much money does {who} have left?",
                "还剩多少元？",
                lambda h, f, r: h * (1 - f) - r,
            ),
            Ask("how much did {who.he} spend [in all|]?", "一共花了多少元？", lambda h, f, r: h * f + r),
        ),
        where=lambda h, f, r: h * (1 - f) > r and (h * f).denominator == 1,
        aside=False,
    ),
    Story(
        {"way": digits(20, 600, 4), "g": count(2, 12)},
        "[trees|lamps|posts] stand every {g} meters along [a road|a path|a street] of {way} meters, [also at both ends|from end to end]",
        "在{way}米长的路一边植树，每隔{g}米一棵，两端都要",
        (Ask("how many [are there|are that|is that]?", "一共要多少棵？", lambda way, g: way / g + 1),),
        aside=False,
    ),
    Story(
        {"n": count(2, 9), "t": count(12, 200), "m": count(1, 9)},
        "{n} friends want to share {t} {thing.many} [equally|fairly] / then {m} more friends [come|join them]",
        "{n}个朋友要平分{t}{thing.unit}{thing.zh} / 后来又来了{m}个朋友",
        (
            Ask(
                "how many does each get [now|]?|how many {thing.many} are that for each?",
                "每人分到多少{thing.unit}？",
                lambda n, t, m: t / (n + m),
            ),
        ),
        aside=False,
    ),
)

STORIES = (*_RATES, *_CHAINS)
