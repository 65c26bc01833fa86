"""Mapping a data set's own numbers onto those that the finder found in the same text."""

from __future__ import annotations

from collections.abc import Sequence

from treequation.text.problem import FoundNumber


def match_spans(annotated: Sequence[FoundNumber], found: Sequence[FoundNumber]) -> list[int | None]:
    """For each annotated number the index of the found number that overlaps it and has its value, or None.

    Both sequences are in the order of the text and free of overlaps, as :func:`find_numbers` gives them.

    >>> from fractions import Fraction
    >>> five, per_cent = FoundNumber(Fraction(5), 7, 8), FoundNumber(Fraction(1, 20), 7, 10)
    >>> match_spans([five], [FoundNumber(Fraction(3), 0, 1), five])
    [1]
    >>> match_spans([five], [per_cent])  # the same place, but another convention
    [None]
    """
    matches: list[int | None] = []
    first = 0
    for number in annotated:
        while first < len(found) and found[first].end <= number.start:
            first += 1
        index = first
        while index < len(found) and found[index].start < number.end and found[index].value != number.value:
            index += 1
        overlaps = index < len(found) and found[index].start < number.end
        matches.append(index if overlaps else None)
    return matches
