"""Numbers in English words: "twenty-three", "two hundred thousand", "half", "two thirds", "twice", "dozen".

Only words that say how many or how much count, since each false one is one more number that a model must choose
among. Ordinals ("the third girl", "the twenty-fifth day") are left out. "One" is mostly an article or a pronoun
("one day", "each one"), so it counts only where the data sets show that it is an amount: "one more", "ate one".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from treequation.text.problem import FoundNumber, NumberFormat

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_ONES = {word: value for value, word in enumerate(_SMALL.split())}
_DIGITS = [word for word, value in _ONES.items() if value < 10]
_TENS = {
    word: 10 * ten
    for ten, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_TENS["fourty"] = 40  # misspelt often enough in real problems
SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SCALES |= dict.fromkeys(("lakh", "lakhs", "lac", "lacs"), 10**5) | dict.fromkeys(("crore", "crores"), 10**7)
_UNDIVIDED = {f"{tens}{one}": ten + _ONES[one] for tens, ten in _TENS.items() for one in _DIGITS[1:]}  # twentythree
_CARDINALS = _ONES | _TENS | SCALES | _UNDIVIDED
_ORDINALS = (
    "half third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
)
PARTS = {word: value for value, word in enumerate(_ORDINALS.split(), 2)}
_UNIT_PARTS = [word for word, value in PARTS.items() if 3 <= value <= 9]
PARTS |= {f"{word[:-1]}ieth": value for word, value in _TENS.items()}
PARTS |= {f"{tens}-{word}": value + PARTS[word] for tens, value in _TENS.items() for word in _UNIT_PARTS}
PARTS |= {"quarter": 4, "hundredth": 100, "thousandth": 1_000, "millionth": 10**6}
_MULTIPLES = dict.fromkeys(("twice", "double", "doubled", "doubles", "doubling"), 2)
_MULTIPLES |= dict.fromkeys(("thrice", "triple", "tripled", "triples", "tripling"), 3)
_MULTIPLES |= dict.fromkeys(("quadruple", "quadrupled"), 4)
_MULTIPLES |= dict.fromkeys(("dozen", "dozens"), 12)  # a separate number even in "two dozen": equations multiply by 12
_MULTIPLES |= {f"{count}fold": value for count, value in _ONES.items()}


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(sorted(words, key=len, reverse=True))})"  # longest first: "seventeen", then "seven"


PER_CENT = r"[ -]?(?:per[ -]?cent|percentage[ -]points?)\b"
OF_THE_REST = r"[ ]?(?:ths?|rds?)?[ ]of[ ](?!an?\b)"
"""After "10 and 1/3" or "10 and a third": the share is of something else, and no part of the number 10."""

_SCALE = _any_of(SCALES)
# Not the "twenty" of "twenty-fifth". A "thirty-second film", however, lasts thirty seconds.
_CARDINAL = rf"(?!{_any_of(_TENS)}-{_any_of(['first', *_UNIT_PARTS])}s?\b){_any_of(_CARDINALS)}"
_PART = _any_of(PARTS)
_OF_ONE = rf"(?:(?:[ ]of)?[ ](?:an?|one)(?={PER_CENT}))?"  # "half a percent", "a quarter of one percent"
# A cheap test that rules out most words.
_BEGINS = "".join(sorted({word[0] for word in ("a", "half", *_CARDINALS, *_MULTIPLES)}))
_NUMBER_WORDS = re.compile(
    rf"""(?=[{_BEGINS}])(?:\b|(?<=[0-9])(?={_SCALE}\b))(?:  # "5million" is 5 and a million
        (?P<cardinals>(?:an?[ ](?={_SCALE}\b))?{_CARDINAL}(?:(?:[ ]and[ ]|[ -]){_CARDINAL}\b)*)\b
        (?:
            [ -]and[ -]a[ -](?P<extra>half|quarter|third)\b(?!{OF_THE_REST})  # "two and a half"
          | (?P<joint>[ -])(?P<parts>{_PART})(?P<plural>s)?\b{_OF_ONE}            # "two thirds"
          | [ ]point(?P<decimals>(?:[ ]{_any_of(_DIGITS)}\b)++)
        )?
      | (?P<after_and>(?<=[0-9][ ]and[ ]))?an?[ ](?P<share>{_PART})\b{_OF_ONE}
      | (?<![0-9][ ]and[ ]a[ ])(?P<half>half)\b{_OF_ONE}
      | (?P<multiple>{_any_of(_MULTIPLES)})\b
    )(?P<percent>{PER_CENT})?""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_REST = re.compile(OF_THE_REST, re.IGNORECASE | re.ASCII)
_ONE_CARDINAL = re.compile(rf"{_CARDINAL}\b", re.IGNORECASE | re.ASCII)

# Before these words, a cardinal is part of an ordinal: "the hundred and fifth day", "the twenty third", "the two
# hundredth". But two hundred fifth graders are two hundred pupils.
_PART_OF_ORDINAL = rf"(?:first|(?!quarter|half){_PART})"
_AFTER_SCALE = re.compile(
    rf"(?:[ ]and[ ](?:second|{_PART_OF_ORDINAL})|[ -]{_PART_OF_ORDINAL})\b(?![ -]grade)", re.IGNORECASE | re.ASCII
)
_AFTER_THE_TENS = re.compile(rf"[ ]{_any_of(['first', *_UNIT_PARTS])}\b(?![ -]grade)", re.IGNORECASE | re.ASCII)
_AFTER_COUNT = re.compile(r"[ -](?:hundred|thousand|million)th\b", re.IGNORECASE | re.ASCII)

# What follows "a third" or "three quarters" if it is a share, and not an ordinal ("a third friend") or a coin.
_AFTER_SHARE = re.compile(
    r"[ ]?(?:$|[.,;:?!)]|(?:of|as|the|more|less|fewer|larger|smaller|that|this|its|his|her|their|full|share)\b)",
    re.IGNORECASE | re.ASCII,
)
_BEFORE_AMOUNT_ONE = re.compile(
    r"\b(?:ate|eats?|gave|gives?|bought|buys?|sold|sells?|lost|loses?|took|takes?|found|finds?|broke|spent|used"
    r"|added|removed|has|had|have|but)[ ]$",
    re.IGNORECASE | re.ASCII,
)
_AFTER_AMOUNT_ONE = re.compile(r"[ ](?:more|less|fewer|extra|additional)\b", re.IGNORECASE | re.ASCII)
_LONGEST_BEFORE_ONE = 9  # characters: the longest verb above, the space after it, and the character before it


def find_english(text: str, format: NumberFormat) -> Iterator[FoundNumber]:
    """The numbers in English words, in order.

    >>> text = "Twenty-three of a hundred and five, two and a half, a third of it, half a dozen, ten percent"
    >>> [str(number.value) for number in find_english(text, NumberFormat())]
    ['23', '105', '5/2', '1/3', '1/2', '12', '1/10']
    """
    for match in _NUMBER_WORDS.finditer(text):
        if match["cardinals"]:
            yield from _cardinals(text, match, format)
        elif match["share"]:
            share, end = match["share"].lower(), match.end("share")
            if match["after_and"] is not None and not _REST.match(text, end):
                continue  # the third of "2 and a third"
            if share in ("half", "quarter") or match["percent"] or _AFTER_SHARE.match(text, end):
                yield _number(match, Fraction(1, PARTS[share]), match.start(), end, format)
        elif match["half"]:
            yield _number(match, Fraction(1, 2), match.start(), match.end("half"), format)
        else:
            value = Fraction(_MULTIPLES[match["multiple"].lower()])
            yield FoundNumber(value, match.start(), match.end("multiple"), "word")


def _number(match: re.Match[str], value: Fraction, start: int, end: int, format: NumberFormat) -> FoundNumber:
    if not match["percent"]:
        return FoundNumber(value, start, end, "word")
    return format.percentage(value, (start, end), (start, match.end()))


def _cardinals(text: str, match: re.Match[str], format: NumberFormat) -> Iterator[FoundNumber]:
    """The numbers of a run of cardinal words: "five two" are two, "five hundred and two" is one."""
    *others, last = _split(text, *match.span("cardinals"))
    value, start, end = last.value, last.start, last.end
    half = None
    if match["extra"] and text[max(0, start - 2) : start].rstrip()[-1:].isdigit():  # the half of "6 million and a half"
        half = FoundNumber(
            Fraction(1, PARTS[match["extra"].lower()]), match.start("extra") - 2, match.end("extra"), "word"
        )
    elif match["extra"]:
        unit = SCALES.get(_last_word(match), 1)
        unit = 1 if unit == 100 else unit  # "two million and a half": half of a million
        value, end = value + Fraction(unit, PARTS[match["extra"].lower()]), match.end("extra")
    elif match["parts"]:
        mixed = bool(others) and text[others[-1].end : start].lower() == " and "  # "two and three quarters"
        after = max(match.end("parts"), match.end("plural"))
        mixed = mixed and not _REST.match(text, after)
        if match["percent"] or _is_share(text, match, value, after, mixed=mixed):
            value, end = value / PARTS[match["parts"].lower()], after
            if mixed:
                whole = others.pop()
                value, start = whole.value + value, whole.start
    elif match["decimals"]:
        digits = match["decimals"].lower().split()
        value += sum(Fraction(_ONES[digit], 10**place) for place, digit in enumerate(digits, start=1))
        end = match.end("decimals")
    for cardinal in others:
        yield FoundNumber(cardinal.value, cardinal.start, cardinal.end, "word")
    if _is_ordinal(text, match, last.value):
        return
    if match[0].lower() != "one" or _is_amount_one(text, start, end):
        yield _number(match, value, start, end, format)
    if half is not None:
        yield half


def _last_word(match: re.Match[str]) -> str:
    return re.split("[ -]", match["cardinals"].lower())[-1]


def _is_ordinal(text: str, match: re.Match[str], value: Fraction) -> bool:
    start, end = match.span("cardinals")
    after_the = text[max(0, start - 4) : start].lower() == "the "
    if _AFTER_COUNT.match(text, end):
        return value != 1 or after_the  # "one hundredth" is a share
    if _last_word(match) in SCALES:
        return _AFTER_SCALE.match(text, end) is not None
    return after_the and _last_word(match) in _TENS and _AFTER_THE_TENS.match(text, end) is not None


def _is_share(text: str, match: re.Match[str], count: Fraction, after: int, *, mixed: bool) -> bool:
    if match["joint"] == "-":
        return True
    if (count != 1) != (match["plural"] is not None):  # "two third graders"
        return False
    return mixed or match["parts"].lower() != "quarter" or _AFTER_SHARE.match(text, after) is not None


def _is_amount_one(text: str, start: int, end: int) -> bool:
    before = _BEFORE_AMOUNT_ONE.search(text, max(0, start - _LONGEST_BEFORE_ONE), start)
    return before is not None or _AFTER_AMOUNT_ONE.match(text, end) is not None


class _Cardinal:
    """A cardinal number that is being read word by word."""

    def __init__(self, start: int) -> None:
        self.start = self.end = start
        self._thousands = 0  # the groups that "thousand", "million", … have closed
        self._group = 0  # the open group, below 1,000
        self._scale = 10**15  # that of the last closed group; the next one is smaller
        self._empty = True

    @property
    def value(self) -> Fraction:
        return Fraction(self._thousands + self._group)

    def take(self, word: str, *, after_and: bool) -> bool:
        """Adds the word if it continues the number ("twenty" + "three", "five" + "hundred"); True if it does."""
        if word in SCALES:
            taken = not after_and and self._take_scale(SCALES[word])
        else:
            taken = self._take_small(_CARDINALS[word], after_and=after_and)
        self._empty = self._empty and not taken
        return taken

    def _take_scale(self, scale: int) -> bool:
        group = 1 if self._empty else self._group
        if scale == 100:
            if not 0 < group < 100:
                return False
            self._group = group * 100
            return True
        if group == 0 or scale >= self._scale:
            return False
        self._thousands, self._group, self._scale = self._thousands + group * scale, 0, scale
        return True

    def _take_small(self, value: int, *, after_and: bool) -> bool:
        after_hundred = self._group % 100 == 0 and self._group + self._thousands > 0
        after_tens = self._group % 100 >= 20 and self._group % 10 == 0 and not after_and
        room = 100 if after_hundred else 10 if after_tens else 0
        if not self._empty and not 0 < value < room:
            return False
        self._group += value
        return True


def _split(text: str, start: int, end: int) -> list[_Cardinal]:
    numbers: list[_Cardinal] = []
    for word in _ONE_CARDINAL.finditer(text, start, end):
        name, after_and = word[0].lower(), text[word.start() - 4 : word.start()].lower() == "and "
        if not numbers or not numbers[-1].take(name, after_and=after_and):
            numbers.append(_Cardinal(word.start() if numbers else start))
            numbers[-1].take(name, after_and=False)
        numbers[-1].end = word.end()
    return numbers
