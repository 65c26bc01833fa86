"""A model under test, of either kind: the best model of a run, a model folder, or a light model folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from treequation.data.reading import DataError
from treequation.decoding.search import Decoded
from treequation.decoding.trace import Trace
from treequation.errors import TreequationError
from treequation.evaluation.problem_set import ProblemSet, problem_set
from treequation.evaluation.scoring import Outcome
from treequation.runtime.folder import is_light
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.problem import NumberFormat, Problem


class EvaluatedModel(ABC):
    """A model, with what scores and analyses need of it."""

    folder: Path
    has_queries: bool  # as the paper's decoder and ours have; the peers do not
    format: NumberFormat
    vocabulary: Vocabulary
    steps: int
    amounts: bool

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.folder.resolve().name

    @property
    @abstractmethod
    def device(self) -> str:
        """A description of the device that it runs on."""

    @property
    @abstractmethod
    def queries(self) -> int:
        """The number of queries, the paper's K."""

    @abstractmethod
    def search(self, beam: int | None) -> Mapping[str, int]:
        """How equations are searched for with this beam, or by default, for reports."""

    @abstractmethod
    def outcomes(
        self, test_set: ProblemSet, *, beam: int | None = None, batch_size: int | None = None
    ) -> list[Outcome]:
        """The outcomes of the problems, in order; those that it refuses or that are too long count as wrong."""

    @abstractmethod
    def decode(self, problems: Sequence[Problem]) -> list[Decoded]:
        """What the queries propose, layer by layer: greedy decoding, as in the paper."""

    @abstractmethod
    def trace(self, problem: Problem) -> Trace:
        """The trace of decoding one problem, with the engine's records."""

    def test_set(self, data: str | None, fold: int | None = None) -> ProblemSet:
        """The problems of ``data`` in the model's number format; without ``data``, those of the run's recipe."""
        if data is None:
            raise TreequationError(f"{self.folder} is not a finished run, so it has no test problems: give --data")
        found = problem_set(data, asdict(self.format), fold=fold)
        if not found.problems:
            raise DataError(f"{data} has no problem that can be scored: each needs an equation or an answer")
        return replace(found, training_texts=self._training_texts(fold))

    @abstractmethod
    def _training_texts(self, fold: int | None) -> frozenset[str]:
        """The masked texts that it was trained on; empty if they are unknown or not on this machine."""


def open_model(folder: Path, device: str | None = None) -> EvaluatedModel:
    """The model in a folder of either kind; only a model that is not light needs PyTorch."""
    if is_light(folder):
        from treequation.experiments.light_evaluation import EvaluatedLightModel
        from treequation.runtime.solver import Solver

        return EvaluatedLightModel(Solver(folder))
    from treequation.experiments.torch_evaluation import EvaluatedTorchModel

    return EvaluatedTorchModel(folder, device)
