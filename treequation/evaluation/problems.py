"""The problems that a model is tested on, read in the number format that the model knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from treequation.data.catalogue import MissingDataError, data_set, load
from treequation.data.reading import Code, Reading
from treequation.model import TreequationConfig
from treequation.text.problem import NumberFormat, Problem


@dataclass(frozen=True, slots=True)
class Examination:
    """The problems of a split.

    ``refused`` has the places of problems whose equation cannot be written in the model's number format: they stand
    here in the data set's own, and count as wrong. ``unreadable`` counts the rows that no model could be asked.
    """

    problems: tuple[Problem, ...]
    refused: Mapping[int, str]
    unreadable: int


def examination(source: str, config: TreequationConfig, *, fold: int | None = None) -> Examination:
    """The problems of ``source``: ``NAME:split``, ``NAME`` for its test split, or a ``.jsonl`` file."""
    reading = read_source(source, config, fold=fold, split="test")
    refusals = {finding.row: finding.message for finding in reading.findings if finding.code is Code.OTHER_FORMAT}
    rows = dict(zip(reading.row_of, reading.problems, strict=True))
    if refusals:
        own = read_source(source, None, fold=fold, split="test")
        rows |= {row: problem for row, problem in zip(own.row_of, own.problems, strict=True) if row in refusals}
    order = sorted(rows)
    return Examination(
        tuple(rows[row] for row in order),
        {place: refusals[row] for place, row in enumerate(order) if row in refusals},
        reading.rows - len(order),
    )


def training_texts(config: TreequationConfig, *, fold: int | None = None) -> frozenset[str]:
    """The masked texts of what the model was trained on; none where its data are not known or not on this machine."""
    try:
        return frozenset(_texts(config, fold))
    except MissingDataError:
        return frozenset()


def _texts(config: TreequationConfig, fold: int | None) -> Iterable[str]:
    for source in config.trained_on:
        for problem in read_source(source, config, fold=fold, split="train").problems:
            yield problem.masked_text


def read_source(source: str, config: TreequationConfig | None, *, fold: int | None, split: str) -> Reading:
    """A data set's split (``split`` if the source names none) in the model's number format, or in the data set's own.

    What the model's format leaves open is as in the data set. ``fold`` is for the sources that have folds.
    """
    name, split_named = (source, "") if source.endswith(".jsonl") else source.partition(":")[::2]
    own = NumberFormat()
    if not source.endswith(".jsonl"):
        chosen = data_set(name)
        own = chosen.format
        part = chosen.splits.get(split_named or split)
        fold = fold if part is not None and part.folded else None
    format = None if config is None or not config.number_format else replace(own, **config.number_format)
    return load(name, split_named or split, fold=fold, format=format)
