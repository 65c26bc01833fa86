# ruff: noqa: E501 (a wording reads best in one line)
"""Lengths, areas, weights, speeds, times and temperatures."""

from __future__ import annotations

from treequation.data.synthetic.stories.story import Ask, Story, count, digits, money, plain, share

_VEHICLES = (("bus", "客车"), ("truck", "卡车"), ("van", "面包车"), ("tram", "电车"), ("coach", "大巴"))
_PLACES = (
    ("garden", "花园"),
    ("playground", "操场"),
    ("lawn", "草坪"),
    ("room", "房间"),
    ("parking lot", "停车场"),
    ("field", "田地"),
)
_FLAT = (
    ("poster", "海报"),
    ("table top", "桌面"),
    ("picture", "图画"),
    ("carpet", "地毯"),
    ("flag", "旗子"),
    ("window", "窗户"),
)

STORIES = (
    Story(
        {"v": digits(4, 120), "t": count(2, 12)},
        "a {vehicle} [goes|moves|travels at] {v} km [an hour|per hour|every hour] / the trip takes {t} hours",
        "一辆{vehicle}每小时[走|开]{v}千米 / 走了{t}小时",
        (
            Ask(
                "how long is the [trip|way] [in km|]?|how many km is that?|what distance is that?",
                "一共走了多少千米？|路程是多少千米？",
                lambda v, t: v * t,
            ),
            Ask(
                "how far do you get in {t} hours at {v} km per hour?|{v} km/h for {t} hours: how many km?|what distance do you cover at {v} km/h in {t} hours?",
                "时速{v}千米，{t}小时走多远？|每小时{v}千米，走{t}小时，共几千米？",
                lambda v, t: v * t,
                alone=True,
            ),
        ),
        cast={"vehicle": _VEHICLES},
    ),
    Story(
        {"s": digits(12, 900), "t": count(2, 12)},
        "a {vehicle} [covers|goes] {s} km in {t} hours",
        "一辆{vehicle}{t}小时走了{s}千米",
        (
            Ask(
                "what is its [average|] speed?|how many km is that per hour?|how fast is it [in km per hour|]?",
                "[平均|]每小时走多少千米？|速度是多少？",
                lambda s, t: s / t,
            ),
            Ask(
                "{s} km in {t} hours: [what speed|how many km per hour]?|how fast do you go if you need {t} hours for {s} km?",
                "{t}小时走{s}千米，时速多少千米？",
                lambda s, t: s / t,
                alone=True,
            ),
        ),
        where=lambda s, t: 8 * t <= s <= 130 * t,
        cast={"vehicle": _VEHICLES},
    ),
    Story(
        {"s": digits(12, 900), "v": digits(4, 120)},
        "[it is|the distance is] {s} km to the [coast|capital|mountains] / {who} [drives|travels] {v} km [an hour|per hour]",
        "到[海边|省城|山里]有{s}千米 / {who}每小时走{v}千米",
        (
            Ask(
                "how many hours does [the trip|it] take?|how long is {who} on the way?",
                "需要走多少小时？",
                lambda s, v: s / v,
            ),
            Ask(
                "how long does it take to [go|drive] {s} km at {v} km per hour?|{s} km at {v} km/h takes how many hours?",
                "{s}千米，每小时走{v}千米，要几小时？",
                lambda s, v: s / v,
                alone=True,
            ),
        ),
        where=lambda s, v: s > v >= 30,
    ),
    Story(
        {"all": digits(60, 900), "gone": digits(10, 800)},
        "[the road|the trail|the route] is {all} km long / {who} has [covered|done|walked] {gone} km",
        "[全程|这条路]长{all}千米 / {who}走了{gone}千米",
        (
            Ask(
                "how many km [are still to go|remain|are left]?|how far is it still?",
                "还要走多少千米？|离终点还有多远？",
                lambda all, gone: all - gone,
            ),
            Ask(
                "how much farther has {who} gone than what remains?",
                "走过的比剩下的多多少千米？",
                lambda all, gone: gone - (all - gone),
            ),
        ),
        where=lambda all, gone: gone < all,
    ),
    Story(
        {"a": digits(3, 60), "b": digits(2, 60)},
        "a [rectangular|] {place} [measures {a} m by {b} m|has sides of {a} m and {b} m|is {a} m by {b} m]",
        "一个长方形{place}，长{a}米，宽{b}米",
        (
            Ask(
                "[what is the area|how large is it|how big is its area] [in square meters|]?|how many square meters [is that|are there]?",
                "占地多少平方米？|求它的面积。",
                lambda a, b: a * b,
            ),
            Ask(
                "how long is a fence around it?|what is the distance around it?|how many meters of fence [does it need|go around it]?",
                "四周围上篱笆，篱笆长多少米？|绕它走一圈是多少米？|求它的周长。",
                lambda a, b: (a + b) * 2,
            ),
            Ask(
                "area of a {a} by {b} rectangle?|find the area of a rectangle [with sides|measuring] {a} and {b}.|how many square cm does a {a} cm by {b} cm sheet have?",
                "长{a}宽{b}的长方形面积是多少？|求长{a}厘米、宽{b}厘米的长方形的面积。",
                lambda a, b: a * b,
                alone=True,
            ),
            Ask(
                "perimeter of a {a} by {b} rectangle?|find the perimeter of a rectangle with sides {a} and {b}.|a sheet is {a} cm by {b} cm. How long is its edge all around?",
                "长{a}宽{b}的长方形周长是多少？|求长{a}厘米、宽{b}厘米的长方形的周长。",
                lambda a, b: (a + b) * 2,
                alone=True,
            ),
        ),
        where=lambda a, b: a >= b,
        cast={"place": _PLACES},
    ),
    Story(
        {"a": digits(2, 60)},
        "a square {flat} has sides of {a} cm|each side of a square {flat} is {a} cm [long|]",
        "一块正方形{flat}，边长{a}厘米",
        (
            Ask(
                "what is the area?|how many square cm is that?|how large is it?",
                "面积是多少平方厘米？",
                lambda a: a * a,
            ),
            Ask(
                "what is the perimeter?|how long is a [ribbon|border] around it?|how many cm is it all around?",
                "周长是多少厘米？|一圈是多少厘米？",
                lambda a: a * 4,
            ),
            Ask(
                "perimeter of a square with side {a}?|find the perimeter of a square of side {a} cm.",
                "边长{a}的正方形周长是多少？",
                lambda a: a * 4,
                alone=True,
            ),
        ),
        cast={"flat": _FLAT},
    ),
    Story(
        {"area": digits(12, 900), "a": digits(2, 50)},
        "a rectangular {place} has an area of {area} square meters / one side is {a} m [long|]",
        "一个长方形{place}面积{area}平方米 / 一条边长{a}米",
        (
            Ask(
                "how long is the other side?|what is the length of the other side?",
                "另一条边长多少米？",
                lambda area, a: area / a,
            ),
        ),
        where=lambda area, a: area > a,
        cast={"place": _PLACES},
    ),
    Story(
        {"p": digits(12, 240, 4)},
        "the perimeter of a square {flat} is {p} cm|a square {flat} is {p} cm all around",
        "一块正方形{flat}的周长是{p}厘米",
        (Ask("how long is one side?|what is the length of a side?", "边长是多少厘米？", lambda p: p / 4),),
        cast={"flat": _FLAT},
    ),
    Story(
        {"long": digits(6, 300), "n": count(2, 15)},
        "a [ribbon|wire|plank|pipe|tape] of {long} [cm|m] is [cut|divided|sawn] into {n} [equal parts|parts of the same length]",
        "一[条彩带|根铁丝|根木条]长{long}厘米，把它[分成|剪成]同样长的{n}段",
        (
            Ask(
                "how long is [one part|every part]?|what is the length of one part?",
                "每段多少厘米？",
                lambda long, n: long / n,
            ),
        ),
        where=lambda long, n: long > n,
    ),
    Story(
        {"long": digits(6, 300), "each": digits(2, 30)},
        "{who} cuts a [ribbon|wire|rope|tape] of {long} cm into pieces of {each} cm",
        "{who}把{long}厘米长的[彩带|铁丝|绳子]剪成{each}厘米长的小段",
        (Ask("how many pieces [does {who} get|are there]?", "可以剪成多少段？", lambda long, each: long / each),),
        where=lambda long, each: long > each,
    ),
    Story(
        {"long": digits(10, 200), "a": digits(2, 90), "b": digits(2, 90)},
        "a roll has {long} m of [cloth|cable|rope|wire] / {who} cuts off {a} m and then {b} m",
        "一卷[布|电线|绳子]长{long}米 / 先用去{a}米 / 再用去{b}米",
        (
            Ask("how many m are left on the roll?|how much remains?", "还剩多少米？", lambda long, a, b: long - a - b),
            Ask("how many m did {who} cut off [in all|]?", "一共用去多少米？", lambda a, b: a + b),
            Ask(
                "how many m more was the second piece than the first?", "第二次比第一次多用多少米？", lambda a, b: b - a
            ),
        ),
        where=lambda long, a, b: a + b < long,
    ),
    Story(
        {"a": digits(2, 40), "b": digits(2, 40), "c": digits(2, 40)},
        "a triangle has sides of {a} cm, {b} cm and {c} cm",
        "一个三角形的边长分别是{a}厘米、{b}厘米和{c}厘米",
        (
            Ask(
                "what is its perimeter?|how many cm is it all around?",
                "它的周长是多少厘米？",
                lambda a, b, c: a + b + c,
            ),
        ),
        where=lambda a, b, c: a + b > c and a + c > b and b + c > a,
    ),
    Story(
        {"t": digits(2, 24), "up": count(2, 12), "down": count(2, 15)},
        "[at dawn|at breakfast|at noon] it was {t} degrees / [by evening|later] it was {up} degrees warmer",
        "[清晨|早上]气温是{t}度 / [中午|后来]升高了{up}度",
        (
            Ask("what was the temperature then?|how many degrees was it then?", "这时是多少度？", lambda t, up: t + up),
            Ask(
                "at night it fell by {down} degrees. How many degrees was it at night?",
                "夜里又降了{down}度，夜里是多少度？",
                lambda t, up, down: t + up - down,
            ),
        ),
        aside=False,
    ),
    Story(
        {"hi": digits(5, 39), "lo": digits(2, 35)},
        "the highest temperature [today|on Sunday] was {hi} degrees and the lowest {lo} [degrees|]",
        "[今天|周日]最高气温{hi}度 / 最低气温{lo}度",
        (
            Ask(
                "[what is the difference|how many degrees lie between them|by how many degrees do they differ]?",
                "相差多少度？",
                lambda hi, lo: hi - lo,
            ),
        ),
        where=lambda hi, lo: hi > lo,
    ),
    Story(
        {"w": digits(2, 60), "n": count(2, 30)},
        "[a sack|a box|a bag|a crate] of [potatoes|cement|rice|books] weighs {w} kg",
        "一[袋大米|箱苹果|袋水泥]重{w}千克",
        (
            Ask(
                "how much do {n} of them weigh?|what is the weight of {n} such ones?|how many kg are {n} of them?",
                "{n}个这样的重多少千克？",
                lambda w, n: w * n,
            ),
            Ask(
                "{n} sacks of {w} kg each: how many kg?|how many kg are {n} bags of {w} kg?",
                "每袋{w}千克，{n}袋共多少千克？",
                lambda w, n: n * w,
                alone=True,
            ),
        ),
    ),
    Story(
        {"full": digits(5, 40), "empty": digits(2, 9)},
        "a [full|packed] [suitcase|bucket|jar|backpack] weighs {full} kg / [empty|when empty] it weighs {empty} kg",
        "一个[箱子|水桶|行李箱]装满后重{full}千克 / 空的时候重{empty}千克",
        (
            Ask(
                "how heavy is what is in it?|how many kg are in it?|what does the content weigh?",
                "里面的东西重多少千克？",
                lambda full, empty: full - empty,
            ),
        ),
        where=lambda full, empty: empty < full - 1,
    ),
    Story(
        {"tank": digits(10, 500), "rate": count(2, 30)},
        "a [tank|pool|barrel] holds {tank} liters / {rate} liters flow in every minute",
        "一个[水箱|水池|水桶]能装{tank}升水 / 每分钟流进{rate}升",
        (
            Ask(
                "[after|in] how many minutes is it full?|how long does it take to fill [it|up]?",
                "多少分钟装满？",
                lambda tank, rate: tank / rate,
            ),
        ),
        where=lambda tank, rate: tank > rate,
    ),
    Story(
        {"rate": count(2, 40), "t": count(2, 30)},
        "[a machine|a printer|a robot] [makes|turns out|handles] {rate} [parts|pages|labels|letters] [a minute|per minute|in a minute]",
        "一台机器每分钟[加工|生产]{rate}个零件",
        (
            Ask(
                "how many is that in {t} minutes?|how many does it do in {t} minutes?",
                "{t}分钟[加工|生产]多少个？",
                lambda rate, t: rate * t,
            ),
            Ask(
                "how many is that in an hour?|how many does it do in one hour?",
                "一小时[加工|生产]多少个？",
                lambda rate: rate * 60,
            ),
        ),
    ),
    Story(
        {"total": count(12, 600), "t": count(2, 20)},
        "{who} [typed|wrote|folded|peeled|washed] {total} [letters|sheets|items|pieces] in {t} minutes",
        "{who}{t}分钟打了{total}个字",
        (
            Ask(
                "how many is that [a minute|per minute|in one minute]?",
                "[平均|]每分钟打多少个字？",
                lambda total, t: total / t,
            ),
        ),
        where=lambda total, t: total > t,
    ),
    Story(
        {"a": count(5, 90), "b": count(5, 90)},
        "{who} [read|practiced|walked|swam] for {a} minutes [in the morning|before lunch] and for {b} minutes [in the evening|after lunch]",
        "{who}上午[练琴|看书|锻炼]{a}分钟 / 下午{b}分钟",
        (
            Ask(
                "how many minutes [is that|did {who.he} do] [in all|altogether]?", "一共多少分钟？", lambda a, b: a + b
            ),
            Ask("how many minutes longer was it the second time?", "下午比上午多多少分钟？", lambda a, b: b - a),
            Ask("how many minutes shorter was it the second time?", "下午比上午少多少分钟？", lambda a, b: a - b),
        ),
    ),
    Story(
        {"t": count(10, 90), "d": plain(5, 6, 7)},
        "{who} [reads|swims|exercises|plays the piano] for {t} minutes [a day|every day|each day]",
        "{who}每天[看书|游泳|锻炼|练琴]{t}分钟",
        (
            Ask("how many minutes is that in {d} days?", "{d}天共多少分钟？", lambda t, d: t * d),
            Ask(
                "how many minutes is that in a week?|how many minutes per week?",
                "一个星期共多少分钟？",
                lambda t: t * 7,
            ),
        ),
    ),
    Story(
        {"need": share("1/2", "1/4", "3/4", "1/3", "2/3"), "n": digits(2, 24)},
        "a recipe needs {need} of a [cup|liter|kilo] of [milk|flour|sugar|stock] for one [cake|batch|loaf]",
        "做一个[蛋糕|面包]需要{need}千克[面粉|牛奶]",
        (
            Ask(
                "how much is that for {n}?|how much do {n} of them need?",
                "做{n}个需要多少千克？",
                lambda need, n: need * n,
            ),
        ),
    ),
    Story(
        {"a": count(2, 9), "m": money(2, 20), "s": digits(60, 400)},
        "{who} drives {s} km / the car needs {a} liters for the trip and one liter costs {m}",
        "{who}开车{s}千米 / 用了{a}升油 / 每升油{m}元",
        (
            Ask("how much does the fuel cost?|what does {who} pay for fuel?", "油费是多少元？", lambda a, m: a * m),
            Ask("how many km is that per liter?", "平均每升油行多少千米？", lambda a, s: s / a),
        ),
    ),
)
