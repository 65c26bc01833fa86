"""Makes rows of the results from finished runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from treequation.errors import TreequationError
from treequation.evaluation.problem_set import source_name
from treequation.experiments.voting import vote
from treequation.model import TreequationModel, WordProblemModel
from treequation.reporting.results import Row
from treequation.training.run_folder import RunFolder


def about(run: RunFolder, *, data: str, protocol: str, command: str, variant: str | None = None) -> dict[str, Any]:
    """What a row of the results says about a run, and about others that differ only in seed or fold: see `Row.of`."""
    model = run.model("cpu")
    return {
        "data": data,
        "protocol": protocol,
        "model": model.DECODER,
        "variant": variant or variant_of(model),
        "encoder": run.recipe.encoder_name,
        "encoder_parameters": sum(parameter.numel() for parameter in model.encoder.parameters()),
        "command": command,
        "date": str(run.record["date"])[:10],
        "device": run.device,
    }


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
    described = about(runs[0], data=name, protocol=protocol, command=command, variant=variant)
    strict = Row.of(outcomes, **described)
    rows = [strict]
    if summary["literature_selection"] is not None:
        best_on_test = summary["literature_selection"]["literature_accuracy"]
        std = None if strict.std is None else best_on_test["std"]
        changes = {"protocol": f"{protocol}, best epoch", "accuracy": best_on_test["mean"], "std": std}
        rows.append(replace(strict, **changes, unseen_accuracy=None))
    if summary["vote"] is not None:
        described["variant"] += f", a vote of {len(runs)}"
        described["encoder_parameters"] *= len(runs)
        rows.append(Row.of([vote(outcomes)], **described))
    return rows
