"""Makes rows of the results from finished runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from treequation.errors import TreequationError
from treequation.evaluation.problem_set import source_name
from treequation.evaluation.scoring import Outcome
from treequation.experiments.voting import vote
from treequation.model import TreequationModel, WordProblemModel
from treequation.reporting.results import ACCURACIES, Row
from treequation.training.run_folder import RunFolder


def row_of(
    runs: Sequence[RunFolder],
    outcomes: Sequence[Sequence[Outcome]],
    *,
    data: str,
    protocol: str,
    command: str,
    variant: str | None = None,
) -> Row:
    """A row of the results, from runs that differ only in seed or fold and the outcomes of their test problems."""
    first = runs[0]
    model = first.model("cpu")
    return Row.of(
        outcomes,
        data=data,
        protocol=protocol,
        model=model.DECODER,
        variant=variant or variant_of(model),
        encoder=first.recipe.encoder_name,
        encoder_parameters=sum(parameter.numel() for parameter in model.encoder.parameters()),
        command=command,
        date=str(first.record["date"])[:10],
        device=first.device,
    )


def variant_of(model: WordProblemModel) -> str:
    """The model's name in the paper's terms."""
    if not isinstance(model, TreequationModel):
        return "peer"
    return f"Layer-Shared({model.config.shared_layers})" if model.config.shared_layers else "Standard"


def rows_of(summary: Mapping[str, Any], protocol: str, *, command: str, variant: str | None = None) -> list[Row]:
    """The rows of runs over seeds (``test``) or folds (``folds``), from their summary.

    The first is strict; the second uses the epochs that were best on test, as the literature does; the last is a vote
    of all seeds, and counts the parameters of all their encoders.
    """
    runs = [RunFolder.read(Path(run["folder"])) for run in summary["runs"]]
    if not runs:
        raise TreequationError("there is no result to record: no run is finished")
    data = runs[0].recipe.data
    name = source_name((data.test or data.pool)[0])
    outcomes = [run.outcomes() for run in runs]
    strict = row_of(runs, outcomes, data=name, protocol=protocol, command=command, variant=variant)
    rows = [strict]
    if summary["literature_selection"] is not None:
        best_on_test = summary["literature_selection"]["literature_accuracy"]
        std = None if strict.std is None else best_on_test["std"]
        changes = {"protocol": f"{protocol}, best epoch", "accuracy": best_on_test["mean"], "std": std}
        rows.append(replace(strict, **changes, unseen_accuracy=None))
    if summary["vote"] is not None:
        about = {field.name: getattr(strict, field.name) for field in fields(Row) if field.name not in ACCURACIES}
        about["variant"] += f", a vote of {len(runs)}"
        about["encoder_parameters"] *= len(runs)
        rows.append(Row.of([vote(outcomes)], **about))
    return rows
