"""How a command that analyses something ends: a file of results, figures, and tables or JSON on standard output."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table as RichTable

from treequation.cli.output import note, show, show_json

if TYPE_CHECKING:
    from treequation.reporting.findings import Finding
    from treequation.reporting.tables import Table

Results = Annotated[Path, typer.Option(help="The folder of results; figures are in its folder figures.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON only.")]
RESULTS = Path("results")


def present(finding: Finding, results: Path, json: bool) -> None:
    """Writes the finding and its figures, and shows it."""
    from treequation.reporting.figures import save
    from treequation.reporting.findings import write_finding
    from treequation.reporting.kinds import KINDS
    from treequation.training.environment import versions

    finding = replace(finding, versions=versions())
    path = write_finding(finding, results)
    kind = KINDS[finding.kind]
    try:
        save(kind.charts(finding), results / "figures")
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        note("there is no matplotlib here, so nothing was drawn: `treequation report` draws the figures where there is")
    if json:
        show_json(finding.to_dict())
        return
    show_tables(kind.tables(finding))
    note(f"everything is in {path}")


def show_tables(tables: list[Table]) -> None:
    """Prints tables below their titles."""
    for place, table in enumerate(tables):
        printed = RichTable(box=None, pad_edge=False)
        for at, column in enumerate(table.columns):
            printed.add_column(column, justify="right" if table.has_figures(at) else "left")
        for row in table.rows:
            printed.add_row(*row)
        show(*([""] if place else []), table.title, printed)
