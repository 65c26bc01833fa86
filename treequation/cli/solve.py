"""``treequation solve``: answers a problem with the model that comes with Treequation."""

from __future__ import annotations

from typing import Annotated

import typer

from treequation.cli.output import complain


def solve(
    text: Annotated[list[str] | None, typer.Argument(help="The problem, in English or Chinese.")] = None,
) -> None:
    """Solve a word problem."""
    complain("no trained model comes with this version yet, so it cannot solve problems")
    raise typer.Exit(1)
