"""``treequation bench``: speed, with the method and the machine in the output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from treequation.cli.command_line import command_line
from treequation.cli.options import USUAL_PRECISION, Changes, Json, LightModelName, OnDevice, PrecisionOption
from treequation.cli.output import note, show, show_json, table_of
from treequation.runtime import BATCH_SIZE, MAX_BEAM

if TYPE_CHECKING:
    from treequation.experiments.solving_speed import Peer
    from treequation.reporting.charts import Lines
    from treequation.runtime.light_engine import LightModel

app = typer.Typer(help="Speed, with the method and the machine in the output.", no_args_is_help=True)

_ROWS = {
    "solve": "whole solve",
    "encoder": "encoder alone",
    "peer": "PyTorch, eager",
}
_SIZES = {
    "tokens": "tokens of the text",
    "numbers": "numbers in the text",
    "batch": "problems at a time",
    "steps": "layers of the equation",
    "queries": "queries of the decoder, repeated or cut",
    "cores": "processors, on real problems",
}


@app.command()
def solve(
    model: LightModelName = None,
    torch: Annotated[
        Path | None, typer.Option("--torch", help="The model or run folder that it was exported from, to compare with.")
    ] = None,
    data: Annotated[
        list[str] | None, typer.Option(help="NAME:split or a .jsonl file; by default mathqa:test and mawps:test.")
    ] = None,
    count: Annotated[int, typer.Option(min=10, help="Problems to take from each, spread evenly.")] = 200,
    batch_size: Annotated[int, typer.Option(min=1, help="Batch size in bulk.")] = BATCH_SIZE,
    threads: Annotated[int, typer.Option(min=0, help="Processors to use; 0 means all.")] = 0,
    precision: PrecisionOption = USUAL_PRECISION,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Draw problems/s against text length, numbers, batch size, layers, queries and processors, as this "
            "SVG file."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Time the light runtime, one problem at a time and in bulk, against the encoder alone and PyTorch."""
    from treequation.experiments.solving_speed import METHOD, compare, machine
    from treequation.runtime.solver import Solver

    solver = Solver(model, threads=threads, precision=precision.value)
    peer = None if torch is None else _pytorch(torch, threads, batch_size)
    report: dict[str, Any] = {
        **_when_and_how(),
        "model": solver.metadata.name,
        "precision": solver.model.precision,
        "precision_on_disk": solver.metadata.precision,
        "batch_size": batch_size,
        "method": METHOD,
        "machine": machine(threads),
        "data": {},
    }
    sources = data or ["mathqa:test", "mawps:test"]
    texts = {source: _texts(source, count) for source in sources}
    for source, chosen in texts.items():
        note(f"timing {len(chosen):,} problems of {source}")
        report["data"][source] = compare(solver, chosen, batch_size=batch_size, peer=peer)
    note("timing growth")
    report |= _growth(solver.model, texts[sources[0]], threads, batch_size)
    if plot is not None:
        from treequation.reporting.figures import save_panels

        save_panels(_growth_charts(report), plot, title=f"{report['model']}; {_usual_sizes(report)}")
    if json:
        show_json(report)
    else:
        _show(report)


def _when_and_how() -> dict[str, str]:
    """The first entries of a file of figures: date and command."""
    return {"date": datetime.now(UTC).date().isoformat(), "command": command_line()}


@app.command()
def decode(
    models: Annotated[list[Path], typer.Argument(help="Run folders, model folders, or recipes (timed untrained).")],
    changes: Changes = None,
    data: Annotated[str, typer.Option(help="NAME:split or a .jsonl file with equations.")] = "mathqa:test",
    batch_size: Annotated[int, typer.Option(min=1, help="Batch size.")] = 512,
    rounds: Annotated[int, typer.Option(min=1, help="How many times to solve all problems.")] = 10,
    beam: Annotated[
        int | None, typer.Option(min=1, max=MAX_BEAM, help="Beam size; by default that of the decoder's paper.")
    ] = None,
    bf16: Annotated[bool | None, typer.Option(help="Compute in bf16; by default on CUDA only.")] = None,
    device: OnDevice = None,
    json: Json = False,
) -> None:
    """Time PyTorch in bulk: from problems to equations, in large batches, on one device."""
    from treequation.experiments.decoding_speed import measure

    report = measure(
        models,
        changes=changes or (),
        data=data,
        batch_size=batch_size,
        rounds=rounds,
        beam=beam,
        bf16=bf16,
        device=device,
        report=note,
    )
    if json:
        show_json(_when_and_how() | report)
        return
    title = f"{report['problems']:,} problems of {data}, {batch_size} at a time, in {report['precision']}"
    table = Table(title=title, title_justify="left")
    table.add_column("model")
    for column in ("decoder", "problems/s", "min", "max", "right"):
        table.add_column(column, justify="right")
    for one in report["models"]:
        rates = (f"{one[name]:,.0f}" for name in ("median_per_second", "min_per_second", "max_per_second"))
        table.add_row(one["name"], one["decoder"], *rates, f"{one['answer_accuracy']:.1%}")
    show(table, f"Device: {report['hardware']}", report["method"])


@app.command()
def train(
    recipe: Annotated[Path, typer.Argument(help="A recipe file, or the name of a packaged recipe, such as mathqa.")],
    changes: Changes = None,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs to time, after a first one that does not count.")] = 3,
    device: OnDevice = None,
    json: Json = False,
) -> None:
    """Time training: the recipe's own steps, from the start to steady state."""
    from treequation.experiments.training_speed import measure
    from treequation.training.recipe import read_recipe

    report = measure(read_recipe(recipe, changes or ()), epochs=epochs, device=device)
    if json:
        show_json(_when_and_how() | report)
        return
    table = Table(title=f"Training speed, {recipe}", title_justify="left")
    table.add_column("")
    table.add_column("", justify="right")
    for name in ("problems", "batch_size", "groups", "startup_seconds", "problems_per_second", "steps_per_second"):
        table.add_row(name.replace("_", " "), f"{report[name]:,.1f}".removesuffix(".0"))
    table.add_row("problems a second, whole run", f"{report['whole_run_problems_per_second']:,.1f}")
    table.add_row("GFLOP a problem", f"{report['flop_per_problem'] / 1e9:,.2f}")
    table.add_row("share of the matrix rate", f"{report['share_of_matrix_rate']:.1%}")
    show(table, f"Device: {report['hardware']}", report["method"])


def _texts(source: str, count: int) -> list[str]:
    """Texts of a data set, or made-up ones if it is not on this machine."""
    from treequation.data.catalogue import MissingDataError, has_folds
    from treequation.evaluation.problem_set import read_source
    from treequation.timing import evenly

    try:
        problems = read_source(source, {}, fold=0 if has_folds(source) else None, split="test").problems
    except MissingDataError as error:
        from treequation.data.synthetic import generate

        note(f"{error}; made-up problems are used instead")
        problems = tuple(generate(count, seed=1, level="hard", language="en"))
    return [problem.text for problem in evenly(problems, count)]


def _pytorch(folder: Path, threads: int, batch_size: int) -> Peer:
    """The original model, run by plain PyTorch."""
    import torch

    from treequation.evaluation.evaluator import load_model
    from treequation.model import decode
    from treequation.text.numbers import find_numbers
    from treequation.text.problem import Problem

    if threads:
        torch.set_num_threads(threads)
    model = load_model(folder).cpu()

    def solve_with_pytorch(texts: Any) -> None:
        problems = [Problem("", text, find_numbers(text, model.config.format)) for text in texts]
        decode(model, problems, batch_size=batch_size)

    return solve_with_pytorch


def _growth(model: LightModel, texts: Sequence[str], threads: int, batch_size: int) -> dict[str, Any]:
    """The method, and the times by size."""
    from treequation.experiments.solving_growth import (
        METHOD,
        cores_to_try,
        growth,
        growth_of_cores,
        growth_of_queries,
        usual_sizes,
    )

    found = growth(model)
    try:
        found["queries"] = growth_of_queries(_with_queries(model, threads))
    except ModuleNotFoundError as error:
        note(f"how time grows with queries needs {error.name}, which comes with: pip install 'treequation[train]'")
    cores = cores_to_try(threads or os.cpu_count() or 1)
    found["cores"] = growth_of_cores(model, texts, cores, batch_size=batch_size)
    return {"growth_method": METHOD, "growth_sizes": usual_sizes(model), "growth": found}


def _with_queries(model: LightModel, threads: int) -> Iterator[tuple[int, LightModel]]:
    """The model with other numbers of queries."""
    from treequation.experiments.solving_growth import QUERIES
    from treequation.export.query_count import copy_with_queries
    from treequation.runtime.light_engine import LightModel

    for queries in QUERIES:
        with TemporaryDirectory() as folder:
            copy = Path(folder) / "model"
            copy_with_queries(model.folder, copy, queries)
            yield queries, LightModel(copy, threads=threads, precision=model.precision)


def _growth_charts(report: dict[str, Any]) -> list[Lines]:
    """Problems per second against each size, all on the same scale."""
    from treequation.reporting.charts import Lines, Point, Series

    ways = {"per_second": "one at a time", "bulk_per_second": "in bulk"}
    return [
        Lines(
            name=name,
            title="",
            x_label=_SIZES[name],
            y_label="problems/s",
            series=tuple(
                Series(label, tuple(Point(point[name], point[way]) for point in points))
                for way, label in ways.items()
                if way in points[0]
            ),
            doubling=True,
        )
        for name, points in report["growth"].items()
    ]


def _usual_sizes(report: dict[str, Any]) -> str:
    sizes = report["growth_sizes"]
    return (
        f"unless varied, {sizes['tokens']} tokens, {sizes['numbers']} numbers, {sizes['batch']} problem at a time, "
        f"{sizes['steps']} layers, {sizes['queries']} queries"
    )


def _show(report: dict[str, Any]) -> None:
    machine = ", ".join(f"{name} {value}" for name, value in report["machine"].items())
    precision = f"the encoder multiplies in {report['precision']}; {report['precision_on_disk']} on disk"
    show(f"model {report['model']} ({precision})", f"machine: {machine}", report["method"])
    for source, figures in report["data"].items():
        show(
            "",
            f"{source}: {figures['problems']} problems, {figures['mean_tokens']} tokens and "
            f"{figures['mean_steps']} steps on average",
        )
        table = table_of("", "p50 ms", "p99 ms", "mean ms", f"problems/s, {report['batch_size']} at a time")
        for row, label in _ROWS.items():
            if row in figures:
                times = figures[row]
                singles = (f"{times[name]:.2f}" for name in ("p50", "p99", "mean"))
                table.add_row(label, *singles, f"{times['bulk_per_second']:,.0f}")
        show(table)
        show(
            f"a whole solve takes {figures['solve_to_encoder']:.2f} times the encoder alone, "
            f"in bulk {figures['solve_to_encoder_bulk']:.2f} times; "
            f"in bulk it is {figures['bulk_to_one_at_a_time']:.2f} times as fast as one at a time"
        )
        if "peer" in figures:
            show(
                f"it is {figures['faster_than_peer']:.1f} times as fast as PyTorch, "
                f"in bulk {figures['faster_than_peer_bulk']:.1f} times"
            )
    show("", f"growth, problems/s: {_usual_sizes(report)}", report["growth_method"])
    for name, points in report["growth"].items():
        rates = ", ".join(f"{point[name]}: {point['per_second']:,.0f}" for point in points)
        bulk = ", ".join(f"{point[name]}: {point['bulk_per_second']:,.0f}" for point in points if name == "cores")
        show(f"  {_SIZES[name]}: {rates}" + (f"; in bulk {bulk}" if bulk else ""))
