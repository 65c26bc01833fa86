"""A model to analyse: the best model of a run, a model folder, or a light model folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import cast

from treequation.data.batches import in_order_of_length
from treequation.decoding.greedy_search import decode_greedily
from treequation.decoding.search import Decoded, Reader
from treequation.decoding.trace import Trace, trace
from treequation.errors import TreequationError
from treequation.evaluation.evaluator import evaluate_model, load_model, score_all, too_long
from treequation.evaluation.problem_set import problem_set, training_texts
from treequation.evaluation.scoring import Outcome
from treequation.model import TreequationModel, decode
from treequation.model.batch_decoding import decode_with_trace
from treequation.runtime import PRECISION
from treequation.runtime.folder import METADATA
from treequation.runtime.light_engine import LightEngine, LightModel, padded
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat, Problem
from treequation.training.environment import hardware
from treequation.training.loop import RESULT
from treequation.training.processes import choose_device
from treequation.training.run_folder import RunFolder, device_name, source_name, texts_taught


@dataclass(frozen=True, slots=True)
class TestSet:
    """Problems to solve, with the name of their data set; the other fields are as in ``evaluate_model``."""

    name: str
    problems: Sequence[Problem]
    training_texts: Collection[str] = ()
    refused: Mapping[int, str] = field(default_factory=dict)
    own: bool = False  # the test problems of the run's own recipe


class AnalysedModel(ABC):
    """A model, with what the analyses need of it."""

    folder: Path
    has_queries: bool  # as the paper's decoder and ours have; the peers do not
    format: NumberFormat
    vocabulary: Vocabulary
    steps: int
    trained_on: Sequence[str]
    amounts: bool

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.folder.resolve().name

    @property
    def device(self) -> str:
        """A description of the device that it runs on."""
        return device_name(hardware(self._place))

    @property
    def _place(self) -> str:
        """The device; a light model runs on the CPU."""
        return "cpu"

    @abstractmethod
    def outcomes(self, test_set: TestSet) -> list[Outcome]:
        """The outcomes of the problems, in order."""

    @property
    @abstractmethod
    def queries(self) -> int:
        """The number of queries, the paper's K."""

    @abstractmethod
    def decode(self, problems: Sequence[Problem]) -> list[Decoded]:
        """What the queries propose, layer by layer."""

    @abstractmethod
    def trace(self, problem: Problem) -> Trace:
        """The trace of decoding one problem."""

    def test_set(self, data: str | None, fold: int | None = None) -> TestSet:
        """The problems of ``data`` in the model's number format; without ``data``, those of the run's recipe."""
        if data is None:
            raise TreequationError(f"{self.folder} is not a finished run, so it has no test problems: give --data")
        asked = problem_set(data, asdict(self.format), fold=fold)
        if not asked.problems:
            raise TreequationError(f"{data} has no problem that can be scored")
        texts = self._training_texts(fold)
        return TestSet(source_name(data), asked.problems, texts, asked.refused)

    def _training_texts(self, fold: int | None) -> frozenset[str]:
        return training_texts(self.trained_on, asdict(self.format), fold=fold)


class AnalysedTorchModel(AnalysedModel):
    """A model with any decoder, run by PyTorch."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.folder = folder
        self.model = load_model(folder)
        self.model.to(choose_device(device))  # type: ignore[arg-type]
        self.run = RunFolder.read(folder) if (folder / RESULT).exists() else None
        config = self.model.config
        self.has_queries = isinstance(self.model, TreequationModel)
        self.format, self.vocabulary = config.format, config.vocabulary
        self.steps, self.trained_on = self.model.max_steps, config.trained_on
        self.amounts = config.amounts

    def test_set(self, data: str | None, fold: int | None = None) -> TestSet:
        """As for any model; a run knows its own test problems."""
        if data is not None or self.run is None:
            return super().test_set(data, fold)
        problems, sources = self.run.problems(), self.run.recipe.data
        if not problems.test:
            raise TreequationError(f"the recipe of {self.folder} names no test problems: give --data")
        name = source_name((sources.test or sources.pool)[0])
        return TestSet(name, problems.test, problems.training_texts, problems.refused, own=True)

    def _training_texts(self, fold: int | None) -> frozenset[str]:
        return texts_taught(self.folder, self.model, fold=fold)

    def outcomes(self, test_set: TestSet) -> list[Outcome]:
        """The evaluator's outcomes; a run folder keeps those of its own test problems."""
        if test_set.own and self.run is not None:
            return self.run.outcomes(model=self.model)
        return evaluate_model(
            self.model, test_set.problems, training_texts=test_set.training_texts, refused=dict(test_set.refused)
        )

    @property
    def _place(self) -> str:
        return self.model.device.type

    @property
    def queries(self) -> int:
        """As configured."""
        return int(self._with_queries().config.queries)

    def decode(self, problems: Sequence[Problem]) -> list[Decoded]:
        """Greedy decoding, as in the paper."""
        found = decode(self._with_queries(), problems, beam=1, truncate=True)
        return [cast(Decoded, hypotheses[0]) for hypotheses in found]

    def trace(self, problem: Problem) -> Trace:
        """With the engine's records."""
        ((found,),) = decode_with_trace(self._with_queries(), [problem], truncate=True)
        return found

    def _with_queries(self) -> TreequationModel:
        if not isinstance(self.model, TreequationModel):
            raise TreequationError(f"{self.folder} has the decoder {self.model.DECODER}, which has no queries")
        return self.model


class AnalysedLightModel(AnalysedModel):
    """A light model folder, run as users run it."""

    BATCH = 32

    def __init__(self, folder: Path, *, precision: str = PRECISION) -> None:
        self.folder = folder
        self.model = LightModel(folder, precision=precision)
        metadata = self.model.metadata
        self.has_queries = True
        self.format, self.vocabulary = metadata.format, metadata.vocabulary
        self.steps, self.trained_on = metadata.steps, metadata.trained_on
        self.amounts = metadata.amounts

    def outcomes(self, test_set: TestSet) -> list[Outcome]:
        """The solver's outcomes; problems that it refuses or that are too long count as wrong."""
        reasons = too_long(self.model.problem_encoder, test_set.problems) | dict(test_set.refused)
        given = [index for index in range(len(test_set.problems)) if index not in reasons]
        decoded = dict(zip(given, self.decode([test_set.problems[index] for index in given]), strict=True))
        return score_all(
            test_set.problems, decoded, reasons, amounts=self.amounts, training_texts=test_set.training_texts
        )

    @property
    def queries(self) -> int:
        """Counted from the proposals, since the folder does not record it."""
        (engine, _) = self._asked([Problem("", "1", find_numbers("1"))])
        return int(engine.propose().operator.shape[1])

    def decode(self, problems: Sequence[Problem]) -> list[Decoded]:
        """Greedy decoding, in batches of similar length."""
        found: dict[int, Decoded] = {}
        for indices in in_order_of_length([len(problem.text) for problem in problems], self.BATCH):
            engine, reader = self._asked([problems[index] for index in indices])
            found |= zip(indices, decode_greedily(engine, reader, self.steps), strict=True)
        return [found[index] for index in range(len(problems))]

    def trace(self, problem: Problem) -> Trace:
        """With the engine's records."""
        encoder = self.model.problem_encoder
        engine, reader = self._asked([problem], record=True)
        (decoded,) = decode_greedily(engine, reader, self.steps)
        (encoded,) = encoder.encode([problem], truncate=True)
        return trace(decoded, engine.records or [], reader, encoder.tokens(encoded))

    def _asked(self, problems: Sequence[Problem], *, record: bool = False) -> tuple[LightEngine, Reader]:
        arrays = padded(self.model.problem_encoder.encode(problems, truncate=True), self.model.metadata.padding)
        reader = Reader.of(self.vocabulary, [problem.values for problem in problems], arrays["positions"].shape[1])
        return LightEngine(self.model, arrays, record=record), reader


def open_model(folder: Path, device: str | None = None) -> AnalysedModel:
    """The model in a folder of either kind."""
    return AnalysedLightModel(folder) if (folder / METADATA).is_file() else AnalysedTorchModel(folder, device)
