"""Matches the numbers of two readings of the same text by position.

The readings are a data set's own numbers and the finder's, or the finder's in two formats. Each is in the order of the
text and has no overlaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treequation.text.problem import FoundNumber


def match_spans(annotated: Sequence[FoundNumber], found: Sequence[FoundNumber]) -> list[int | None]:
    """For each annotated number, the index of the found number that overlaps it and has its value, or None.

    >>> from fractions import Fraction
    >>> five, per_cent = FoundNumber(Fraction(5), 7, 8), FoundNumber(Fraction(1, 20), 7, 10)
    >>> match_spans([five], [FoundNumber(Fraction(3), 0, 1), five])
    [1]
    >>> match_spans([five], [per_cent])  # the same place, but another format
    [None]
    """
    matches: list[int | None] = [None] * len(annotated)
    for i, j in overlaps(annotated, found):
        if matches[i] is None and annotated[i].value == found[j].value:
            matches[i] = j
    return matches


def overlaps(one: Sequence[FoundNumber], other: Sequence[FoundNumber]) -> Iterator[tuple[int, int]]:
    """The pairs of indices of numbers that share a character, in order.

    >>> from fractions import Fraction
    >>> two_thirds = [FoundNumber(Fraction(2), 0, 1), FoundNumber(Fraction(3), 2, 3)]
    >>> list(overlaps(two_thirds, [FoundNumber(Fraction(2, 3), 0, 3)]))
    [(0, 0), (1, 0)]
    """
    first = 0
    for i, number in enumerate(one):
        while first < len(other) and other[first].end <= number.start:
            first += 1
        j = first
        while j < len(other) and other[j].start < number.end:
            yield i, j
            j += 1
