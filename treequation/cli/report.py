"""``treequation report``: fills pages and writes the report from the files of results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treequation.cli.options import RESULTS, Changes, Results
from treequation.cli.output import note, show
from treequation.errors import TreequationError

Variants = Annotated[
    Path, typer.Option(help="The file that defines the variants of the page of claims.", dir_okay=False)
]
VARIANTS = Path("recipes/paper/claims.toml")


def report(
    results: Results = RESULTS,
    output: Annotated[Path, typer.Option(help="The folder of the report.")] = Path("report"),
    docs: Annotated[Path, typer.Option(help="The folder of pages whose marked regions are filled.")] = Path("docs"),
    add: Annotated[
        list[Path] | None,
        typer.Option(
            help="First add this to the results: a file of rows made by --record, or a folder of one or more "
            "finished runs, for the page of claims; may be repeated."
        ),
    ] = None,
    variants: Variants = VARIANTS,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if a page does not match the results.")
    ] = False,
) -> None:
    """Fill the pages' marked regions from the results, and write everything as one HTML page and as Markdown."""
    from treequation.experiments.claim_variants import ClaimVariants
    from treequation.experiments.run_store import STORE, add_runs
    from treequation.reporting.html_report import write_report
    from treequation.reporting.regions import filled
    from treequation.reporting.results import add_rows, read_rows
    from treequation.reporting.sections import RESULTS as ROWS
    from treequation.reporting.sections import read_sections
    from treequation.storage import write_whole

    for path in add or []:
        if not path.exists():
            raise TreequationError(f"there is no {path}")
        if path.is_dir():
            add_runs([path], results / STORE, ClaimVariants.read(variants), note)
        else:
            add_rows(results / ROWS, read_rows(path))
    sections = read_sections(results)
    if not sections:
        raise TreequationError(f"there are no results in {results}; make some with `treequation evaluate … --record`")
    stale = []
    for path in sorted(docs.rglob("*.md")):
        page = path.read_text(encoding="utf-8")
        made = filled(page, sections)
        if made != page:
            stale.append(path)
            if not check:
                write_whole(path, made)
                note(f"filled {path}")
    if check and stale:
        raise TreequationError(f"out of date with {results}: {', '.join(map(str, stale))}; run `treequation report`")
    if check:
        return
    written = write_report(sections, output)
    show(f"{len(sections)} sections: {written[0]}")


def missing(
    data: Annotated[str, typer.Argument(help="The data set, such as mathqa.")],
    seeds: Annotated[int, typer.Option("-n", help="How many seeds each variant should have.", min=1)] = 3,
    changes: Changes = None,
    results: Results = RESULTS,
    variants: Variants = VARIANTS,
) -> None:
    """Print the commands that train the runs which the page of claims lacks, one per line."""
    from treequation.experiments.claim_variants import ClaimVariants
    from treequation.experiments.run_store import STORE, missing_runs

    for command in missing_runs(results / STORE, ClaimVariants.read(variants), data, seeds, changes or ()):
        typer.echo(command)
