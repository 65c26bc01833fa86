"""Turns typed text into a problem for the model, or says why it cannot be one.

The length is checked first, and every check takes linear time, so that no text can hang the solver.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain

from treequation.runtime.folder import LANGUAGES, Metadata
from treequation.runtime.solve_error import SolveError
from treequation.text.language import language_of
from treequation.text.numbers import MAX_DIGITS, find_numbers
from treequation.text.problem import Problem
from treequation.text.units import chinese_pattern, english_pattern

MAX_CHARACTERS = 20_000  # the longest problem in the published data sets has under 2,000

# Nobody sees these, but texts copied from web pages and PDF files have them, even inside a number: soft hyphens, marks
# of width and direction, byte-order marks, spaces at the end of a line, and a line break after a hyphen.
_UNSEEN = re.compile(
    "[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?<![ \t\r])[ \t\r]++(?=\n)|(?<=[A-Za-z]-)\n(?=[a-z])"
)
_BAD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters, lone surrogates
# Numerals that are not read as numbers: Ⅳ, and powers other than those of units, such as cm² and s⁻².
_RAISED = "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
_LETTER = rf"[^\W\d_\u00bc-\u00be\u2150-\u215e{_RAISED}]"  # \w matches ½
_NUMERALS = re.compile(rf"[\u2160-\u2188]|(?<!{_LETTER})(?<!{_LETTER}[ \u00a0])(?<![{_RAISED}])[{_RAISED}]++")
# 3,50 or 1.000,50 with the sign of a currency, or before a unit; in 3,4,5 and 1,000 the comma has another meaning.
_SIGN = "[$€£¥₹]"
_WITH_COMMA = r"(?<![0-9,.])(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+),[0-9]{1,2}(?![0-9]|[,.][0-9])"
_MEASURE = rf"{_SIGN}|[%％‰°℃万亿]|(?:t|hundred|thousand|million|billion)\b|{english_pattern()}|{chinese_pattern()}"
_COMMA = re.compile("[0-9],[0-9]")
_DECIMAL_COMMA = re.compile(rf"{_SIGN}\s?(?P<price>{_WITH_COMMA})|(?P<amount>{_WITH_COMMA})(?=\s?(?:{_MEASURE}))")
# In a text without letters, which is a calculation: 2,5 + 1.
_IN_A_CALCULATION = re.compile(
    rf"(?P<price>{_WITH_COMMA})(?=\s*[-+*/×÷^)])|(?<=[-+*/×÷^(√])\s*(?P<amount>{_WITH_COMMA})"
)
# A last group of 000 is read as one number with what is before it, and 120 150 130 may be a list.
_SEVERAL_GROUPS = r"[0-9]{1,2}(?: [0-9]{3}){2,}(?<! 000)|[0-9]{1,3}(?:\.[0-9]{3}){2,}"
# Two groups are surely one number beside the sign of a currency, or before people: €12 500, 12.500 €, 12.500 people.
# But $12.500 and €1.459 a litre may be exact prices.
_PEOPLE = r"(?:people|inhabitants|residents|citizens|visitors|spectators|students|pupils|children)\b"
_EXACT = r"(?:/|an?\s|per\s)\s?(?:l\b|lit|gal|k?g\b|kilo|kWh)"
_TWO_GROUPS = (
    rf"(?:(?<={_SIGN})|(?<={_SIGN} ))[1-9][0-9]{{0,2}} (?!000)[0-9]{{3}}"
    rf"|(?:(?<=€)|(?<=€ ))[1-9][0-9]{{0,2}}\.[0-9]{{3}}(?!\s?{_EXACT})"
    rf"|[1-9][0-9]{{0,2}}(?:\.| (?!000))[0-9]{{3}}(?=\s?(?:€(?!\s?{_EXACT})|{_PEOPLE}))"
)
_GROUPS = re.compile(rf"(?<![0-9.,])(?<![0-9] )(?:{_SEVERAL_GROUPS}|{_TWO_GROUPS})(?! ?[0-9])")
_IN_A_LIST = re.compile(r"[0-9]\s*,\s*$")
_LONG_NUMERAL = re.compile(rf"[0-9]{{{MAX_DIGITS + 1},}}")


def read_problem(text: object, model: Metadata) -> Problem:
    """The problem with its numbers, in the model's number format; raises :class:`SolveError`."""
    if not isinstance(text, str | None):
        raise SolveError("empty-text", f"the problem is of type {type(text).__name__}", "give it as a string")
    if not text or not text.strip():
        raise SolveError("empty-text", "there is no text", "write the problem in words")
    if len(text) > MAX_CHARACTERS:
        raise SolveError(
            "too-long",
            f"the text has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}",
            "give one problem at a time",
        )
    bad = _BAD.search(text)
    if bad:
        what = "half of a character" if "\ud800" <= bad[0] <= "\udfff" else "a control character"
        raise SolveError(
            "bad-character", f"the text has {what} (U+{ord(bad[0]):04X}) at position {bad.start()}", "remove it"
        )
    text = _UNSEEN.sub("", text)
    language = language_of(text)
    if language not in model.languages or not _is_readable(text):
        known = " or ".join(LANGUAGES[each] for each in model.languages)
        raise SolveError(
            "unknown-language", "the text is in a language that the model does not know", f"write it in {known}"
        )
    _check_commas(text)
    _check_groups(text)
    numbers = find_numbers(text, model.format)
    if not numbers and (long := _LONG_NUMERAL.search(text)):
        raise SolveError(
            "too-long",
            f"the text has a number of {len(long[0])} digits; the limit is {MAX_DIGITS}",
            "write a shorter number",
        )
    if not numbers:
        raise SolveError(
            "no-number", "there is no number in the text", "write the amounts as numbers, such as 12 or 3/4"
        )
    if len(numbers) > model.max_numbers:
        raise SolveError(
            "too-many-numbers",
            f"the text has {len(numbers)} numbers; the model takes at most {model.max_numbers}",
            "leave out what the question does not need",
        )
    for sign in () if text.isascii() else _NUMERALS.finditer(text):
        if not any(number.start < sign.end() <= number.end for number in numbers):
            raise SolveError(
                "bad-character",
                f"the text has a numeral that cannot be read ({sign[0]}) at position {sign.start()}",
                "write it in digits, and a power as a product",
            )
    return Problem("", text, numbers, language, model.format)


def _check_commas(text: str) -> None:
    """Refuses 3,50 for three and a half: it would be read as 3 and 50."""
    if not _COMMA.search(text):
        return
    found_in = _DECIMAL_COMMA.finditer(text)
    if not any(map(str.isalpha, text)):
        found_in = chain(found_in, _IN_A_CALCULATION.finditer(text))
    for found in found_in:
        number = found["price"] or found["amount"]
        if not _IN_A_LIST.search(text[max(0, found.start() - 50) : found.start()]):
            point = number.replace(".", "").replace(",", ".")
            raise SolveError(
                "decimal-comma",
                f"the text has a number with a comma ({number}) that can be read as one number or as two",
                f"write {point}" if "." in number else f"write {point}, or {number.replace(',', ', ')} for two numbers",
            )


def _check_groups(text: str) -> None:
    """Refuses 1.234.567, 1 234 567 and €12 500, which would be read as several numbers or as a smaller one."""
    found = _GROUPS.search(text)
    if found:
        together = "".join(filter(str.isdigit, found[0]))
        other = "put commas and spaces between several numbers"
        if found[0].count(".") == 1:
            other = f"{found[0]}0 for a decimal number"
        raise SolveError(
            "grouped-digits",
            f"the text has a number in groups of digits ({found[0]}) that can be read in several ways",
            f"write {together}, or {int(together):,}; {other}",
        )


def _is_readable(text: str) -> bool:
    """Whether at least half of the letters are Latin or Chinese; a name or two in another script does no harm."""
    if text.isascii():
        return True
    letters = [letter for letter in text if letter.isalpha()]
    known = sum(letter < "\u0250" or unicodedata.name(letter, "").startswith(("LATIN ", "CJK ")) for letter in letters)
    return 2 * known >= len(letters)
