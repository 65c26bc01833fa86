"""Draws scenarios until as many problems are written as were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Literal

from treequation.data.synthetic.scenarios import EASY, VARIED, Scenario
from treequation.data.synthetic.stories import EVERYDAY
from treequation.data.synthetic.writing import Style, Writer
from treequation.expression.layers import layers
from treequation.text.problem import Language, Problem

Level = Literal["easy", "medium", "hard", "everyday"]

_STYLES = {
    "easy": Style(),
    "medium": Style(condition=0.1, join=0.2),
    "hard": Style(words=0.2, distractor=0.3, shuffle=0.5, condition=0.4, join=0.3),
    "everyday": Style(
        words=0.15,
        distractor=0.25,
        shuffle=0.5,
        condition=0.2,
        join=0.25,
        lead=0.15,
        dollars=0.2,
        hasty=0.1,
        ordered=True,
    ),
}
_SCENARIOS: dict[str, Sequence[Scenario]] = {"easy": EASY, "medium": VARIED, "hard": VARIED, "everyday": EVERYDAY}


def stream(
    *,
    seed: int = 0,
    level: Level = "easy",
    language: Language | Literal["both"] = "both",
    max_depth: int = 8,
    max_width: int = 6,
) -> Iterator[Problem]:
    """An endless stream of problems, the same for the same arguments on every machine.

    ``easy`` has a few stories in one wording each, ``medium`` many in many wordings, ``hard`` the same with number
    words and distractors, and ``everyday`` short questions as people type them.

    ``max_depth`` bounds the layers of a problem's graph, ``max_width`` the expressions in one layer.

    >>> next(stream(seed=1, language="en")).language
    'en'
    """
    if level not in _STYLES:
        raise ValueError(f"there is no level {level!r}; the levels are {', '.join(_STYLES)}")
    if language not in ("en", "zh", "both"):
        raise ValueError(f'there is no language {language!r}; choose "en", "zh" or "both"')
    if max_depth < 1 or max_width < 1:
        raise ValueError("max_depth and max_width must be at least 1")
    return _stream(seed, level, language, max_depth, max_width)


def _stream(
    seed: int, level: Level, language: Language | Literal["both"], max_depth: int, max_width: int
) -> Iterator[Problem]:
    random = Random(f"{seed} {level} {language}")  # a string is hashed in the same way on every machine
    style, scenarios = _STYLES[level], _SCENARIOS[level]
    count = 0
    while True:
        here: Language = ("en" if random.random() < 0.5 else "zh") if language == "both" else language
        writer = Writer(random, here, style)
        writer.pick(scenarios)(writer)
        problem = writer.problem(f"synthetic-{level}-{seed}-{count}")
        assert problem.graph is not None
        by_layer = layers(problem.graph)
        if len(by_layer) <= max_depth and max(map(len, by_layer), default=0) <= max_width:
            count += 1
            yield problem


def generate(
    count: int,
    *,
    seed: int = 0,
    level: Level = "easy",
    language: Language | Literal["both"] = "both",
    max_depth: int = 8,
    max_width: int = 6,
) -> list[Problem]:
    """The first ``count`` problems of :func:`stream`.

    >>> for problem in generate(2, seed=3, language="en"):
    ...     assert problem.answer > 0
    """
    problems = stream(seed=seed, level=level, language=language, max_depth=max_depth, max_width=max_width)
    return list(islice(problems, count))
