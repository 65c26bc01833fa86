"""``treequation solve``: answers problems, one at a time or a file of them, without PyTorch."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treequation.cli.output import complain, note, show

if TYPE_CHECKING:  # the solver brings ONNX Runtime with it, which the other commands do without
    from treequation.runtime.solution import Solution
    from treequation.runtime.solver import Solver

_SECOND_LOOK = 4  # hypotheses to follow where the answer is unsure


def solve(
    text: Annotated[list[str] | None, typer.Argument(help="The problem, in English or Chinese.")] = None,
    input: Annotated[
        Path | None, typer.Option("--input", help="A .jsonl or .csv file with problems under `problem` or `text`.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="Where the answers to --input go, as .jsonl or .csv; resumable.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a problem, and nothing else.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Show what every query thought at every step.")] = False,
    beam: Annotated[
        int | None, typer.Option(min=1, max=64, help="Equations to follow at a time; by default 1, and 4 if unsure.")
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, max=1024, help="Problems of a file to solve at a time.")] = 32,
    threads: Annotated[int, typer.Option(min=0, help="Processors to use; 0 means all.")] = 0,
    model: Annotated[Path | None, typer.Option(help="A folder made by `treequation export`.")] = None,
) -> None:
    """Solve a word problem, those of a file, or those on standard input, one a line."""
    if (text and input) or (output and not input):
        raise typer.BadParameter("give either a problem or --input; --output goes with --input")
    if not text and input is None and sys.stdin.isatty():
        raise typer.BadParameter('there is no problem; try: treequation solve "Tom has 3 boxes of 12 pencils. …"')
    from treequation.runtime.solver import Solver

    solver = Solver(model, threads=threads)
    if input is not None:
        failed = _solve_file(solver, input, output, beam or 1, batch_size)
    else:
        # Several arguments are one problem whose quotes were forgotten.
        problems = iter([" ".join(text)]) if text else (line.strip() for line in sys.stdin if line.strip())
        failed = _solve_each(solver, problems, beam, json, trace)
    if failed:
        raise typer.Exit(1)


def _solve_each(solver: Solver, problems: Iterator[str], beam: int | None, as_json: bool, trace: bool) -> int:
    """Answers problems as they come; returns how many have no answer."""
    from treequation.runtime.errors import SolveError

    failed = 0
    for place, problem in enumerate(problems):
        try:
            solution = solver.solve(problem, beam=beam or 1, with_trace=trace)
            if solution.unsure and beam is None:
                solution = solver.solve(problem, beam=_SECOND_LOOK, with_trace=trace)
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
    line = json_format.dumps(content, ensure_ascii=False)
    sys.stdout.write(line.encode("utf-8", errors="replace").decode("utf-8") + "\n")
    sys.stdout.flush()


def _readable(solution: Solution) -> Iterator[str]:
    from treequation.runtime.drawing import draw_text

    equals = "=" if solution.answer.exact else ""
    yield str(solution.answer)
    yield ""
    yield f"{solution.equation} {equals} {solution.answer}".replace("  ", " ")
    yield ""
    yield from draw_text(solution.graph, solution.problem.values)
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
    return "under 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def _trace_lines(solution: Solution) -> Iterator[str]:
    """What every query found most likely, step by step."""
    assert solution.trace is not None
    name = solution.name_in_trace
    for number, queries in enumerate(solution.trace.steps, start=1):
        yield f"step {number}"
        for place, query in enumerate(queries):
            operator, likelihood = query.operator[0]
            said = f"  query {place}: "
            if operator is None:
                yield f"{said}nothing ({_percent(likelihood)})"
                continue
            left, right = query.left[0], query.right[0]
            kept = "kept" if query.kept is not None else "dropped"
            yield (
                f"{said}{name(left.operand)} {operator.sign} {name(right.operand)} ({_percent(likelihood)}, "
                f"{_percent(left.probability)}, {_percent(right.probability)}; {kept})"
            )


def _solve_file(solver: Solver, source: Path, target: Path | None, beam: int, batch_size: int) -> int:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from treequation.runtime.bulk import Row, read_rows, solve_file, solve_rows

    if target is None:
        failed = 0
        for _, answer in solve_rows(solver, read_rows(source), beam=beam, batch_size=batch_size):
            failed += "error" in answer
            _print_line(answer)
        return failed
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:.0f} %"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bars:
        task = bars.add_task(f"solving {source.name}", total=source.stat().st_size)

        def progress(row: Row) -> None:
            bars.update(task, completed=row.read)

        summary = solve_file(solver, source, target, beam=beam, batch_size=batch_size, progress=progress)
    note(f"{target}: {summary.rows:,} rows, of which {summary.failed:,} have an error in place of an answer")
    return summary.failed
