"""Output shared by the analyses: a file of results, figures, and tables or JSON on standard output."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as RichTable

from treequation.cli.command_line import command_line
from treequation.cli.output import note, show, show_json

if TYPE_CHECKING:
    from treequation.reporting.tables import Table

Results = Annotated[Path, typer.Option(help="The folder of results; figures go to its subfolder figures.")]
RESULTS = Path("results")


def present(kind: str, data: str, device: str, content: Mapping[str, Any], results: Path, json: bool) -> None:
    """Writes a finding and its figures, and shows it."""
    from treequation.reporting.figures import save
    from treequation.reporting.findings import Finding, write_finding
    from treequation.reporting.kinds import KINDS
    from treequation.training.environment import versions

    finding = Finding(kind, data, command_line(), device, content, versions=versions())
    path = write_finding(finding, results)
    if json:
        show_json(finding.to_dict())
    else:
        show_tables(KINDS[kind].tables(finding))
        note(f"the full result is in {path}")
    save(KINDS[kind].charts(finding), results / "figures")  # last: it needs Matplotlib, and nothing else does


def show_tables(tables: list[Table]) -> None:
    """Prints tables below their titles."""
    for place, table in enumerate(tables):
        printed = RichTable(box=None, pad_edge=False)
        for at, column in enumerate(table.columns):
            printed.add_column(column, justify="right" if table.has_figures(at) else "left")
        for row in table.rows:
            printed.add_row(*row)
        show(*([""] if place else []), table.title, printed)
