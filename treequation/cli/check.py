"""``treequation check``: whether a pupil's equation solves a problem, and where it goes wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from treequation.cli.options import USUAL_PRECISION, LightModelName, PrecisionOption
from treequation.cli.output import show, show_json
from treequation.runtime import MAX_BEAM


def check(
    problem: Annotated[str, typer.Argument(help="The problem, in English or Chinese.")],
    equation: Annotated[str, typer.Argument(help='A pupil\'s equation, such as "3*12-8" or "3 × 12 − 8 = 28".')],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")] = False,
    beam: Annotated[int | None, typer.Option(min=1, max=MAX_BEAM, help="Beam size, as in `treequation solve`.")] = None,
    model: LightModelName = None,
    precision: PrecisionOption = USUAL_PRECISION,
) -> None:
    """Check a pupil's equation: right, written differently, right by another way, or wrong (and where)."""
    from treequation.runtime.checking import check as check_equation
    from treequation.runtime.solver import Solver

    solution = Solver(model, precision=precision.value).solve(problem, beam=beam)
    checked = check_equation(solution, equation)
    if json:
        show_json(checked.to_dict())
    else:
        show(*checked.messages)
