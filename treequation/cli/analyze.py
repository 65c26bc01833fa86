"""``treequation analyze``: one command for each question about a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treequation.cli.ablate import Finished, Runs, Seeds
from treequation.cli.crossval import Parallel
from treequation.cli.finding import RESULTS, Json, Results, present
from treequation.cli.output import note
from treequation.cli.train import Changes, OnDevice, RecipeFile
from treequation.cli.typed import typed

app = typer.Typer(help="Ask what a model does, and why.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def queries(
    recipe: RecipeFile,
    counts: Annotated[str, typer.Option(help="Numbers of queries, with commas.")] = "1,2,4,6,8,12,20,30",
    changes: Changes = None,
    runs: Runs = Path("runs"),
    seeds: Seeds = 1,
    parallel: Parallel = 1,
    device: OnDevice = None,
    finished: Finished = False,
    results: Results = RESULTS,
    json: Json = False,
) -> None:
    """Train a recipe with few and with many queries: accuracy, and what many queries do to the matching."""
    from treequation.evaluation.findings import Finding
    from treequation.training.finished import source_name
    from treequation.training.queries import queries as analysed
    from treequation.training.queries import query_variants
    from treequation.training.recipe import read_recipe
    from treequation.training.variants import try_variants

    try:
        numbers = [int(count) for count in counts.split(",")]
    except ValueError as error:
        raise typer.BadParameter(f"{counts} is no list of numbers such as 1,6,30", param_hint="--counts") from error
    read = read_recipe(recipe, changes or [])
    tried, failures = try_variants(
        query_variants(read, numbers)[::-1],  # many queries take longest, so they begin
        recipe,
        changes or [],
        runs,
        seeds=seeds,
        parallel=parallel,
        device=device,
        train=not finished,
        report=note,
    )
    name = source_name((read.data.test or read.data.pool)[0])
    content = analysed(tried, failures, device=device)
    present(Finding("queries", name, typed(), tried[0].runs[0].device, content), results, json)
