"""Solves folders: JSON Lines or Parquet in, a folder of answers out, with either engine."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from treequation.distributed.filesystem import absolute, remove_unfinished
from treequation.distributed.local import solve_here
from treequation.distributed.plan import ENDINGS, Part, parts_left, plan_for
from treequation.distributed.work import Outcome, Work, failed_in
from treequation.runtime import BATCH_SIZE, PRECISION
from treequation.runtime.folder import METADATA, read_metadata
from treequation.runtime.hub import model_folder
from treequation.runtime.rows import BulkError
from treequation.runtime.solver import BUNDLED, Solver
from treequation.storage import MANIFEST, sha256_of

PART_ROWS = 4096
"""Rows per part. A kill loses one part per worker at most; a hundred million rows make 24,415 files."""


@dataclass(frozen=True, slots=True)
class FolderSummary:
    """How many rows there are, how many have no answer, and how many an earlier call had answered."""

    rows: int
    failed: int
    before: int


def solve_folder(
    source: str,
    target: str,
    *,
    model: str | PathLike[str] | None = None,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    threads: int = 1,
    precision: str = PRECISION,
    beam: int | None = None,
    batch_size: int = BATCH_SIZE,
    format: str = "parquet",
    part_rows: int = PART_ROWS,
    started: Callable[[int, int], None] = lambda rows, before: None,
    progress: Callable[[int], None] = lambda rows: None,
    report: Callable[[str], None] = lambda message: None,
) -> FolderSummary:
    """Writes answers to every row of the files at ``source`` into the folder ``target``; resumes an earlier call.

    Several calls may share the work at the same time; each part is solved by one of them. A file that cannot be read
    does not stop the others; it is reported as an error at the end.

    ``threads`` is per worker; 0 means one. ``started`` gets the number of rows in all and of those answered before,
    ``progress`` the number of rows just answered, and ``report`` the files that are skipped or cannot be read.
    """
    model = None if model is None else model_folder(model).absolute()
    target, ending = absolute(target), ENDINGS[format]
    plan = plan_for(
        source, target, part_rows, report=report, model=_seal_of(model), beam=beam, format=format, precision=precision
    )
    problems: dict[str, str] = {}  # by file

    def report_once(file: str, problem: str) -> None:
        if file not in problems:
            problems[file] = problem
            report(f"{file}: {problem}; continuing with the others")

    for file, problem in plan.unreadable.items():
        report_once(file, problem)
    parts = parts_left(plan, target, ending)
    before = plan.rows - sum(part.rows for part in parts)
    started(plan.rows, before)
    left = {part.number: part for part in parts}
    done = [part for part in plan.parts if part.number not in left]
    with ThreadPoolExecutor() as pool:  # with remote files, most of the time is spent waiting
        failed = sum(pool.map(lambda part: failed_in(f"{target}/{part.output(ending)}", part.rows), done))
    work = Work(model, target, ending, beam, batch_size, threads or 1, precision)
    for wait in (False, True):  # parts that another call is solving come last, and are solved here if that call dies
        elsewhere: list[Part] = []
        with closing(_outcomes(parts, replace(work, wait=wait), engine, workers, address)) as outcomes:
            for outcome in outcomes:
                part = left[outcome.part]
                if outcome.failure:
                    raise BulkError(outcome.failure)
                if outcome.problem:
                    report_once(part.name, outcome.problem)
                elif outcome.elsewhere:
                    elsewhere.append(part)
                else:
                    failed += outcome.failed
                    progress(outcome.rows)
        parts = elsewhere
    lost = [part for part in parts_left(plan, target, ending) if part.name not in problems]
    if lost:
        raise BulkError(
            f"{sum(part.rows for part in lost):,} rows have no answer, the first of them in {lost[0].name} from "
            f"row {lost[0].first}, since every worker that solved them died, perhaps for lack of memory; "
            "run it again with fewer workers to solve them"
        )
    if problems:
        raise BulkError(
            f"{len(problems):,} of the files cannot be read, the first of them {next(iter(problems))}; the others are "
            f"answered in {target}; repair or remove these, and run it again"
        )
    remove_unfinished(target)
    return FolderSummary(plan.rows, failed, before)


def _seal_of(model: Path | None) -> str:
    """A checksum of the whole model; a missing or damaged model is refused before any worker starts."""
    if model is None and not (BUNDLED / METADATA).is_file():
        Solver()  # raises an error that says what to do
    folder = model or BUNDLED
    read_metadata(folder)
    return sha256_of(folder / MANIFEST)  # it has the checksums of all files


def _outcomes(
    parts: Sequence[Part], work: Work, engine: str, workers: int | None, address: str | None
) -> Generator[Outcome]:
    if not parts:
        return
    if engine == "local":
        yield from solve_here(parts, work, min(len(parts), workers or (os.cpu_count() or 1) // work.threads) or 1)
        return
    from treequation.distributed.ray_data import solve_on_ray  # not part of the base install

    yield from solve_on_ray(parts, work, workers, address)
