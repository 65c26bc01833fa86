"""The easy level: a handful of stories in one wording each, told in the order of calculation.

A tiny model that is trained from scratch on a CPU learns them in minutes, yet they have every shape: a single
step, a chain, a tree, and a graph that uses a result twice.
"""

from __future__ import annotations

from treequation.data.synthetic.terms import Term
from treequation.data.synthetic.writing import Writer


def _changes(w: Writer) -> None:
    """Gains and losses one after the other: a chain."""
    total: Term = w.number(w.integer(5, 40))
    w.fact("Tom has {n} apples", "小明有{n}个苹果", n=total)
    for _ in range(w.integer(1, 3)):
        if total.value > 10 and w.chance(0.5):
            change = w.number(w.integer(2, int(total.value) - 2))
            w.fact("he eats {n} apples", "他吃了{n}个苹果", n=change)
            total = total - change
        else:
            change = w.number(w.integer(2, 20))
            w.fact("he buys {n} apples", "他买了{n}个苹果", n=change)
            total = total + change
    w.ask("how many apples does Tom have now?", "小明现在有多少个苹果？", total)


def _boxes(w: Writer) -> None:
    """Equal groups, and perhaps what is taken out of them."""
    boxes, each = w.number(w.integer(2, 9)), w.number(w.integer(4, 12))
    w.fact(
        "there are {boxes} boxes with {each} pens in each box",
        "有{boxes}盒钢笔，每盒{each}支",
        boxes=boxes,
        each=each,
    )
    total = boxes * each
    if w.chance(0.5):
        sold = w.number(w.integer(2, int(total.value) - 2))
        w.fact("the shop sells {sold} pens", "商店卖了{sold}支钢笔", sold=sold)
        total = total - sold
    w.ask("how many pens are there now?", "现在有多少支钢笔？", total)


def _sharing(w: Writer) -> None:
    """Equal shares of what two people bring together."""
    people, share = w.integer(2, 6), w.integer(5, 12)
    first = w.integer(2, people * share - 2)
    tom, mary, friends = w.number(first), w.number(people * share - first), w.number(people)
    w.fact(
        "Tom has {tom} cards and Mary has {mary} cards",
        "小明有{tom}张卡片，小红有{mary}张卡片",
        tom=tom,
        mary=mary,
    )
    w.fact("they share all the cards equally among {n} friends", "他们把卡片平均分给{n}个朋友", n=friends)
    w.ask("how many cards does each friend get?", "每个朋友分到多少张卡片？", (tom + mary) / friends)


def _two_purchases(w: Writer) -> None:
    """Two products that are added: a tree."""
    pens, pen = w.number(w.integer(2, 9)), w.number(w.integer(2, 9))
    books, book = w.number(w.integer(2, 9)), w.number(w.integer(5, 20))
    w.fact("Mary buys {n} pens for {price} dollars each", "小红买了{n}支钢笔，每支{price}元", n=pens, price=pen)
    w.fact("she buys {n} books for {price} dollars each", "她买了{n}本书，每本{price}元", n=books, price=book)
    w.ask("how much does Mary pay?", "小红一共花了多少元？", pens * pen + books * book)


def _comparison(w: Writer) -> None:
    """The second amount depends on the first, and both are asked for."""
    first = w.integer(6, 30)
    tom = w.number(first)
    w.fact("Tom has {n} stamps", "小明有{n}张邮票", n=tom)
    relation = w.below(3)
    if relation == 0:
        difference = w.number(w.integer(2, 20))
        w.fact("Mary has {n} more stamps than Tom", "小红比小明多{n}张邮票", n=difference)
        mary = tom + difference
    elif relation == 1:
        difference = w.number(w.integer(2, first - 2))
        w.fact("Mary has {n} fewer stamps than Tom", "小红比小明少{n}张邮票", n=difference)
        mary = tom - difference
    else:
        times = w.number(w.integer(2, 6))
        w.fact("Mary has {n} times as many stamps as Tom", "小红的邮票是小明的{n}倍", n=times)
        mary = tom * times
    if w.chance(0.5):
        w.ask("how many stamps do they have together?", "他们一共有多少张邮票？", tom + mary)
    else:
        w.ask("how many stamps does Mary have?", "小红有多少张邮票？", mary)


def _twice_used(w: Writer) -> None:
    """A product that is used twice: the graph is not a tree."""
    days, pages, more = w.number(w.integer(2, 7)), w.number(w.integer(5, 20)), w.number(w.integer(2, 20))
    w.fact(
        "Tom reads {pages} pages a day for {days} days",
        "小明每天看{pages}页书，看了{days}天",
        pages=pages,
        days=days,
    )
    w.fact("Mary reads {more} pages more than Tom", "小红比小明多看{more}页", more=more)
    tom = pages * days
    w.ask("how many pages do they read together?", "他们一共看了多少页？", tom + (tom + more))


SCENARIOS = (_changes, _boxes, _sharing, _two_purchases, _comparison, _twice_used)
