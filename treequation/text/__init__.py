"""A problem's text and the numbers in it."""

from treequation.text.alignment import match_spans
from treequation.text.conversion import ConversionError, convert
from treequation.text.language import language_of
from treequation.text.numbers import find_numbers
from treequation.text.problem import FoundNumber, Language, NumberFormat, Problem

__all__ = [
    "ConversionError",
    "FoundNumber",
    "Language",
    "NumberFormat",
    "Problem",
    "convert",
    "find_numbers",
    "language_of",
    "match_spans",
]
