"""Where output goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

Json = Annotated[bool, typer.Option("--json", help="Print JSON only.")]
_WIDE = 200  # columns of output to a file or pipe, where nothing should be cut off


def show(*content: str | Table) -> None:
    """Prints results for a reader."""
    console = Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False, soft_wrap=True)
    for piece in content:
        console.print(piece, markup=False)


def table_of(first: str, *columns: str) -> Table:
    """A table whose first column is text; the others are numbers, aligned right."""
    table = Table(first, box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right")
    return table


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
