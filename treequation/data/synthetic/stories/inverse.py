# ruff: noqa: E501 (a wording reads best in one line)
"""Stories turned round: what others tell is asked for, so that the words alone do not say what is to be done."""

from __future__ import annotations

from treequation.data.synthetic.stories.story import Ask, Story, count, digits, money, times
from treequation.data.synthetic.vocabulary import Thing

_DISHES = (
    Thing("cake", "cakes", "蛋糕", "个"),
    Thing("pie", "pies", "馅饼", "个"),
    Thing("pizza", "pizzas", "披萨", "个"),
    Thing("salad", "salads", "沙拉", "份"),
    Thing("smoothie", "smoothies", "奶昔", "杯"),
    Thing("bowl of soup", "bowls of soup", "汤", "碗"),
)
_INGREDIENTS = (
    ("cups of flour", "杯面粉"),
    ("eggs", "个鸡蛋"),
    ("spoons of sugar", "勺糖"),
    ("apples", "个苹果"),
    ("cups of milk", "杯牛奶"),
    ("tomatoes", "个西红柿"),
)
_WORKS = (
    ("curtain", "curtains", "meters of cloth", "窗帘", "幅", "米布"),
    ("shelf", "shelves", "boards", "书架", "个", "块木板"),
    ("dress", "dresses", "buttons", "裙子", "条", "颗纽扣"),
    ("kite", "kites", "sheets of paper", "风筝", "个", "张纸"),
    ("lamp", "lamps", "batteries", "灯", "盏", "节电池"),
    ("table", "tables", "screws", "桌子", "张", "颗螺丝"),
)
_BILLS = (
    ("the phone", "话费"),
    ("the internet", "网费"),
    ("a gym", "健身费"),
    ("rent", "房租"),
    ("piano lessons", "钢琴课学费"),
    ("a parking space", "停车费"),
)
_WISHES = (("basketball", "篮球"), ("globe", "地球仪"), ("tent", "帐篷"), ("camera", "相机"), ("telescope", "望远镜"))
_KIN = (("brother", "弟弟"), ("sister", "妹妹"), ("cousin", "表弟"), ("nephew", "侄子"), ("dog", "小狗"))

_MAKING = tuple(
    Story(
        {"per": count(2, 12), "all": count(12, 180), "n": count(2, 20)},
        f"[it takes|one needs|you need] {{per}} {parts} [for|to make] [a|one|each] {one}|[every|one|each] {one} [needs|takes] {{per}} {parts}",
        f"[做|制作][一|每]{unit}{zh}[需要|要用]{{per}}{zh_parts}",
        (
            Ask(
                f"how many {many} can [be made|you make|{{who}} make] [with|out of|from] {{all}} {parts}?|for how many {many} are {{all}} {parts} enough?",
                f"{{all}}{zh_parts}可以做多少{unit}{zh}？|有{{all}}{zh_parts}，能做几{unit}？",
                lambda per, all: all / per,
            ),
            Ask(
                f"how many {parts} [does one need|do you need|are needed] for {{n}} {many}?",
                f"做{{n}}{unit}[{zh}|]需要多少{zh_parts}？",
                lambda per, n: per * n,
            ),
        ),
    )
    for one, many, parts, zh, unit, zh_parts in _WORKS
)

STORIES = (
    *_MAKING,
    Story(
        {"per": count(2, 9), "all": count(8, 90), "n": count(2, 15)},
        "[a|the|my] recipe [needs|takes|asks for] {per} {parts} [per|for each|for one] {dish.one}",
        "做[一|每]{dish.unit}{dish.zh}要{per}{parts}",
        (
            Ask(
                "how many {dish.many} can [I|{who}|we|you] make with {all} {parts}?|with {all} {parts}, how many {dish.many} can {who} make?",
                "用{all}{parts}可以做多少{dish.unit}{dish.zh}？",
                lambda per, all: all / per,
            ),
            Ask(
                "how many {parts} do [I|we|you] need for {n} {dish.many}?|{n} {dish.many} take how many {parts}?",
                "做{n}{dish.unit}[{dish.zh}|]要多少{parts}？",
                lambda per, n: per * n,
            ),
            Ask(
                "{who} has {all} {parts} and uses {per} for each {dish.one}. How many {dish.many} is that?",
                "{who}有{all}{parts}，每{dish.unit}{dish.zh}用{per}{parts}，能做几{dish.unit}？",
                lambda all, per: all / per,
                alone=True,
            ),
        ),
        cast={"dish": _DISHES, "parts": _INGREDIENTS},
    ),
    # Ages and other amounts, known through one another in all four ways.
    Story(
        {"d": count(2, 30), "a": count(4, 60)},
        "{who} is {d} years older than {other} / {other} is {a} [years old|]",
        "{who}比{other}大{d}岁 / {other}[今年|]{a}岁",
        (
            Ask("how old is {who}?|what is {who}'s age?", "{who}[今年|]多少岁？", lambda d, a: d + a),
            Ask(
                "how old are they together?|what is the sum of their ages?",
                "{two}人一共多少岁？",
                lambda d, a: d + a + a,
            ),
        ),
        aside=False,
        named=True,
        free=True,
    ),
    Story(
        {"d": count(2, 30), "a": count(6, 70)},
        "{who} is {d} years younger than {other} / {other} is {a} [years old|]",
        "{who}比{other}小{d}岁 / {other}[今年|]{a}岁",
        (
            Ask("how old is {who}?|what is {who}'s age?", "{who}[今年|]多少岁？", lambda d, a: a - d),
            Ask(
                "how old are they together?|what is the sum of their ages?",
                "{two}人一共多少岁？",
                lambda d, a: a - d + a,
            ),
        ),
        where=lambda d, a: a > d + 1,
        aside=False,
        named=True,
        free=True,
    ),
    Story(
        {"d": count(2, 30), "a": count(6, 70)},
        "{who} is {d} years older than {other} / {who} is {a} [years old|]",
        "{who}比{other}大{d}岁 / {who}[今年|]{a}岁",
        (Ask("how old is {other}?|what is {other}'s age?", "{other}[今年|]多少岁？", lambda d, a: a - d),),
        where=lambda d, a: a > d + 1,
        aside=False,
        named=True,
        free=True,
    ),
    Story(
        {"d": count(2, 30), "a": count(4, 60)},
        "{who} is {d} years younger than {other} / {who} is {a} [years old|]",
        "{who}比{other}小{d}岁 / {who}[今年|]{a}岁",
        (Ask("how old is {other}?|what is {other}'s age?", "{other}[今年|]多少岁？", lambda d, a: d + a),),
        aside=False,
        named=True,
        free=True,
    ),
    Story(
        {"k": times(2, 9), "a": digits(2, 30)},
        "{who} is {k} as old as {other} / {other} is {a} [years old|]",
        "{who}的年龄是{other}的{k}倍 / {other}[今年|]{a}岁",
        (
            Ask("how old is {who}?|what is {who}'s age?", "{who}[今年|]多少岁？", lambda k, a: k * a),
            Ask(
                "how old are both together?|what do their ages add up to?",
                "{two}人一共多少岁？",
                lambda k, a: k * a + a,
            ),
            Ask("how many years older is {who}?", "{who}比{other}大多少岁？", lambda k, a: k * a - a),
        ),
        where=lambda k, a: k * a <= 90,
        aside=False,
        named=True,
        free=True,
    ),
    Story(
        {"k": times(2, 9), "a": digits(2, 15)},
        "{who} is {k} as old as {who.his} {a}[-| ]year[-| ]old {kin}",
        "{who}的{kin}{a}岁，{who}的年龄是{kin}的{k}倍",
        (
            Ask("how old is {who}?|what is {who}'s age?", "{who}多少岁？", lambda k, a: k * a),
            Ask("how many years older is {who}?", "{who}比{kin}大多少岁？", lambda k, a: k * a - a),
        ),
        where=lambda k, a: k * a <= 60,
        cast={"kin": _KIN},
        aside=False,
        named=True,
    ),
    Story(
        {"d": count(2, 40), "k": times(2, 6), "n": count(6, 150)},
        "{who} has {d} more than {k} as many {thing.many} as {other} / {who} has {n} [{thing.many}|]",
        "{who}的{thing.zh}比{other}的{k}倍多{d}{thing.unit} / {who}有{n}{thing.unit}[{thing.zh}|]",
        (
            Ask(
                "how many [{thing.many}|] does {other} have?|what is {other}'s number of {thing.many}?",
                "{other}有多少{thing.unit}？",
                lambda d, k, n: (n - d) / k,
            ),
        ),
        free=True,
    ),
    Story(
        {"d": count(2, 40), "k": times(2, 6), "n": count(3, 60)},
        "{who} has {d} more than {k} as many {thing.many} as {other} / {other} has {n} [{thing.many}|]",
        "{who}的{thing.zh}比{other}的{k}倍多{d}{thing.unit} / {other}有{n}{thing.unit}[{thing.zh}|]",
        (
            Ask(
                "how many [{thing.many}|] does {who} have?|what is {who}'s number of {thing.many}?",
                "{who}有多少{thing.unit}？",
                lambda d, k, n: k * n + d,
            ),
        ),
        free=True,
    ),
    Story(
        {"d": count(2, 40), "k": times(2, 6), "n": count(3, 60)},
        "{who} has {d} fewer than {k} as many {thing.many} as {other} / {other} has {n} [{thing.many}|]",
        "{who}的{thing.zh}比{other}的{k}倍少{d}{thing.unit} / {other}有{n}{thing.unit}[{thing.zh}|]",
        (
            Ask(
                "how many [{thing.many}|] does {who} have?|what is {who}'s number of {thing.many}?",
                "{who}有多少{thing.unit}？",
                lambda d, k, n: k * n - d,
            ),
        ),
        free=True,
    ),
    Story(
        {"n": count(6, 120), "d": count(2, 60)},
        "{who} has {n} {thing.many}, [which is |that is |]{d} more than {other} [has|]",
        "{who}有{n}{thing.unit}{thing.zh}，比{other}多{d}{thing.unit}",
        (
            Ask("how many [{thing.many}|] does {other} have?", "{other}有多少{thing.unit}？", lambda n, d: n - d),
            Ask(
                "how many [{thing.many}|] do they have [together|in all|altogether]?",
                "{two}人一共有多少{thing.unit}？",
                lambda n, d: n + (n - d),
            ),
        ),
        where=lambda n, d: n > d,
    ),
    Story(
        {"n": count(3, 120), "d": count(2, 60)},
        "{who} has {n} {thing.many}, [which is |that is |]{d} [fewer|less] than {other} [has|]",
        "{who}有{n}{thing.unit}{thing.zh}，比{other}少{d}{thing.unit}",
        (
            Ask("how many [{thing.many}|] does {other} have?", "{other}有多少{thing.unit}？", lambda n, d: n + d),
            Ask(
                "how many [{thing.many}|] do they have [together|in all|altogether]?",
                "{two}人一共有多少{thing.unit}？",
                lambda n, d: n + (n + d),
            ),
        ),
    ),
    # What is paid, read, saved or walked little by little: how much in all, how much is missing, how long it takes.
    Story(
        {"m": money(5, 95, 5), "t": count(2, 11), "sum": money(60, 960, 30)},
        "{who} pays {m} [a|per|every] month for {what}|{what} costs {who} {m} [a|per] month",
        "{who}每个月付{m}元{what}",
        (
            Ask(
                "[what|how much] does {who} pay [in|for] {t} months?|[what|how much] is that [for|in] {t} months?",
                "{t}个月要付多少元？",
                lambda m, t: m * t,
            ),
            Ask(
                "[what|how much] does {who} pay [in|for] a year?|[what|how much] is that [a|per|in a] year?",
                "一年要付多少元？",
                lambda m: m * 12,
            ),
            Ask(
                "after how many months has {who} paid {sum}?|for how many months are {sum} enough?",
                "{sum}元可以付几个月？",
                lambda m, sum: sum / m,
            ),
        ),
        cast={"what": _BILLS},
    ),
    Story(
        {"a": digits(20, 280, 5), "all": digits(60, 480, 10), "n": count(4, 30)},
        "{who} has [already |]read {a} [pages of a {all}-page book|of the {all} pages of a book]",
        "一本书有{all}页，{who}已经看了{a}页",
        (
            Ask(
                "how many pages are left?|how many more pages does {who} have to read?",
                "还剩多少页？",
                lambda a, all: all - a,
            ),
            Ask(
                "if {who.he} reads {n} pages a day, how many more days [will it take|does {who} need]?|at {n} pages a day, how many days is that for the rest?",
                "如果每天看{n}页，还要几天看完？",
                lambda a, all, n: (all - a) / n,
            ),
        ),
        where=lambda a, all: all > a,
        aside=False,
    ),
    Story(
        {"price": money(60, 600, 10), "a": money(10, 400, 5), "c": money(5, 50, 5), "n": count(2, 12)},
        "a {what} costs {price} / {who} has [saved|] {a} [so far|already|] / {who.he} saves {c} [a|every|each] week",
        "一个{what}{price}元 / {who}已经存了{a}元 / 每星期再存{c}元",
        (
            Ask(
                "how much [is missing|does {who} still need]?|how much more does the {what} cost than {who} has?",
                "还差多少元？",
                lambda price, a: price - a,
            ),
            Ask(
                "how many more weeks [will it take|does {who} have to save]?|in how many weeks can {who} buy it?",
                "还要存几个星期？",
                lambda price, a, c: (price - a) / c,
            ),
            Ask("how much will {who} have after {n} weeks?", "再过{n}个星期一共有多少元？", lambda a, c, n: a + c * n),
        ),
        where=lambda price, a: price > a,
        cast={"what": _WISHES},
    ),
    Story(
        {"all": digits(40, 400, 10), "a": digits(10, 300, 10), "v": digits(5, 60, 5)},
        "[the trip is|the way is] {all} km long / {who} has gone {a} km [already|so far]",
        "全程{all}千米 / {who}已经走了{a}千米",
        (
            Ask("how many km are left?|how far is it still?", "还剩多少千米？", lambda all, a: all - a),
            Ask(
                "how many hours does the rest take at {v} km [an|per] hour?|at {v} km/h, how long will the rest take?",
                "剩下的路每小时走{v}千米，还要几小时？",
                lambda all, a, v: (all - a) / v,
            ),
        ),
        where=lambda all, a: all > a,
        aside=False,
    ),
    Story(
        {"n": count(12, 120), "b": count(2, 10), "c": count(2, 12)},
        "{who} puts {n} {thing.many} [equally|evenly] into {b} [boxes|baskets|bags] / then {c} more go into each",
        "{who}把{n}{thing.unit}{thing.zh}平均放进{b}个盒子 / 再往每个盒子里放{c}{thing.unit}",
        (
            Ask(
                "how many {thing.many} are in each [one|] now?",
                "现在每个盒子里有多少{thing.unit}？",
                lambda n, b, c: n / b + c,
            ),
            Ask(
                "how many {thing.many} are there in all now?", "现在一共有多少{thing.unit}？", lambda n, b, c: n + b * c
            ),
        ),
        where=lambda n, b: n % b == 0,
    ),
)
