"""MathQA, in the form published with Jie et al. (2022) and in its original form.

The first has ``text`` with ``temp_a``, ``temp_b``, … for the numbers of ``Problem``, and the equation as
triples in ``equation_layer``. The second has no marks: the equation is the program ``linear_formula``,
whose ``n0``, ``n1``, … are the numerals of ``Problem`` in order, and the answer is one of the ``options``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from treequation.data.binding import bind_marked, marked_numbers, numerals
from treequation.data.linear_formula import parse_linear_formula
from treequation.data.reading import Code, RowReading, UnreadableError, exact, json_rows, reader
from treequation.expression.notations import from_triples
from treequation.text.problem import NumberFormat

FORMAT = NumberFormat(percent="whole", fraction="two", words=False, ordinals=True)

_MARK = re.compile(r"temp_[a-z]+")
_OPTION_VALUE = re.compile(r"(-?) ?(\d(?:[\d,]*\d)?(?:\.\d+)?)(?: ?/ ?(\d+))?")


def _read_row(id: str, row: Mapping[str, Any]) -> RowReading:
    text = row["Problem"]
    if "equation_layer" in row:
        marked = marked_numbers(text, row["text"], _MARK)
        if marked is None:
            raise UnreadableError(Code.BROKEN_ROW, "text and Problem differ in more than their numbers")
        graph = from_triples(row["equation_layer"])
        answer: Fraction | None = exact(row["answer"])
    else:
        marked = numerals(text)
        graph = parse_linear_formula(row["linear_formula"])
        answer = _chosen_option(row["options"], row["correct"])
    return bind_marked(id, text, marked, graph, answer, format=FORMAT)


def _chosen_option(options: str, letter: str) -> Fraction | None:
    """The number in the right option, if it has one ("c ) rs . 500" has, "e ) none of these" does not).

    >>> _chosen_option("a ) rs . 400 , b ) 2.5 % , c ) 1 / 3 , d ) none of these", "b")
    Fraction(5, 2)
    """
    option = re.search(rf"(?:^|,)[\s'\"\[]*{re.escape(letter)} ?\)(.*?)(?=,[\s'\"]*[a-e] ?\)|$)", options)
    number = option and _OPTION_VALUE.search(option[1])
    if not number:
        return None
    sign, numerator, denominator = number.groups()
    value = exact(sign + numerator.replace(",", ""))
    return value / int(denominator) if denominator and int(denominator) else value


read = reader(json_rows, _read_row)
"""The problems of a MathQA file of either form."""
