# ruff: noqa: E501 (a template reads best in one line)
"""Equal groups and rows: sharing, packing, seating, planting, cutting, and units of time and weight."""

from __future__ import annotations

from treequation.data.synthetic.writing import Writer


def rows(w: Writer) -> None:
    """Rows of seats, trees or pupils, some of them taken."""
    many, zh, unit, verb, zh_verb = w.pick((
        ("seats", "座位", "个", "are taken", "有人坐"), ("trees", "树", "棵", "are cut down", "被砍掉"), ("desks", "课桌", "张", "are broken", "坏了"),
        ("chairs", "椅子", "把", "are taken", "有人坐"), ("plants", "花苗", "棵", "have died", "枯死了"),
    ))  # fmt: skip
    r, e = w.number(w.integer(3, 20)), w.number(w.integer(4, 25))
    slots = {"many": many, "z": zh, "u": unit, "verb": verb, "zv": zh_verb}
    w.fact(
        "there are {r} rows of {many} with {e} {many} in each row|there are {r} rows with {e} {many} [each|in each of them]",
        "有{r}排{z}，每排{e}{u}",
        r=r,
        e=e,
        **slots,
    )
    total = r * e
    form = w.below(4)
    if form == 0:
        w.ask("how many {many} are there [altogether|in all]?", "一共有多少{u}{z}？", total, **slots)
    elif form == 1:
        t = w.digits(w.integer(2, int(total.value) - 2))
        w.fact("{t} {many} {verb}", "其中{t}{u}{zv}", t=t, **slots)
        w.ask(
            "how many {many} [are left|remain]?" if verb != "are taken" else "how many {many} are [free|still free]?",
            "其余的有多少{u}？",
            total - t,
            **slots,
        )
    elif form == 2:
        more, each = w.number(w.integer(2, 6)), w.number(w.integer(2, 20))
        w.fact(
            "{m} more rows [of|with] {e} {many} each are added", "又增加了{m}排，每排{e}{u}", m=more, e=each, **slots
        )
        w.ask("how many {many} are there [then|now]?", "现在一共有多少{u}{z}？", total + more * each, **slots)
    else:
        divisors = [d for d in range(2, 13) if total.value % d == 0 and d != r.value]
        if not divisors:
            w.ask("how many {many} are there [altogether|in all]?", "一共有多少{u}{z}？", total, **slots)
            return
        d = w.number(w.pick(divisors))
        w.ask(
            "how many would be in each row if there were {d} rows [instead|]?",
            "如果[改|]排成{d}排，每排有多少{u}？",
            total / d,
            d=d,
            **slots,
        )


def sharing(w: Writer) -> None:
    """Something shared equally after something was taken out or put in."""
    who, thing = w.person(), w.thing()
    people, share = w.integer(2, 9), w.integer(3, 15)
    kept = w.integer(2, 12)
    slots = {"who": who, "thing": thing}
    n = w.number(people)
    form = w.below(5)
    if form == 0:
        t, k = w.number(people * share + kept), w.number(kept)
        w.fact("{who} has {t} {thing.many}", "{who}有{t}{thing.unit}{thing.zh}", t=t, **slots)
        w.fact(
            "{who} keeps {k} of them and shares the rest equally among {n} [friends|children]",
            "自己留下{k}{thing.unit}，其余的平均分给{n}个[同学|小朋友]",
            k=k,
            n=n,
            **slots,
        )
        w.ask("how many {thing.many} does each of them get?", "每人分到多少{thing.unit}？", (t - k) / n, **slots)
    elif form == 1:
        t = w.number(people * share)
        w.fact(
            "{who} shares {t} {thing.many} equally among {n} [friends|children|people]",
            "{who}把{t}{thing.unit}{thing.zh}平均分给{n}个[同学|小朋友|人]",
            t=t,
            n=n,
            **slots,
        )
        w.ask("how many {thing.many} does each of them get?", "每人[分到|得到]多少{thing.unit}？", t / n, **slots)
    elif form == 2:
        e, left = w.number(share), w.number(w.integer(2, max(2, people - 1)))
        w.fact(
            "{who} gives {e} {thing.many} to each of {n} [friends|children] and has {l} left",
            "{who}把{thing.zh}分给{n}个小朋友，每人{e}{thing.unit}，还剩{l}{thing.unit}",
            e=e,
            n=n,
            l=left,
            **slots,
        )
        w.ask(
            "how many {thing.many} did {who} have [at first|before|to begin with]?",
            "{who}原来有多少{thing.unit}{thing.zh}？",
            e * n + left,
            **slots,
        )
    elif form == 3:
        b, e = w.number(people), w.number(share)
        per = w.pick([d for d in range(2, share * people + 1) if share * people % d == 0])
        p = w.number(per)
        w.fact("{b} boxes hold {e} {thing.many} each", "有{b}盒{thing.zh}，每盒{e}{thing.unit}", b=b, e=e, **slots)
        w.fact("{who} packs all of them into bags of {p}", "{who}把它们全部重新装袋，每袋{p}{thing.unit}", p=p, **slots)
        w.ask("how many bags does {who} [need|fill]?", "[需要|可以装]多少袋？", b * e / p, **slots)
    else:
        boys, each_boy, girls, each_girl = (w.number(w.integer(2, 12)) for _ in range(4))
        w.fact(
            "{a} boys get {b} {thing.many} each and {c} girls get {d} {thing.many} each",
            "{a}名男生每人[得到|分到]{b}{thing.unit}{thing.zh}，{c}名女生每人分到{d}{thing.unit}",
            a=boys,
            b=each_boy,
            c=girls,
            d=each_girl,
            **slots,
        )
        w.ask(
            "how many {thing.many} do they get [altogether|in all]?",
            "一共需要多少{thing.unit}{thing.zh}？",
            boys * each_boy + girls * each_girl,
            **slots,
        )


def intervals(w: Writer) -> None:
    """Trees along a road and cuts in a log: one more, or one fewer, than the gaps."""
    gap, count = w.integer(2, 15), w.integer(4, 60)
    g = w.digits(gap)
    form = w.below(4)
    if form == 0:
        way = w.digits(gap * count)
        w.fact(
            "trees are planted along a road that is {d} m long, one every {g} m, with a tree at both ends",
            "在一条长{d}米的小路一边植树，每隔{g}米栽一棵，两端都栽",
            d=way,
            g=g,
        )
        w.ask("how many trees are [planted|needed]?", "一共要栽多少棵树？", way / g + 1)
    elif form == 1:
        n = w.digits(count)
        w.fact(
            "there are {n} lamps along a street, {g} m apart from each other, with a lamp at both ends",
            "一条路的一边有{n}盏路灯，两端都有，相邻的路灯相距{g}米",
            n=n,
            g=g,
        )
        w.ask("how long is the street [in m|]?", "这条路长多少米？", (n - 1) * g)
    elif form == 2:
        pieces, minutes = w.integer(3, 9), w.integer(2, 8)
        p, t = w.number(pieces), w.digits(minutes * (pieces - 1))
        more = w.number(pieces + w.integer(1, 9))
        w.fact("it takes {t} minutes to saw a log into {p} pieces", "把一根木料锯成{p}段要{t}分钟", t=t, p=p)
        w.ask(
            "how many minutes does it take to saw [it|such a log] into {m} pieces [at the same pace|]?",
            "照这样计算，锯成{m}段要多少分钟？",
            t / (p - 1) * (more - 1),
            m=more,
        )
    else:
        floor, per = w.integer(3, 12), w.integer(10, 22)
        f, s = w.digits(floor), w.digits(per)
        who = w.person()
        w.fact("there are {s} steps between one floor and the next", "相邻的楼层之间有{s}级台阶", s=s)
        w.ask(
            "how many steps does {who} climb from the ground floor, which is floor {o}, to floor {f}?",
            "{who}从{o}楼走到{f}楼，要走多少级台阶？",
            s * (f - (one := w.digits(1))),
            who=who,
            f=f,
            o=one,
        )


def time_and_weight(w: Writer) -> None:
    """Conversions: hours, minutes, weeks, years, kilograms, meters, dozens."""
    who = w.person()
    form = w.below(9)
    n = w.number(w.integer(2, 3 if form == 2 else 12))  # a film of more than three hours is rare
    slots: dict[str, object] = {"who": who, "n": n}
    if form == 0:
        w.ask(
            "how many minutes are [there in|in] {n} hours?|{who} works for {n} hours. How many minutes is that?",
            "{n}小时[是|等于|有]多少分钟？",
            n * 60,
            **slots,
        )
    elif form == 1:
        m = w.digits(w.integer(5, 55))
        w.fact(
            "{who} [practices|reads|runs] {m} minutes [a|every|each] day",
            "{who}每天[练琴|看书|跑步]{m}分钟",
            m=m,
            **slots,
        )
        if w.chance(0.5):
            w.ask("how many minutes is that in {n} weeks?", "{n}周一共是多少分钟？", m * 7 * n, **slots)
        else:
            w.ask("how many hours is that in {n} days?", "{n}天一共是多少小时？", m * n / 60, **slots)
    elif form == 2:
        m = w.digits(w.integer(5, 55))
        w.fact("a film lasts {n} hours and {m} minutes", "一部电影长{n}小时{m}分钟", m=m, **slots)
        w.ask("how many minutes [long is it|is that]?", "[一共|]是多少分钟？", n * 60 + m)
    elif form == 3:
        d = w.number(w.integer(2, 6))
        w.ask(
            "how many days are {n} weeks and {d} days?|{who} is away for {n} weeks and {d} days. How many days is that?",
            "{who}外出了{n}周又{d}天，一共是多少天？",
            n * 7 + d,
            d=d,
            **slots,
        )
    elif form == 4:
        per = w.digits(w.integer(4, 70))
        w.fact("a machine makes {p} cups [a|per] minute", "一台机器每分钟生产{p}个杯子", p=per)
        w.ask("how many cups does it make in {n} hours?", "{n}小时生产多少个杯子？", per * 60 * n, **slots)
    elif form == 5:
        kg, bag = w.digits(w.integer(2, 20)), w.digits(w.pick((50, 100, 125, 200, 250, 500)))
        w.fact(
            "{who} fills {kg} kg of [nuts|flour|rice|tea] into bags of {g} g [each|]",
            "{who}把{kg}千克[糖|面粉|茶叶]装进袋子，每袋{g}克",
            kg=kg,
            g=bag,
            **slots,
        )
        w.ask("how many bags [does {who} get|are filled]?", "可以装多少袋？", kg * 1000 / bag, **slots)
    elif form == 6:
        pay = w.money(w.integer(5, 90))
        w.fact(
            "{who} pays {p} a month for [music lessons|the gym|a phone]",
            "{who}每个月的[电话费|上网费]是{p}元",
            p=pay,
            **slots,
        )
        w.ask(
            "how much is that in {n} years?|how much does {who} pay in {n} years?",
            "{n}年要付多少元？",
            pay * 12 * n,
            **slots,
        )
    elif form == 7:
        m, c = w.digits(w.integer(2, 30)), w.digits(w.pick((4, 5, 10, 20, 25, 50)))
        w.fact("a ribbon of {m} m is cut into pieces of {c} cm", "把一条长{m}米的彩带剪成{c}厘米长的小段", m=m, c=c)
        w.ask("how many pieces [are there|does that give]?", "可以剪成多少段？", m * 100 / c)
    else:
        h = w.digits(w.integer(4, 40))
        w.fact("a clock loses {h} seconds [an|every] hour", "一个钟每小时慢{h}秒", h=h)
        w.ask("how many seconds does it lose in {n} days?", "{n}天一共慢多少秒？", h * 24 * n, **slots)


SCENARIOS = (rows, sharing, sharing, intervals, time_and_weight)
