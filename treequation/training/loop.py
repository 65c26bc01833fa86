"""The training loop: epochs of steps, evaluation on dev, checkpoints, and the best model by dev kept aside."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from treequation.evaluation.evaluator import evaluate_model
from treequation.evaluation.report import Summary
from treequation.model.model import TreequationModel
from treequation.storage import written_whole
from treequation.training.checkpoint import (
    Checkpoint,
    last_checkpoint,
    random_state,
    save_checkpoint,
    set_random_state,
)
from treequation.training.environment import describe
from treequation.training.examples import DeviceSet, PlannedStep, Planner, prepare
from treequation.training.optimizer import Average, Optimizer
from treequation.training.recipe import Recipe
from treequation.training.sources import Problems, build_model, load_problems
from treequation.training.steps import NEVER, Stepper

BEST, CHECKPOINTS, METRICS, RECORD = "best", "checkpoints", "metrics.jsonl", "run.json"


class TrainingError(RuntimeError):
    """Training cannot go on; the message says why and what to try."""


@dataclass(frozen=True, slots=True)
class EpochReport:
    """What the progress display and ``metrics.jsonl`` show of an epoch."""

    epoch: int
    epochs: int
    loss: float
    problems_per_second: float
    seconds: float  # since this process started to train
    dev: dict[str, float] | None
    best_dev: float

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a finished run leaves."""

    folder: Path
    best_dev: float
    best_epoch: int
    seconds: float
    problems_per_second: float


def train(
    recipe: Recipe,
    folder: Path,
    *,
    resume: bool = False,
    device: str | None = None,
    problems: Problems | None = None,
    report: Callable[[EpochReport], None] = lambda report: None,
) -> RunResult:
    """Trains by a recipe into a run folder; with ``resume``, goes on from the last complete checkpoint."""
    started = time.perf_counter()
    found = last_checkpoint(folder / CHECKPOINTS) if resume else None
    if found is None and (folder / METRICS).exists() and not resume:
        raise TrainingError(f"{folder} holds a run already; resume it with --resume, or choose another folder")
    if found is not None and found.progress["recipe"] != json.loads(json.dumps(recipe.to_dict())):
        raise TrainingError(f"{folder} was trained by another recipe; resume it with its own, or choose another folder")
    settings = recipe.training
    torch.manual_seed(settings.seed)
    problems = problems or load_problems(recipe.data, settings.seed)
    model = build_model(recipe, problems.train).to(device or _device())
    prepared = prepare(model, problems.train)
    if not prepared.examples:
        raise TrainingError(f"no training problem can be used: {dict(prepared.left_out)}")
    run = _Run(recipe, folder, model, problems, DeviceSet(prepared.examples, model), prepared.ids)
    if found is not None:
        run.load(found)
    if _is_main():
        folder.mkdir(parents=True, exist_ok=True)
        record = {**describe(recipe, problems), "left_out": dict(prepared.left_out)}
        with written_whole(folder / RECORD) as aside:
            aside.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if found is None:
            (folder / METRICS).unlink(missing_ok=True)
    with _explained_memory():
        while run.epoch < settings.epochs:
            report(run.one_epoch(started))
    seconds = time.perf_counter() - started
    trained = len(prepared.examples) * (settings.epochs - (found.progress["epoch"] if found else 0))
    return RunResult(folder, run.best_dev, run.best_epoch, seconds, trained / seconds)


class _Run:
    """The moving parts of a run."""

    def __init__(
        self,
        recipe: Recipe,
        folder: Path,
        model: TreequationModel,
        problems: Problems,
        data: DeviceSet,
        ids: list[str],
    ) -> None:
        settings = recipe.training
        self.recipe, self.folder, self.model, self.problems, self.ids = recipe, folder, model, problems, ids
        self.planner = Planner(data, settings.batch_size)
        self.optimizer = Optimizer(model, settings, self.planner.steps * settings.epochs)
        self.average = Average(self.optimizer.parameters, settings.ema) if settings.ema else None
        self.stepper = Stepper(
            model,
            data,
            self.optimizer,
            self.average,
            batch_size=settings.batch_size,
            bf16=_bf16(settings.precision, model.device),
            graphs=settings.graphs,
        )
        self.epoch = 0
        self.best_dev, self.best_epoch = -1.0, 0

    def one_epoch(self, started: float) -> EpochReport:
        """Trains for an epoch, evaluates and saves where it is time."""
        settings = self.recipe.training
        begun = time.perf_counter()
        planned = self.planner.epoch(np.random.default_rng([settings.seed, self.epoch]))
        self.stepper.loss_sum.zero_()
        self.stepper.run(planned)
        loss = float(self.stepper.loss_sum) / len(planned)  # waits for the device
        rate = len(self.ids) / (time.perf_counter() - begun)
        self._check(planned)
        self.epoch += 1
        last = self.epoch == settings.epochs
        dev = self._evaluate() if self.problems.dev and (last or self.epoch % settings.evaluate_every == 0) else None
        report = EpochReport(self.epoch, settings.epochs, loss, rate, time.perf_counter() - started, dev, self.best_dev)
        if _is_main():
            if not self.problems.dev and last:
                self._keep_as_best()
            with (self.folder / METRICS).open("a", encoding="utf-8") as file:
                file.write(json.dumps(report.to_dict()) + "\n")
            if last or self.epoch % settings.checkpoint_every == 0:
                self.save()
        return report

    def _check(self, planned: list[PlannedStep]) -> None:
        bad = int(self.stepper.bad_step)
        if bad == NEVER:
            return
        step = planned[bad - self.epoch * self.planner.steps]
        ids = ", ".join(self.ids[row] for row in step.rows[step.weight > 0][:8].tolist())
        raise TrainingError(
            f"the loss is no longer finite at step {bad} (epoch {self.epoch + 1}), with problems {ids}, …; "
            "try a lower training.encoder_learning_rate or training.learning_rate, a longer training.warmup, "
            "or training.precision=fp32"
        )

    def _evaluate(self) -> dict[str, float]:
        if self.average:
            self.average.swap()
        autocast = torch.autocast(self.model.device.type, dtype=torch.bfloat16, enabled=self.stepper.bf16)
        with autocast:
            outcomes = evaluate_model(self.model, self.problems.dev, batch_size=512)
        summary = Summary.of(outcomes)
        dev = {
            name: getattr(summary, name)
            for name in ("answer_accuracy", "equation_accuracy", "literature_accuracy", "mean_steps")
        }
        accuracy = dev[self.recipe.training.keep_best_by]
        if accuracy > self.best_dev:
            self.best_dev, self.best_epoch = accuracy, self.epoch
            if _is_main():
                self._keep_as_best(averaged=True)
        if self.average:
            self.average.swap()
        return dev

    def _keep_as_best(self, averaged: bool = False) -> None:
        """Saves the model, or the average of its weights if there is one, as the best so far."""
        if self.average and not averaged:
            self.average.swap()
        aside, final = self.folder / f".{BEST}.part", self.folder / BEST
        shutil.rmtree(aside, ignore_errors=True)
        self.model.save_pretrained(aside)
        shutil.rmtree(final, ignore_errors=True)
        aside.rename(final)
        if self.average and not averaged:
            self.average.swap()

    def save(self) -> None:
        """Writes a checkpoint."""
        tensors = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        tensors |= {f"optimizer.{name}": tensor for name, tensor in self.optimizer.tensors().items()}
        tensors |= {f"random.{name}": tensor for name, tensor in random_state().items()}
        if self.average:
            tensors |= {f"average.{index}": tensor for index, tensor in enumerate(self.average.average)}
        progress = {
            "epoch": self.epoch,
            "best_dev": self.best_dev,
            "best_epoch": self.best_epoch,
            "recipe": self.recipe.to_dict(),
        }
        save_checkpoint(self.folder / CHECKPOINTS, Checkpoint(tensors, progress), self.epoch)

    def load(self, checkpoint: Checkpoint) -> None:
        """Goes on from a checkpoint."""

        def part(prefix: str) -> dict[str, torch.Tensor]:
            return {n[len(prefix) :]: t for n, t in checkpoint.tensors.items() if n.startswith(prefix)}

        self.model.load_state_dict(part("model."))
        self.optimizer.load(part("optimizer."))
        if self.average:
            for index, tensor in part("average.").items():
                self.average.average[int(index)].copy_(tensor)
        set_random_state(part("random."))
        self.epoch = checkpoint.progress["epoch"]
        self.best_dev, self.best_epoch = checkpoint.progress["best_dev"], checkpoint.progress["best_epoch"]
        _forget_later_metrics(self.folder / METRICS, self.epoch)


def _forget_later_metrics(path: Path, epoch: int) -> None:
    """Drops the lines of epochs that will be trained again, and a line that a kill cut short."""
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            if json.loads(line)["epoch"] <= epoch:
                kept.append(line)
        except ValueError:
            continue
    with written_whole(path) as aside:
        aside.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")


@contextmanager
def _explained_memory() -> Iterator[None]:
    try:
        yield
    except torch.cuda.OutOfMemoryError as error:
        raise TrainingError(
            "the device's memory is full: lower training.batch_size, or model.max_tokens for very long problems"
        ) from error


def _device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def _bf16(precision: str, device: torch.device) -> bool:
    if precision not in ("auto", "bf16", "fp32"):
        raise TrainingError(f"training.precision is {precision!r}; it must be auto, bf16 or fp32")
    return precision == "bf16" or (precision == "auto" and device.type == "cuda")


def _is_main() -> bool:
    return not dist.is_initialized() or dist.get_rank() == 0
