# ruff: noqa: E501 (a template reads best in one line)
"""Lengths, areas and volumes of fields, rooms, boxes and wheels."""

from __future__ import annotations

from fractions import Fraction

from treequation.data.synthetic.terms import Term
from treequation.data.synthetic.writing import Writer

_PI = Term(Fraction(157, 50))


def rectangle(w: Writer) -> None:
    """Area or perimeter of a rectangle, whose width may be given through its length."""
    place, zh = w.pick(
        (
            ("garden", "长方形花园"),
            ("field", "长方形田地"),
            ("room", "长方形房间"),
            ("playground", "长方形操场"),
            ("rectangle", "长方形"),
            ("park", "长方形公园"),
        )
    )
    unit, zh_unit = w.pick((("m", "米"), ("cm", "厘米"))) if place == "rectangle" else ("m", "米")
    named = place if place == "rectangle" else w.say(f"[rectangular|] {place}", "")
    slots: dict[str, object] = {"p": named, "q": place, "z": zh, "u": unit, "zu": zh_unit}
    long = w.integer(5, 12) if place == "room" else w.integer(8, 60)
    length = w.digits(long)
    form = w.below(4)
    if form == 0:
        width: Term = w.digits(w.integer(3, long - 1))
        w.fact(
            "a {p} is {l} {u} long and {w} {u} wide|the length of a {p} is {l} {u} and its width is {w} {u}",
            "一个{z}长{l}{zu}，宽{w}{zu}|一个{z}的长是{l}{zu}，宽是{w}{zu}",
            l=length,
            w=width,
            **slots,
        )
    elif form == 1:
        less = w.digits(w.integer(2, long - 3))
        w.fact(
            "a {p} is {l} {u} long and its width is {d} {u} less than its length|the length of a {p} is {l} {u}. It is {d} {u} longer than it is wide",
            "一个{z}长{l}{zu}，宽比长少{d}{zu}",
            l=length,
            d=less,
            **slots,
        )
        width = length - less
    elif form == 2:
        k = w.times(w.integer(2, 5))
        width = w.digits(w.integer(2, 5) if place == "room" else w.integer(3, 30))
        w.fact(
            "a {p} is {w} {u} wide and {k} as long as it is wide",
            "一个{z}宽{w}{zu}，长是宽的{k}倍",
            w=width,
            k=k,
            **slots,
        )
        length = width * k
    else:
        half = w.integer(3, long) + long
        around = w.digits(2 * half)
        w.fact(
            "the perimeter of a {p} is {c} {u} and its length is {l} {u}",
            "一个{z}的周长是{c}{zu}，长是{l}{zu}",
            c=around,
            l=length,
            **slots,
        )
        width = around / 2 - length
        if w.chance(0.5):
            w.ask("how wide is it [in {u}|]?|what is its width?", "宽是多少{zu}？", width, **slots)
            return
    area = length * width
    around = (length + width) * 2
    end = w.below({"rectangle": 2, "room": 3}.get(place, 4))
    if end == 0 or (form == 3 and end != 2):
        w.ask(
            "what is its area [in square {u}|]?|find the area of the {q}.", "[它的|]面积是多少平方{zu}？", area, **slots
        )
    elif end == 1:
        w.ask(
            "what is its perimeter [in {u}|]?|find the perimeter of the {q}.",
            "[它的|]周长是多少{zu}？",
            around,
            **slots,
        )
    elif end == 2:
        price = w.money(w.integer(2, 40))
        cover, zh_cover = {"room": ("carpet", "地毯"), "playground": ("paving", "地砖")}.get(place, ("grass", "草皮"))
        w.fact(
            "{cover} costs {p} per square {u}",
            "每平方{zu}铺{zc}要{p}元",
            p=price,
            cover=cover,
            zc=zh_cover,
            u=unit,
            zu=zh_unit,
        )
        w.ask("how much does it cost to cover the [whole|] {q}?", "铺满一共需要多少元？", area * price, **slots)
    else:
        price = w.money(w.integer(2, 40))
        w.fact("a fence costs {p} per {u}", "每{zu}篱笆要{p}元", p=price, u=unit, zu=zh_unit)
        w.ask(
            "how much does a fence around the [whole|] {q} cost?",
            "在它周围围一圈篱笆，一共需要多少元？",
            around * price,
            **slots,
        )


def square(w: Writer) -> None:
    """A square by its side or its perimeter."""
    side = w.integer(3, 40)
    if w.chance(0.5):
        s = w.digits(side)
        w.fact("the side of a square is {s} cm [long|]|a square has sides of {s} cm", "一个正方形的边长是{s}厘米", s=s)
        if w.chance(0.5):
            w.ask("what is its perimeter?", "它的周长是多少厘米？", s * 4)
        else:
            w.ask("what is its area?", "它的面积是多少平方厘米？", s * s)
        return
    c = w.digits(4 * side)
    w.fact(
        "the perimeter of a square is {c} cm|a wire of {c} cm is bent into a square",
        "一个正方形的周长是{c}厘米|用一根长{c}厘米的铁丝围成一个正方形",
        c=c,
    )
    edge = c / 4
    if w.chance(0.5):
        w.ask("how long is each side [in cm|]?", "边长是多少厘米？", edge)
    else:
        w.ask("what is the area of the square?", "这个正方形的面积是多少平方厘米？", edge * edge)


def triangle(w: Writer) -> None:
    """Triangles, parallelograms and trapezoids by base and height."""
    base, high = w.integer(3, 40), 2 * w.integer(2, 20)
    b, h = w.digits(base), w.digits(high)
    form = w.below(4)
    if form == 0:
        w.fact(
            "a triangle has a base of {b} cm and a height of {h} cm", "一个三角形的底是{b}厘米，高是{h}厘米", b=b, h=h
        )
        w.ask("what is its area?|find its area.", "它的面积是多少平方厘米？", b * h / 2)
    elif form == 1:
        w.fact(
            "a parallelogram has a base of {b} cm and a height of {h} cm",
            "一个平行四边形的底是{b}厘米，高是{h}厘米",
            b=b,
            h=h,
        )
        w.ask("what is its area?|find its area.", "它的面积是多少平方厘米？", b * h)
    elif form == 2:
        a = w.digits(w.integer(3, 40))
        w.fact(
            "the parallel sides of a trapezoid are {a} cm and {b} cm long and its height is {h} cm",
            "一个梯形的上底是{a}厘米，下底是{b}厘米，高是{h}厘米",
            a=a,
            b=b,
            h=h,
        )
        w.ask("what is its area?|find its area.", "它的面积是多少平方厘米？", (a + b) * h / 2)
    else:
        area = w.digits(base * high // 2)
        w.fact(
            "the area of a triangle is {s} square cm and its base is {b} cm",
            "一个三角形的面积是{s}平方厘米，底是{b}厘米",
            s=area,
            b=b,
        )
        w.ask("what is its height?", "高是多少厘米？", area * 2 / b)


def box(w: Writer) -> None:
    """Volume of boxes, water in them, and cubes."""
    a, b, c = w.digits(w.integer(3, 40)), w.digits(w.integer(3, 30)), w.digits(w.integer(2, 20))
    form = w.below(4)
    if form == 3:
        w.fact("a cube has edges of {a} cm", "一个正方体的棱长是{a}厘米", a=a)
        w.ask("what is its volume?", "它的体积是多少立方厘米？", a * a * a)
        return
    volume = a * b * c
    if form == 2:
        v, base = w.digits(volume.value), w.digits(a.value * b.value)
        w.fact(
            "a box has a volume of {v} cubic cm and a base of {s} square cm",
            "一个长方体的体积是{v}立方厘米，底面积是{s}平方厘米",
            v=v,
            s=base,
        )
        w.ask("how high is it [in cm|]?", "它的高是多少厘米？", v / base)
        return
    w.fact(
        "a [box|tank] is {a} cm long, {b} cm wide and {c} cm high",
        "一个长方体[水箱|盒子|]长{a}厘米，宽{b}厘米，高{c}厘米",
        a=a,
        b=b,
        c=c,
    )
    if form == 0:
        w.ask("what is its volume [in cubic cm|]?", "它的体积是多少立方厘米？", volume)
    else:
        w.ask("what is its surface area?", "它的表面积是多少平方厘米？", (a * b + a * c + b * c) * 2)


def circle(w: Writer) -> None:
    """Circles, with pi as 3.14, which the text may say."""
    r = w.digits(w.integer(2, 30))
    stated = w.chance(0.5)
    pi = w.digits(Fraction(157, 50)) if stated else _PI
    form = w.below(3)
    if form == 2:
        w.fact("the diameter of a [wheel|circle] is {r} cm", "一个[车轮|圆]的直径是{r}厘米", r=r)
        answer, en, zh = r * pi, "what is its circumference?", "它的周长是多少厘米？"
    else:
        w.fact(
            "the radius of a [circle|round plate|round table] is {r} cm|a circle has a radius of {r} cm",
            "一个[圆|圆形桌面]的半径是{r}厘米",
            r=r,
        )
        if form == 0:
            answer, en, zh = r * r * pi, "what is its area?", "它的面积是多少平方厘米？"
        else:
            answer, en, zh = r * 2 * pi, "what is its circumference?", "它的周长是多少厘米？"
    if stated:
        en, zh = f"taking {pi} for pi, {en}", f"圆周率取{pi}，{zh}"
    w.ask(en, zh, answer)


def tiles(w: Writer) -> None:
    """A floor covered with square tiles."""
    side, across = w.integer(2, 6), w.integer(4, 20)
    a, b, s = w.digits(side * (across + w.integer(1, 10))), w.digits(side * across), w.digits(side)
    w.fact(
        "[a floor|the floor of a kitchen|a terrace] is {a} dm long and {b} dm wide",
        "[一间房|一间教室|一间厨房]的地面长{a}分米，宽{b}分米",
        a=a,
        b=b,
    )
    w.fact(
        "it is covered with square tiles [with sides of {s} dm|whose sides are {s} dm long]",
        "用边长{s}分米的正方形地砖铺地",
        s=s,
    )
    w.ask(
        "how many tiles are needed?|how many of these tiles does it take?",
        "[一共|]需要多少块[地砖|]？",
        a * b / (s * s),
    )


SCENARIOS = (rectangle, rectangle, square, triangle, box, circle, tiles)
