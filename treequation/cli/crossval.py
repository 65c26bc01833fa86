"""``treequation crossval`` and ``treequation seeds``: one recipe trained several times, with mean and spread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from treequation.cli.command_line import command_line
from treequation.cli.engine import Address, Engine
from treequation.cli.evaluate import Record, VariantName
from treequation.cli.output import Json, note, show, show_json, table_of
from treequation.cli.train import Changes, OnDevice, RecipeFile

if TYPE_CHECKING:
    from treequation.experiments.repeats import Repeat
    from treequation.training.recipe import Recipe

Parallel = Annotated[int, typer.Option(help="How many runs share the device at a time.", min=1)]
OnEngine = Annotated[Engine, typer.Option(help="This machine, or a Ray cluster.")]
Output = Annotated[Path | None, typer.Option(help="The folder of all runs.")]
_COLUMNS = {"dev": "dev", "test": "test (strict)", "literature_selection": "test (literature's selection)"}


def crossval(
    recipe: RecipeFile,
    folds: Annotated[int, typer.Option(help="How many folds, for data sets that do not come in folds.", min=2)] = 5,
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
    """Cross-validate: hold out each fold in turn, train on the others, test on it. Run it again to resume."""
    from treequation.experiments.repeats import folds_of

    asked = recipe, changes or [], output, parallel, device, engine, address, json
    made = _repeat("crossval", lambda read: folds_of(read, folds), *asked)
    _record(made, "folds", record, variant)


def seeds(
    recipe: RecipeFile,
    count: Annotated[int, typer.Option("-n", help="How many.", min=1)] = 5,
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
    """Train with several seeds: mean, spread, and a vote of all runs. Run it again to resume."""
    from treequation.experiments.repeats import seeds_of

    asked = recipe, changes or [], output, parallel, device, engine, address, json
    made = _repeat("seeds", lambda read: seeds_of(read, count), *asked)
    _record(made, "test", record, variant)


def _runner(engine: Engine, address: str | None) -> Callable[..., dict[str, str]]:
    """The function that carries out the runs, on the engine asked for."""
    if engine is Engine.local:
        if address:
            raise typer.BadParameter("--address goes with --engine ray")
        from treequation.experiments.repeats import run_all

        return run_all
    from treequation.distributed.ray_repeats import run_all_on_ray

    return partial(run_all_on_ray, address=address)


def _repeat(
    kind: str,
    repeats_of: Callable[[Recipe], Sequence[Repeat]],
    recipe: Path,
    changes: list[str],
    output: Path | None,
    parallel: int,
    device: str | None,
    engine: Engine,
    address: str | None,
    json: bool,
) -> dict[str, Any]:
    from treequation.experiments.repeats import summarise
    from treequation.training.recipe import read_recipe
    from treequation.training.run_folder import RunFolder

    read = read_recipe(recipe, changes)
    repeats = repeats_of(read)
    folder = output or Path("runs") / f"{read.name}-{kind}"
    failures = _runner(engine, address)(repeats, recipe, changes, folder, parallel=parallel, device=device, report=note)
    finished = [RunFolder.read(folder / repeat.name) for repeat in repeats if repeat.name not in failures]
    tested = [run for run in finished if run.recipe.data.test or run.recipe.data.pool]
    outcomes = {run.folder.name: run.outcomes(device=device) for run in tested}
    summary = summarise(repeats, folder, failures, outcomes, votes=kind == "seeds")
    if json:
        show_json(summary)
    else:
        score = read.training.keep_best_by
        show(_table(summary, score), f"by {score}; all scores are in {folder / 'summary.json'}")
    if failures:
        raise typer.Exit(1)
    return summary


def _record(summary: dict[str, Any], protocol: str, file: Path | None, variant: str | None) -> None:
    if file is None:
        return
    from treequation.reporting.result_rows import rows_of
    from treequation.reporting.results import add_rows

    add_rows(file, rows_of(summary, protocol, command=command_line(), variant=variant))
    note(f"recorded in {file}")


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
