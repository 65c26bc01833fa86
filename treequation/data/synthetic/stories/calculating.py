# ruff: noqa: E501 (a wording reads best in one line)
"""Plain arithmetic without a story, as it is said or typed."""

from __future__ import annotations

from treequation.data.synthetic.stories.story import Ask, Draw, Story, digits, times

_SMALL = digits(2, 30)
_NUMBER = digits(2, 250)


def _two(left: Draw, right: Draw, ask: Ask, *, parts: int = 1) -> Story:
    return Story({"a": left, "b": right}, "", "", (ask,), parts=parts)


STORIES = (
    _two(
        _NUMBER,
        _NUMBER,
        Ask(
            "[what is |what's |how much is |calculate |]{a} + {b}[?|]|{a} plus {b} [is what|equals]?|add {a} and {b}.|[what is|find] the sum of {a} and {b}?|how much do {a} and {b} make?|{a} and {b} make how much?|what do you get when you add {b} to {a}?",
            "{a}+{b}=？|{a}+{b}[等于|是]多少？|{a}加{b}[是|等于][多少|几]？|{a}与{b}的和是多少？|比{a}多{b}的数是[多少|几]？|{a}+{b}[等于|是][多少|几]？",
            lambda a, b: a + b,
        ),
    ),
    _two(
        _NUMBER,
        _NUMBER,
        Ask(
            "[what is |what's |how much is |calculate |]{a} - {b}[?|]|{a} minus {b} [is what|equals]?|[what is|find] the difference [of|between] {a} and {b}?|take {b} away from {a}. What is left?|what do you get when you take {b} from {a}?|how much more is {a} than {b}?|{a} take away {b}?",
            "{a}-{b}=？|{a}-{b}[等于|是]多少？|{a}减[去|]{b}[是|等于][多少|几]？|{a}与{b}的差是多少？|比{a}少{b}的数是[多少|几]？|{a}-{b}[等于|是][多少|几]？|{a}比{b}多[多少|几]？",
            lambda a, b: a - b,
        ),
    ),
    _two(
        _NUMBER,
        _NUMBER,
        Ask(
            "subtract {a} from {b}.|how much less is {a} than {b}?|what must be added to {a} to [get|make] {b}?|{a} plus what [is|makes|equals] {b}?",
            "从{b}里减去{a}，还剩多少？|{a}加上几等于{b}？|{a}比{b}少[多少|几]？",
            lambda a, b: b - a,
        ),
    ),
    _two(
        _NUMBER,
        _SMALL,
        Ask(
            "[what is |what's |how much is |calculate |]{a} [x|*|×] {b}[?|]|{a} times {b}[?| is what?| equals?]|multiply {a} by {b}.|[what is|find] the product of {a} and {b}?|{a} multiplied by {b}?",
            "{a}×{b}=？|{a}×{b}[等于|是]多少？|{a}乘[以|]{b}[是|等于][多少|几]？|{a}与{b}的积是多少？|{b}个{a}相加是多少？|{a}×{b}[等于|是][多少|几]？",
            lambda a, b: a * b,
        ),
    ),
    _two(
        digits(4, 600),
        _SMALL,
        Ask(
            "[what is |what's |how much is |calculate |]{a} [÷|divided by] {b}[?|]|divide {a} by {b}.|how many times does {b} go into {a}?|[what is|find] the quotient of {a} and {b}?|how many times {b} is {a}?",
            "{a}÷{b}=？|{a}÷{b}[等于|是]多少？|{a}除以{b}[是|等于][多少|几]？|{a}里面有几个{b}？|{a}是{b}的几倍？|{a}÷{b}[等于|是][多少|几]？",
            lambda a, b: a / b,
        ),
    ),
    _two(
        times(2, 9),
        digits(2, 150),
        Ask(
            "what is {a} {b}?|how much is {a} {b}?|find the number that is {a} [as large as|as much as] {b}.",
            "{b}的{a}倍是多少？|求{b}的{a}倍。",
            lambda a, b: a * b,
        ),
    ),
    Story(
        {"a": _NUMBER, "b": digits(2, 60), "c": digits(2, 60)},
        "",
        "",
        (
            Ask(
                "[what is |how much is |]{a} + {b} + {c}[?|]|add {a}, {b} and {c}.|what is the sum of {a}, {b} and {c}?",
                "{a}+{b}+{c}=？|{a}+{b}+{c}[等于|是]多少？|{a}、{b}、{c}的和是多少？",
                lambda a, b, c: a + b + c,
            ),
            Ask(
                "[what is |how much is |]{a} - {b} - {c}[?|]|take {b} and then {c} away from {a}. What is left?",
                "{a}-{b}-{c}=？|{a}-{b}-{c}[等于|是]多少？|{a}减去{b}再减去{c}，等于多少？",
                lambda a, b, c: a - b - c,
            ),
            Ask(
                "[what is |how much is |]{a} - {b} + {c}[?|]|subtract {b} from {a}, then add {c}.",
                "{a}-{b}+{c}=？|{a}-{b}+{c}[等于|是]多少？|{a}减{b}再加{c}是多少？",
                lambda a, b, c: a - b + c,
            ),
            Ask(
                "[what is |how much is |]{a} + {b} [x|*|×] {c}[?|]",
                "{a}+{b}×{c}=？|{a}+{b}×{c}[等于|是]多少？",
                lambda a, b, c: a + b * c,
            ),
            Ask(
                "[what is |how much is |]{b} [x|*|×] {c} - {a}[?|]|multiply {b} by {c}, then subtract {a}.",
                "{b}×{c}-{a}=？|{b}×{c}-{a}[等于|是]多少？|{b}乘{c}再减{a}是多少？",
                lambda a, b, c: b * c - a,
            ),
            Ask(
                "add {a} and {b}, then [multiply|multiply the result] by {c}.|[what is|how much is] ({a} + {b}) [x|*|×] {c}?",
                "{a}加{b}的和再乘{c}是多少？|({a}+{b})×{c}等于多少？",
                lambda a, b, c: (a + b) * c,
            ),
            Ask(
                "add {a} and {b}, then divide by {c}.|[what is|how much is] ({a} + {b}) ÷ {c}?",
                "{a}与{b}的和除以{c}，商是多少？|({a}+{b})÷{c}等于多少？",
                lambda a, b, c: (a + b) / c,
            ),
            Ask(
                "take {b} from {a} and divide what is left by {c}.|[what is|how much is] ({a} - {b}) ÷ {c}?",
                "{a}与{b}的差除以{c}，商是多少？|({a}-{b})÷{c}等于多少？",
                lambda a, b, c: (a - b) / c,
            ),
        ),
    ),
    Story(
        {"x": digits(2, 90), "sum": digits(10, 300)},
        "",
        "",
        (
            Ask(
                "a number plus {x} is {sum}. What is the number?|I think of a number and add {x}. I get {sum}. What is my number?|which number plus {x} makes {sum}?",
                "一个数加上{x}等于{sum}，这个数是几？|我想了一个数，加上{x}得{sum}，这个数是多少？",
                lambda x, sum: sum - x,
            ),
            Ask(
                "a number minus {x} is {sum}. What is the number?|I think of a number and take away {x}. I get {sum}. What is my number?",
                "一个数减去{x}等于{sum}，这个数是几？|我想了一个数，减去{x}得{sum}，这个数是多少？",
                lambda x, sum: sum + x,
            ),
            Ask(
                "a number times {x} is {sum}. What is the number?|which number multiplied by {x} gives {sum}?|I think of a number and multiply it by {x}. I get {sum}. What is my number?",
                "一个数乘{x}等于{sum}，这个数是几？|什么数乘{x}得{sum}？|几乘{x}等于{sum}？",
                lambda x, sum: sum / x,
            ),
            Ask(
                "a number divided by {x} is {sum}. What is the number?|I think of a number and divide it by {x}. I get {sum}. What is my number?",
                "一个数除以{x}等于{sum}，这个数是几？|什么数除以{x}得{sum}？",
                lambda x, sum: sum * x,
            ),
        ),
    ),
)
