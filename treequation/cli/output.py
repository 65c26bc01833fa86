"""Where output goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

Json = Annotated[bool, typer.Option("--json", help="Print JSON only.")]
_WIDE = 200  # columns for output that goes to a file or a pipe, where nothing should be cut


def show(*content: str | Table) -> None:
    """Prints results for a reader."""
    console = Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False, soft_wrap=True)
    for piece in content:
        console.print(piece, markup=False)


def table_of(first: str, *columns: str) -> Table:
    """A table of figures, which stand right; its first column has words."""
    table = Table(first, box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def show_json(content: Any) -> None:
    """Prints results for a program: one JSON document, and nothing else, on standard output."""
    sys.stdout.write(as_json(content, indent=1) + "\n")


def as_json(content: Any, *, indent: int | None = None) -> str:
    """JSON that standard output can carry: if that is not UTF-8, other letters are escaped."""
    utf8 = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    return json.dumps(content, ensure_ascii=not utf8, indent=indent)


def note(message: str) -> None:
    """Prints something beside the results, on standard error."""
    sys.stderr.write(f"{message}\n")


def complain(message: str) -> None:
    """Prints what went wrong."""
    note(f"treequation: {message}")
