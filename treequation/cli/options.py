"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from treequation.runtime import PRECISION


class Device(StrEnum):
    """The device to compute on."""

    cpu = "cpu"
    cuda = "cuda"


class Engine(StrEnum):
    """What does the work."""

    local = "local"
    ray = "ray"


class Precision(StrEnum):
    """The precision of the matrix products in the light runtime's encoder."""

    auto = "auto"
    float = "float"
    int16 = "int16"


Json = Annotated[bool, typer.Option("--json", help="Print JSON only.")]
_FOLD = typer.Option("--fold", help="The fold, for data sets that come in folds.", min=0, max=4)
Fold = Annotated[int, _FOLD]
FoldIfAny = Annotated[int | None, _FOLD]

# Of solving.
MODEL_HELP = "A folder made by `treequation export`, or a model on the Hugging Face hub: org/name or org/name@revision."
LightModelName = Annotated[str | None, typer.Option(help=MODEL_HELP)]
USUAL_PRECISION = Precision(PRECISION)
PrecisionOption = Annotated[
    Precision,
    typer.Option(help="The encoder's precision; auto is int16 if this processor computes it correctly, else float."),
]
Address = Annotated[str | None, typer.Option(help="The Ray cluster; by default one is started here.")]

# Of training.
RecipeFile = Annotated[
    Path, typer.Argument(help="A recipe file, or the name of a packaged recipe, such as synthetic.", metavar="RECIPE")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", help="A change to the recipe, such as training.epochs=3; may be repeated.", metavar="K=V"),
]
OnDevice = Annotated[Device | None, typer.Option(help="The device; by default the GPU if there is one.")]
Parallel = Annotated[int, typer.Option(help="How many runs share the device at a time.", min=1)]

# Of results.
Results = Annotated[Path, typer.Option(help="The folder of results; figures go to its subfolder figures.")]
RESULTS = Path("results")
Record = Annotated[
    Path | None,
    typer.Option(help="Add the result to this file, such as results/results.json; needs run folders.", dir_okay=False),
]
VariantName = Annotated[str | None, typer.Option(help="The variant's name in --record.")]


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its parameter ``options``, a dataclass, as options of its own.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Shared:
    ...     seed: int = 0
    >>> @with_options
    ... def show(name: str, options: Shared) -> None:
    ...     print(name, options)
    >>> show(name="one", seed=3), list(signature(show).parameters)
    one Shared(seed=3)
    (None, ['name', 'seed'])
    """
    own = signature(command, eval_str=True).parameters
    kind = own["options"].annotation
    shared = signature(kind, eval_str=True).parameters

    @wraps(command)
    def flat(**given: Any) -> None:
        options = kind(**{name: given.pop(name) for name in shared})
        command(**given, options=options)

    parameters = [each for name, one in own.items() for each in (shared.values() if name == "options" else [one])]
    flat.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # Typer reads it
    return flat
