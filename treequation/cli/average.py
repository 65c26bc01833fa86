"""``treequation average``: the mean of several models' weights."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treequation.cli.output import note
from treequation.storage import folder_written_whole, refuse_existing


def average(
    models: Annotated[
        list[Path], typer.Argument(help="Two or more model or run folders, fine-tuned from the same weights.")
    ],
    output: Annotated[Path, typer.Option(help="The model folder to write; it must not exist.")],
) -> None:
    """Average the weights of several models; the mean often solves more than any one of them."""
    from treequation.evaluation.evaluator import load_model
    from treequation.model.averaging import mean_of

    refuse_existing(output)
    mean = mean_of((str(folder), load_model(folder)) for folder in models)
    with folder_written_whole(output) as aside:
        mean.save_pretrained(aside)
    note(f"{output}: the mean of {len(models)} models; evaluate it: treequation evaluate {output} --data …")
