"""The engine on a cluster: Ray Data gives parts to a pool of actors, monitors them, and replaces those that die."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ray
import ray.data
from ray.exceptions import RayError

from treequation.distributed.cluster import cluster, processors
from treequation.distributed.local import ATTEMPTS
from treequation.distributed.plan import Part
from treequation.distributed.work import Outcome, PartSolver, Work
from treequation.errors import TreequationError
from treequation.runtime.solver import BUNDLED

_Files = dict[str, bytes]


def solve_on_ray(parts: Sequence[Part], work: Work, workers: int | None, address: str | None) -> Iterator[Outcome]:
    """Solves the parts with ``workers`` actors, by default one per processor of the cluster.

    A part that kills every actor has an outcome without rows. The model is sent to the actors; Treequation must be
    installed there.
    """
    with cluster(address, workers * work.threads if workers else None):
        _silence_ray_data()
        model = ray.put(_files_of(work.model or BUNDLED))
        counter: Any = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(_Attempts)
        size = min(len(parts), workers or processors() // work.threads) or 1
        # One block per part: an actor gets a block at a time, and it is repeated if the actor dies.
        rows = ray.data.from_items([asdict(part) for part in parts], override_num_blocks=len(parts))
        outcomes = rows.map(
            _Actor,  # type: ignore[arg-type] # Ray takes a class, of which each actor makes an object
            # In a list, the reference is not resolved, so that a restarted actor can still use it.
            fn_constructor_args=(work, [model], counter.remote()),
            compute=ray.data.ActorPoolStrategy(size=size),
            num_cpus=work.threads,
        )
        try:
            for outcome in outcomes.iter_rows():
                yield Outcome(**outcome)
        except RayError as error:  # an error of the cluster or at start-up; errors of a part are in its outcome
            reason = str(error).strip().splitlines()[-1]
            raise TreequationError(f"the cluster failed: {reason}; run it again to resume") from error


class _Attempts:
    """Counts the attempts at each part: Ray Data itself would retry a part that kills its actors forever."""

    def __init__(self) -> None:
        self._begun: Counter[int] = Counter()

    def begin(self, part: int) -> int:
        self._begun[part] += 1
        return self._begun[part]


def _silence_ray_data() -> None:
    """Silences Ray Data's progress output, which would disturb our own progress bar."""
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    for name in ("ray.data", "ray"):
        logging.getLogger(name).setLevel(logging.ERROR)


def _files_of(folder: Path) -> _Files:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


class _Actor:
    """A :class:`PartSolver` in a Ray process."""

    def __init__(self, work: Work, model: list[ray.ObjectRef[_Files]], attempts: Any) -> None:
        self._attempts = attempts
        with TemporaryDirectory() as folder:  # the model no longer needs its files once it is loaded
            for name, content in ray.get(model[0]).items():
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            self._solve = PartSolver(replace(work, model=Path(folder)))

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        part = Part(**row)
        if ray.get(self._attempts.begin.remote(part.number)) > ATTEMPTS:
            return asdict(Outcome(part.number))
        return asdict(self._solve(part))
