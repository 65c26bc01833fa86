"""Who and what the stories are about: people and things in both languages, from ``sentences/vocabulary.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from treequation.text.problem import Language

SENTENCES = Path(__file__).parent / "sentences"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a story; ``str()`` is the name."""

    name: str
    he: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that is counted: the English forms, the Chinese noun and its measure word."""

    one: str
    many: str
    zh: str
    unit: str

    @property
    def a(self) -> str:
        """With the indefinite article.

        >>> Thing("apple", "apples", "苹果", "个").a
        'an apple'
        """
        return ("an " if self.one[0] in "aeiou" else "a ") + self.one


_WORDS = tomllib.loads((SENTENCES / "vocabulary.toml").read_text(encoding="utf-8"))

PEOPLE: Mapping[Language, Sequence[Person]] = {
    language: [Person(name, he) for he, names in _WORDS["people"][language].items() for name in names.split()]
    for language in ("en", "zh")
}
#: What a person can have several of, and what costs enough for a discount to matter.
THINGS, DEAR_THINGS = ([Thing(*row) for row in _WORDS[key]] for key in ("things", "dear_things"))
