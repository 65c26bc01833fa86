# ruff: noqa: E501 (a wording reads best in one line)
"""Numbers that are looked for: what is told is what came of them."""

from __future__ import annotations

from treequation.data.synthetic.stories.story import Ask, Story, digits

STORIES = (
    Story(
        {"s": digits(20, 400), "a": digits(3, 300)},
        "",
        "",
        (
            Ask(
                "{two} numbers add up to {s}. One [of them |]is {a}. [What is the other number?|What is the other?|Find the other number.]|the sum of {two} numbers is {s}. One is {a}. What is the other?",
                "{two}个数的和是{s}，其中一个是{a}，另一个是多少？",
                lambda s, a: s - a,
            ),
            Ask(
                "what [number |]must be added to {a} to get {s}?|what number plus {a} is {s}?|{a} plus what [number |]is {s}?",
                "{a}加上多少等于{s}？|多少加{a}等于{s}？",
                lambda a, s: s - a,
            ),
            Ask(
                "what number minus {a} is {s}?|a number less {a} is {s}. What is the number?|the difference of {two} numbers is {a}. The smaller is {s}. What is the larger?",
                "一个数减去{a}等于{s}，这个数是多少？|{two}个数的差是{a}，较小的是{s}，较大的是多少？",
                lambda a, s: a + s,
            ),
            Ask(
                "what must be [taken away|subtracted] from {s} to get {a}?|{s} minus what [number |]is {a}?|the difference of {two} numbers is {a}. The larger is {s}. What is the smaller?",
                "{s}减去多少等于{a}？|{two}个数的差是{a}，较大的是{s}，较小的是多少？",
                lambda s, a: s - a,
            ),
        ),
        where=lambda s, a: s > a,
    ),
    Story(
        {"p": digits(6, 600), "a": digits(2, 25)},
        "",
        "",
        (
            Ask(
                "the product of {two} numbers is {p}. One [of them |]is {a}. [What is the other?|Find the other.]|{two} numbers multiply to {p}. One is {a}. What is the other?",
                "{two}个数的积是{p}，其中一个是{a}，另一个是多少？",
                lambda p, a: p / a,
            ),
            Ask(
                "{a} times a number is {p}. [What is it|What is the number]?|what number times {a} is {p}?|by what must {a} be multiplied to get {p}?",
                "{a}乘以多少等于{p}？|一个数的{a}倍是{p}，这个数是多少？",
                lambda a, p: p / a,
            ),
            Ask(
                "what number divided by {a} is {p}?",
                "一个数除以{a}等于{p}，这个数是多少？",
                lambda a, p: a * p,
            ),
            Ask(
                "{p} divided by what [number |]is {a}?|by what must {p} be divided to get {a}?",
                "{p}除以多少等于{a}？",
                lambda p, a: p / a,
            ),
        ),
    ),
    Story(
        {"a": digits(2, 12), "b": digits(2, 60), "c": digits(6, 200)},
        "",
        "",
        (
            Ask(
                "I think of a number, multiply it by {a} and add {b}. I get {c}. What is my number?|{a} times a number plus {b} is {c}. [What is the number?|Find the number.]",
                "一个数的{a}倍加上{b}等于{c}，这个数是多少？",
                lambda a, b, c: (c - b) / a,
            ),
            Ask(
                "I think of a number, multiply it by {a} and take away {b}. I get {c}. What is my number?|{b} less than {a} times a number is {c}. What is it?",
                "一个数的{a}倍减去{b}等于{c}，这个数是多少？",
                lambda a, b, c: (c + b) / a,
            ),
        ),
    ),
)
