"""Where output goes: results to standard output, everything else to standard error; findings also to files."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table as RichTable

from treequation.cli.command_line import command_line

if TYPE_CHECKING:
    from treequation.reporting.tables import Table

_WIDE = 200  # columns of output to a file or pipe, where nothing should be cut off


def show(*content: str | RichTable) -> None:
    """Prints results for a reader."""
    console = Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False, soft_wrap=True)
    for piece in content:
        console.print(piece, markup=False)


def table_of(first: str, *columns: str) -> RichTable:
    """A table whose first column is text; the others are numbers, aligned right."""
    table = RichTable(first, box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def show_tables(tables: Sequence[Table]) -> None:
    """Prints tables below their titles."""
    for place, table in enumerate(tables):
        printed = RichTable(box=None, pad_edge=False)
        for at, column in enumerate(table.columns):
            printed.add_column(column, justify="right" if table.has_figures(at) else "left")
        for row in table.rows:
            printed.add_row(*row)
        show(*([""] if place else []), table.title, printed)


def show_json(content: Any) -> None:
    """Prints results for a program: one JSON document, and nothing else, on standard output."""
    sys.stdout.write(as_json(content, indent=1) + "\n")


def as_json(content: Any, *, indent: int | None = None) -> str:
    """JSON as text; unless standard output is UTF-8, characters outside ASCII are escaped."""
    utf8 = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    return json.dumps(content, ensure_ascii=not utf8, indent=indent)


def note(message: str) -> None:
    """Prints a message that is not a result, on standard error."""
    sys.stderr.write(f"{message}\n")


def complain(message: str) -> None:
    """Prints an error message on standard error."""
    note(f"treequation: {message}")


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
