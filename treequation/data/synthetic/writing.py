"""The writer of one problem: draws, writes numbers into sentences, and puts facts and question in order.

A number that is written gets a mark, a private-use character that stands for it in every sentence until the
text is put together. So a scenario may arrange its sentences freely, and the numbers' order and spans follow
from the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Literal, TypeVar

from treequation.data.synthetic.numerals import chinese_words, digits, english_words
from treequation.data.synthetic.templates import expand
from treequation.data.synthetic.terms import Term
from treequation.data.synthetic.vocabulary import PEOPLE, THINGS, Person, Thing
from treequation.text.problem import FoundNumber, Language, Problem

T = TypeVar("T")
Kind = Literal["digits", "percent", "fraction", "word"]

_FIRST_MARK = 0xE000  # the start of Unicode's private-use area: no story contains such characters
_MARK = re.compile("[\ue000-\uf8ff]")
_SENTENCE_START = re.compile(r"(?:^|(?<=[.?!] ))[a-z]")


@dataclass(frozen=True, slots=True)
class Style:
    """How much a level varies the text: the chance of each liberty that a writer may take.

    ``words``: numbers in words. ``distractor``: a statement whose numbers are not needed.
    ``shuffle``: facts told in another order. ``condition``: the question first, or facts in an "if".
    ``join``: two facts in one sentence.
    """

    words: float = 0.0
    distractor: float = 0.0
    shuffle: float = 0.0
    condition: float = 0.0
    join: float = 0.0


@dataclass(frozen=True, slots=True)
class _Mention:
    """A number as written: only ``number`` is it, as in "$" + "5" or "3" + " times"."""

    number: str
    value: Fraction
    kind: Kind
    before: str
    after: str


class Writer:
    """Writes one problem; a scenario calls ``fact`` for each statement and ``ask`` once.

    >>> writer = Writer(Random(1), "en", Style())
    >>> apples, eaten = writer.number(8), writer.number(3)
    >>> writer.fact("Tom has {a} apples", "小明有{a}个苹果", a=apples)
    >>> writer.fact("he eats {b}", "他吃了{b}个", b=eaten)
    >>> writer.ask("how many are left?", "还剩多少个？", apples - eaten)
    >>> writer.problem("example").text
    'Tom has 8 apples. He eats 3. How many are left?'
    """

    def __init__(self, random: Random, language: Language, style: Style) -> None:
        # Only random() is promised to give the same sequence in every version of Python.
        self._random = random.random
        self.language = language
        self.style = style
        self._mentions: list[_Mention] = []
        self._facts: list[str] = []
        self._question = ""
        self._answer: Term | None = None
        self._people: list[Person] = []
        self._things: list[Thing] = []
        self.free = False  # whether the facts may be told in any order
        self.conditional = False  # whether "if" may join the last fact to the question

    # Draws.

    def below(self, n: int) -> int:
        """An integer from 0 to n − 1."""
        return int(self._random() * n)

    def integer(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both included."""
        return low + int(self._random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self._random() * len(options))]

    def person(self) -> Person:
        """Somebody who is not yet in the story."""
        person = self.pick(PEOPLE[self.language])
        while person in self._people:
            person = self.pick(PEOPLE[self.language])
        self._people.append(person)
        return person

    def thing(self, things: Sequence[Thing] = THINGS) -> Thing:
        """A thing that is not yet in the story."""
        thing = self.pick(things)
        while thing in self._things:
            thing = self.pick(things)
        self._things.append(thing)
        return thing

    # Numbers.

    def number(self, value: int | Fraction) -> Term:
        """A number of the text, in digits or, where the style allows it and it is small, in words."""
        value = Fraction(value)
        if value.denominator == 1 and 2 <= value <= 99 and self.chance(self.style.words):
            small = value <= 12 or self.chance(0.15)
            if small:
                write = english_words if self.language == "en" else chinese_words
                return self._mention(write(int(value)), value, "word")
        text = digits(value)
        if value >= 1000 and self.language == "en" and self.chance(self.style.words):
            text = f"{int(value):,}" + text.partition(".")[1] + text.partition(".")[2]
        return self._mention(text, value)

    def money(self, value: int | Fraction) -> Term:
        """An amount of money: "$5", "$2.50"; in Chinese the template has the unit, 元."""
        value = Fraction(value)
        if self.language == "zh":
            return self._mention(digits(value), value)
        if value.denominator > 1 or self.chance(self.style.words / 2):
            return self._mention(f"{int(value * 100) // 100}.{int(value * 100) % 100:02d}", value, before="$")
        return self._mention(digits(value), value, before="$")

    def _mention(
        self, number: str, value: Fraction, kind: Kind = "digits", before: str = "", after: str = ""
    ) -> Term:
        mark = chr(_FIRST_MARK + len(self._mentions))
        self._mentions.append(_Mention(number, value, kind, before, after))
        return Term(value, mark)

    # Sentences.

    def say(self, en: str, zh: str, **slots: object) -> str:
        """A sentence of the template in the writer's language."""
        return expand(en if self.language == "en" else zh, slots, self.below)

    def fact(self, en: str, zh: str, **slots: object) -> None:
        """States a fact, as a clause: no capital at the start, no mark at the end."""
        self._facts.append(self.say(en, zh, **slots))

    def ask(self, en: str, zh: str, answer: Term, **slots: object) -> None:
        """Asks the question, with its mark at the end."""
        self._question = self.say(en, zh, **slots)
        self._answer = answer

    def problem(self, id: str) -> Problem:
        """The finished problem."""
        if self._answer is None:
            raise ValueError("a problem needs a question: call ask() first")
        pieces: list[str] = []
        numbers: list[FoundNumber] = []
        index: dict[str, int] = {}
        length = end = 0
        marked = self._arranged()
        for match in _MARK.finditer(marked):
            mark = match.group()
            mention = self._mentions[ord(mark) - _FIRST_MARK]
            if mark in index:
                raise ValueError(f"{mention.number} is written twice in {marked!r}")
            index[mark] = len(numbers)
            plain = marked[end : match.start()] + mention.before
            start = length + len(plain)
            numbers.append(FoundNumber(mention.value, start, start + len(mention.number), mention.kind))
            pieces += (plain, mention.number, mention.after)
            length = start + len(mention.number) + len(mention.after)
            end = match.end()
        text = "".join(pieces) + marked[end:]
        if self.language == "en":
            text = _SENTENCE_START.sub(lambda letter: letter.group().upper(), text)
        return Problem(
            id=id,
            text=text,
            numbers=tuple(numbers),
            language=self.language,
            graph=self._answer.graph(index),
            answer=self._answer.value,
            source="synthetic",
        )

    def _arranged(self) -> str:
        """Facts and question as one marked text."""
        if self.language == "zh":
            return "，".join([*self._facts, self._question])
        return ". ".join([*self._facts, self._question])
