"""Runs that are finished: what they were made of, and what their best models say about the test problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from treequation.data.catalogue import MissingDataError
from treequation.errors import TreequationError
from treequation.evaluation.evaluator import evaluate_model, load_model
from treequation.evaluation.outcome_file import OutcomeFileError, read_outcomes, write_outcomes
from treequation.evaluation.problems import training_texts
from treequation.evaluation.results import ACCURACIES, Row
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.voting import vote
from treequation.model import TreequationModel, WordProblemModel
from treequation.training.loop import OUTCOMES, RECORD, RESULT, read_record
from treequation.training.processes import choose_device
from treequation.training.recipe import Recipe, recipe_from
from treequation.training.sources import Problems, load_problems


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run folder; ``record`` is its ``run.json``."""

    folder: Path
    recipe: Recipe
    record: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> FinishedRun:
        """The run in a folder, which must be finished."""
        if not (folder / RESULT).exists():
            raise TreequationError(f"{folder} holds no finished run; train it, or go on with `--resume`")
        record = read_record(folder)
        return cls(folder, recipe_from(record["recipe"], str(folder / RECORD)), record)

    @property
    def device(self) -> str:
        """What it was trained on."""
        return device_name(self.record["hardware"])

    def model(self, device: str | None = None) -> WordProblemModel:
        """Its best model."""
        model = load_model(self.folder)
        model.to(choose_device(device))  # type: ignore[arg-type]
        return model

    def problems(self) -> Problems:
        """The problems that its recipe names."""
        return load_problems(self.recipe.data, self.recipe.training.seed)

    def training_texts(self) -> frozenset[str]:
        """The masked texts that it was trained on; none where its data are not on this machine."""
        try:
            return self.problems().training_texts
        except MissingDataError:
            return frozenset()

    def outcomes(
        self,
        problems: Problems | None = None,
        *,
        model: WordProblemModel | None = None,
        device: str | None = None,
        beam: int | None = None,
    ) -> list[Outcome]:
        """What became of its test problems. Kept in the run folder, so that nothing is solved twice.

        ``problems`` and ``model`` spare reading them again where they are at hand. Without ``beam``, as many hypotheses
        are followed as in the paper of the model's decoder.
        """
        path = self.folder / OUTCOMES.format(f"-beam-{beam}" if beam else "")
        if path.exists():
            try:
                return read_outcomes(path)
            except OutcomeFileError:  # of an older version
                path.unlink()
        problems = problems or self.problems()
        if not problems.test:
            raise TreequationError(f"the recipe of {self.folder} has no test problems: set data.test")
        outcomes = evaluate_model(
            model or self.model(device),
            problems.test,
            beam=beam,
            training_texts=problems.training_texts,
            refused=problems.refused,
        )
        write_outcomes(outcomes, path)
        return outcomes


def texts_taught(folder: Path, model: WordProblemModel, *, fold: int | None = None) -> frozenset[str]:
    """The masked texts that a folder's model was trained on; none where they are not known, or not on this machine."""
    if (folder / RESULT).exists():  # a run knows what was held out or excluded
        return FinishedRun.read(folder).training_texts()
    return training_texts(model.config.trained_on, model.config.number_format, fold=fold)


def device_name(hardware: dict[str, Any]) -> str:
    """A machine's device, or its kind of processor.

    >>> device_name({"processor": "x86_64", "cores": 2, "processes": 1})
    'x86_64 processor'
    """
    return str(hardware.get("device") or f"{hardware['processor']} processor")


def row_of(
    runs: Sequence[FinishedRun],
    outcomes: Sequence[Sequence[Outcome]],
    *,
    data: str,
    protocol: str,
    command: str,
    variant: str | None = None,
) -> Row:
    """A row of the results from runs that differ in seed or fold alone, and what became of their test problems."""
    first = runs[0]
    model = first.model("cpu")
    return Row.of(
        outcomes,
        data=data,
        protocol=protocol,
        model=model.DECODER,
        variant=variant or variant_of(model),
        encoder=Path(first.recipe.encoder.name).name,
        encoder_parameters=sum(parameter.numel() for parameter in model.encoder.parameters()),
        command=command,
        date=str(first.record["date"])[:10],
        device=first.device,
    )


def variant_of(model: WordProblemModel) -> str:
    """What the paper would call the model."""
    if model.DECODER != TreequationModel.DECODER:
        return "peer"
    return f"Layer-Shared({model.config.shared_layers})" if model.config.shared_layers else "Standard"


def rows_of(summary: Mapping[str, Any], protocol: str, *, command: str, variant: str | None = None) -> list[Row]:
    """The rows of runs over seeds (``test``) or folds (``folds``), from what they said together.

    The first is strict; the second has the epochs that were best on test, as the literature chooses them; the last is a
    vote of all seeds, whose encoders are counted together.
    """
    runs = [FinishedRun.read(Path(run["folder"])) for run in summary["runs"]]
    if not runs:
        raise TreequationError("no run is finished, so there is no result to record")
    data = runs[0].recipe.data
    name = source_name((data.test or data.pool)[0])
    outcomes = [run.outcomes() for run in runs]
    strict = row_of(runs, outcomes, data=name, protocol=protocol, command=command, variant=variant)
    rows = [strict]
    if summary["literature_selection"] is not None:
        lucky = summary["literature_selection"]["literature_accuracy"]
        std = None if strict.std is None else lucky["std"]
        changes = {"protocol": f"{protocol}, best epoch", "accuracy": lucky["mean"], "std": std}
        rows.append(replace(strict, **changes, unseen_accuracy=None))
    if summary["vote"] is not None:
        about = {field.name: getattr(strict, field.name) for field in fields(Row) if field.name not in ACCURACIES}
        about["variant"] += f", a vote of {len(runs)}"
        about["encoder_parameters"] *= len(runs)
        rows.append(Row.of([vote(outcomes)], **about))
    return rows


def source_name(source: str) -> str:
    """The data set's name, or a file's.

    >>> source_name("mathqa:test"), source_name("mine/problems.jsonl")
    ('mathqa', 'problems')
    """
    return Path(source).stem if source.endswith(".jsonl") else source.partition(":")[0]
