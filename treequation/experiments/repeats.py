"""Trains one recipe several times, over folds or seeds, and summarises the runs.

Each run is its own process (``treequation train … --resume``), so that several can share a device, a failure stops no
other run, and an interrupted run resumes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treequation.data.catalogue import FOLDS, has_folds
from treequation.errors import TreequationError
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.summary import SCORES, Summary, mean_and_std
from treequation.experiments.voting import vote
from treequation.storage import write_json
from treequation.training.epoch_reports import read_reports
from treequation.training.loop import METRICS, RESULT, read_record
from treequation.training.recipe import Recipe, read_recipe, same_recipe
from treequation.training.sources import split_count

SUMMARY = "summary.json"
STDERR = 2
DEV_PART = 0.1  # share of the training problems used as dev if the recipe names none


@dataclass(frozen=True, slots=True)
class Repeat:
    """One of the runs: its name, which is also its folder's, and its changes to the recipe."""

    name: str
    changes: tuple[str, ...]


def folds_of(recipe: Recipe, count: int = FOLDS) -> list[Repeat]:
    """A run for each fold: the data set's own folds, or else all of the recipe's problems split into ``count``.

    The best epoch is chosen on a part of the training problems; the test fold is also scored after each evaluation, for
    the literature's protocol.
    """
    data = recipe.data
    changes = ["data.watch_test=true"]
    sources = (*data.train, *data.dev, *data.test)
    if any(has_folds(split_count(source)[0]) for source in sources):
        if count != FOLDS:
            raise TreequationError(f"the data set of {recipe.name} comes in {FOLDS} folds, not in {count}")
        if not data.dev and not data.dev_part:
            changes.append(f"data.dev_part={DEV_PART}")
    else:
        changes += [f"data.pool={json.dumps(data.pool or sources)}", f"data.folds={count}"]
        changes += [f"data.dev_part={data.dev_part or DEV_PART}"]
        changes += ["data.train=[]", "data.dev=[]", "data.test=[]"]
    return [Repeat(f"fold-{fold}", (*changes, f"data.fold={fold}")) for fold in range(count)]


def seeds_of(recipe: Recipe, count: int) -> list[Repeat]:
    """A run for each seed, from the recipe's own upwards."""
    seeds = range(recipe.training.seed, recipe.training.seed + count)
    return [Repeat(f"seed-{seed}", ("data.watch_test=true", f"training.seed={seed}")) for seed in seeds]


def run_all(
    repeats: Sequence[Repeat],
    recipe: Path,
    changes: Sequence[str],
    folder: Path,
    *,
    parallel: int = 1,
    device: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> dict[str, str]:
    """Trains the unfinished runs, ``parallel`` at a time; returns the failures, a reason by the run's name.

    If several run at a time, the output of each goes to a file beside its folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting = unfinished(repeats, recipe, changes, folder, report)
    failures: dict[str, str] = {}
    running: list[subprocess.Popen[bytes]] = []

    def run(repeat: Repeat) -> str | None:
        command = [sys.executable, "-m", "treequation", "train", str(recipe), "--resume"]
        command += [f"--set={change}" for change in (*changes, *repeat.changes)]
        command += ["--output", str(folder / repeat.name), *(["--device", device] if device else [])]
        data = read_recipe(recipe, [*changes, *repeat.changes]).data
        if data.test or data.pool:  # solve the test problems in the run's process; reports read the outcomes later
            command.append("--test")
        if parallel == 1:
            report(f"{repeat.name}:")
            running.append(subprocess.Popen(command, stdout=STDERR))
            return _reason(running[-1].wait(), None)
        log = folder / f"{repeat.name}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=_shared_cores(parallel))
            running.append(process)
            return _reason(process.wait(), log)

    with ThreadPoolExecutor(parallel) as pool:
        begun = {pool.submit(run, repeat): repeat for repeat in waiting}
        try:
            for done in as_completed(begun):
                name, reason = begun[done].name, done.result()
                if reason is not None:
                    failures[name] = reason
                report(f"{name}: {'finished' if reason is None else f'failed: {reason}'}")
        except BaseException:  # such as Ctrl-C: leave no process running
            pool.shutdown(wait=False, cancel_futures=True)
            for process in running:
                process.terminate()
            raise
    return failures


def unfinished(
    repeats: Sequence[Repeat], recipe: Path, changes: Sequence[str], folder: Path, report: Callable[[str], None]
) -> list[Repeat]:
    """The runs that are not finished; reports the finished ones."""
    waiting = []
    for repeat in repeats:
        if _finished(folder / repeat.name, read_recipe(recipe, [*changes, *repeat.changes])):
            report(f"{repeat.name}: already finished")
        else:
            waiting.append(repeat)
    return waiting


def _finished(folder: Path, recipe: Recipe) -> bool:
    if not (folder / RESULT).exists():
        return False
    if not same_recipe(recipe, read_record(folder)["recipe"]):
        raise TreequationError(f"{folder} was trained from another recipe; choose another folder")
    return True


def _shared_cores(parallel: int) -> dict[str, str]:
    """The environment of parallel runs: each gets its share of the cores, or they would slow each other down."""
    share = max(1, (os.cpu_count() or 1) // parallel)
    return {"OMP_NUM_THREADS": str(share), **os.environ}


def _reason(code: int, log: Path | None) -> str | None:
    if code == 0:
        return None
    reason = f"exit code {code}"
    if log is not None:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "")
        reason += f", {last.strip()} ({log})"
    return reason


def summarise(
    repeats: Sequence[Repeat],
    folder: Path,
    failures: Mapping[str, str],
    outcomes: Mapping[str, Sequence[Outcome]] | None = None,
    *,
    votes: bool = False,
) -> dict[str, Any]:
    """The summary of the finished runs, which is also written to ``summary.json``.

    ``dev`` and ``test`` are scores after the epoch that was best on dev: the strict protocol. ``literature_selection``
    has the test scores after the epoch that was best on test, as papers on these data sets report them. If the
    ``outcomes`` of the best models are given, by the runs' names, ``test`` has their scores: those of the saved
    weights, which may differ by a few problems from the scores during training in lower precision. ``vote`` has the
    scores of a vote of all runs, if they have the same test problems.
    """
    solved = outcomes or {}
    runs = [_run(folder / repeat.name, solved.get(repeat.name)) for repeat in repeats if repeat.name not in failures]
    summary: dict[str, Any] = {"runs": runs, "failed": dict(failures)}
    for part in ("dev", "test", "literature_selection"):
        scores = [run[part] for run in runs if run[part] is not None]
        known = {name: [score[name] for score in scores if score[name] is not None] for name in SCORES}
        spreads = {name: mean_and_std(shares) for name, shares in known.items() if shares}
        summary[part] = {name: {"mean": mean, "std": std or 0.0} for name, (mean, std) in spreads.items()} or None
    summary["vote"] = Summary.of(vote(list(solved.values()))).scores if votes and len(solved) > 1 else None
    write_json(folder / SUMMARY, summary)
    return summary


def _run(folder: Path, outcomes: Sequence[Outcome] | None) -> dict[str, Any]:
    best_epoch = json.loads((folder / RESULT).read_text(encoding="utf-8"))["best_epoch"]
    evaluated = [report for report in read_reports(folder / METRICS) if report.dev or report.test]
    best = next((report for report in evaluated if report.epoch == best_epoch), None)
    watched = [report for report in evaluated if report.test]
    luckiest = max(watched, key=lambda report: (report.test or {})["literature_accuracy"] or 0.0, default=None)
    return {
        "name": folder.name,
        "folder": str(folder),
        "best_epoch": best_epoch,
        "dev": best and best.dev,
        "test": Summary.of(outcomes).scores if outcomes else best and best.test,
        "literature_selection": luckiest and luckiest.test,
    }
