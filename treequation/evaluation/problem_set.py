"""The problems that a model is tested on, read in the number format that the model knows.

The model's configuration gives that format; fields that it leaves out are those of the data set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treequation.data import jsonl
from treequation.data.catalogue import MissingDataError, data_set, has_folds, load
from treequation.data.reading import Code, Reading
from treequation.evaluation.scoring import can_be_scored
from treequation.text.problem import Problem


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """Problems to solve, and the name of their data set.

    ``training_texts`` are the masked texts (:attr:`Problem.masked_text`) of the model's training problems, empty if
    they are not known. ``unreadable`` counts the rows that cannot be read or have no known answer.
    """

    name: str
    problems: tuple[Problem, ...]
    unreadable: int = 0
    training_texts: frozenset[str] = frozenset()

    @property
    def given(self) -> list[Problem]:
        """The problems that the model can be given; the others are in the data set's own format."""
        return [problem for problem in self.problems if not problem.refused]

    def seen(self, problem: Problem) -> bool | None:
        """Whether the text, numbers aside, is a training text; None if these are not known."""
        return problem.masked_text in self.training_texts if self.training_texts else None


def problem_set(source: str, number_format: Mapping[str, Any], *, fold: int | None = None) -> ProblemSet:
    """The problems of ``source``: ``NAME:split``, ``NAME`` for its test split, or a ``.jsonl`` file."""
    reading = read_source(source, number_format, fold=fold, split="test")
    refusals = {finding.row: finding.message for finding in reading.findings if finding.code is Code.OTHER_FORMAT}
    rows = dict(zip(reading.row_of, reading.problems, strict=True))
    if refusals:
        own = read_source(source, {}, fold=fold, split="test")
        there = dict(zip(own.row_of, own.problems, strict=True))
        rows |= {row: replace(there[row], refused=reason) for row, reason in refusals.items() if row in there}
    problems = tuple(rows[row] for row in sorted(rows) if can_be_scored(rows[row]))
    return ProblemSet(source_name(source), problems, reading.rows - len(problems))


def source_name(source: str) -> str:
    """The name of the data set, or of the file without its ending; it can be part of a file's name.

    >>> source_name("mathqa:test"), source_name("written/families:test"), source_name("mine/problems.jsonl")
    ('mathqa', 'written-families', 'problems')
    """
    return Path(source).stem if source.endswith(".jsonl") else source.partition(":")[0].replace("/", "-")


def training_texts(
    sources: Iterable[str], number_format: Mapping[str, Any], *, fold: int | None = None
) -> frozenset[str]:
    """The masked texts that a model was trained on; empty if any source is not on this machine."""
    texts: set[str] = set()
    for source in sources:
        try:
            own_fold = fold if has_folds(source) else None
            reading = read_source(source, number_format, fold=own_fold, split="train")
        except MissingDataError:
            return frozenset()
        texts.update(problem.masked_text for problem in reading.problems)
    return frozenset(texts)


def read_source(source: str, number_format: Mapping[str, Any], *, fold: int | None, split: str) -> Reading:
    """Reads a source; ``split`` is the default if it names none.

    ``number_format`` has the fields of the number format that differ from the data set's own.
    """
    if source.endswith(".jsonl"):
        name, own = source, jsonl.FORMAT
    else:
        name, _, named = source.partition(":")
        own = data_set(name).format
        split = named or split
    return load(name, split, fold=fold, format=replace(own, **number_format) if number_format else None)
