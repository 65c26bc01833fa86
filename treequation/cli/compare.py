"""``treequation compare``: decoders side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treequation.cli.command_line import command_line
from treequation.cli.options import Changes, Json, OnDevice, Parallel
from treequation.cli.output import note, show_json, show_tables
from treequation.errors import TreequationError

if TYPE_CHECKING:
    from treequation.experiments.comparison import Entry


def compare(
    recipes: Annotated[
        list[Path],
        typer.Argument(help="Recipes; a recipe with an [llm] table stands for a language model.", metavar="RECIPE…"),
    ],
    peer: Annotated[
        list[str] | None,
        typer.Option(
            help='Also enter each recipe with this change, such as decoder=seq2tree or "K=V K=V"; may be repeated.',
            metavar="K=V",
        ),
    ] = None,
    peers: Annotated[
        Path | None,
        typer.Option(help="Rows of a published table, such as recipes/peers/paper.toml.", dir_okay=False),
    ] = None,
    runs: Annotated[Path, typer.Option(help="The folder of the runs; finished runs are loaded.")] = Path("runs"),
    changes: Changes = None,
    seeds: Annotated[int, typer.Option(help="Runs of each entry.", min=1)] = 1,
    parallel: Parallel = 1,
    device: OnDevice = None,
    timed: Annotated[int, typer.Option(help="Test problems to time, spread evenly.", min=1)] = 200,
    batch_size: Annotated[int, typer.Option(help="Batch size in bulk.", min=1)] = 64,
    rounds: Annotated[int, typer.Option(help="Rounds of timing in bulk.", min=1)] = 5,
    output: Annotated[Path, typer.Option(help="Write the result to this file, as JSON.", dir_okay=False)] = Path(
        "results/comparison.json"
    ),
    json: Json = False,
) -> None:
    """Train or load each entry, solve the same problems with all of them, and print one table."""
    from treequation.experiments.comparison import compared_recipes, enter, problems_of, result, train_all
    from treequation.experiments.language_model import enter_language_model, language_model
    from treequation.experiments.neighbour_entry import copy_equations, enter_nearest_neighbour
    from treequation.experiments.peers import read_rows
    from treequation.reporting.comparison_tables import tables
    from treequation.storage import write_json

    rows = read_rows(peers) if peers is not None else []
    language_models = {path: recipe for path in recipes if (recipe := language_model(path)) is not None}
    trained = [path for path in recipes if path not in language_models]
    entered = compared_recipes(trained, peer or [], changes or [], rows)
    if not entered:
        raise TreequationError("name at least one recipe that trains a model: the comparison solves its test problems")
    known = problems_of(entered)  # all of them first, since training takes long
    lost = train_all(entered, changes or [], runs, seeds=seeds, parallel=parallel, device=device, report=note)
    for name, reason in lost.items():
        note(f"{name} is left out because its training failed: {reason}")
    entered = [compared for compared in entered if compared.name not in lost]
    entries: list[Entry] = []
    for compared in entered:
        problems = known[compared.recipe.data]
        entries += enter(compared, runs, problems, seeds=seeds, device=device, report=note)
    first = entered[0].recipe.data
    problems = known[first]
    entries += [enter_language_model(recipe, problems, report=note) for recipe in language_models.values()]
    copied = copy_equations(problems)
    entries.append(enter_nearest_neighbour(copied))
    note(f"timing {min(timed, len(problems.test)):,} problems")
    found = result(
        entries,
        problems.test,
        sources=first.test or first.pool,
        count=timed,
        batch_size=batch_size,
        rounds=rounds,
        unlike={outcome.id for outcome, unlike in zip(copied.outcomes, copied.unlike, strict=True) if unlike},
    )
    if rows:
        found["same"] = [row.about(found["data"]) for row in rows if row.same_as]
        found["failed"] = lost
    found["command"] = command_line()
    write_json(output, found)
    if json:
        show_json(found)
    else:
        show_tables(tables(found))
        note(f"the full result is in {output}")
