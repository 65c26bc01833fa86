"""Finding the numbers of a problem's text, with their places and exact values.

The same finder serves training and solving, so that a model meets at solving what it met in training.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from treequation.text.chinese import find_chinese
from treequation.text.english import find_english
from treequation.text.problem import FoundNumber, NumberFormat

#: A numeral with more digits is a serial number or noise, not an amount; it is left out as a whole.
MOST_DIGITS = 40

# One character for one character, so that a place in the plain text is the same place in the original. The
# full-width full stop and comma stay: they separate sentences and the items of a list.
_PLAIN = str.maketrans("０１２３４５６７８９／％（）　\u00a0⁄∕−–", "0123456789/%()  //--")

# Every repetition is possessive or bounded, which keeps the search linear in the length of the text.
_INTEGER = "[0-9]++"
_GROUPED = "[0-9]{1,3}(?:,[0-9]{2,3}){0,8},[0-9]{3}(?!,?[0-9])"  # 1,234,567 and the Indian 12,34,567
_NUMERAL = rf"(?:{_GROUPED}|{_INTEGER})(?:[.．][0-9]++)?|(?<![0-9A-Za-z\u4e00-\u9fff])\.[0-9]++"
_SIGN = r"(?:(?<![^ (,:：，为是到])(?<![0-9)%][ ])-)?"
_NUMBER = re.compile(
    rf"""
      (?P<name>(?<![0-9A-Za-z])[A-Za-z_]{{1,20}}[0-9]{{1,2}}(?![.]?[0-9]))      # "mp3", but not "kg12.5"
    | (?P<whole>{_INTEGER})?(?P<bracket>\()(?P<top>{_INTEGER})/(?P<bottom>{_INTEGER})\)
    | (?<![-+*/×÷=])(?<!/[ ])                                                 # part of a longer calculation
      (?:(?P<units>{_INTEGER})(?:[ ]|又|[ ]and[ ]))?
      (?P<numerator>{_INTEGER})[ ]?/[ ]?(?P<denominator>{_INTEGER})
      (?![.]?[0-9]|[ ]?[+*/×÷=]|-[0-9])
    | (?P<hundredths>百分之)?(?P<numeral>{_SIGN}(?:{_NUMERAL}))
      (?:
        (?P<ordinal>(?:(?<=1)[ ]?st|(?<=2)[ ]?nd|(?<=3)[ ]?rd|[ ]?th)\b)
      | (?P<percent>[ ]?(?:%|per[ ]?cent\b))
      | (?P<half>[ ]and[ ]a[ ]half\b)
      )?
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_BRACKETED = ("whole", "top", "bottom")
_BARE = ("units", "numerator", "denominator")
_DEFAULT_FORMAT = NumberFormat()


def find_numbers(text: str, format: NumberFormat = _DEFAULT_FORMAT) -> tuple[FoundNumber, ...]:
    """The numbers of a text in order, none overlapping another. Any text will do.

    >>> for number in find_numbers("Ann buys 1 1/2 kg of figs at $5.00, twenty-three nuts, and saves 20 %."):
    ...     print(number.value, number.kind)
    3/2 fraction
    5 digits
    23 word
    1/5 percent
    >>> text = "The 3rd of 5 % is 2/3."
    >>> [str(n.value) for n in find_numbers(text, NumberFormat(percent="whole", fraction="two"))]
    ['5', '2', '3']

    ``text[start:end]`` is what has the value: with ``percent="whole"`` it leaves out the per-cent sign.
    """
    plain = text.translate(_PLAIN)
    found: list[FoundNumber] = []
    for match in _NUMBER.finditer(plain):
        if match["top"]:
            found.extend(_fraction(match, _BRACKETED, format))
        elif match["numerator"]:
            found.extend(_fraction(match, _BARE, format))
        elif match["numeral"]:
            found.extend(_numeral(plain, match, format))
    if format.words:
        found += find_english(plain, format)
        found += find_chinese(plain, format)
        found.sort(key=lambda number: number.start)
    return tuple(found)


def _value(numeral: str) -> Fraction | None:
    if len(numeral) > MOST_DIGITS:
        return None
    return Fraction(numeral.replace(",", "").replace("．", "."))


def _numeral(plain: str, match: re.Match[str], format: NumberFormat) -> Iterator[FoundNumber]:
    start, end = match.span("numeral")
    value = _value(match["numeral"])
    if value is None:
        return
    if match["percent"] or match["hundredths"]:
        if format.percent == "fraction":
            value, start, end = value / 100, match.start(), match.end()
        yield FoundNumber(value, start, end, "percent")
    elif match["half"] and format.words:
        yield FoundNumber(value + Fraction(1, 2), start, match.end(), "word")
    elif format.ordinals or not (match["ordinal"] or plain.startswith("第", start - 1)):
        yield FoundNumber(value, start, end, "digits")


def _fraction(match: re.Match[str], names: tuple[str, str, str], format: NumberFormat) -> Iterator[FoundNumber]:
    """A written fraction: one number, or the numbers it is made of.

    Without brackets only a proper fraction is one number: 36/12 is a division that somebody is to carry out.
    """
    parts = {name: _value(match[name]) for name in names if match[name]}
    whole, numerator, denominator = (parts.get(name, Fraction(0)) for name in names)
    if whole is None or numerator is None or denominator is None:
        return
    proper = numerator < denominator or (match["bracket"] and denominator)
    if format.fraction == "one" and proper:
        yield FoundNumber(whole + numerator / denominator, match.start(), match.end(), "fraction")
        return
    for name, value in zip(names, (whole, numerator, denominator), strict=True):
        if match[name]:
            yield FoundNumber(value, *match.span(name), "fraction")
