"""The stored runs by data set and encoder, each variant in its best regime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from treequation.experiments.run_store import STORE, StoredRun, StoredTestSet, read_store


class RunGroup(NamedTuple):
    """The runs on one data set with one encoder, by variant."""

    data: str
    encoder: str
    test_set: StoredTestSet
    chosen: Mapping[str, Sequence[StoredRun]]

    @property
    def title(self) -> str:
        """The beginning of the titles of its tables."""
        return f"{self.data}, {self.encoder}"


def run_groups(results: Path) -> list[RunGroup]:
    """The groups of all runs that are stored in a folder of results."""
    return [
        RunGroup(data, encoder, test_set, best_regimes([run for run in runs if run.encoder == encoder]))
        for data, (test_set, runs) in read_store(results / STORE).items()
        for encoder in sorted({run.encoder for run in runs})
    ]


def best_regimes(runs: Sequence[StoredRun]) -> dict[str, list[StoredRun]]:
    """The runs of each variant in its best regime, chosen on dev over the seeds that all its regimes have."""
    grouped: dict[str, dict[str, list[StoredRun]]] = {}
    for run in runs:
        grouped.setdefault(run.variant, {}).setdefault(run.regime, []).append(run)
    chosen = {}
    for variant, regimes in grouped.items():
        shared = set.intersection(*({run.seed for run in each} for each in regimes.values()))
        best = max(regimes.values(), key=partial(_dev, seeds=shared))
        chosen[variant] = sorted(best, key=lambda run: run.seed)
    return chosen


def _dev(runs: Sequence[StoredRun], seeds: set[int]) -> float:
    """The mean accuracy on dev over these seeds, or over all seeds if there are none."""
    return fmean(run.best_dev or 0.0 for run in runs if run.seed in seeds or not seeds)
