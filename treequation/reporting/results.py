"""The project's official results: ``results/results.json`` has one row per result, and pages are made from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date as day
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from treequation.errors import TreequationError
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.summary import Summary, mean_and_std
from treequation.experiments import paper
from treequation.records import STRICT, Count, Share, checked
from treequation.reporting.tables import Table, percent, spread
from treequation.storage import write_json

PROTOCOLS = {
    "test": "the test split; the epoch was chosen on dev",
    "test, best epoch": "the test split; the epoch was chosen on the test split itself, as much of the literature does",
    "folds": "five folds, each tested once; the epoch was chosen on a part of the training folds",
    "folds, best epoch": "five folds, each tested once; the epoch was chosen on the test fold, as the literature does",
}
"""The protocols of results; the first and the third are strict."""
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A result. Accuracies are shares by the literature's score, averaged over the runs."""

    __pydantic_config__ = STRICT

    data: Text
    protocol: Literal["test", "test, best epoch", "folds", "folds, best epoch"]
    model: Text
    variant: Text
    encoder: Text
    encoder_parameters: int
    accuracy: Share
    std: Share | None
    runs: Count
    unseen_accuracy: Share | None
    command: Text
    date: str
    device: Text
    note: str = ""

    def __post_init__(self) -> None:
        if (self.std is None) != (self.runs == 1):
            raise ValueError(f"std is {self.std} for {self.runs} runs; it needs two runs or more")
        try:
            day.fromisoformat(self.date[:10])
        except ValueError as error:
            raise ValueError(f"date is {self.date!r}; write it as 2025-01-31") from error

    @property
    def key(self) -> tuple[str, ...]:
        """Identifies the result: a new row with the same key replaces the old one."""
        return (self.data, self.protocol, self.model, self.variant, self.encoder)

    @classmethod
    def of(cls, runs: Sequence[Sequence[Outcome]], **about: Any) -> Row:
        """A row from the outcomes of one or more runs; ``about`` has all other fields."""
        accuracies = [Summary.of(outcomes).literature_accuracy for outcomes in runs]
        unseen = [[outcome for outcome in outcomes if outcome.seen is False] for outcomes in runs]
        mean, std = mean_and_std(accuracies)
        return cls(
            accuracy=mean,
            std=std,
            runs=len(accuracies),
            unseen_accuracy=fmean(Summary.of(u).literature_accuracy for u in unseen) if all(unseen) else None,
            **about,
        )


_BEST_PUBLISHED = 5  # of the paper's rows for a data set and protocol


def read_rows(path: Path) -> list[Row]:
    """The rows of a file, each checked; none if there is no file."""
    if not path.exists():
        return []
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TreequationError(f"{path} is not JSON: {error}") from error
    if not isinstance(found, list):
        raise TreequationError(f"{path} must be a list of objects, one per result")
    return [checked(Row, row, f"{path}, row {number}", TreequationError) for number, row in enumerate(found, 1)]


def add_rows(path: Path, rows: Iterable[Row]) -> list[Row]:
    """Adds rows to a file, each replacing the row with the same key; returns all rows."""
    known = {row.key: row for row in read_rows(path)} | {row.key: row for row in rows}
    ordered = [known[key] for key in sorted(known)]
    write_json(path, [asdict(row) for row in ordered])
    return ordered


def tables(rows: Sequence[Row]) -> list[Table]:
    """A table for each data set and protocol, ours above the paper's; then how ours were measured."""
    found = []
    for data, protocol in sorted({(row.data, row.protocol) for row in rows}):
        ours = [row for row in rows if (row.data, row.protocol) == (data, protocol)]
        theirs = paper.RESULTS.get((data, protocol.partition(",")[0]), ())
        found.append(
            Table.of(
                f"{data}: {PROTOCOLS[protocol]}",
                ["model", "encoder", "encoder weights", "accuracy %", "runs", "unseen text %"],
                [_ours(row) for row in ours] + [_theirs(row) for row in _best(theirs)],
            )
        )
    if rows:
        columns = ["result", "command", "date", "device"]
        found.append(Table.of("How each result was measured", columns, [_made(row) for row in rows]))
    return found


def brief_tables(rows: Sequence[Row]) -> list[Table]:
    """Short tables for a page: for each data set, ours and the best published ones; then all rows of the paper.

    How a row was measured is in the file of results and in the report, which has :func:`tables`.
    """
    found = []
    for data in sorted({row.data for row in rows}):
        lines = []
        for protocol in (protocol for protocol in PROTOCOLS if any(row.key[:2] == (data, protocol) for row in rows)):
            ours = sorted((row for row in rows if row.key[:2] == (data, protocol)), key=lambda row: -row.accuracy)
            lines += [[protocol, *_ours(row)] for row in ours]
            theirs = paper.RESULTS.get((data, protocol), ())  # only strict protocols have any, so each appears once
            lines += [[protocol, *_theirs(row)] for row in _best(theirs)[:_BEST_PUBLISHED]]
        columns = ["protocol", "model", "encoder", "encoder weights", "accuracy %", "runs", "unseen text %"]
        found.append(Table.of(data, columns, lines))
    return [*found, _published()] if rows else []


def _published() -> Table:
    """All of the paper's rows: one row per model, one column per data set and protocol."""
    known = {key: {row.model: _theirs(row)[3] for row in theirs} for key, theirs in paper.RESULTS.items()}
    models = dict.fromkeys(row.model for theirs in paper.RESULTS.values() for row in theirs)
    return Table.of(
        f"All figures of the paper's tables, accuracy % ({paper.CITATION})",
        ["model", *(f"{data}, {protocol}" for data, protocol in known)],
        [[model, *(column.get(model, "") for column in known.values())] for model in models],
    )


def _best(published: Sequence[paper.Published]) -> list[paper.Published]:
    return sorted(published, key=lambda row: -row.accuracy)


def _ours(row: Row) -> list[str]:
    return [
        f"ours: {row.model}, {row.variant}",
        row.encoder,
        f"{row.encoder_parameters / 1e6:.1f} M",
        spread(row.accuracy, row.std),
        str(row.runs),
        percent(row.unseen_accuracy),
    ]


def _theirs(row: paper.Published) -> list[str]:
    accuracy = f"{row.accuracy:.1f}" if row.std is None else f"{row.accuracy:.1f} ± {row.std:.2f}"
    return [f"paper: {row.model}", "", "", accuracy, "", ""]


def _made(row: Row) -> list[str]:
    name = f"{row.data}, {row.protocol}: {row.model}, {row.variant}, {row.encoder}"
    return [f"{name} ({row.note})" if row.note else name, row.command, row.date[:10], row.device]
