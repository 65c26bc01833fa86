"""A model with any decoder under test, run by PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from treequation.decoding.search import Decoded
from treequation.decoding.trace import Trace
from treequation.errors import TreequationError
from treequation.evaluation.evaluator import BATCH, evaluate_model, load_model
from treequation.evaluation.problem_set import ProblemSet, source_name
from treequation.evaluation.scoring import Outcome
from treequation.experiments.evaluated_model import EvaluatedModel
from treequation.model import TreequationModel, decode
from treequation.model.batch_decoding import decode_with_trace
from treequation.text.problem import Problem
from treequation.training.environment import hardware
from treequation.training.loop import RESULT
from treequation.training.processes import choose_device
from treequation.training.run_folder import RunFolder, device_name, texts_taught


class EvaluatedTorchModel(EvaluatedModel):
    """The best model of a run, or a model folder."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.folder = folder
        self.model = load_model(folder)
        self.model.to(choose_device(device))  # type: ignore[arg-type]
        self._run = RunFolder.read(folder) if (folder / RESULT).exists() else None
        self._own: ProblemSet | None = None  # the test problems of the run's own recipe
        config = self.model.config
        self.has_queries = isinstance(self.model, TreequationModel)
        self.format, self.vocabulary = config.format, config.vocabulary
        self.steps, self.amounts = self.model.max_steps, config.amounts

    @property
    def device(self) -> str:
        """The GPU or the processor."""
        return device_name(hardware(self.model.device.type))

    @property
    def queries(self) -> int:
        """As configured."""
        return int(self._with_queries().config.queries)

    def search(self, beam: int | None) -> Mapping[str, int]:
        """By default with the beam of the decoder's paper."""
        return {"beam": beam or self.model.BEAM}

    def test_set(self, data: str | None, fold: int | None = None) -> ProblemSet:
        """As for any model; a run knows its own test problems."""
        if data is not None or self._run is None:
            return super().test_set(data, fold)
        problems, sources = self._run.problems(), self._run.recipe.data
        if not problems.test:
            raise TreequationError(f"the recipe of {self.folder} names no test problems: give --data")
        name = source_name((sources.test or sources.pool)[0])
        self._own = ProblemSet(name, tuple(problems.test), training_texts=problems.training_texts)
        return self._own

    def outcomes(
        self, test_set: ProblemSet, *, beam: int | None = None, batch_size: int | None = None
    ) -> list[Outcome]:
        """The evaluator's outcomes; a run folder keeps those of its own test problems."""
        if test_set is self._own and self._run is not None:
            return self._run.outcomes(model=self.model, beam=beam)
        return evaluate_model(
            self.model,
            test_set.problems,
            beam=beam,
            batch_size=batch_size or BATCH,
            training_texts=test_set.training_texts,
        )

    def decode(self, problems: Sequence[Problem]) -> list[Decoded]:
        """By the search of our own decoders."""
        found = decode(self._with_queries(), problems, beam=1, truncate=True)
        return [cast(Decoded, hypotheses[0]) for hypotheses in found]

    def trace(self, problem: Problem) -> Trace:
        """One greedy search."""
        ((found,),) = decode_with_trace(self._with_queries(), [problem], truncate=True)
        return found

    def _with_queries(self) -> TreequationModel:
        if not isinstance(self.model, TreequationModel):
            raise TreequationError(f"{self.folder} has the decoder {self.model.DECODER}, which has no queries")
        return self.model

    def _training_texts(self, fold: int | None) -> frozenset[str]:
        return texts_taught(self.folder, self.model, fold=fold)
