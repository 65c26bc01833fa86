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
from math import gcd
from random import Random
from typing import Literal, TypeVar

from treequation.data.synthetic.numerals import SHARES, chinese_numeral, chinese_words, digits, english_words
from treequation.data.synthetic.templates import expand
from treequation.data.synthetic.terms import Term
from treequation.data.synthetic.vocabulary import PEOPLE, THINGS, Person, Thing
from treequation.text.problem import FoundNumber, Language, Problem

T = TypeVar("T")
Kind = Literal["digits", "percent", "fraction", "word"]

_FIRST_MARK = 0xE000  # the start of Unicode's private-use area: no story contains such characters
_MARK = re.compile("[\ue000-\uf8ff]")
_SPARE_SPACE = re.compile(r" +(?=[ .,?]|$)")  # what an empty alternative leaves behind
_SENTENCE_START = re.compile(r"(?:^|(?<=[.?!] ))[a-z]")


@dataclass(frozen=True, slots=True)
class Style:
    """How much a level varies the text: the chance of each liberty that a writer may take.

    ``words``: numbers in words. ``distractor``: a statement whose numbers are not needed.
    ``shuffle``: facts told in another order. ``condition``: the question first, or facts in an "if".
    ``join``: two facts in one sentence. ``lead``: the question as a sentence before the facts. ``dollars``: "5 dollars"
    for "$5". ``hasty``: everything in capitals or in small letters, or no mark at the end. With ``ordered`` the
    equation takes operands that commute as the text does.
    """

    words: float = 0.0
    distractor: float = 0.0
    shuffle: float = 0.0
    condition: float = 0.0
    join: float = 0.0
    lead: float = 0.0
    dollars: float = 0.0
    hasty: float = 0.0
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class _Mention:
    """A number as written: only ``number`` is it, as in "$" + "5" or "3" + " times"."""

    number: str
    value: Fraction
    kind: Kind
    before: str
    after: str


class _Two:
    """The number word of "the two towns", 甲乙两地: found like any other number, though no equation needs it."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def __str__(self) -> str:
        return str(self._writer.word(2))


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
        self._aside = ""
        self._cents = self.chance(style.words / 2)  # whether prices are written as $5.00
        self.aside_first = False  # whether what follows refers to what stands before it, so that no aside may part them
        self.free = False  # whether the facts may be told in any order
        self.conditional = False  # whether "if" may join the last fact to the question, or the question come first

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

    def person(self, people: Sequence[Person] = ()) -> Person:
        """Somebody who is not yet in the story."""
        people = people or PEOPLE[self.language]
        person = self.pick(people)
        while person in self._people:
            person = self.pick(people)
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
        in_words = value.denominator == 1 and 2 <= value <= 99 and self.chance(self.style.words)
        if in_words and (value <= 12 or self.chance(0.15)):
            return self.word(int(value))
        text = digits(value)
        if value >= 1000 and self.language == "en" and self.chance(self.style.words):
            text = f"{int(value):,}" + text.partition(".")[1] + text.partition(".")[2]
        return self.mention(text, value)

    def digits(self, value: int | Fraction) -> Term:
        """A number that is always written in digits, where words would look odd."""
        value = Fraction(value)
        return self.mention(digits(value), value)

    def word(self, value: int) -> Term:
        """A number that is always written in words."""
        write = english_words if self.language == "en" else chinese_words
        return self.mention(write(value), Fraction(value), "word")

    def times(self, value: int) -> Term:
        """A multiple, with "times" in English: "twice", "3 times"; in Chinese the template has 倍."""
        if self.language == "zh":
            return self.number(value)
        if value == 2 and self.chance(0.7):
            return self.mention("twice", Fraction(2), "word")
        if self.chance(self.style.words):
            return self.mention(english_words(value), Fraction(value), "word", after=" times")
        return self.mention(str(value), Fraction(value), after=" times")

    def percent(self, value: int) -> Term:
        """A percentage: "20%" and 百分之二十 are the number 1/5."""
        text = f"{value}%"
        if self.chance(self.style.words):
            text = f"{value} percent" if self.language == "en" else f"百分之{chinese_numeral(value)}"
        return self.mention(text, Fraction(value, 100), "percent")

    def tenths(self, value: int) -> Term:
        """What remains of a price in Chinese: 八 stands before 折 for 80 %."""
        return self.mention(f"{chinese_numeral(value)}折", Fraction(value, 10), "word")

    def share(self, whole: int, *, part: int = 0) -> Term:
        """So many of ``whole`` equal parts, some if ``part`` is not given: "half", "a third", "3/4", 三分之一."""
        if not part:
            part = self.pick([n for n in range(1, whole) if gcd(n, whole) == 1])
        value = Fraction(part, whole)
        if value == Fraction(1, 2) and self.chance(0.5 + self.style.words):
            if self.language == "en":
                return self.mention("half", value, "word")
            return self.mention("一半", value, "word")
        if self.chance(self.style.words):
            if self.language == "zh" and whole <= 10:
                numerator, denominator = (chinese_numeral(n) for n in (part, whole))
                return self.mention(f"{denominator}分之{numerator}", value, "word")
            if self.language == "en" and whole in SHARES:
                one = "an" if whole == 8 else "a"
                words = f"{one if part == 1 else english_words(part)} {SHARES[whole]}{'s' if part > 1 else ''}"
                return self.mention(words, value, "word")
        return self.mention(f"{part}/{whole}", value, "fraction")

    def money(self, value: int | Fraction) -> Term:
        """An amount of money: "$5", "$2.50"; in Chinese the template has the unit, 元."""
        value = Fraction(value)
        cents = value * 100
        if cents.denominator != 1:
            raise ValueError(f"{value} is not an amount of money")
        if self.language == "zh":
            return self.digits(value)
        if value.denominator == 1 and value > 1 and self.style.dollars and self.chance(self.style.dollars):
            if value <= 12 and self.chance(self.style.words):
                return self.mention(english_words(int(value)), value, "word", after=" dollars")
            return self.mention(str(value), value, after=" dollars")
        if value.denominator == 1 and not self._cents:
            return self.mention(str(value), value, before="$")
        return self.mention(f"{int(value)}.{int(cents) % 100:02d}", value, before="$")

    def bill(self, value: Fraction) -> Term:
        """A bank note, before "bill": "$20", "20-dollar"; in Chinese the template has the unit, 元."""
        if self.language == "en" and self.chance(0.3):
            return self.mention(digits(value), value, after="-dollar")
        return self.mention(digits(value), value, before="$" if self.language == "en" else "")

    def mention(self, number: str, value: Fraction, kind: Kind = "digits", before: str = "", after: str = "") -> Term:
        """A number in a wording of its own, with what stands directly before and after it."""
        mark = chr(_FIRST_MARK + len(self._mentions))
        self._mentions.append(_Mention(number, value, kind, before, after))
        return Term(value, mark)

    def said(self, value: Fraction) -> bool:
        """Whether this very number stands in the text: then it is not worth a question."""
        return any(mention.value == value for mention in self._mentions)

    def half(self) -> Term:
        """Before a unit: "half an hour", 半小时."""
        return self.mention("half" if self.language == "en" else "半", Fraction(1, 2), "word")

    def mixed(self, whole: int, part: int, of: int) -> Term:
        """A mixed number, "1 1/2"; a decimal in Chinese texts and where the style is plain."""
        value = whole + Fraction(part, of)
        if self.language == "en" and self.chance(self.style.words * 2):
            return self.mention(f"{whole} {part}/{of}", value, "fraction")
        return self.digits(value)

    # Sentences.

    def say(self, en: str, zh: str, /, **slots: object) -> str:
        """A sentence of the template in the writer's language; ``{two}`` is a "two" in passing."""
        slots["two"] = _Two(self)
        if self.language == "zh":
            return expand(zh, slots, self.below)
        return _SPARE_SPACE.sub("", expand(en, slots, self.below))

    def fact(self, en: str, zh: str, /, **slots: object) -> None:
        """States a fact, as a clause: no capital at the start, no mark at the end."""
        self._facts.append(self.say(en, zh, **slots))

    def distracts(self) -> bool:
        """Whether the story should state something that the question does not need."""
        return self.chance(self.style.distractor)

    def aside(self, en: str, zh: str, /, **slots: object) -> None:
        """States, where the style asks for it, something that belongs to no place in particular."""
        if not self._aside and self.distracts():
            self.note(en, zh, **slots)

    def note(self, en: str, zh: str, /, **slots: object) -> None:
        """States, in any case, something that belongs to no place in particular; first if ``aside_first`` is set."""
        self._aside = self.say(en, zh, **slots)

    def aside_about(self, who: Person) -> None:
        """An aside about somebody in the story."""
        self.aside(
            "[{who} is {age} years old|{who} has {few} [brothers|sisters|cousins|pets]|{who} is in grade {grade}"
            "|{who} lives {far} [km|miles|blocks] from [school|the station|town]"
            "|{who} [gets up|wakes up] at {grade} o'clock]",
            "[{who}今年{age}岁|{who}有{few}个[表哥|表妹|好朋友]|{who}家离[学校|车站]有{far}千米"
            "|{who}的班上有{class_}名同学|{who}每天早上{grade}点起床]",
            who=who,
            age=self.digits(self.integer(8, 14)),
            few=self.number(self.integer(2, 4)),
            grade=self.digits(self.integer(5, 7)),
            far=self.digits(self.integer(2, 15)),
            class_=self.digits(self.integer(30, 50)),
        )

    def ask(self, en: str, zh: str, answer: Term, /, **slots: object) -> None:
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
            text=self._in_haste(text) if self.style.hasty and self.chance(self.style.hasty) else text,
            numbers=tuple(numbers),
            language=self.language,
            graph=self._answer.graph(index, ordered=self.style.ordered),
            answer=self._answer.value,
            source="synthetic",
        )

    def _in_haste(self, text: str) -> str:
        """The same text, letter for letter, as somebody types who is in a hurry."""
        manner = self.below(3) if self.language == "en" else 2
        if manner == 0:
            return text.upper()
        return text.lower() if manner == 1 else text.rstrip("?？")

    def _arranged(self) -> str:
        """Facts and question as one marked text."""
        facts, question = self._facts, self._question
        if self.free and self.chance(self.style.shuffle):
            facts = self._shuffled(facts)
        conditions: list[str] = []
        if self.conditional and facts and self.chance(self.style.condition):
            taken = len(facts) if len(facts) <= 2 and self.chance(0.5) else 1
            facts, conditions = facts[:-taken], facts[-taken:]
        if self.language == "en":
            if self.conditional and facts and not conditions and self.style.lead and self.chance(self.style.lead):
                return f"{question} {self._in_english(facts[:-1], [], facts[-1])}."
            return self._in_english(facts, conditions, question)
        return self._in_chinese(facts, conditions, question)

    def _in_english(self, facts: list[str], conditions: list[str], question: str) -> str:
        sentences: list[str] = []
        for fact in facts:
            last = sentences[-1] if sentences else ""
            # Joining twice, or joining what is already a list, makes sentences that nobody would write.
            if last and " and " not in last and " and " not in fact and self.chance(self.style.join):
                sentences[-1] = f"{last}, and {self._with_pronoun(fact, last, 1.0)}"
            else:
                sentences.append(self._with_pronoun(fact, last, 0.4))
        sentences = self._with_aside(sentences)
        if conditions:
            condition = " and ".join(conditions)
            if question[-1] == "?" and self.chance(0.5):
                question = f"{question[:-1]} if {condition}?"
            else:
                question = f"if {condition}, {question}"
        return ". ".join([*sentences, question])

    def _in_chinese(self, facts: list[str], conditions: list[str], question: str) -> str:
        told: list[str] = []
        for fact in facts:
            told.append(self._with_pronoun(fact, told[-1] if told else "", 0.4))
        text = ""
        for fact in self._with_aside(told):
            text += fact + ("。" if self.chance(self.style.join / 2) else "，")
        if conditions:
            text += self.pick(("如果", "若", "假如")) + "，".join(conditions) + "，"
        return text + question

    def _with_aside(self, sentences: list[str]) -> list[str]:
        if not self._aside:
            return sentences
        # In Chinese the next clause may leave out its noun, so an aside must not come between.
        places = (0, len(sentences)) if self.language == "zh" else (0, min(1, len(sentences)), len(sentences))
        place = 0 if self.aside_first else self.pick(places)
        return [*sentences[:place], self._aside, *sentences[place:]]

    def _with_pronoun(self, fact: str, last: str, probability: float) -> str:
        """The fact about "he" or "she" where it is about the one person of the story, named just before."""
        if len(self._people) != 1:
            return fact
        who = self._people[0]
        named = fact.startswith(who.name) and (who.name in last or last.startswith(who.he))
        if named and fact[len(who.name)] not in "'的家" and self.chance(probability):
            return who.he + fact[len(who.name) :]
        return fact

    def _shuffled(self, facts: list[str]) -> list[str]:
        remaining, shuffled = list(facts), []
        while remaining:
            shuffled.append(remaining.pop(self.below(len(remaining))))
        return shuffled
