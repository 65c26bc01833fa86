"""``treequation solve``: answers problems, one at a time or a file of them, without PyTorch."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treequation.cli.options import USUAL_PRECISION, Address, Engine, LightModelName, PrecisionOption
from treequation.cli.output import as_json, complain, note, show
from treequation.runtime import BATCH_SIZE, MAX_BEAM, SECOND_LOOK

if TYPE_CHECKING:  # the solver imports ONNX Runtime, which other commands do not need
    from rich.progress import Progress, TaskID

    from treequation.runtime.rows import Row
    from treequation.runtime.solution import Solution
    from treequation.runtime.solver import Solver

# Endings of an --output that are surely not meant as folders.
_OTHER_FILES = (".pdf", ".xls", ".ods", ".txt", ".json", ".doc", ".docx")


class Format(StrEnum):
    """The file format in a folder of answers."""

    parquet = "parquet"
    jsonl = "jsonl"


def solve(
    text: Annotated[list[str] | None, typer.Argument(help="The problem, in English or Chinese.")] = None,
    input: Annotated[
        str | None,
        typer.Option(
            help="A .csv, .tsv, .xlsx or .jsonl file with problems under `problem`, `text` or `question`; for a folder "
            "of answers, a .jsonl or .parquet file, a folder of them, a pattern or a URL."
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            help="Where the answers go: a .csv, .tsv, .xlsx or .jsonl file, an answer sheet to print (.html), or else "
            "a folder (or its URL); resumable."
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option(help="The column (or key) of --input that has the problems, if it has another name.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per problem, and nothing else.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Show what every query proposed at every step.")] = False,
    beam: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_BEAM,
            help=f"Beam size; by default 1, then {SECOND_LOOK} if the answer is unsure.",
        ),
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, max=1024, help="Batch size for files.")] = BATCH_SIZE,
    threads: Annotated[
        int, typer.Option(min=0, help="Processors to use; 0 means all, or one per worker if there are workers.")
    ] = 0,
    engine: Annotated[
        Engine, typer.Option(help="For a folder of answers: this machine, or a Ray cluster.")
    ] = Engine.local,
    address: Address = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="For a folder of answers: worker processes; by default one per processor.")
    ] = None,
    format: Annotated[
        Format | None, typer.Option(help="For a folder of answers: the file format; by default parquet.")
    ] = None,
    part_rows: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, help="For a folder of answers: rows per file; by default 4,096.")
    ] = None,
    model: LightModelName = None,
    precision: PrecisionOption = USUAL_PRECISION,
) -> None:
    """Solve one word problem, a file of them, or those on standard input, one per line."""
    unknown = next((word for word in text or () if re.match("--?[a-z]", word)), None)
    if unknown is not None:
        raise typer.BadParameter(f"there is no option {unknown}; `treequation solve --help` lists the options")
    if (text and input) or (output and not input):
        raise typer.BadParameter("give either a problem or --input; --output goes with --input")
    if not text and input is None and sys.stdin.isatty():
        raise typer.BadParameter('there is no problem; try: treequation solve "Tom has 3 boxes of 12 pencils. …"')
    if trace and input is not None:
        raise typer.BadParameter("--trace goes with a problem, not with --input")
    if column is not None and input is None:
        raise typer.BadParameter("--column goes with --input")
    in_folder = output is not None and not _is_file(output, str(input))
    if not in_folder and (engine is Engine.ray or workers or address or format or part_rows):
        raise typer.BadParameter(
            "--engine ray, --address, --workers, --format and --part-rows go with a folder as --output"
        )
    if in_folder and column is not None:
        raise typer.BadParameter(
            "--column goes with a file as --output; for a folder of answers, name the column problem or text"
        )
    if address and engine is not Engine.ray:
        raise typer.BadParameter("--address goes with --engine ray")
    if input is not None and output is not None and in_folder:
        settings = {"model": model, "precision": precision.value, "threads": threads, "beam": beam}
        settings |= {"batch_size": batch_size, "engine": engine.value, "address": address, "workers": workers}
        settings |= {"format": format and format.value, "part_rows": part_rows}
        if _solve_folder(input, output, **{name: value for name, value in settings.items() if value is not None}):
            raise typer.Exit(1)
        return
    from treequation.runtime.solver import Solver

    solver = Solver(model, threads=threads, precision=precision.value)
    if input is not None:
        failed = _solve_file(solver, Path(input), Path(output) if output else None, beam, batch_size, column)
    else:
        # Several arguments are one problem typed without quotes.
        problems = iter([" ".join(text)]) if text else (line.strip() for line in sys.stdin if line.strip())
        failed = _solve_each(solver, problems, beam, json, trace)
    if failed:
        raise typer.Exit(1)


def _is_file(output: str, input: str) -> bool:
    """Whether it is a single file of answers, rather than a folder of them, which a spreadsheet cannot have."""
    from treequation.runtime.bulk import OUTPUTS, TABLES

    is_file = output.lower().endswith(OUTPUTS)
    if output.lower().endswith(_OTHER_FILES) or (not is_file and input.lower().endswith(TABLES)):
        raise typer.BadParameter(
            f"--output must end in one of {', '.join(OUTPUTS)}; for a PDF, print an .html answer sheet"
        )
    return is_file


def _solve_each(solver: Solver, problems: Iterator[str], beam: int | None, as_json: bool, trace: bool) -> int:
    """Solves problems as they come; returns how many have no answer."""
    from treequation.runtime.solve_error import SolveError

    failed = 0
    for place, problem in enumerate(problems):
        try:
            solution = solver.solve(problem, beam=beam, with_trace=trace)
        except SolveError as error:
            failed += 1
            if as_json:
                _print_line({"problem": problem, "error": error.to_dict()})
            else:
                complain(str(error))
            continue
        if as_json:
            _print_line(solution.to_dict())
        else:
            show(*([""] if place else []), *_readable(solution))
    return failed


def _print_line(content: dict[str, Any]) -> None:
    sys.stdout.write(as_json(content).encode("utf-8", errors="replace").decode("utf-8") + "\n")
    sys.stdout.flush()


def _readable(solution: Solution) -> Iterator[str]:
    from treequation.runtime.drawing import draw_text

    equals = "=" if solution.answer.exact else ""
    yield solution.shown if solution.fraction is None else f"{solution.shown} ({solution.fraction})"
    yield ""
    yield f"{solution.equation} {equals} {solution.answer}".replace("  ", " ")
    yield ""
    yield from draw_text(solution.graph, solution.problem.values, evaluation=solution.evaluation)
    yield ""
    yield from solution.steps
    yield ""
    if solution.unsure:
        yield f"unsure: {_percent(solution.confidence)} likely; check the equation"
        for other in solution.alternatives:
            yield f"  or {other.answer}: {other.equation} ({_percent(other.confidence)})"
    else:
        yield f"confidence: {_percent(solution.confidence)}"
    if solution.trace is not None:
        yield ""
        yield from _trace_lines(solution)


def _percent(share: float) -> str:
    if share > 0.99:
        return "over 99 %"  # nothing is certain
    return "under 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def _trace_lines(solution: Solution) -> Iterator[str]:
    """The likeliest expression of every query, step by step."""
    assert solution.trace is not None
    name = solution.name_in_trace
    for number, queries in enumerate(solution.trace.steps, start=1):
        yield f"step {number}"
        for place, query in enumerate(queries):
            operator, likelihood = query.operator[0]
            start = f"  query {place}: "
            if operator is None:
                yield f"{start}nothing ({_percent(likelihood)})"
                continue
            left, right = query.left[0], query.right[0]
            kept = "kept" if query.kept is not None else "dropped"
            yield (
                f"{start}{operator.between(name(left.operand), name(right.operand))} ({_percent(likelihood)}, "
                f"{_percent(left.probability)}, {_percent(right.probability)}; {kept})"
            )


def _solve_file(
    solver: Solver, source: Path, target: Path | None, beam: int | None, batch_size: int, column: str | None
) -> int:
    from treequation.runtime.bulk import read_rows, solve_file, solve_rows

    if target is None:
        failed = 0
        for _, answer in solve_rows(solver, read_rows(source, column), beam=beam, batch_size=batch_size):
            failed += "error" in answer
            _print_line(answer)
        return failed
    with _bar(f"solving {source.name}") as (bars, task):
        bars.update(task, total=source.stat().st_size)

        def progress(row: Row) -> None:
            bars.update(task, completed=row.read)

        summary = solve_file(solver, source, target, beam=beam, batch_size=batch_size, column=column, progress=progress)
    note(f"{target}: {summary.rows:,} rows, of which {summary.failed:,} have an error in place of an answer")
    return summary.failed


def _solve_folder(source: str, target: str, **settings: Any) -> int:
    from treequation.distributed.folders import solve_folder

    with _bar(f"solving {source}") as (bars, task):
        summary = solve_folder(
            source,
            target,
            started=lambda rows, before: bars.update(task, total=rows, completed=before),
            progress=lambda rows: bars.advance(task, rows),
            report=note,
            **settings,
        )
    before = f"; {summary.before:,} come from an earlier call" if summary.before else ""
    note(f"{target}: {summary.rows:,} rows, of which {summary.failed:,} have an error in place of an answer{before}")
    return summary.failed


@contextmanager
def _bar(title: str) -> Iterator[tuple[Progress, TaskID]]:
    """A progress bar, and its task."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:.0f} %"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bars:
        yield bars, bars.add_task(title, total=None)
