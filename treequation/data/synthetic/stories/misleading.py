# ruff: noqa: E501 (a wording reads best in one line)
"""Stories with more numbers than any one question needs: a small change of the question changes what is to be done."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import DEEDS, FOOD, GOODS
from treequation.data.synthetic.stories.story import Ask, Story, count, digits, money, times

STORIES = (
    Story(
        {"each": count(2, 15), "n": count(2, 12), "m": count(2, 30)},
        "there are {each} {thing.many} in a bag / {who} has {n} bags of {thing.many} and {m} bags of {second.many}",
        "一袋有{each}{thing.unit}{thing.zh} / {who}有{n}袋{thing.zh}和{m}袋{second.zh}",
        (
            Ask(
                "how many {thing.many} does {who} have [in all|]?",
                "{who}有多少{thing.unit}{thing.zh}？",
                lambda each, n: each * n,
            ),
            Ask("how many bags does {who} have [in all|altogether]?", "{who}一共有多少袋？", lambda n, m: n + m),
            Ask(
                "how many more bags of {second.many} than of {thing.many} does {who} have?",
                "{second.zh}比{thing.zh}多几袋？",
                lambda n, m: m - n,
            ),
        ),
    ),
    Story(
        {"n": count(2, 9), "each": count(2, 15), "x": count(2, 40)},
        "{who} {did.past} {n} [bags|boxes] of {thing.many}, {each} in each, and {x} {second.many}",
        "{who}{did.zh}{n}盒{thing.zh}，每盒{each}{thing.unit} / 还有{x}{second.unit}{second.zh}",
        (
            Ask(
                "how many {thing.many} did {who} {did.base}?",
                "{thing.zh}一共有多少{thing.unit}？",
                lambda n, each: n * each,
            ),
            Ask(
                "how many {thing.many} and {second.many} did {who} {did.base} [in all|together]?",
                "{thing.zh}和{second.zh}一共多少？",
                lambda n, each, x: n * each + x,
            ),
            Ask(
                "how many more {thing.many} than {second.many} did {who} {did.base}?",
                "{thing.zh}比{second.zh}多多少？",
                lambda n, each, x: n * each - x,
            ),
        ),
        cast={"did": DEEDS},
    ),
    Story(
        {"p": money(8, 60), "off": money(2, 20), "n": count(2, 9)},
        "{thing.a} costs {p} / {who} has a coupon for {off} off each {thing.one}",
        "每{thing.unit}{thing.zh}{p}元 / {who}有优惠券，每{thing.unit}便宜{off}元",
        (
            Ask(
                "how much does [one|a single] {thing.one} cost with the coupon?",
                "用券后一{thing.unit}多少元？",
                lambda p, off: p - off,
            ),
            Ask(
                "how much do {n} {thing.many} cost with the coupon?",
                "用券后买{n}{thing.unit}要多少元？",
                lambda p, off, n: (p - off) * n,
            ),
            Ask(
                "how much do {n} {thing.many} cost without the coupon?",
                "不用券买{n}{thing.unit}要多少元？",
                lambda p, n: p * n,
            ),
            Ask(
                "how much does {who} save on {n} {thing.many}?",
                "用券买{n}{thing.unit}能省多少元？",
                lambda off, n: off * n,
            ),
        ),
        where=lambda p, off: off < p,
        things=GOODS,
        aside=False,
    ),
    Story(
        {"a": digits(20, 90), "b": digits(10, 80), "c": digits(5, 40)},
        "[a frog jumped {a} cm, a cricket {b} cm and a mouse {c} cm|in a contest a frog jumped {a} cm. A cricket jumped {b} cm and a mouse {c} cm]",
        "跳远比赛中，青蛙跳了{a}厘米 / 蟋蟀跳了{b}厘米 / 老鼠跳了{c}厘米",
        (
            Ask("how much farther did the frog jump than the mouse?", "青蛙比老鼠多跳多少厘米？", lambda a, c: a - c),
            Ask("how much farther than the frog did the cricket jump?", "蟋蟀比青蛙多跳多少厘米？", lambda a, b: b - a),
            Ask(
                "how far did the cricket and the mouse jump together?",
                "蟋蟀和老鼠一共跳了多少厘米？",
                lambda b, c: b + c,
            ),
            Ask(
                "how many cm less than the cricket did the mouse jump?", "老鼠比蟋蟀少跳多少厘米？", lambda b, c: b - c
            ),
        ),
        aside=False,
    ),
    Story(
        {"a": digits(20, 90), "d": digits(2, 30), "e": digits(2, 30)},
        "a [frog|goat|kangaroo] jumped {a} cm / a [rabbit|lamb] jumped {d} cm farther / a hen jumped {e} cm less than the first",
        "青蛙跳了{a}厘米 / 兔子比青蛙多跳{d}厘米 / 母鸡比青蛙少跳{e}厘米",
        (
            Ask("how far did the hen jump?", "母鸡跳了多少厘米？", lambda a, e: a - e),
            Ask(
                "how much farther than the hen did the second one jump?", "兔子比母鸡多跳多少厘米？", lambda d, e: d + e
            ),
        ),
        where=lambda a, e: e < a,
        aside=False,
    ),
    Story(
        {"total": count(8, 150), "n": count(2, 12), "m": count(2, 20)},
        "{who} has {total} {thing.many} and {m} {second.many} / {who} puts the {thing.many} into {n} [bags|boxes|jars], the same number in each",
        "{who}有{total}{thing.unit}{thing.zh}和{m}{second.unit}{second.zh} / 把{thing.zh}平均装进{n}个袋子",
        (
            Ask(
                "how many {thing.many} are in [one|each] of them?|how many {thing.many} does each one hold?",
                "每个袋子有多少{thing.unit}{thing.zh}？",
                lambda total, n: total / n,
            ),
            Ask(
                "how many more {thing.many} than {second.many} does {who} have?",
                "{thing.zh}比{second.zh}多多少？",
                lambda total, m: total - m,
            ),
            Ask(
                "how many {thing.many} and {second.many} does {who} have?",
                "{thing.zh}和{second.zh}一共有多少？",
                lambda total, m: total + m,
            ),
        ),
        where=lambda total, n: total > n and (total / n).denominator == 1,
        aside=False,
    ),
    Story(
        {"boys": count(8, 60), "girls": count(8, 60), "t": count(2, 9)},
        "[a school trip|a camp|a chess club] has {boys} boys, {girls} girls and {t} [teachers|helpers]",
        "[夏令营|春游]有{boys}名男生、{girls}名女生和{t}名老师",
        (
            Ask(
                "how many children are there?|how many boys and girls are there?",
                "一共有多少名学生？",
                lambda boys, girls: boys + girls,
            ),
            Ask(
                "how many people are there [in all|altogether]?",
                "一共有多少人？",
                lambda boys, girls, t: boys + girls + t,
            ),
            Ask("how many more girls than boys are there?", "女生比男生多多少人？", lambda boys, girls: girls - boys),
            Ask(
                "how many children does each grown-up look after?|how many children are there for each grown-up?",
                "平均每名老师带多少名学生？",
                lambda boys, girls, t: (boys + girls) / t,
            ),
            Ask("how many fewer grown-ups than boys are there?", "老师比男生少多少人？", lambda boys, t: boys - t),
        ),
        aside=False,
    ),
    Story(
        {"a": count(8, 90), "ate": count(2, 20), "gave": count(2, 20), "left": count(2, 50)},
        "{who} ate {ate} {thing.many} and gave {gave} to {other} / {left} {thing.many} [are left|remain]",
        "{who}吃了{ate}{thing.unit}{thing.zh} / 给了{other}{gave}{thing.unit} / 还剩{left}{thing.unit}",
        (
            Ask(
                "how many {thing.many} [were there at first|did {who} have at first|did {who} start with]?",
                "{who}原来有多少{thing.unit}{thing.zh}？",
                lambda ate, gave, left: ate + gave + left,
            ),
            Ask(
                "how many {thing.many} did {who} have before giving any to {other}?",
                "给{other}之前还有多少{thing.unit}？",
                lambda gave, left: gave + left,
            ),
            Ask(
                "how many more {thing.many} did {who} eat than give away?",
                "吃的比送的多多少{thing.unit}？",
                lambda ate, gave: ate - gave,
            ),
        ),
        things=FOOD,
        aside=False,
    ),
    Story(
        {"goal": count(20, 90), "a": count(3, 60), "b": count(2, 20)},
        "{who} wanted to sell {goal} {thing.many} / {who} sold {a} [to neighbors|at school|online] and {b} [to friends|at the market|at a fair]",
        "{who}想卖{goal}{thing.unit}{thing.zh} / 在学校卖了{a}{thing.unit} / 在市场卖了{b}{thing.unit}",
        (
            Ask("how many {thing.many} did {who} sell [in all|]?", "一共卖了多少{thing.unit}？", lambda a, b: a + b),
            Ask(
                "how many more {thing.many} does {who} have to sell?|how many {thing.many} was {who} short of the goal?",
                "还要卖多少{thing.unit}？",
                lambda goal, a, b: goal - a - b,
            ),
        ),
        where=lambda goal, a, b: a + b < goal,
    ),
    Story(
        {"v": digits(10, 90), "t": count(2, 9), "s": count(2, 30)},
        "{who} [cycled|drove|skated] for {t} hours at {v} km an hour and [stopped {s} times|met {s} friends|drank {s} bottles of tea]",
        "{who}以每小时{v}千米的速度走了{t}小时 / 途中停了{s}次",
        (Ask("how far did {who} get?|how many km did {who} cover?", "{who}走了多少千米？", lambda v, t: v * t),),
        aside=False,
    ),
    Story(
        {"w": money(4, 40), "d": count(2, 12), "x": count(2, 9)},
        "{who} [walks {x} dogs|mows {x} lawns|waters {x} gardens] and gets {w} [a|every|per] day for it",
        "{who}每天帮邻居遛{x}只狗 / 每天得到{w}元",
        (
            Ask(
                "how much money is that in {d} days?|how much does {who} get in {d} days?",
                "{d}天得到多少元？",
                lambda w, d: w * d,
            ),
            Ask("how much money does {who} get in a week?", "一个星期得到多少元？", lambda w: w * 7),
            Ask("how much is that for each one?", "遛一只狗得到多少元？", lambda w, x: w / x),
        ),
        aside=False,
    ),
    Story(
        {"a": count(5, 60), "b": count(5, 60), "n": count(2, 9)},
        "{who} has {a} {thing.many} / {other} has {b} {thing.many} / {third} has {n} empty boxes",
        "{who}有{a}{thing.unit}{thing.zh} / {other}有{b}{thing.unit}{thing.zh} / {third}有{n}个空盒子",
        (
            Ask(
                "how many {thing.many} do {who} and {other} have together?",
                "{who}和{other}一共有多少{thing.unit}{thing.zh}？",
                lambda a, b: a + b,
            ),
            Ask(
                "how many more {thing.many} does {other} have than {who}?",
                "{other}比{who}多多少{thing.unit}{thing.zh}？",
                lambda a, b: b - a,
            ),
            Ask(
                "how many {thing.many} must {who} still get to have as many as {other}?",
                "{who}再得到多少{thing.unit}就和{other}一样多？",
                lambda a, b: b - a,
            ),
            Ask(
                "{who} puts {who.his} {thing.many} equally into the boxes of {third}. How many go into each box?",
                "把{who}的{thing.zh}平均放进{third}的盒子，每个盒子放多少{thing.unit}？",
                lambda a, n: a / n,
            ),
        ),
        aside=False,
        free=True,
    ),
    Story(
        {"p": money(2, 20), "n": count(2, 9), "h": money(20, 150), "age": digits(8, 60)},
        "{who} is {age} years old and has {h} / {thing.many} cost {p} each",
        "{who}今年{age}岁，有{h}元 / {thing.zh}每{thing.unit}{p}元",
        (
            Ask("how much do {n} {thing.many} cost?", "买{n}{thing.unit}要多少元？", lambda p, n: p * n),
            Ask(
                "how many {thing.many} can {who} buy [with all the money|]?",
                "{who}最多能买多少{thing.unit}？",
                lambda h, p: h / p,
            ),
            Ask(
                "how much has {who} left after buying {n} [of them|{thing.many}]?",
                "{who}买{n}{thing.unit}后还剩多少元？",
                lambda h, p, n: h - p * n,
            ),
        ),
        where=lambda h, p, n: p * n < h,
        things=GOODS,
        aside=False,
        named=True,
    ),
    Story(
        {"pages": digits(80, 400), "ch": count(4, 30), "read": digits(10, 79)},
        "a book has {ch} chapters and {pages} pages / {who} has read {read} pages",
        "一本书有{ch}章，共{pages}页 / {who}看了{read}页",
        (
            Ask(
                "how many pages [must {who} still read|has {who} not read yet]?",
                "{who}还有多少页没看？",
                lambda pages, read: pages - read,
            ),
            Ask(
                "how many pages does a chapter have if all are the same length?",
                "如果每章一样长，每章多少页？",
                lambda pages, ch: pages / ch,
            ),
        ),
    ),
    Story(
        {"c": digits(5, 90, 5), "n": count(2, 12), "x": count(2, 20)},
        "a [pencil|sweet|stamp|button] costs {c} cents / {who} [needs|buys] {n} [of them|] and already has {x} at home",
        "一[支铅笔|颗纽扣]{c}分钱 / {who}买{n}个 / 家里已有{x}个",
        (
            Ask("how many cents does {who} pay?", "要付多少分钱？", lambda c, n: c * n),
            Ask("how many has {who} then?|how many does {who} have then?", "{who}这时有多少个？", lambda n, x: n + x),
        ),
    ),
    Story(
        {"n": count(4, 40), "k": times(2, 5), "x": count(2, 30)},
        "{who} owns {n} {thing.many} and {x} {second.many} / {other} owns {k} as many {thing.many} as {who}",
        "{who}有{n}{thing.unit}{thing.zh}和{x}{second.unit}{second.zh} / {other}的{thing.zh}是{who}的{k}倍",
        (
            Ask(
                "how many {thing.many} does {other} own?|how many {thing.many} belong to {other}?",
                "{other}有多少{thing.unit}{thing.zh}？",
                lambda n, k: n * k,
            ),
            Ask(
                "how many {thing.many} do they own together?",
                "他们一共有多少{thing.unit}{thing.zh}？",
                lambda n, k: n + n * k,
            ),
            Ask(
                "how many things does {who} own?|how many {thing.many} and {second.many} does {who} own?",
                "{who}的{thing.zh}和{second.zh}一共多少？",
                lambda n, x: n + x,
            ),
            Ask(
                "how many more {thing.many} does {other} own than {who}?",
                "{other}的{thing.zh}比{who}多多少{thing.unit}？",
                lambda n, k: n * k - n,
            ),
        ),
        aside=False,
    ),
    Story(
        {"open": digits(6, 11), "close": digits(12, 22), "n": count(2, 40)},
        "a [shop|pool|museum|library] opens at {open} and closes at {close} / {n} people work there",
        "[商店|游泳馆|博物馆]{open}点开门，{close}点关门 / 里面有{n}人工作",
        (
            Ask(
                "how many hours [is it open|does it stay open]?", "一天开门多少小时？", lambda open, close: close - open
            ),
        ),
        aside=False,
    ),
    Story(
        {"start": digits(1, 8), "t": count(2, 4), "n": count(20, 300)},
        "a [film|concert|play|match] starts at {start} and lasts {t} hours / {n} people [come|watch it]",
        "[电影|演出|比赛]{start}点开始，{t}小时后结束 / 有{n}人观看",
        (Ask("at what time does it end?|when is it over?", "几点结束？", lambda start, t: start + t),),
        aside=False,
    ),
    Story(
        {"f": digits(2, 30), "k": count(2, 12), "floors": count(2, 20)},
        "a building has {floors} floors / on every floor there are {k} rooms and {f} lamps",
        "一座楼有{floors}层 / 每层有{k}个房间和{f}盏灯",
        (
            Ask("how many rooms are in the building?", "这座楼一共有多少个房间？", lambda floors, k: floors * k),
            Ask("how many lamps are in the building?", "这座楼一共有多少盏灯？", lambda floors, f: floors * f),
        ),
        aside=False,
    ),
    Story(
        {"n": count(2, 9), "m": count(2, 9), "a": count(2, 12), "b": count(2, 12)},
        "[on a farm|at the zoo] {n} {x} eat {a} kg each a day and {m} {y} eat {b} kg each",
        "[农场|动物园]里有{n}头{x}，每头每天吃{a}千克 / 有{m}头{y}，每头每天吃{b}千克",
        (
            Ask("how many kg do the {x} eat a day?", "{x}每天一共吃多少千克？", lambda n, a: n * a),
            Ask("how many kg do the {y} eat a day?", "{y}每天一共吃多少千克？", lambda m, b: m * b),
            Ask("how many kg do all of them eat a day?", "它们每天一共吃多少千克？", lambda n, a, m, b: n * a + m * b),
            Ask("how many animals are there?", "一共有多少头？", lambda n, m: n + m),
        ),
        cast={"x": (("donkeys", "驴"), ("cows", "牛")), "y": (("pigs", "猪"), ("camels", "骆驼"))},
        aside=False,
    ),
)
