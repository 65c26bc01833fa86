"""``treequation train``: trains a model from a recipe, and shows its progress."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from treequation.cli.options import Changes, OnDevice, RecipeFile
from treequation.cli.output import note, show
from treequation.errors import TreequationError

if TYPE_CHECKING:  # PyTorch is imported only when the command runs, so that other commands start quickly
    from treequation.training.epoch_reports import EpochReport
    from treequation.training.recipe import Recipe


def train(
    recipe: RecipeFile,
    changes: Changes = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume from the last complete checkpoint.")] = False,
    output: Annotated[Path | None, typer.Option(help="The run folder; by default runs/NAME.")] = None,
    device: OnDevice = None,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Also write TensorBoard's files.")] = False,
    test: Annotated[
        bool, typer.Option("--test", help="Solve the test problems at the end; they do not affect model selection.")
    ] = False,
) -> None:
    """Train a model from a recipe. The run folder keeps the model that is best on dev."""
    from treequation.evaluation.summary import Summary
    from treequation.training.loop import read_record
    from treequation.training.loop import train as train_model
    from treequation.training.processes import is_main, process_group
    from treequation.training.recipe import read_recipe
    from treequation.training.run_folder import RunFolder

    _silence_libraries()
    chosen = read_recipe(recipe, changes or ())
    folder = output or Path("runs") / chosen.name
    if test and not (chosen.data.test or chosen.data.pool):
        raise TreequationError(f"{recipe} has no test problems; set data.test, such as to mathqa:test")
    with process_group(device), ExitStack() as stack:
        if not is_main():
            train_model(chosen, folder, resume=resume, device=device)
            return
        also = _tensorboard(folder, stack) if tensorboard else None
        display = Display(chosen, also)
        stack.enter_context(display.bar)
        result = train_model(chosen, folder, resume=resume, device=device, report=display.report, tick=display.tick)
    for reason, count in read_record(folder)["left_out"].items():
        note(f"left out of training: {count:,} problems ({reason})")
    quality = f"{result.best_dev:.1%} of dev" if result.best_dev >= 0 else "no dev problems, so no score"
    show(
        f"best epoch {result.best_epoch}: {quality}; {result.seconds:,.0f} s, "
        f"{result.problems_per_second:,.0f} problems/s; the model is in {folder / 'best'}"
    )
    if test:
        solved = Summary.of(RunFolder.read(folder).outcomes(device=device))
        show(f"test: {solved.literature_accuracy:.1%} of {solved.count:,} problems")


class Display:
    """A progress bar on a terminal, and a line per evaluation, which a log gets as well."""

    def __init__(self, recipe: Recipe, also: Callable[[EpochReport], None] | None) -> None:
        from treequation.training.epoch_reports import SELECTION_SCORE

        self._score = SELECTION_SCORE
        self._also = also
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f} %"),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
            speed_estimate_period=600,  # a shorter period would make the estimate jump at evaluations and checkpoints
        )
        self._task = self.bar.add_task(f"{recipe.name}: preparing", total=1.0)
        self._name = recipe.name
        self._latest: EpochReport | None = None

    def tick(self, done: float, loss: float) -> None:
        """Updates the progress bar."""
        parts = [self._name, f"loss {loss:.3f}"]
        if self._latest is not None:
            parts.append(f"{self._latest.problems_per_second:,.0f} problems/s")
            if self._latest.best_dev >= 0:
                parts.append(f"best dev {self._latest.best_dev:.1%}")
        self.bar.update(self._task, completed=done, description="  ".join(parts))

    def report(self, report: EpochReport) -> None:
        """Prints how an epoch went, if it was evaluated."""
        self._latest = report
        if self._also:
            self._also(report)
        if report.dev is None and report.epoch < report.epochs:
            return
        dev = f"  dev {report.dev[self._score]:.1%} (best {report.best_dev:.1%})" if report.dev else ""
        self._console.print(
            f"epoch {report.epoch}/{report.epochs}  loss {report.loss:.3f}{dev}  "
            f"{report.problems_per_second:,.0f} problems/s  {report.seconds:,.0f} s",
            markup=False,
        )


def _tensorboard(folder: Path, stack: ExitStack) -> Callable[[EpochReport], None]:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError as error:
        raise TreequationError("--tensorboard needs TensorBoard: pip install tensorboard") from error
    writer = SummaryWriter(str(folder / "tensorboard"))
    stack.callback(writer.close)

    def write(report: EpochReport) -> None:
        writer.add_scalar("loss", report.loss, report.epoch)
        writer.add_scalar("problems_per_second", report.problems_per_second, report.epoch)
        for part, scores in (("dev", report.dev), ("test", report.test)):
            for name, value in (scores or {}).items():
                if value is not None:
                    writer.add_scalar(f"{part}/{name}", value, report.epoch)

    return write


def _silence_libraries() -> None:
    """Turns off the progress bars of transformers, which would break ours."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
