"""Folds, seeds and variants of a recipe as tasks on a Ray cluster, each with its own device or share of one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ray
import ray.exceptions

from treequation.distributed.cluster import cluster
from treequation.errors import TreequationError
from treequation.experiments.repeats import Repeat, unfinished
from treequation.training.epoch_reports import EpochReport
from treequation.training.recipe import Recipe, read_recipe

RETRIES = 3
"""How often a run whose process or host died is restarted; it resumes from its last checkpoint."""
_OURS = ("TREEQUATION_", "HF_")  # the environment says where data sets and encoders are


def run_all_on_ray(
    repeats: Sequence[Repeat],
    recipe: Path,
    changes: Sequence[str],
    folder: Path,
    *,
    parallel: int = 1,
    device: str | None = None,
    address: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> dict[str, str]:
    """Like :func:`~treequation.experiments.repeats.run_all`, on the cluster at ``address``, or on one started here.

    ``parallel`` runs share a GPU, or a host's processors if there are no GPUs. Every host must reach ``folder``, the
    data and the encoder under the same names. A run's progress goes to a file beside its folder.
    """
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    waiting = unfinished(repeats, recipe, changes, folder, report)
    failures: dict[str, str] = {}
    if not waiting:
        return failures
    with cluster(address):
        share = _share(device, parallel)
        options: dict[str, Any] = {"max_retries": RETRIES, "max_calls": 1, **share}
        task: Any = ray.remote(**options)(_train)
        environment = {name: value for name, value in os.environ.items() if name.startswith(_OURS)}
        begun = {
            task.remote(
                read_recipe(recipe, [*changes, *repeat.changes]),
                folder / repeat.name,
                device or ("cuda" if "num_gpus" in share else "cpu"),
                max(1, int(share["num_cpus"])),
                os.getcwd(),
                environment,
            ): repeat.name
            for repeat in waiting
        }
        while begun:
            (done,), _ = ray.wait(list(begun), num_returns=1)
            name = begun.pop(done)
            try:
                reason = ray.get(done)
            except ray.exceptions.RayError as error:
                reason = f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}"
            if reason is not None:
                failures[name] = reason
            report(f"{name}: {'finished' if reason is None else f'failed: {reason}'}")
    return failures


def _share(device: str | None, parallel: int) -> dict[str, float]:
    """The resources of a run: its share of a GPU, or of the processors of the smallest host."""
    hosts = [host["Resources"] for host in ray.nodes() if host["Alive"]]
    if device != "cpu" and any(host.get("GPU") for host in hosts):
        return {"num_gpus": 1 / parallel, "num_cpus": 1}
    if device == "cuda":
        raise TreequationError("no host of the cluster has a GPU; train with --device cpu")
    processors = [int(host["CPU"]) for host in hosts if host.get("CPU")]  # a head node may offer none
    return {"num_cpus": max(1, min(processors, default=1) // parallel)}


def _train(
    recipe: Recipe, folder: Path, device: str, threads: int, directory: str, environment: dict[str, str]
) -> str | None:
    """One run, in its own Ray process; returns the reason if it fails."""
    os.environ.update(environment)
    with contextlib.suppress(OSError):  # paths in a recipe may be relative
        os.chdir(directory)
    import torch

    from treequation.training.loop import train
    from treequation.training.run_folder import RunFolder

    torch.set_num_threads(threads)
    with folder.with_name(f"{folder.name}.log").open("a", encoding="utf-8", buffering=1) as log:

        def note(report: EpochReport) -> None:
            log.write(f"epoch {report.epoch}/{report.epochs}  loss {report.loss:.3f}  {report.seconds:,.0f} s\n")

        try:
            train(recipe, folder, resume=True, device=device, report=note)
            if recipe.data.test or recipe.data.pool:  # here, where the device is; reports read the outcomes later
                RunFolder.read(folder).outcomes(device=device)
        except (TreequationError, OSError) as error:
            log.write(f"{error}\n")
            return str(error)
    return None
