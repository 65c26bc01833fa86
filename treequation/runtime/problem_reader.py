"""From typed text to a problem for the model, or the reason why it cannot be one.

Every check is linear in the text, and the bound on its length comes first, so that nothing can hang.
"""

from __future__ import annotations

import re
import unicodedata

from treequation.runtime.folder import LANGUAGES, Metadata
from treequation.runtime.solve_error import SolveError
from treequation.text.language import language_of
from treequation.text.numbers import MAX_DIGITS, find_numbers
from treequation.text.problem import Problem

MAX_CHARACTERS = 20_000  # the longest published problem has under 2,000

_BAD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters, lone surrogates
# Numerals of which the finder makes no number by themselves: Ⅳ, and powers, but for those of units, as in cm² and s⁻².
_RAISED = "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
_LETTER = rf"[^\W\d_\u00bc-\u00be\u2150-\u215e{_RAISED}]"  # ½ counts as one for \w
_NUMERALS = re.compile(rf"[\u2160-\u2188]|(?<!{_LETTER})(?<!{_LETTER}[ \u00a0])(?<![{_RAISED}])[{_RAISED}]++")
_LONG_NUMERAL = re.compile(rf"[0-9]{{{MAX_DIGITS + 1},}}")


def read_problem(text: object, model: Metadata) -> Problem:
    """The problem with its numbers, in the model's number format; raises :class:`SolveError`."""
    if not isinstance(text, str) or not text.strip():
        raise SolveError("empty-text", "there is no text", "write the problem out in words")
    if len(text) > MAX_CHARACTERS:
        raise SolveError(
            "too-long",
            f"the text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read",
            "give one problem at a time",
        )
    bad = _BAD.search(text)
    if bad:
        what = "half of a character" if "\ud800" <= bad[0] <= "\udfff" else "a control character"
        raise SolveError(
            "bad-character", f"the text has {what} (U+{ord(bad[0]):04X}) at position {bad.start()}", "remove it"
        )
    language = language_of(text)
    if language not in model.languages or not _is_readable(text):
        known = " or ".join(LANGUAGES[each] for each in model.languages)
        raise SolveError(
            "unknown-language", "the text is in a language that the model does not know", f"write it in {known}"
        )
    numbers = find_numbers(text, model.format)
    if not numbers and (long := _LONG_NUMERAL.search(text)):
        raise SolveError(
            "too-long",
            f"the text has a number of {len(long[0])} digits; at most {MAX_DIGITS} are read",
            "write a shorter number",
        )
    if not numbers:
        raise SolveError("no-number", "there is no number in the text", "say the amounts as numbers, such as 12 or 3/4")
    if len(numbers) > model.max_numbers:
        raise SolveError(
            "too-many-numbers",
            f"the text has {len(numbers)} numbers and the model takes {model.max_numbers}",
            "leave out what the question does not need",
        )
    for sign in _NUMERALS.finditer(text):
        if not any(number.start < sign.end() <= number.end for number in numbers):
            raise SolveError(
                "bad-character",
                f"the text has a numeral that cannot be read ({sign[0]}) at position {sign.start()}",
                "write it in digits, and the power of more than a number as a product",
            )
    return Problem("", text, numbers, language, model.format)


def _is_readable(text: str) -> bool:
    """Whether at least half of the letters are Latin or Chinese; a name or two in another script does no harm."""
    letters = [letter for letter in text if letter.isalpha()]
    known = sum(letter < "\u0250" or _script(letter) in ("LATIN", "CJK") for letter in letters)
    return 2 * known >= len(letters)


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]
