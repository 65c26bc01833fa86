"""Tells one story as a problem: draws people, things and numbers, and computes as it goes.

Each drawn number gets a mark, a private-use character that stands for it until the text is put together. So sentences
can be arranged freely, and the order and positions of the numbers follow from the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Literal, NamedTuple, TypeVar

from treequation.data.synthetic.numerals import chinese_words, english_words
from treequation.data.synthetic.stories import Clause, Story, read_asides, read_formula, written_numbers
from treequation.data.synthetic.templates import expand
from treequation.data.synthetic.vocabulary import DEAR_THINGS, PEOPLE, THINGS, Person, Thing
from treequation.expression.evaluation import Value, calculate
from treequation.expression.graph import Constant, GraphBuilder, Number, Operand, Operator
from treequation.expression.layers import layers
from treequation.text.problem import FoundNumber, Language, Problem

T = TypeVar("T")

_FIRST_MARK = 0xE000  # the start of Unicode's private-use area: no story contains such characters
_MARK = re.compile("[\ue000-\uf8ff]")
_SENTENCE_START = re.compile(r"(?:^|(?<=[.?!] ))[a-z]")
_LARGEST = 20_000  # a chain of "times as many" soon exceeds what anybody could have
_MAX_LAYERS, _MAX_WIDTH = 8, 6  # what the paper's decoder can express: layers, and expressions per layer
_KNOWN = ("last", "old", "older")  # roles of people who already have something
_OF_ONE_CLAUSE = ("new", "item", *_KNOWN)  # slots that every clause fills afresh
_EVERYBODY = "everybody"  # in a formula: what all people of the story have together


class NotSensible(Exception):
    """The story makes no sense with the numbers drawn: draw again."""


@dataclass(frozen=True)
class Style:
    """How much a level varies the text: the probability of each variation.

    ``words``: a number in words. ``aside``: a statement that the question does not need. ``shuffle``: facts in another
    order. ``condition``: the last fact in an "if". Unless ``unused``, the equation needs every number of the text.
    """

    words: float = 0.0
    aside: float = 0.0
    shuffle: float = 0.0
    condition: float = 0.0
    unused: bool = False


class _Written(NamedTuple):
    text: str
    value: Fraction
    kind: Literal["digits", "percent", "fraction", "word"]


class _Quantity(NamedTuple):
    """A value and the operand of the story's graph that computes it."""

    operand: Operand
    value: Fraction


class Teller:
    """Tells one story.

    >>> from treequation.data.synthetic.stories import read_stories
    >>> boxes = read_stories("easy.toml")[1]
    >>> Teller(Random(5), "en", Style()).tell(boxes, "example").text
    'There are 8 boxes with 12 pens in each box. How many pens are there now?'
    """

    def __init__(self, random: Random, language: Language, style: Style) -> None:
        self._random = random.random  # only random() gives the same sequence in every version of Python
        self._language: Language = language
        self._style = style
        self._builder = GraphBuilder()
        self._numbers: list[_Written] = []
        self._marks: dict[str, str] = {}  # the numbers of the clause that is being told
        self._cast: dict[str, Person | Thing] = {}
        self._met: set[Person | Thing] = set()
        self._owners: list[str] = []  # people who have something, in the order of the story
        self._quantities: dict[str, _Quantity] = {}

    def tell(self, story: Story, id: str) -> Problem:
        """The story as a problem; raises :class:`NotSensible` where its numbers do not fit each other."""
        facts = []
        for name in story.order:
            if name[-1] != "?" or self._chance(0.5):
                facts.append(self._state(self._pick(story.parts[name.rstrip("?")]), story))
        ask = self._pick(story.parts["ask"])
        question = self._state(ask, story)
        answer = self._sensible(self._compute(ask.answer), story)
        if story.free and self._chance(self._style.shuffle):
            facts = self._shuffled(facts)
        condition = facts.pop() if self._chance(self._style.condition) else ""
        if self._chance(self._style.aside):
            aside = self._state(self._pick(read_asides()), story)
            facts.insert(0 if self._chance(0.5) else len(facts), aside)
        return self._problem(id, self._arranged(facts, condition, question), answer)

    # Draws.

    def _below(self, n: int) -> int:
        return int(self._random() * n)

    def _chance(self, probability: float) -> bool:
        return self._random() < probability

    def _pick(self, options: Sequence[T]) -> T:
        return options[self._below(len(options))]

    def _shuffled(self, options: Sequence[T]) -> list[T]:
        remaining = list(options)
        return [remaining.pop(self._below(len(remaining))) for _ in options]

    # Clauses.

    def _state(self, clause: Clause, story: Story) -> str:
        """The clause with marks for its numbers; later clauses can refer to the quantities that it sets."""
        for slot in _OF_ONE_CLAUSE:
            self._cast.pop(slot, None)
        self._marks = {name: self._draw(numbers) for name, numbers in clause.draw.items()}
        text = expand(getattr(clause, self._language), self._fill, self._below)
        for name, formula in clause.set.items():
            self._quantities[self._key(name)] = self._sensible(self._compute(formula), story)
            if isinstance(self._cast.get(name), Person):
                self._owners.append(self._key(name))
        return text

    def _draw(self, numbers: str | Sequence[str]) -> str:
        """Draws a number, writes it in digits or in words, and returns its mark."""
        text = self._pick(written_numbers(numbers) if isinstance(numbers, str) else numbers)
        if text[-1] == "%":
            written = _Written(text, Fraction(text[:-1]) / 100, "percent")
        else:
            written = _Written(text, Fraction(text), "fraction" if "/" in text else "digits")
        # Large numbers are seldom written in words.
        likely = self._style.words if written.value <= 12 else self._style.words / 6
        if text.isdigit() and 2 <= written.value < 100 and self._chance(likely):
            in_words = english_words if self._language == "en" else chinese_words
            written = _Written(in_words(int(text)), written.value, "word")
        self._numbers.append(written)
        return chr(_FIRST_MARK + len(self._numbers) - 1)

    def _fill(self, slot: str) -> object:
        """The content of a slot: a number's mark, or the person or thing that plays this role."""
        if slot in self._marks:
            return self._marks[slot]
        if slot not in self._cast:
            self._cast[slot] = self._choose(slot)
        return self._cast[slot]

    def _choose(self, role: str) -> Person | Thing:
        """``last`` is whoever got something last, ``old`` and ``older`` others who have some; other roles are new."""
        if role in _KNOWN:
            taken = [str(self._cast[other]) for other in _KNOWN if other in self._cast]
            names = [name for name in (self._owners[-1:] if role == "last" else self._owners) if name not in taken]
            if not names:
                raise NotSensible
            name = self._pick(names)
            return next(person for person in PEOPLE[self._language] if person.name == name)
        options: Sequence[Person | Thing] = PEOPLE[self._language]
        if role in ("thing", "item"):
            options = THINGS
        elif role == "dear":
            options = DEAR_THINGS
        chosen = self._pick(options)
        while chosen in self._met:
            chosen = self._pick(options)
        self._met.add(chosen)
        return chosen

    # Quantities.

    def _key(self, name: str) -> str:
        """What a person has is stored under the person's name."""
        player = self._cast.get(name)
        return player.name if isinstance(player, Person) else name

    def _quantity(self, name: str) -> _Quantity:
        if name in self._marks:
            index = ord(self._marks[name]) - _FIRST_MARK
            return _Quantity(Number(index), self._numbers[index].value)
        if name == _EVERYBODY:
            first, *others = (self._quantities[owner] for owner in self._owners)
            for other in others:
                first = self._step(Operator.ADD, first, other)
            return first
        return self._quantities[self._key(name)]

    def _step(self, operator: Operator, left: _Quantity, right: _Quantity) -> _Quantity:
        value = calculate(operator, Value(left.value), Value(right.value)).number
        if not isinstance(value, Fraction):
            raise NotSensible
        return _Quantity(self._builder.add(operator, left.operand, right.operand), value)

    def _compute(self, formula: str) -> _Quantity:
        graph, names = read_formula(formula)
        known = [self._quantity(name) for name in names]
        return graph.fold(
            lambda leaf: _Quantity(leaf, leaf.value) if isinstance(leaf, Constant) else known[leaf.index],
            lambda step, left, right: self._step(step.operator, left, right),
        )

    def _sensible(self, quantity: _Quantity, story: Story) -> _Quantity:
        parts = 1 if story.whole else 100
        if not 0 < quantity.value <= _LARGEST or parts % quantity.value.denominator:
            raise NotSensible
        return quantity

    # The text.

    def _arranged(self, facts: Sequence[str], condition: str, question: str) -> str:
        """Facts and question as one marked text."""
        if self._language == "zh":
            given = f"{self._pick(('如果', '若', '假如'))}{condition}，" if condition else ""
            return "".join(f"{fact}，" for fact in facts) + given + question
        if condition and self._chance(0.5):
            question = f"{question[:-1]} if {condition}?"
        elif condition:
            question = f"if {condition}, {question}"
        return ". ".join([*facts, question])

    def _problem(self, id: str, marked: str, answer: _Quantity) -> Problem:
        """The problem, with the numbers in the order of the text."""
        if sorted(_MARK.findall(marked)) != [chr(_FIRST_MARK + index) for index in range(len(self._numbers))]:
            raise ValueError(f"a number is missing or written twice in {marked!r}")
        text, end = "", 0
        found: list[FoundNumber] = []
        places: dict[int, Number] = {}
        for match in _MARK.finditer(marked):
            index = ord(match[0]) - _FIRST_MARK
            number = self._numbers[index]
            text += marked[end : match.start()]
            places[index] = Number(len(found))
            found.append(FoundNumber(number.value, len(text), len(text) + len(number.text), number.kind))
            text, end = text + number.text, match.end()
        text += marked[end:]
        if self._language == "en":
            text = _SENTENCE_START.sub(lambda letter: letter[0].upper(), text)
        graph = self._builder.graph(answer.operand).replace_leaves(
            lambda builder, leaf: places[leaf.index] if isinstance(leaf, Number) else leaf
        )
        used = sum(isinstance(leaf, Number) for leaf in graph.leaves)
        by_layer = layers(graph)
        too_large = len(by_layer) > _MAX_LAYERS or max(map(len, by_layer), default=0) > _MAX_WIDTH
        if too_large or (used < len(found) and not self._style.unused):
            raise NotSensible
        return Problem(id, text, tuple(found), self._language, graph=graph, answer=answer.value)
