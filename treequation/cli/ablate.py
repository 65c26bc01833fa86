"""``treequation ablate``: a recipe with one part removed or added at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treequation.cli.crossval import Parallel
from treequation.cli.finding import RESULTS, Results, present
from treequation.cli.output import Json, note
from treequation.cli.train import Changes, OnDevice, RecipeFile

if TYPE_CHECKING:
    from treequation.experiments.variants import Tried, Variant

Runs = Annotated[Path, typer.Option(help="The folder of the runs; finished runs are not trained again.")]
Seeds = Annotated[int, typer.Option(help="Runs per variant, each with its own seed.", min=1)]
Finished = Annotated[bool, typer.Option("--finished", help="Train nothing; report on the finished runs only.")]


def ablate(
    recipe: RecipeFile,
    changes: Changes = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="A variant's name, or paper or ours for all variants of that origin; may be repeated."),
    ] = None,
    runs: Runs = Path("runs"),
    seeds: Seeds = 1,
    parallel: Parallel = 1,
    device: OnDevice = None,
    finished: Finished = False,
    results: Results = RESULTS,
    json: Json = False,
) -> None:
    """Train the recipe unchanged and with one change at a time, and compare. Run it again to resume."""
    from treequation.experiments.ablation import ablation, choose

    variants = choose(only or [])
    name, tried, failures = train_variants(variants, recipe, changes, runs, seeds, parallel, device, finished)
    present("ablation", name, tried[0].runs[0].device, ablation(tried, failures), results, json)


def train_variants(
    variants: Sequence[Variant],
    recipe: Path,
    changes: Sequence[str] | None,
    runs: Path,
    seeds: int,
    parallel: int,
    device: str | None,
    finished: bool,
) -> tuple[str, list[Tried], dict[str, str]]:
    """Trains the variants; returns the name of the test set, the variants with their runs, and the failures."""
    from treequation.evaluation.problem_set import source_name
    from treequation.experiments.variants import try_variants
    from treequation.training.recipe import read_recipe

    how: dict[str, Any] = {"seeds": seeds, "parallel": parallel, "device": device, "train": not finished}
    tried, failures = try_variants(variants, recipe, changes or [], runs, **how, report=note)
    data = read_recipe(recipe, changes or []).data
    return source_name((data.test or data.pool)[0]), tried, failures
