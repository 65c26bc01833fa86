"""The training loop: epochs of steps, evaluation on dev, checkpoints, and the model that is best on dev."""

from __future__ import annotations

import errno
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from torch import Tensor

from treequation.data.parallel import collector_paused
from treequation.errors import TreequationError
from treequation.evaluation.evaluator import evaluate_model
from treequation.evaluation.summary import Summary
from treequation.model.base import WordProblemModel
from treequation.storage import folder_written_whole, held, recover_folder, write_json
from treequation.text.problem import Problem
from treequation.training.checkpoint import Checkpoint, last_checkpoint, save_checkpoint
from treequation.training.environment import describe
from treequation.training.epoch_reports import SELECTION_SCORE, EpochReport, add_report, forget_later
from treequation.training.examples import DeviceSet, PlannedStep, Planner, prepare
from treequation.training.optimizer import Optimizer
from treequation.training.processes import choose_device, is_main, process_count, process_index
from treequation.training.recipe import Recipe, same_recipe
from treequation.training.sources import Problems, build_model, load_problems
from treequation.training.steps import NEVER, Stepper
from treequation.training.weights import Weights

BEST, CHECKPOINTS = "best", "checkpoints"
LOCK, METRICS, RECORD, RESULT = ".lock", "metrics.jsonl", "run.json", "result.json"
OUTCOMES = "test-outcomes{}.jsonl"  # of the best model, kept for reports on the run


class TrainingError(TreequationError, RuntimeError):
    """Training cannot continue; the message says why and what to try."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a finished run, saved as ``result.json`` in the run folder."""

    folder: Path
    best_dev: float  # −1 without dev problems
    best_epoch: int
    seconds: float  # of the whole run, evaluation included, also if it was resumed
    problems_per_second: float


def train(
    recipe: Recipe,
    folder: Path,
    *,
    resume: bool = False,
    device: str | None = None,
    problems: Problems | None = None,
    report: Callable[[EpochReport], None] = lambda report: None,
    tick: Callable[[float, float], None] = lambda done, loss: None,
) -> RunResult:
    """Trains a recipe into a run folder; with ``resume``, continues from the last checkpoint.

    ``report`` is called after each epoch. ``tick`` is called with the share of the run that is done and the mean loss
    of the epoch so far; where steps are slow, after each of them.
    """
    started = time.perf_counter()
    settings = recipe.training
    with _explained_errors(), _locked(folder):
        # Only the main process checks: it may have written its record before the others get here.
        if is_main() and not resume and (folder / RECORD).exists():
            raise TrainingError(f"{folder} already holds a run; resume it with --resume, or choose another folder")
        checkpoint = _checkpoint_of(recipe, folder) if resume else None
        torch.manual_seed(settings.seed)
        problems = problems or load_problems(recipe.data, settings.seed)
        model = build_model(recipe, problems.train)
        model.to(choose_device(device))  # type: ignore[arg-type]
        run = TrainingRun(recipe, folder, model, problems, started)
        if is_main():
            _record(run, resumed=checkpoint is not None)
        if checkpoint is not None:
            run.load(checkpoint)
        while run.epoch < settings.epochs:
            report(run.one_epoch(tick))
        seconds = run.seconds
        result = RunResult(folder, run.best_dev, run.best_epoch, seconds, len(run.ids) * settings.epochs / seconds)
        if is_main() and not (folder / RESULT).exists():
            write_json(folder / RESULT, {name: value for name, value in asdict(result).items() if name != "folder"})
        return result


def _checkpoint_of(recipe: Recipe, folder: Path) -> Checkpoint | None:
    """The last checkpoint of the recipe's run, if it has written one."""
    checkpoint = last_checkpoint(folder / CHECKPOINTS)
    if checkpoint is not None and not same_recipe(recipe, checkpoint.progress["recipe"]):
        raise TrainingError(f"{folder} was trained by another recipe; resume it with its own, or choose another folder")
    return checkpoint


def read_record(folder: Path) -> dict[str, Any]:
    """The record of the run in a folder, ``run.json``."""
    path = folder / RECORD
    try:
        record = dict(json.loads(path.read_bytes()))
        if not all(isinstance(record[part], dict) for part in ("recipe", "data", "hardware")):
            raise ValueError("recipe, data or hardware is not an object")
    except (OSError, ValueError, RecursionError, TypeError, KeyError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise TrainingError(f"{path} is damaged ({reason}); restore it, or train again in another folder") from error
    return record


def _record(run: TrainingRun, *, resumed: bool) -> None:
    """Writes the record. A resumed run keeps its first record, to which the new date and environment are added."""
    path = run.folder / RECORD
    record = describe(run.recipe, run.problems, run.model.device.type) | {"left_out": dict(run.left_out)}
    if resumed and path.exists():
        old = read_record(run.folder)
        if old["data"] != record["data"]:
            raise TrainingError(
                f"the problems differ from those that {run.folder} was started with; choose another folder"
            )
        part = {key: record[key] for key in ("date", "versions", "hardware", "code")}
        record = {**old, "resumed": [*old.get("resumed", []), part]}
    write_json(path, record)
    if not resumed:  # what a run without a checkpoint left behind
        for old_file in (run.folder / METRICS, run.folder / RESULT, *run.folder.glob(OUTCOMES.format("*"))):
            old_file.unlink(missing_ok=True)


class TrainingRun:
    """A run in progress: model, optimizer, data and best score."""

    @collector_paused()
    def __init__(
        self,
        recipe: Recipe,
        folder: Path,
        model: WordProblemModel,
        problems: Problems,
        started: float | None = None,
    ) -> None:
        """``started`` is when the run began, on the clock that ``time.perf_counter`` reads; by default, now."""
        self._started = time.perf_counter() if started is None else started
        settings = recipe.training
        self.recipe, self.folder, self.model, self.problems = recipe, folder, model, problems
        prepared = prepare(model, problems.train)
        if not prepared.examples:
            raise TrainingError(f"no training problem can be used: {dict(prepared.left_out)}")
        self.ids, self.left_out = prepared.ids, prepared.left_out
        data = DeviceSet(prepared.examples, model, prepared.mates)
        parts = process_count() * settings.accumulate
        if settings.batch_size % parts:
            raise TrainingError(
                f"training.batch_size is {settings.batch_size}, which cannot be divided evenly among {process_count()} "
                f"processes with {settings.accumulate} parts each (training.accumulate)"
            )
        self.planner = Planner(data, settings.batch_size, multiple=parts)
        updates = self.planner.steps * settings.epochs
        on_cuda = model.device.type == "cuda"
        bf16 = settings.precision == "bf16" or (settings.precision == "auto" and on_cuda)
        self.weights = Weights(model, bf16=bf16, rows=data.embedded(model))
        self.optimizer = Optimizer(self.weights, settings, updates)
        model.progress = lambda: self.optimizer.step_count / updates
        self.stepper = Stepper(
            model,
            data,
            self.optimizer,
            planner=self.planner,
            compiled=settings.compile,
            accumulate=settings.accumulate,
        )
        self.epoch = 0
        self.best_dev, self.best_epoch = -1.0, 0

    @property
    def seconds(self) -> float:
        """How long the run has taken so far, with the processes that it was resumed from."""
        return time.perf_counter() - self._started

    def one_epoch(self, tick: Callable[[float, float], None]) -> EpochReport:
        """Trains for one epoch; evaluates and saves if they are due."""
        settings = self.recipe.training
        begun = time.perf_counter()
        random = np.random.default_rng([settings.seed, self.epoch])
        planned = self.planner.epoch(random)
        # Random numbers depend only on seed, epoch and process, so a resumed run draws the same.
        torch.manual_seed(int(random.integers(2**62)) + process_index())
        self.stepper.loss_sum.zero_()
        done = 0
        # Single steps on a processor, where each takes long enough to be reported; otherwise all at once.
        parts = [[step] for step in planned] if self.model.device.type == "cpu" else [planned]
        for part in parts:
            self.stepper.run(part)
            done += len(part)
            loss = float(self.stepper.loss_sum) / done  # synchronises with the device
            tick((self.epoch + done / len(planned)) / settings.epochs, loss)
        rate = len(self.ids) / (time.perf_counter() - begun)
        self._check(planned)
        self.epoch += 1
        last = self.epoch == settings.epochs
        dev, test = self._evaluate() if last or self.epoch % settings.evaluate_every == 0 else (None, None)
        report = EpochReport(
            self.epoch, settings.epochs, loss, rate, self.seconds, dev, test, self.best_dev, self.best_epoch
        )
        if is_main():
            add_report(self.folder / METRICS, report)
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

    def _evaluate(self) -> tuple[dict[str, float | None] | None, dict[str, float | None] | None]:
        """The scores on dev and, if the recipe asks for it, on test. Saves the model if it is the best on dev so far.

        Without dev problems, the last model counts as the best. Test scores never select a model.
        """
        dev = self._scores(self.problems.dev)
        watched = self.problems.test if self.recipe.data.watch_test else []
        test = self._scores(watched)
        accuracy = (dev or {}).get(SELECTION_SCORE)
        accuracy = -1.0 if accuracy is None else accuracy
        if accuracy > self.best_dev or (not dev and self.epoch == self.recipe.training.epochs):
            self.best_dev, self.best_epoch = accuracy, self.epoch
            if is_main():
                with folder_written_whole(self.folder / BEST) as aside:
                    self.model.save_pretrained(aside, state_dict=self.weights.state_dict())
        return dev, test

    def _scores(self, problems: Sequence[Problem]) -> dict[str, float | None] | None:
        if not problems:
            return None
        summary = Summary.of(evaluate_model(self.model, problems, batch_size=512))
        return {**summary.scores, "mean_steps": summary.mean_steps}

    def save(self) -> None:
        """Writes a checkpoint."""
        tensors: dict[str, Tensor] = {f"model.{name}": tensor for name, tensor in self.weights.named().items()}
        tensors |= {f"optimizer.{name}": tensor for name, tensor in self.optimizer.tensors().items()}
        progress = {
            "epoch": self.epoch,
            "best_dev": self.best_dev,
            "best_epoch": self.best_epoch,
            "seconds": self.seconds,
            "recipe": self.recipe.to_dict(),
        }
        save_checkpoint(self.folder / CHECKPOINTS, Checkpoint(tensors, progress), self.epoch)

    def load(self, checkpoint: Checkpoint) -> None:
        """Restores the state of a checkpoint."""

        def part(prefix: str) -> dict[str, Tensor]:
            return {n[len(prefix) :]: t for n, t in checkpoint.tensors.items() if n.startswith(prefix)}

        weights, kept = self.weights.named(), part("model.")
        if {name: weight.shape for name, weight in weights.items()} != {name: t.shape for name, t in kept.items()}:
            raise TrainingError(
                f"{self.folder} was begun by another version of Treequation or on another kind of device, and the "
                "weights in its checkpoint do not fit; resume it there, or train again in another folder"
            )
        for name, tensor in kept.items():
            weights[name].detach().copy_(tensor)
        self.weights.publish()
        self.optimizer.load(part("optimizer."))
        self.epoch = checkpoint.progress["epoch"]
        self.best_dev, self.best_epoch = checkpoint.progress["best_dev"], checkpoint.progress["best_epoch"]
        self._started -= checkpoint.progress.get("seconds", 0.0)  # older versions did not write them
        if is_main():
            recover_folder(self.folder / BEST)
            forget_later(self.folder / METRICS, self.epoch)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Locks the folder, so that no other process trains in it."""
    if not is_main():
        yield
        return
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    with held(folder / LOCK) as ours:
        if not ours:
            raise TrainingError(f"another process is training in {folder} now")
        try:
            yield
        finally:
            if [path.name for path in folder.glob("*")] == [LOCK]:  # nothing was written: remove what we created
                (folder / LOCK).unlink()
                with suppress(OSError):  # something else has been put there
                    for path in made:
                        path.rmdir()


@contextmanager
def _explained_errors() -> Iterator[None]:
    """Turns errors about memory, disk and compiler into messages that say what to do."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        raise TrainingError(
            "the device's memory is full: raise training.accumulate, so that a batch is computed in more pieces; "
            "or lower training.batch_size, or model.max_tokens for very long problems"
        ) from error
    except RuntimeError as error:
        # By name: importing the compiler only for its error class would cost every user a second.
        if not any(kind.__name__ == "TorchDynamoException" for kind in type(error).__mro__):
            raise
        raise TrainingError(
            f"cannot compile ({str(error).splitlines()[0]}): this needs a C++ compiler and, on a GPU, Triton; "
            "turn it off with training.compile=false"
        ) from error
    except (OSError, SafetensorError) as error:
        if getattr(error, "errno", None) not in (errno.ENOSPC, errno.EDQUOT) and "No space left" not in str(error):
            raise
        raise TrainingError(
            "the disk is full, but everything saved before is intact: free some space, then continue with --resume"
        ) from error
