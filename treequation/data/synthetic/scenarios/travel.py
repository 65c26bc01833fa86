# ruff: noqa: E501 (a template reads best in one line)
"""On the way: speed, time and distance, meeting, catching up, trains, boats and fuel."""

from __future__ import annotations

from treequation.data.synthetic.terms import Term
from treequation.data.synthetic.writing import Writer

# English and Chinese name of a vehicle, and its range of speeds in km an hour.
_VEHICLES = (
    ("car", "一辆汽车", 40, 110),
    ("bus", "一辆客车", 30, 80),
    ("truck", "一辆货车", 30, 80),
    ("train", "一列火车", 60, 160),
    ("motorcycle", "一辆摩托车", 30, 70),
    ("tractor", "一辆拖拉机", 12, 30),
    ("ship", "一艘轮船", 15, 40),
)


def legs(w: Writer) -> None:
    """One to three parts of a journey, each by its speed and time."""
    name, zh_name, low, high = w.pick(_VEHICLES)
    unit = w.pick(("km", "miles"))
    slots = {"v": name, "z": zh_name, "unit": unit, "per": "mph" if unit == "miles" else "km/h"}
    total: Term | None = None
    hours: Term | None = None
    parts = w.pick((1, 2, 2, 3))
    for part in range(parts):
        speed, time = w.digits(w.integer(low, high)), w.number(w.integer(2, 9))
        w.fact(
            ("a {v} [travels|goes]", "then it [travels|goes]", "after that it [travels|goes]")[part]
            + " [at {s} {per} for {t} hours|for {t} hours at [a speed of|] {s} {per}]",
            ("{z}", "接着", "然后又")[part] + "[以每小时{s}千米的速度行驶了{t}小时|每小时行{s}千米，行了{t}小时]",
            s=speed, t=time, **slots,
        )  # fmt: skip
        way = speed * time
        total = way if total is None else total + way
        hours = time if hours is None else hours + time
    assert total is not None
    assert hours is not None
    if parts > 1 and w.chance(0.4):
        w.ask(
            "what is its average speed [for the whole journey|] in {per}?",
            "全程平均每小时行多少千米？",
            total / hours,
            **slots,
        )
    elif w.chance(0.3):
        whole = w.digits(int(total.value) + w.integer(10, 300))
        w.fact("the whole [journey|way] is {d} {unit} long", "全程长{d}千米", d=whole, **slots)
        w.ask(
            "how many {unit} [are left|does it still have to go]?",
            "[还剩|离终点还有]多少千米？",
            whole - total,
            **slots,
        )
    else:
        w.ask(
            "how [far does it travel|many {unit} does it travel] [in all|altogether|in total]?|what [total|] distance does it cover?",
            "一共行了多少千米？",
            total,
            **slots,
        )


def one_way(w: Writer) -> None:
    """Distance, speed or time from the other two, and what follows from it for another time or distance."""
    name, zh_name, low, high = w.pick(_VEHICLES)
    speed, time = w.integer(low, high), w.integer(2, 9)
    who = w.person()
    slots: dict[str, object] = {"v": name, "z": zh_name, "who": who}
    distance, hours = w.digits(speed * time), w.number(time)
    kind = w.below(5)
    if kind == 0:
        rate = w.digits(speed)
        w.fact(
            "[the distance between {two} towns is {d} km|it is {d} km from [the town to the coast|one city to the next]]",
            "甲、乙两地相距{d}千米",
            d=distance,
        )
        w.fact("a {v} [travels|goes] at {s} km [an|per] hour", "{z}每小时行{s}千米", s=rate, **slots)
        w.ask(
            "how many hours does [the trip take|it need for this distance]?",
            "从甲地到乙地[需要|要行]多少小时？",
            distance / rate,
        )
        return
    w.fact(
        "a {v} [travels|covers|goes] {d} km in {h} hours|a {v} needs {h} hours for {d} km",
        "{z}{h}小时行[驶|了|]{d}千米|{z}行{d}千米用了{h}小时",
        d=distance,
        h=hours,
        **slots,
    )
    pace = distance / hours
    if kind == 1:
        w.ask(
            "[what is its speed in km per hour|how many km does it travel [per|in an] hour|what is its average speed in km/h]?",
            "[平均|]每小时行多少千米？",
            pace,
        )
    elif kind == 2:
        more = w.number(w.integer(2, 15))
        w.ask(
            "how far does it [go|travel] in {n} hours [at this speed|at the same speed]?",
            "照这样的速度，{n}小时[可以|能]行多少千米？",
            pace * more,
            n=more,
        )
    elif kind == 3:
        far = w.digits(speed * (time + w.integer(1, 9)))
        w.ask(
            "[how long|how many hours] does it need for {n} km at [this|the same] speed?",
            "照这样的速度，行{n}千米[需要|要]多少小时？",
            far / pace,
            n=far,
        )
    else:
        faster = w.digits(w.integer(5, 30))
        again = w.number(w.integer(2, 8))
        w.fact("[on the way back|the next day] it goes {f} km/h faster", "返回时每小时多行{f}千米", f=faster)
        w.ask(
            "how far does it go in {n} hours at the higher speed?",
            "返回时{n}小时行多少千米？",
            (pace + faster) * again,
            f=faster,
            n=again,
        )


def on_foot(w: Writer) -> None:
    """Somebody on foot or by bicycle for an hour and a half, or for half an hour."""
    who = w.person()
    by, zh_by, low, high = w.pick((("walks", "步行", 3, 6), ("cycles", "骑自行车", 10, 18), ("jogs", "跑步", 7, 12)))
    slots: dict[str, object] = {"who": who, "by": by, "zb": zh_by}
    speed = w.digits(2 * w.integer(low // 2, high // 2) if low > 4 else w.integer(low, high))
    if w.chance(0.35):
        time = w.half()
        en, zh = "{t} an hour", "{t}小时"
    else:
        time = w.mixed(w.integer(1, 3), *w.pick(((1, 2), (1, 4), (3, 4))))
        en, zh = "{t} hours", "{t}小时"
    form = w.below(3)
    if form == 2:
        distance = w.digits(speed.value * time.value)
        w.fact(
            f"{{who}} {{by}} {{d}} km in {en}|it takes {{who}} {en} to go {{d}} km",
            f"{{who}}{{zb}}{zh}行了{{d}}千米",
            d=distance,
            t=time,
            **slots,
        )
        w.ask("what is {who.his} speed in km [per|an] hour?", "{who}每小时行多少千米？", distance / time, **slots)
        return
    w.fact(
        f"{{who}} {{by}} at [a speed of|] {{s}} km/h for {en}|{{who}} {{by}} for {en} at {{s}} km/h",
        f"{{who}}{{zb}}每小时行{{s}}千米，行了{zh}",
        s=speed,
        t=time,
        **slots,
    )
    way = speed * time
    if form == 0:
        w.ask("how far does {who.he} [get|go]?|how many km does {who} cover?", "一共行了多少千米？", way, **slots)
    else:
        whole = w.digits(way.value + w.integer(1, 9))
        w.fact("the way to [school|the lake|the station] is {w} km long", "从家到[学校|车站|公园]有{w}千米", w=whole)
        w.ask("how many km are [still|] left?", "还剩多少千米没有走？", whole - way)


def meeting(w: Writer) -> None:
    """Two that travel towards each other, apart, or one behind the other."""
    slow, fast = w.integer(30, 60), w.integer(61, 110)
    time = w.integer(2, 8)
    a, b, t = w.digits(slow), w.digits(fast), w.number(time)
    kind = w.below(4)
    if kind <= 1:
        distance = w.digits((slow + fast) * time)
        if kind == 0:
            w.fact("{two} [towns|cities|stations] are {d} km apart", "[甲、乙|A、B]两地相距{d}千米", d=distance)
            w.fact(
                "a car and a bus start from them at the same time and drive towards each other, the car at {b} km/h and the bus at {a} km/h",
                "客车和货车同时从两地[相向而行|相对开出]，客车每小时行{b}千米，货车每小时行{a}千米",
                a=a, b=b,
            )  # fmt: skip
            w.ask(
                "after how many hours do they meet?|how many hours later do they meet?",
                "[几|多少]小时后两车相遇？|经过多少小时相遇？",
                distance / (a + b),
            )
        else:
            w.fact(
                "a car and a bus start from {two} [towns|cities] at the same time and drive towards each other, the car at {b} km/h and the bus at {a} km/h",
                "客车和货车同时从甲、乙两地相对开出，客车每小时行{b}千米，货车每小时行{a}千米",
                a=a, b=b,
            )  # fmt: skip
            w.fact("they meet after {t} hours", "{t}小时后两车相遇", t=t)
            w.ask("how far apart are the {two} places?", "甲、乙两地相距多少千米？", (a + b) * t)
    elif kind == 2:
        w.fact(
            "a car and a truck leave the same [town|place] at the same time in opposite directions, the car at {b} km/h and the truck at {a} km/h",
            "小轿车和卡车同时从同一地点[向相反方向|背向]开出，小轿车每小时行{b}千米，卡车每小时行{a}千米",
            a=a,
            b=b,
        )
        w.ask("how far apart are they after {t} hours?", "{t}小时后两车相距多少千米？", (a + b) * t, t=t)
    else:
        lead = w.digits((fast - slow) * time)
        w.fact("a truck is {d} km ahead of a car", "卡车在小轿车前面{d}千米处", d=lead)
        w.fact(
            "the truck drives at {a} km/h and the car follows at {b} km/h",
            "两车同时同向行驶，卡车每小时行{a}千米，小轿车每小时行{b}千米",
            a=a,
            b=b,
        )
        w.ask(
            "after how many hours does the car [catch up with|reach] the truck?",
            "小轿车[几|多少]小时后追上卡车？",
            lead / (b - a),
        )


def train(w: Writer) -> None:
    """A train of some length that passes a pole, a bridge or a platform."""
    speed, time = w.integer(10, 40), w.integer(10, 60)
    length = min(w.integer(5, 30) * 10, speed * time - 40)
    train_length, bridge = w.digits(length), w.digits(speed * time - length)
    s, t = w.digits(speed), w.digits(time)
    place, zh_place = w.pick((("bridge", "大桥"), ("platform", "站台"), ("tunnel", "隧道")))
    slots = {"place": place, "zp": zh_place}
    kind = w.below(4)
    if kind == 0:
        w.fact(
            "a train {l} m long [runs|travels] at {s} m per second", "一列火车长{l}米，每秒行{s}米", l=train_length, s=s
        )
        w.ask(
            "how many seconds does it take to pass a {place} {b} m long?",
            "它通过一座长{b}米的大桥[需要|要]多少秒？",
            (train_length + bridge) / s,
            b=bridge,
            **slots,
        )
    elif kind == 1:
        w.fact(
            "a train {l} m long takes {t} seconds to [pass|cross] a {place} [which is|] {b} m long",
            "一列长{l}米的火车[通过|穿过]一段长{b}米的{zp}用了{t}秒",
            l=train_length,
            t=t,
            b=bridge,
            **slots,
        )
        w.ask(
            "[what is the speed of the train in m per second|how many m per second does the train travel]?",
            "这列火车每秒行多少米？",
            (train_length + bridge) / t,
        )
    elif kind == 2:
        w.fact(
            "a train that [runs|travels] at {s} m per second takes {t} seconds to cross a {place} {b} m long",
            "一列火车以每秒{s}米的速度[通过|穿过]一段长{b}米的{zp}，用了{t}秒",
            s=s,
            t=t,
            b=bridge,
            **slots,
        )
        w.ask("how long is the train in m?|what is the length of the train?", "这列火车长多少米？", s * t - bridge)
    else:
        passing = w.integer(5, 15)
        pole, seconds = w.digits(speed * passing), w.digits(passing)
        w.fact(
            "a train {l} m long passes a [pole|signal|tree] in {p} seconds",
            "一列长{l}米的火车经过一根电线杆用了{p}秒",
            l=pole,
            p=seconds,
        )
        w.ask(
            "how many m does it [run|travel] in {t} seconds?",
            "照这样的速度，它{t}秒行多少米？",
            pole / seconds * t,
            t=t,
        )


def boat(w: Writer) -> None:
    """Upstream and downstream."""
    still, stream, time = w.integer(10, 30), w.integer(2, 8), w.integer(2, 6)
    s, c = w.digits(still), w.digits(stream)
    w.fact(
        "[the speed of a boat in still water is {s} km/h|a boat [goes|moves] at {s} km/h in still water] and the [speed of the stream is {c} km/h|stream flows at {c} km/h]",
        "一只船在静水中每小时行{s}千米，水流速度是每小时{c}千米",
        s=s,
        c=c,
    )
    down = w.chance(0.5)
    pace = s + c if down else s - c
    way, zh_way = ("downstream", "顺水") if down else ("upstream", "逆水")
    if w.chance(0.5):
        t = w.number(time)
        w.ask(
            "how far does [it|the boat] go {way} in {t} hours?",
            "这只船{zw}航行{t}小时，行了多少千米？",
            pace * t,
            way=way,
            zw=zh_way,
            t=t,
        )
    else:
        d = w.digits(int(pace.value) * time)
        w.ask(
            "how many hours does [it|the boat] [need|take] to go {d} km {way}?",
            "这只船{zw}航行{d}千米[需要|要]多少小时？",
            d / pace,
            way=way,
            zw=zh_way,
            d=d,
        )


def fuel(w: Writer) -> None:
    """Fuel for a distance."""
    per_liter, used, price = w.integer(6, 20), w.integer(4, 20), w.money(w.integer(2, 9))
    far, liters = w.digits(per_liter * used), w.digits(used)
    w.fact(
        "a car [uses|needs] {l} liters of [petrol|gas|fuel] for {d} km",
        "一辆汽车行驶{d}千米[用|耗|要用]汽油{l}升",
        l=liters,
        d=far,
    )
    more = w.digits(per_liter * w.integer(10, 50))
    need = more / (far / liters)
    if w.chance(0.5):
        w.ask("how many liters does it [use|need] for {m} km?", "照这样计算，行驶{m}千米要用汽油多少升？", need, m=more)
    else:
        w.fact("a liter [costs|of it costs] {p}", "每升汽油{p}元", p=price)
        w.ask(
            "how much does the fuel for {m} km cost?", "照这样计算，行驶{m}千米，油费是多少元？", need * price, m=more
        )


SCENARIOS = (legs, one_way, on_foot, meeting, train, boat, fuel)
