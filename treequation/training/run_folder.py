"""The folder of a finished run: its recipe and record, its best model, and that model's test outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treequation.data.catalogue import MissingDataError
from treequation.errors import TreequationError
from treequation.evaluation.evaluator import evaluate_model, load_model
from treequation.evaluation.outcome_file import OutcomeFileError, read_outcomes, write_outcomes
from treequation.evaluation.problem_set import training_texts
from treequation.evaluation.scoring import Outcome
from treequation.model import WordProblemModel
from treequation.training.loop import OUTCOMES, RECORD, RESULT, read_record
from treequation.training.processes import choose_device
from treequation.training.recipe import Recipe, recipe_from
from treequation.training.sources import Problems, load_problems


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A finished run; ``record`` is the content of its ``run.json``."""

    folder: Path
    recipe: Recipe
    record: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> RunFolder:
        """Reads a run folder; the run must be finished."""
        if not (folder / RESULT).exists():
            raise TreequationError(f"{folder} holds no finished run; train it, or continue with `--resume`")
        record = read_record(folder)
        return cls(folder, recipe_from(record["recipe"], str(folder / RECORD), finished=True), record)

    @property
    def device(self) -> str:
        """The device that it was trained on."""
        return device_name(self.record["hardware"])

    def model(self, device: str | None = None) -> WordProblemModel:
        """Its best model."""
        model = load_model(self.folder)
        model.to(choose_device(device))  # type: ignore[arg-type]
        return model

    def problems(self) -> Problems:
        """The problems that its recipe names."""
        return load_problems(self.recipe.data, self.recipe.training.seed)

    def outcomes(
        self,
        problems: Problems | None = None,
        *,
        model: WordProblemModel | None = None,
        device: str | None = None,
        beam: int | None = None,
    ) -> list[Outcome]:
        """The outcomes of its test problems, cached in the run folder.

        Pass ``problems`` and ``model`` if they are already loaded. Without ``beam``, the search uses the beam of the
        decoder's paper.
        """
        path = self.folder / OUTCOMES.format(f"-beam-{beam}" if beam else "")
        if path.exists():
            try:
                return read_outcomes(path)
            except OutcomeFileError:  # written by an older version
                path.unlink()
        problems = problems or self.problems()
        if not problems.test:
            raise TreequationError(f"the recipe of {self.folder} has no test problems: set data.test")
        outcomes = evaluate_model(
            model or self.model(device),
            problems.test,
            beam=beam,
            training_texts=problems.training_texts,
        )
        write_outcomes(outcomes, path)
        return outcomes


def texts_taught(folder: Path, model: WordProblemModel, *, fold: int | None = None) -> frozenset[str]:
    """The masked texts that a model was trained on; empty if they are unknown or not on this machine."""
    if not (folder / RESULT).exists():
        return training_texts(model.config.trained_on, model.config.number_format, fold=fold)
    try:
        return RunFolder.read(folder).problems().training_texts  # without what was held out or excluded
    except MissingDataError:
        return frozenset()


def device_name(hardware: dict[str, Any]) -> str:
    """The name of the GPU, or the kind of processor.

    >>> device_name({"processor": "x86_64", "cores": 2, "processes": 1})
    'x86_64 processor'
    """
    return str(hardware.get("device") or f"{hardware['processor']} processor")
