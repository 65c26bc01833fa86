"""The progress of a run: ``metrics.jsonl`` in the run folder has one line per epoch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from treequation.storage import write_json_lines

SELECTION_SCORE = "literature_accuracy"
"""The score on dev that chooses the best epoch."""


@dataclass(frozen=True, slots=True)
class EpochReport:
    """The figures of one epoch, for the progress display and ``metrics.jsonl``."""

    epoch: int
    epochs: int
    loss: float
    problems_per_second: float
    seconds: float  # of the whole run so far, evaluation included
    dev: Mapping[str, float | None] | None  # None if there was no evaluation after this epoch
    test: Mapping[str, float | None] | None  # None unless the recipe sets data.watch_test
    best_dev: float  # so far; −1 if there is none yet
    best_epoch: int


def add_report(path: Path, report: EpochReport) -> None:
    """Appends a line to the metrics."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(report)) + "\n")


def read_reports(path: Path) -> list[EpochReport]:
    """The epochs in the metrics; skips a last line that was cut short when the process was killed."""
    reports = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            reports.append(EpochReport(**json.loads(line)))
        except ValueError:
            continue
    return reports


def forget_later(path: Path, epoch: int) -> None:
    """Drops the lines of epochs after ``epoch``, which will be trained again."""
    write_json_lines(path, [asdict(report) for report in read_reports(path) if report.epoch <= epoch])
