"""``treequation export``: from a trained model to the light model folder that solving needs; ``restore``: back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treequation.cli.output import note
from treequation.data.reading import DataError
from treequation.errors import TreequationError
from treequation.storage import refuse_existing

if TYPE_CHECKING:
    from treequation.export.model_card import Score
    from treequation.model import TreequationModel


class Precision(StrEnum):
    """How matrices are stored on disk."""

    INT8 = "int8"
    FLOAT32 = "float32"


def export(
    model: Annotated[Path, typer.Argument(help="A model folder, or a run folder (its best model).")],
    output: Annotated[Path, typer.Argument(help="The light model folder to write; it must not exist.")],
    name: Annotated[str | None, typer.Option(help="The model's name in answers; by default that of the run.")] = None,
    precision: Annotated[Precision, typer.Option(help="The precision of the weights on disk.")] = Precision.INT8,
    calibrate: Annotated[
        list[str] | None,
        typer.Option(
            help="Held-out problems to calibrate confidence on: NAME:split or a .jsonl file; may be repeated."
        ),
    ] = None,
    card: Annotated[
        bool, typer.Option("--card", help="Write a model card, so that the folder can be uploaded to the hub as it is.")
    ] = False,
    licence: Annotated[str | None, typer.Option(help="The licence that --card names, such as apache-2.0.")] = None,
) -> None:
    """Write a model as a folder that solves without PyTorch."""
    from treequation.evaluation.evaluator import load_model
    from treequation.export.light_folder import export as export_model
    from treequation.export.model_card import write_card
    from treequation.model import TreequationModel

    if licence and not card:
        raise typer.BadParameter("--licence goes with --card")
    refuse_existing(output)  # before problems are solved for --calibrate
    found = load_model(model)
    if not isinstance(found, TreequationModel):
        raise TreequationError(
            f"{model} has the decoder {found.DECODER}; only expression-tree and chained can be exported"
        )
    curve = _calibration(found, model, calibrate) if calibrate else ()
    export_model(found, output, name=name or model.resolve().name, precision=precision.value, calibration=curve)
    if card:
        write_card(output, _scores(model), licence=licence)
    size = sum(file.stat().st_size for file in output.rglob("*") if file.is_file())
    note(f'{output}: {size / 1e6:.1f} MB; try: treequation solve --model {output} "…"')


def restore(
    model: Annotated[str, typer.Argument(help="A light model folder, a name on the hub, or `bundled`.")],
    output: Annotated[Path, typer.Argument(help="The model folder to write; it must not exist.")],
) -> None:
    """Write a light model as a folder that can be trained further."""
    from treequation.export.restoring import restore as restore_model
    from treequation.runtime.hub import model_folder
    from treequation.runtime.solver import BUNDLED

    restore_model(BUNDLED if model == "bundled" else model_folder(model), output)
    note(f'{output}: train it further with a recipe that has: start = "{output}"')


def _scores(folder: Path) -> list[Score]:
    """The recorded dev and test scores of a run's best model; none for a model folder."""
    from treequation.evaluation.outcome_file import read_outcomes
    from treequation.evaluation.problem_set import source_name
    from treequation.evaluation.summary import Summary
    from treequation.export.model_card import Score
    from treequation.training.epoch_reports import SELECTION_SCORE
    from treequation.training.loop import OUTCOMES, RESULT
    from treequation.training.run_folder import RunFolder

    if not (folder / RESULT).exists():
        return []
    run = RunFolder.read(folder)
    data = run.recipe.data
    trained = ", ".join(map(source_name, data.train or data.pool))
    found = []
    best = json.loads((folder / RESULT).read_bytes())["best_dev"]
    if best >= 0:
        name = ", ".join(map(source_name, data.dev)) or trained
        found.append(Score(name, "dev", run.record["data"]["dev"]["problems"], SELECTION_SCORE, best))
    outcomes = folder / OUTCOMES.format("")
    if outcomes.exists():
        summary = Summary.of(read_outcomes(outcomes))
        name = ", ".join(map(source_name, data.test)) or trained
        found.append(Score(name, "test", summary.count, SELECTION_SCORE, getattr(summary, SELECTION_SCORE)))
    return found


def _calibration(model: TreequationModel, folder: Path, sources: Sequence[str]) -> tuple[tuple[float, float], ...]:
    """Fitted to problems with unseen texts: the model is more confident, and more often right, on seen ones."""
    from treequation.evaluation.calibration import fit
    from treequation.evaluation.evaluator import evaluate_model
    from treequation.evaluation.problem_set import problem_set
    from treequation.training.run_folder import texts_taught

    outcomes, texts = [], texts_taught(folder, model)
    for source in sources:
        test_set = problem_set(source, dict(model.config.number_format))
        if not test_set.problems:
            raise DataError(f"{source} has no problem that can be scored; give --calibrate another source")
        outcomes += evaluate_model(model, test_set.problems, training_texts=texts)
    answered = [outcome for outcome in outcomes if outcome.value]
    if not answered:
        raise DataError(f"the model answers no problem of {', '.join(sources)}; give --calibrate another source")
    new = [outcome for outcome in answered if not outcome.seen]
    seen = len(answered) - len(new)
    if not new:
        note("every text, numbers aside, was trained on, so the model will be overconfident on new ones")
        new = answered
    elif seen:
        note(f"left out of calibration: {seen:,} answers to texts that, numbers aside, were trained on")
    note(f"confidence is fitted to {len(new):,} answers")
    return fit([outcome.confidence for outcome in new], [outcome.answer_right for outcome in new])
