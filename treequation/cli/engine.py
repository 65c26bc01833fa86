"""Where work is done, on this machine or on a Ray cluster, and how it is computed there."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from treequation.runtime import PRECISION


class Engine(StrEnum):
    """What does the work."""

    local = "local"
    ray = "ray"


Address = Annotated[str | None, typer.Option(help="The Ray cluster; by default one is started here.")]


class Precision(StrEnum):
    """The precision of the matrix products in the light runtime's encoder."""

    auto = "auto"
    float = "float"
    int16 = "int16"


MODEL_HELP = "A folder made by `treequation export`, or a model on the Hugging Face hub: org/name or org/name@revision."
USUAL_PRECISION = Precision(PRECISION)
PrecisionOption = Annotated[
    Precision,
    typer.Option(help="The encoder's precision; auto is int16 if this processor computes it correctly, else float."),
]
