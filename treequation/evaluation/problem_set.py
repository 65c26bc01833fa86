"""The problems that a model is tested on, read in the number format that the model knows.

The model's configuration gives that format; fields that it leaves out are those of the data set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from treequation.data import jsonl
from treequation.data.catalogue import MissingDataError, data_set, has_folds, load
from treequation.data.reading import Code, Reading
from treequation.evaluation.scoring import can_be_scored
from treequation.text.problem import Problem


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """The problems of a split.

    ``refused`` maps the indices of problems whose equation cannot be written in the model's number format to the
    reasons: these problems are kept in the data set's own format, and count as wrong. ``unreadable`` counts the rows
    that cannot be read or have no known answer.
    """

    problems: tuple[Problem, ...]
    refused: Mapping[int, str]
    unreadable: int


def problem_set(source: str, number_format: Mapping[str, Any], *, fold: int | None = None) -> ProblemSet:
    """The problems of ``source``: ``NAME:split``, ``NAME`` for its test split, or a ``.jsonl`` file."""
    reading = read_source(source, number_format, fold=fold, split="test")
    refusals = {finding.row: finding.message for finding in reading.findings if finding.code is Code.OTHER_FORMAT}
    rows = dict(zip(reading.row_of, reading.problems, strict=True))
    if refusals:
        own = read_source(source, {}, fold=fold, split="test")
        rows |= {row: problem for row, problem in zip(own.row_of, own.problems, strict=True) if row in refusals}
    order = sorted(row for row, problem in rows.items() if can_be_scored(problem))
    return ProblemSet(
        tuple(rows[row] for row in order),
        {place: refusals[row] for place, row in enumerate(order) if row in refusals},
        reading.rows - len(order),
    )


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
