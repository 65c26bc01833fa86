"""``treequation crossval`` and ``treequation seeds``: one recipe trained several times, with mean and spread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from treequation.cli.command_line import command_line
from treequation.cli.options import Address, Changes, Engine, Json, OnDevice, Parallel, RecipeFile, Record, VariantName
from treequation.cli.output import note, show, show_json, table_of

OnEngine = Annotated[Engine, typer.Option(help="This machine, or a Ray cluster.")]
Output = Annotated[Path | None, typer.Option(help="The folder of all runs.")]
_COLUMNS = {"dev": "dev", "test": "test (strict)", "literature_selection": "test (literature's selection)"}


def _repeating(kind: str, count_option: Any, help: str) -> Callable[..., None]:
    """The command ``kind``, ``crossval`` or ``seeds``, which trains a recipe ``count`` times."""

    def command(
        recipe: RecipeFile,
        count: int = count_option,
        changes: Changes = None,
        output: Output = None,
        parallel: Parallel = 1,
        device: OnDevice = None,
        engine: OnEngine = Engine.local,
        address: Address = None,
        record: Record = None,
        variant: VariantName = None,
        json: Json = False,
    ) -> None:
        from treequation.experiments.repeats import folds_of, seeds_of, summarise
        from treequation.training.epoch_reports import SELECTION_SCORE
        from treequation.training.recipe import read_recipe
        from treequation.training.run_folder import RunFolder

        read = read_recipe(recipe, changes or [])
        repeats = folds_of(read, count) if kind == "crossval" else seeds_of(read, count)
        folder = output or Path("runs") / f"{read.name}-{kind}"
        run_all = _runner(engine, address)
        failures = run_all(repeats, recipe, changes or [], folder, parallel=parallel, device=device, report=note)
        finished = [RunFolder.read(folder / repeat.name) for repeat in repeats if repeat.name not in failures]
        tested = [run for run in finished if run.recipe.data.test or run.recipe.data.pool]
        outcomes = {run.folder.name: run.outcomes(device=device) for run in tested}
        summary = summarise(repeats, folder, failures, outcomes, votes=kind == "seeds")
        if json:
            show_json(summary)
        else:
            show(_table(summary, SELECTION_SCORE), f"by {SELECTION_SCORE}; all scores are in {folder / 'summary.json'}")
        if failures:
            if record is not None:
                note(f"not recorded in {record}, since {len(failures)} of {len(repeats)} runs failed; run it again")
            raise typer.Exit(1)
        if record is not None:
            from treequation.reporting.result_rows import rows_of
            from treequation.reporting.results import add_rows

            protocol = "folds" if kind == "crossval" else "test"
            add_rows(record, rows_of(summary, protocol, command=command_line(), variant=variant))
            note(f"recorded in {record}")

    command.__doc__ = help
    return command


crossval = _repeating(
    "crossval",
    typer.Option(5, "--folds", help="How many folds, for data sets that do not come in folds.", min=2),
    "Cross-validate: hold out each fold in turn, train on the others, test on it. Run it again to resume.",
)
seeds = _repeating(
    "seeds",
    typer.Option(5, "-n", help="How many seeds.", min=1),
    "Train with several seeds: mean, spread, and a vote of all runs. Run it again to resume.",
)


def _runner(engine: Engine, address: str | None) -> Callable[..., dict[str, str]]:
    """The function that carries out the runs on this engine."""
    if engine is Engine.local:
        if address:
            raise typer.BadParameter("--address goes with --engine ray")
        from treequation.experiments.repeats import run_all

        return run_all
    from treequation.distributed.ray_repeats import run_all_on_ray

    return partial(run_all_on_ray, address=address)


def _table(summary: dict[str, Any], score: str) -> Table:
    parts = [part for part in _COLUMNS if score in (summary[part] or ())]
    table = table_of("run", "best epoch", *(_COLUMNS[part] for part in parts))
    for run in summary["runs"]:
        table.add_row(run["name"], str(run["best_epoch"]), *(f"{100 * run[part][score]:.1f} %" for part in parts))
    for name, reason in summary["failed"].items():
        table.add_row(name, f"failed: {reason}")
    spreads = (summary[part][score] for part in parts)
    table.add_row("mean ± std", "", *(f"{100 * s['mean']:.1f} ± {100 * s['std']:.1f} %" for s in spreads))
    if summary["vote"] is not None:
        table.add_row("a vote", "", *(f"{100 * summary['vote'][score]:.1f} %" if p == "test" else "" for p in parts))
    return table
