"""Finding the numbers of a problem's text, with their places and exact values.

The same finder serves training and solving, so that a model meets at solving what it met in training.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from treequation.text import chinese, english
from treequation.text.problem import FoundNumber, NumberFormat

#: A longer run of digits is a serial number or noise, not an amount; it is left out as a whole.
MOST_DIGITS = 40

# One character for one character, so that places in the plain text are places in the original.
_PLAIN = str.maketrans("０１２３４５６７８９．，／％（）　\u00a0⁄∕", "0123456789.,/%()  //")

_INTEGER = "[0-9]++"
_NUMERAL = rf"(?:[0-9]{{1,3}}(?:,[0-9]{{2,3}}){{0,12}},[0-9]{{3}}(?!,?[0-9])|{_INTEGER})(?:\.[0-9]++)?|(?<![0-9])\.[0-9]++"
_FRACTION = rf"(?P<numerator>{_INTEGER})[ ]?/[ ]?(?P<denominator>{_INTEGER})(?![.]?[0-9]|[ ]?/)"
_DIGITS = re.compile(
    rf"""
      (?P<name>[A-Za-z_][0-9]++(?:\.[0-9]++)?)                     # "mp3" is a name
    | (?P<ordinal>{_INTEGER}[ ]?(?:st|nd|rd|th)\b)
    | (?<!/)(?<!/[ ])(?:(?P<whole>{_INTEGER})(?:[ ]|又|[ ]and[ ])?)?(?P<bracket>\()?{_FRACTION}(?(bracket)\))
    | (?P<of_hundred>百分之)?(?P<numeral>{_NUMERAL})(?P<percent>[ ]?(?:%|per[ ]?cent\b))?
      (?P<magnitude>[ ]?(?:{"|".join(english.MAGNITUDES)})\b|[{"".join(chinese.MAGNITUDES)}])?
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)


def find_numbers(text: str, format: NumberFormat = NumberFormat()) -> tuple[FoundNumber, ...]:
    """The numbers of a text in order, none overlapping another; any text will do.

    >>> for number in find_numbers("Ann buys 1 1/2 kg of figs at $5.00, twenty-three nuts, and saves 20 %."):
    ...     print(number.value, number.kind)
    3/2 fraction
    5 digits
    23 word
    1/5 percent
    >>> text = "The 3rd of 5 % is 2/3."
    >>> [str(n.value) for n in find_numbers(text, NumberFormat(percent="whole", fraction="two"))]
    ['5', '2', '3']

    With ``percent="whole"`` a number's place leaves out the per-cent sign, and with ``fraction="two"`` the stroke:
    ``text[start:end]`` is what has the value.
    """
    plain = text.translate(_PLAIN)
    found: list[FoundNumber] = []
    for match in _DIGITS.finditer(plain):
        found.extend(_in_digits(match, format))
    if not format.words:
        return tuple(found)
    taken = bytearray(len(text))
    for number in found:
        taken[number.start : number.end] = b"\1" * (number.end - number.start)
    for words in (english.find_english(plain), chinese.find_chinese(plain)):
        found.extend(number for number in words if not any(taken[number.start : number.end]))
    return tuple(sorted(found, key=lambda number: number.start))


def _in_digits(match: re.Match[str], format: NumberFormat) -> Iterator[FoundNumber]:
    if match["name"] or match["ordinal"] or match.end() - match.start() > 3 * MOST_DIGITS:
        return
    if match["numerator"]:
        yield from _fraction(match, format)
        return
    value = Fraction(match["numeral"].replace(",", ""))
    start, end = match.span("numeral")
    if match["percent"] or match["of_hundred"]:
        if format.percent == "fraction":
            value, start, end = value / 100, match.start(), match.end("percent") if match["percent"] else end
        yield FoundNumber(value, start, end, "percent")
    elif match["magnitude"] and format.words:
        name = match["magnitude"].strip().lower()
        yield FoundNumber(value * (english.MAGNITUDES | chinese.MAGNITUDES)[name], start, match.end(), "word")
    else:
        yield FoundNumber(value, start, end, "digits")


def _fraction(match: re.Match[str], format: NumberFormat) -> Iterator[FoundNumber]:
    numerator, denominator = Fraction(match["numerator"]), Fraction(match["denominator"])
    whole = Fraction(match["whole"]) if match["whole"] else None
    if format.fraction == "two" or not denominator or (numerator >= denominator):
        for name in ("whole", "numerator", "denominator"):
            if match[name]:
                yield FoundNumber(Fraction(match[name]), *match.span(name), "fraction")
    else:
        yield FoundNumber((whole or 0) + numerator / denominator, match.start(), match.end(), "fraction")
