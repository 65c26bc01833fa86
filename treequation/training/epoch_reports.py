"""The progress of a run: ``metrics.jsonl`` in the run folder has one line per epoch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from treequation.storage import written_whole


@dataclass(frozen=True, slots=True)
class EpochReport:
    """The figures of one epoch, for the progress display and ``metrics.jsonl``."""

    epoch: int
    epochs: int
    loss: float
    problems_per_second: float
    seconds: float  # since this process started to train
    dev: Mapping[str, float | None] | None  # None if there was no evaluation after this epoch
    test: Mapping[str, float | None] | None  # None unless the recipe sets data.watch_test
    best_dev: float  # so far; −1 if there is none yet
    best_epoch: int

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return asdict(self)


def add_report(path: Path, report: EpochReport) -> None:
    """Appends a line to the metrics."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(report.to_dict()) + "\n")


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
    kept = [report for report in read_reports(path) if report.epoch <= epoch]
    with written_whole(path) as aside:
        aside.write_text("".join(json.dumps(report.to_dict()) + "\n" for report in kept), encoding="utf-8")
