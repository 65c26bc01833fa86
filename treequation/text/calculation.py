"""A text that is a calculation by itself, such as "What is (2 + 3) × 4?": nobody has to guess its equation."""

from __future__ import annotations

import re

from treequation.expression.graph import Constant, ExpressionGraph, Number, Operand
from treequation.expression.parsing import EquationError, parse_infix, read_leaf
from treequation.text.problem import Problem

_LONGEST = 500  # characters; bounds the search for the question around it, too
_TIMES = r"(?<=[0-9)\]\s])[xX](?=[0-9(\[\s])"
_ASKED = re.compile(
    r"(?:what(?:'s|[ ]is)|how[ ]much[ ]is|calculate|compute|work[ ]out|evaluate|请?计算|算一算|求)?[\s:：]*"
    rf"(?P<calculation>(?:[^A-Za-z\u4e00-\u9fff]|{_TIMES})+?)"
    r"\s*(?:[=＝]|equals?|is|等于|是|得)?\s*(?:what|how[ ]much|几|多少)?[\s?？.。!！]*",
    re.IGNORECASE,
)
# What people do not agree on: 50 + 20 %, 3 ÷ 1/3, a ratio or a time of day, and whether 3(1/2) is a product.
_AMBIGUOUS = re.compile(r"[%％].*[-+＋－−–]|[-+＋－−–].*[%％]|÷.*/|/.*÷|[:：∶]|[0-9)\]]\s*[(（\[［]", re.DOTALL)
_GROUPING = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_MONEY = re.compile(r"[$€£¥￥](?=[0-9.])")


def calculation(problem: Problem) -> ExpressionGraph | None:
    """The equation of a text that is nothing but a calculation, or None where it is not.

    >>> from treequation.expression import to_infix
    >>> from treequation.text.numbers import find_numbers
    >>> for text in ("What is 2^3 + 4?", "12 x 8 =", "2 cats and 3 dogs"):
    ...     graph = calculation(Problem("", text, find_numbers(text)))
    ...     print(graph and to_infix(graph))
    n0^n1+n2
    n0*n1
    None
    """
    text = problem.text.strip()
    asked = _ASKED.fullmatch(text) if len(text) <= _LONGEST else None
    if asked is None or _AMBIGUOUS.search(asked["calculation"]):
        return None
    written = _MONEY.sub("", _GROUPING.sub("", re.sub(_TIMES, "*", asked["calculation"])))
    free = list(enumerate(problem.values))

    def number_of_the_text(leaf: str) -> Operand | None:
        """The next number with the leaf's value; a leaf that is part of a number of the text stays a constant."""
        constant = read_leaf(leaf)
        for index, value in free:
            if constant == Constant(value):
                free.remove((index, value))
                return Number(index)
        return constant

    try:
        graph = parse_infix(written, number_of_the_text)
    except EquationError:
        return None
    return graph if graph.expressions else None
