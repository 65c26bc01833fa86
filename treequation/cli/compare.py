"""``treequation compare``: decoders side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from treequation.cli.output import note, show, show_json
from treequation.cli.train import OnDevice
from treequation.errors import TreequationError

if TYPE_CHECKING:
    from treequation.training.contest import Entry
    from treequation.training.recipe import Data
    from treequation.training.sources import Problems


def compare(
    recipes: Annotated[
        list[Path], typer.Argument(help="Recipes; one with an [llm] table asks a language model.", metavar="RECIPE…")
    ],
    peer: Annotated[
        list[str] | None,
        typer.Option(
            help='Each recipe also so changed, such as decoder=seq2tree; several changes: "K=V K=V"; may be repeated.',
            metavar="K=V",
        ),
    ] = None,
    runs: Annotated[Path, typer.Option(help="Where runs are, or are to be; finished ones are loaded.")] = Path("runs"),
    seeds: Annotated[int, typer.Option(help="Runs of each contestant.", min=1)] = 1,
    device: OnDevice = None,
    timed: Annotated[int, typer.Option(help="Test problems to time, spread evenly.", min=1)] = 200,
    batch_size: Annotated[int, typer.Option(help="Problems at a time in bulk.", min=1)] = 64,
    rounds: Annotated[int, typer.Option(help="Rounds of timing in bulk.", min=1)] = 5,
    output: Annotated[Path, typer.Option(help="The result as JSON.")] = Path("results/comparison.json"),
    json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Train or load each contestant, ask all of them the same problems, and print one table."""
    from treequation.training.contest import contestants_of, enter, result, write
    from treequation.training.language_model import enter_language_model, language_model
    from treequation.training.sources import load_problems

    language_models = {path: recipe for path in recipes if (recipe := language_model(path)) is not None}
    contestants = contestants_of([path for path in recipes if path not in language_models], peer or [])
    if not contestants:
        raise TreequationError("name at least one recipe that trains a model: its test problems are those to solve")
    known: dict[Data, Problems] = {}
    for contestant in contestants:  # all of them before any is trained, since that takes long
        data = contestant.recipe.data
        if data not in known:
            known[data] = load_problems(data, contestant.recipe.training.seed)
        if not known[data].test:
            raise TreequationError(f"{contestant.name} has no test problems: set data.test, such as to mathqa:test")
    entries: list[Entry] = []
    for contestant in contestants:
        problems = known[contestant.recipe.data]
        entries += enter(contestant, runs, problems, seeds=seeds, device=device, report=note)
    first = contestants[0].recipe.data
    problems = known[first]
    entries += [enter_language_model(recipe, problems, report=note) for recipe in language_models.values()]
    note(f"timing {min(timed, len(problems.test)):,} problems")
    found = result(
        entries,
        problems.test,
        sources=first.test or first.pool,
        count=timed,
        batch_size=batch_size,
        rounds=rounds,
    )
    write(found, output)
    if json:
        show_json(found)
    else:
        _show(found)
        note(f"everything is in {output}")


def _show(found: dict[str, Any]) -> None:
    contestants = found["contestants"]
    hardware = ", ".join(f"{name} {value}" for name, value in found["hardware"].items())
    show(f"{', '.join(found['data'])}: {found['problems']:,} problems; {hardware}", "")
    accuracy = _table("", "parameters", "answer", "equation", "literature", "unseen text", "p against ours")
    for each in contestants:
        unseen, against = each["by_text"].get("unseen"), each["against_ours"]
        accuracy.add_row(
            each["name"],
            "" if each["parameters"] is None else f"{each['parameters']['all'] / 1e6:.1f} M",
            *(_accuracy(each, f"{score}_accuracy") for score in ("answer", "equation", "literature")),
            "" if unseen is None else _percent(unseen["answer_accuracy"]),
            "" if against is None else f"{against['answer']['p_value']:.2g}",
        )
    cost = _table("", "steps: mean", "std", "max", "training /s", "solving /s", "least to most", "ms: p50", "p99")
    for each in contestants:
        steps, training, speed = each["steps"], each["training"], each["speed"]
        cells = [""] * 3 if steps is None else [f"{steps['mean']:.2f}", f"{steps['std']:.2f}", f"{steps['max']}"]
        cells.append("" if training is None else f"{training['problems_per_second']:,.0f}")
        if speed is not None:
            rate, latency = speed["problems_per_second"], speed["latency_ms"]
            cells += [f"{rate['median']:,.0f}", f"{rate['least']:,.0f} to {rate['most']:,.0f}"]
            cells += [f"{latency['p50']:.1f}", f"{latency['p99']:.1f}"]
        cost.add_row(each["name"], *cells)
    show(accuracy, "", cost)
    for title, part in (("shape", "by_shape"), ("expressions", "by_expressions")):
        groups = list(dict.fromkeys(group for each in contestants for group in each[part]))
        table = _table(f"answer accuracy by {title}", *groups)
        for each in contestants:
            accuracies = (each[part].get(group) for group in groups)
            table.add_row(each["name"], *("" if a is None else _percent(a["answer_accuracy"]) for a in accuracies))
        show("", table)


def _accuracy(contestant: dict[str, Any], score: str) -> str:
    spread = contestant["seeds"].get(score)
    if spread is None:
        return _percent(contestant[score])
    return f"{100 * spread['mean']:.1f} ± {100 * spread['std']:.1f} %"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _table(first: str, *columns: str) -> Table:
    table = Table(first, box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right")
    return table
