"""A story as data: numbers to draw, facts in both languages, and the questions that may be asked about them.

One story with several questions is what teaches reading: the facts are the same, and the question alone decides which
of the numbers are needed and what is to be done with them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

from treequation.data.synthetic.stories.cast import ASIDES, PERSONS, SMALL_THINGS, Deed
from treequation.data.synthetic.terms import Term
from treequation.data.synthetic.vocabulary import PEOPLE, Thing
from treequation.data.synthetic.writing import Writer

# A formula's parameters name the numbers that it needs. It is computed with plain numbers until the story is sensible,
# and with terms to get the equation.
Formula = Callable[..., Any]

# Words that stand for what was just said. A Chinese question leaves them out, unless it begins with what it is about.
_REFERS = re.compile(r"\b(?:it|its|that|them|they|these|this|there|one|ones|others|remain|remains|left|then|now)\b")
_SLOT = re.compile(r"\{([a-z_0-9]+)")
_SYNONYMS = {
    "一共": "[一共|总共|共]",
    "还剩": "[还剩|剩下|还剩下]",
    "多少元": "[多少元|多少元|多少钱|几元]",
    "如果": "[如果|假如|要是]",
}
_COMMON = re.compile("|".join(_SYNONYMS))
_PEOPLE = ("who", "other", "third")
_THINGS = ("thing", "second")
_MOST_DRAWS = 5_000  # a story whose numbers fit so rarely has conditions that exclude each other


@dataclass(frozen=True)
class Draw:
    """A number of a story: the values it may take, and how it is written."""

    values: Sequence[int | Fraction]
    write: Callable[[Writer, Fraction], Term]


@dataclass(frozen=True)
class Ask:
    """A question with the formula of its answer; ``alone`` if it says everything itself, without the story's facts.

    Where a language asks for something else (a percentage is 100 times a share in English), its wording is empty in
    the other.
    """

    en: str
    zh: str
    answer: Formula
    alone: bool = False


@dataclass(frozen=True)
class Story:
    """A scenario: a story is told to a writer by calling it.

    Facts are separated by `` / ``. The slots are the story's numbers and ``cast``; ``who``, ``other``, ``third``
    (people), ``thing``, ``second`` (of ``things``) are drawn where a wording has them. ``where`` is the condition
    under which the numbers make sense, besides that the answer is positive and a whole number of ``1 / parts``.
    """

    numbers: Mapping[str, Draw]
    en: str
    zh: str
    asks: tuple[Ask, ...]
    where: Formula = lambda: True
    cast: Mapping[str, Sequence[tuple[str, str] | Thing | Deed]] = field(default_factory=dict)
    things: Sequence[Thing] = SMALL_THINGS
    parts: int = 1
    aside: bool = True  # whether something that does not matter may be told besides
    named: bool = False  # whether the people have first names only: a teacher is not 8 years old
    free: bool = False  # whether the facts may be told in any order

    def __call__(self, w: Writer) -> None:
        english = w.language == "en"
        ask = w.pick([ask for ask in self.asks if (ask.en if english else ask.zh)])
        question = ask.en if english else _with_synonyms(ask.zh)
        facts = "" if ask.alone else self.en if english else _with_synonyms(self.zh)
        terms = self._numbers(w, ask.answer)
        slots: dict[str, object] = dict(terms)
        for name in _slots(facts + question):
            if name in _PEOPLE:
                slots[name] = w.person(PEOPLE[w.language] if self.named else PERSONS[w.language])
            elif name in _THINGS:
                slots[name] = w.thing(self.things)
            elif name in self.cast:
                drawn = w.pick(self.cast[name])
                slots[name] = drawn[not english] if isinstance(drawn, tuple) else drawn
        for fact in facts.split(" / ") if facts else ():
            w.fact(fact, fact, **slots)
        if facts and self.aside and w.distracts():
            w.aside_first = bool(_REFERS.search(facts + question)) if english else not question.startswith("{")
            _tell_aside(w)
        w.free = self.free
        w.conditional = not (_REFERS.search(question) or ". " in facts + question) if english else " / " not in facts
        w.ask(question, question, _apply(ask.answer, terms), **slots)

    def _numbers(self, w: Writer, answer: Formula) -> dict[str, Term]:
        """Numbers that make the story sensible, as terms to be written."""
        for _ in range(_MOST_DRAWS):
            values = {name: Fraction(w.pick(draw.values)) for name, draw in self.numbers.items()}
            if _apply(self.where, values):
                result = _apply(answer, values)
                if result > 0 and (result * self.parts).denominator == 1:
                    return {name: draw.write(w, values[name]) for name, draw in self.numbers.items()}
        raise ValueError(f"no numbers fit the story {self.en!r}")


def _tell_aside(w: Writer) -> None:
    """Something that has nothing to do with the question, about somebody who is not in the story."""
    en, zh, low, high = w.pick(ASIDES)
    w.note(en, zh, n=w.number(w.integer(low, high)), someone=w.person(PERSONS[w.language]))


def _apply(formula: Formula, values: Mapping[str, Any]) -> Any:
    return formula(*(values[name] for name in _parameters(formula)))


@cache
def _parameters(formula: Formula) -> tuple[str, ...]:
    return tuple(inspect.signature(formula).parameters)


@cache
def _with_synonyms(template: str) -> str:
    """The Chinese template with other words for those that nearly every story has."""
    return _COMMON.sub(lambda word: _SYNONYMS[word.group()], template)


@cache
def _slots(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_SLOT.findall(text)))


# Numbers, by how they are written.


def count(low: int, high: int, step: int = 1) -> Draw:
    """So many things: digits or words."""
    return Draw(range(low, high + 1, step), Writer.number)


def plain(*values: int | Fraction) -> Draw:
    """One of these, in digits."""
    return Draw(values, Writer.digits)


def digits(low: int, high: int, step: int = 1) -> Draw:
    """A number that is always written in digits."""
    return Draw(range(low, high + 1, step), Writer.digits)


def decimal(low: int, high: int, tenths: int = 5) -> Draw:
    """A measure with one decimal place, a multiple of ``tenths`` tenths."""
    return Draw([Fraction(n, 10) for n in range(low * 10 + tenths, high * 10, tenths)], Writer.digits)


def doubled() -> Draw:
    """A multiple in one word: "double", "triple"; in Chinese the wording has 倍."""

    def write(w: Writer, value: Fraction) -> Term:
        if w.language == "zh":
            return w.number(value)
        return w.mention({2: "double", 3: "triple"}[int(value)], value, "word")

    return Draw((2, 2, 3), write)


def money(low: int, high: int, step: int = 1) -> Draw:
    """An amount of money in whole dollars or yuan."""
    return Draw(range(low, high + 1, step), Writer.money)


def price(low: int, high: int) -> Draw:
    """An amount of money, sometimes with cents: a story with prices counts in hundredths, ``parts=100``."""
    values = [Fraction(whole) for whole in range(low, high + 1)]
    return Draw([*values * 2, *(value + Fraction(1, 2) for value in values)], Writer.money)


def bill() -> Draw:
    """A bank note, before the word "bill"."""
    return Draw((10, 20, 50, 100), Writer.bill)


def percent(low: int = 5, high: int = 95, step: int = 5) -> Draw:
    """A percentage; its value is the share."""
    values = [Fraction(value, 100) for value in range(low, high + 1, step)]
    return Draw(values, lambda w, value: w.percent(int(value * 100)))


def times(low: int, high: int) -> Draw:
    """A multiple: "twice", "3 times"; in Chinese the wording has 倍."""
    return Draw(range(low, high + 1), lambda w, value: w.times(int(value)))


def share(*values: str) -> Draw:
    """One of these fractions: half, 一半, 3/4, a third."""
    return Draw([Fraction(value) for value in values], lambda w, v: w.share(v.denominator, part=v.numerator))


def word(number: int, en: str) -> Draw:
    """A number that has an English word of its own: "dozen"; in Chinese digits."""
    return Draw((number,), lambda w, value: w.mention(en, value, "word") if w.language == "en" else w.digits(value))


def reduced() -> Draw:
    """What remains of a price: 八折, 七五折; in English a percentage."""
    names = "零一二三四五六七八九"

    def write(w: Writer, value: Fraction) -> Term:
        if w.language == "en":
            return w.percent(int(value * 100))
        tenths, hundredths = divmod(int(value * 100), 10)
        return w.mention(names[tenths] + (names[hundredths] if hundredths else "") + "折", value, "word")

    return Draw([Fraction(n, 100) for n in (50, 60, 65, 70, 75, 80, 85, 88, 90, 95)], write)
