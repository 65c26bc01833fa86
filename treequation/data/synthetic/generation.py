"""Draws stories at random and turns them into problems."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Literal, get_args

from treequation.data.synthetic.stories import Story, read_stories
from treequation.data.synthetic.writing import NotSensible, Style, Teller
from treequation.text.problem import Language, Problem

Level = Literal["easy", "medium", "hard"]

_STYLES: dict[Level, Style] = {
    "easy": Style(),
    "medium": Style(condition=0.1),
    "hard": Style(words=0.2, aside=0.3, shuffle=0.5, condition=0.4, unused=True),
}


def generate(
    count: int, *, seed: int = 0, level: Level = "easy", language: Language | Literal["both"] = "both"
) -> list[Problem]:
    """``count`` problems. The same arguments give the same problems on every machine, and a larger count adds to them.

    ``easy`` has a few stories in one wording each, ``medium`` many in many wordings, and ``hard`` the same with numbers
    in words, facts that the question does not need, and facts in another order.

    >>> for problem in generate(2, seed=3, language="en"):
    ...     assert problem.answer > 0
    """
    if level not in _STYLES:
        raise ValueError(f"there is no level {level!r}; the levels are {', '.join(_STYLES)}")
    if language not in ("both", *get_args(Language)):
        raise ValueError(f'there is no language {language!r}; choose "en", "zh" or "both"')
    random = Random(f"{seed} {level} {language}")  # a string seeds the same sequence on every machine
    stories = read_stories("easy.toml" if level == "easy" else "varied.toml")
    problems: list[Problem] = []
    while len(problems) < count:
        story = stories[int(random.random() * len(stories))]
        here: Language = ("en" if random.random() < 0.5 else "zh") if language == "both" else language
        problems.append(_told(story, random, here, level, f"synthetic-{level}-{seed}-{len(problems)}"))
    return problems


def _told(story: Story, random: Random, language: Language, level: Level, id: str) -> Problem:
    """Draws numbers for the story until they fit; drawing another story instead would favour the easy ones."""
    while True:
        with suppress(NotSensible):
            return Teller(random, language, _STYLES[level]).tell(story, id)
