"""``treequation ablate``: a recipe with one part removed or added at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treequation.cli.options import RESULTS, Changes, Json, OnDevice, Parallel, RecipeFile, Results, with_options
from treequation.cli.output import note, present

if TYPE_CHECKING:
    from treequation.experiments.variants import Tried, Variant


@dataclass(frozen=True, slots=True)
class VariantOptions:
    """The options of commands that train variants of a recipe."""

    changes: Changes = None
    runs: Annotated[Path, typer.Option(help="The folder of the runs; finished runs are not trained again.")] = Path(
        "runs"
    )
    seeds: Annotated[int, typer.Option(help="Runs per variant, each with its own seed.", min=1)] = 1
    parallel: Parallel = 1
    device: OnDevice = None
    finished: Annotated[bool, typer.Option("--finished", help="Train nothing; report on the finished runs only.")] = (
        False
    )
    results: Results = RESULTS
    json: Json = False


@with_options
def ablate(
    recipe: RecipeFile,
    only: Annotated[
        list[str] | None,
        typer.Option(help="A variant's name, or paper or ours for all variants of that origin; may be repeated."),
    ] = None,
    *,
    options: VariantOptions,
) -> None:
    """Train the recipe unchanged and with one change at a time, and compare. Run it again to resume."""
    from treequation.experiments.variants import ablation, choose

    name, tried, failures = train_variants(choose(only or []), recipe, options)
    content = ablation(tried, failures)
    present("ablation", name, tried[0].runs[0].device, content, options.results, options.json)


def train_variants(
    variants: Sequence[Variant], recipe: Path, options: VariantOptions
) -> tuple[str, list[Tried], dict[str, str]]:
    """Trains the variants; returns the name of the test set, the variants with their runs, and the failures."""
    from treequation.evaluation.problem_set import source_name
    from treequation.experiments.variants import try_variants
    from treequation.training.recipe import read_recipe

    changes = options.changes or []
    tried, failures = try_variants(
        variants,
        recipe,
        changes,
        options.runs,
        seeds=options.seeds,
        parallel=options.parallel,
        device=options.device,
        train=not options.finished,
        report=note,
    )
    data = read_recipe(recipe, changes).data
    return source_name((data.test or data.pool)[0]), tried, failures
