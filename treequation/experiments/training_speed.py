"""Times training: a recipe's own steps, from the start to steady state."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from treequation.training.environment import hardware
from treequation.training.loop import TrainingRun
from treequation.training.processes import choose_device
from treequation.training.recipe import Recipe
from treequation.training.sources import build_model, load_problems

METHOD = (
    "Start-up is everything before the first step and the capturing of steps; steady state is the mean over whole "
    "epochs after the first, without evaluation. FLOP are those of matrix products and attention, padding included, "
    "as PyTorch counts them; the matrix rate is the median of ten large products on the same device."
)


def measure(recipe: Recipe, *, epochs: int = 3, device: str | None = None) -> dict[str, Any]:
    """Times ``epochs`` epochs of the recipe after a first one."""
    settings = recipe.training
    # The schedule must cover everything that is timed: a first epoch, the others, and one more step.
    timed = replace(recipe, training=replace(settings, epochs=max(settings.epochs, epochs + 2)))
    begun = time.perf_counter()
    torch.manual_seed(settings.seed)
    problems = load_problems(recipe.data, settings.seed)
    model = build_model(recipe, problems.train)
    model.to(choose_device(device))  # type: ignore[arg-type]
    with TemporaryDirectory() as folder:
        run = TrainingRun(timed, Path(folder), model, problems)
        planned = run.planner.epoch(np.random.default_rng(0))
        ready = time.perf_counter()
        run.stepper.run(planned)  # captures the step
        _wait(model.device)
        first = time.perf_counter() - ready
        started = time.perf_counter()
        for epoch in range(epochs):
            run.stepper.run(run.planner.epoch(np.random.default_rng(epoch)))
        _wait(model.device)
        steady = (time.perf_counter() - started) / epochs
        flop = _flop(run, len(planned))
    count = len(run.ids)
    startup = ready - begun + max(0.0, first - steady)
    rate = _matrix_rate(model.device)
    return {
        "problems": count,
        "batch_size": settings.batch_size,
        "groups": len(run.planner.layout(model.device).groups),
        "startup_seconds": startup,
        "problems_per_second": count / steady,
        "steps_per_second": len(planned) / steady,
        # For all of the recipe's epochs, including start-up but not evaluation.
        "whole_run_problems_per_second": count * settings.epochs / (startup + steady * settings.epochs),
        "flop_per_problem": flop / count,
        "matrix_rate": rate,  # FLOP/s
        "share_of_matrix_rate": flop / steady / rate,
        "hardware": hardware(model.device.type),
        "method": METHOD,
    }


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def _flop(run: TrainingRun, steps: int) -> float:
    """The FLOP of an epoch: all its updates have the same shape."""
    with FlopCounterMode(display=False) as counter:
        run.stepper.one_step()
    flop: int = counter.get_total_flops()
    return flop * steps


def _matrix_rate(device: torch.device) -> float:
    """The FLOP/s of a large matrix product, in the precision that training uses there."""
    size, kind = (8192, torch.bfloat16) if device.type == "cuda" else (1024, torch.float32)
    a, b = (torch.randn(size, size, device=device, dtype=kind) for _ in range(2))
    times = []
    for _ in range(13):
        begun = time.perf_counter()
        a @ b
        _wait(device)
        times.append(time.perf_counter() - begun)
    return float(2 * size**3 / np.median(times[3:]))
