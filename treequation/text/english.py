"""Numbers in English words: "twenty-three", "two hundred thousand", "half", "two thirds", "twice", "a dozen".

Only the words that say how many or how much count. Ordinals ("third in the row") and idioms in which a number
word says nothing about an amount ("one of them", "each one", "one day") are left out: each would be one more
number among which a model must choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from treequation.text.problem import FoundNumber

_SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
} | {"fourty": 40}  # a misspelling that pupils and data sets share
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {
    word: value
    for value, word in enumerate(
        "half third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=2
    )
} | {"quarter": 4, "fifteenth": 15, "sixteenth": 16, "twentieth": 20, "hundredth": 100}
_MULTIPLES = {
    "twice": 2,
    "thrice": 3,
    "double": 2,
    "doubled": 2,
    "doubles": 2,
    "triple": 3,
    "tripled": 3,
    "triples": 3,
    "quadruple": 4,
    "quadrupled": 4,
    "dozen": 12,
}

#: The words that multiply a number written in digits before them: "2.5 million".
MAGNITUDES = {word: value for word, value in _SCALES.items() if value > 100} | {"hundred": 100}


def _any(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))  # longest first: "seventeen" before "seven"


_CARDINAL = f"(?:{_any(_SMALL | _TENS | _SCALES)})"
_NUMBER_WORDS = re.compile(
    rf"""\b(?:
        (?P<cardinal>(?:an?[ ](?={_any(_SCALES)}))?{_CARDINAL}(?:(?:[ ]and[ ]|[ -]){_CARDINAL})*)
            (?:[ ]and[ ](?:a|one)[ -](?P<extra>half|quarter|third)|[ -](?P<parts>{_any(_PARTS)})s?)?
      | (?P<article>an?[ ])?(?P<part>{_any(_PARTS)})
      | (?P<multiple>{_any(_MULTIPLES)})
    )\b""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_WORD = re.compile(_CARDINAL, re.IGNORECASE | re.ASCII)

# What may stand after "a third" if it is a share and not an ordinal ("a third friend").
_AFTER_SHARE = re.compile(
    r"[ ]*(?:$|[.,;:?!)]|(?:of|as|the|more|less|fewer|that|this|its|his|her|their|is)\b)", re.I
)
_ONE_IN_AN_IDIOM_BEFORE = re.compile(
    r"\b(?:each|every|any|no|this|that|which|the|another|last|next|other|only|first|second|third|new|old|than)[ ]$"
    r"|\bone[ ](?:by|after|at)[ ]$",
    re.I,
)
_ONE_IN_AN_IDIOM_AFTER = re.compile(
    r"[ -](?:of|another|by|at|after|day|side|way|morning|evening|afternoon|night|time|hand|kind|and)\b", re.I
)


def find_english(text: str) -> Iterator[FoundNumber]:
    """The numbers in English words, in order.

    >>> [str(number.value) for number in find_english("Twenty-three of a hundred and five, and half a dozen")]
    ['23', '105', '1/2', '12']
    """
    for match in _NUMBER_WORDS.finditer(text):
        if match["cardinal"]:
            yield from _cardinals(text, match)
        elif match["part"]:
            if _is_share(text, match):
                part = match["part"].lower()
                start = match.start("part") if part == "half" else match.start()
                yield FoundNumber(Fraction(1, _PARTS[part]), start, match.end(), "word")
        else:
            value = Fraction(_MULTIPLES[match["multiple"].lower()])
            yield FoundNumber(value, match.start(), match.end(), "word")


def _is_share(text: str, match: re.Match[str]) -> bool:
    if match["part"].lower() == "half":
        return True
    return match["article"] is not None and _AFTER_SHARE.match(text, match.end()) is not None


def _cardinals(text: str, match: re.Match[str]) -> Iterator[FoundNumber]:
    """The numbers of a run of cardinal words: "five two" are two of them, "five hundred and two" is one."""
    numbers: list[list[int]] = []  # [start, end, value of the finished groups, value of the open group]
    for word in _WORD.finditer(text, match.start("cardinal"), match.end("cardinal")):
        name = word[0].lower()
        joined = numbers and _extend(
            numbers[-1], name, after_and=text[word.start() - 4 : word.start()] == "and "
        )
        if not joined:
            value = (_SMALL | _TENS | _SCALES)[name]
            start = word.start() if numbers else match.start("cardinal")
            numbers.append([start, word.end(), value, 0] if value >= 1000 else [start, word.end(), 0, value])
        numbers[-1][1] = word.end()
    for position, (start, end, groups, group) in enumerate(numbers):
        value = Fraction(groups + group)
        if position == len(numbers) - 1:
            if match["extra"]:
                end, value = match.end(), value + Fraction(1, _PARTS[match["extra"].lower()])
            elif match["parts"]:
                end, value = match.end(), value / _PARTS[match["parts"].lower()]
        if value != 1 or not _one_in_an_idiom(text, start, end):
            yield FoundNumber(value, start, end, "word")


def _extend(number: list[int], word: str, *, after_and: bool) -> bool:
    """Takes the word into the number if it continues it: "twenty" + "three", "five" + "hundred"."""
    _, _, groups, group = number
    if word in _SCALES:
        scale = _SCALES[word]
        if after_and or not 0 < group < scale or (groups and groups <= scale * group):
            return False
        if scale == 100:
            number[3] = group * 100
        else:
            number[2:] = [groups + group * scale, 0]
        return True
    value = (_SMALL | _TENS)[word]
    room = (
        100 if group % 100 == 0 and (group or groups) else 10 if group % 10 == 0 and group % 100 >= 20 else 0
    )
    if not 0 < value < room or (after_and and room == 10):
        return False
    number[3] += value
    return True


def _one_in_an_idiom(text: str, start: int, end: int) -> bool:
    before = _ONE_IN_AN_IDIOM_BEFORE.search(text, max(0, start - 12), start)
    return before is not None or _ONE_IN_AN_IDIOM_AFTER.match(text, end) is not None
