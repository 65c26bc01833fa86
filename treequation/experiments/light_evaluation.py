"""A light model under test, run as users run it: by the solver, with its second search and its confidence."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from treequation.data.batches import in_order_of_length
from treequation.decoding.greedy_search import decode_greedily
from treequation.decoding.search import Decoded, Reader
from treequation.decoding.trace import Trace, trace
from treequation.evaluation.problem_set import ProblemSet, training_texts
from treequation.evaluation.scoring import Outcome, score_graph
from treequation.experiments.evaluated_model import EvaluatedModel
from treequation.runtime import SECOND_LOOK
from treequation.runtime.light_engine import LightEngine, padded
from treequation.runtime.solution import Solution
from treequation.runtime.solve_error import SolveError
from treequation.runtime.solver import Solver
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem


class EvaluatedLightModel(EvaluatedModel):
    """A light model folder, which needs no PyTorch."""

    BATCH = 32

    def __init__(self, solver: Solver) -> None:
        self.solver, self.model = solver, solver.model
        self.folder = self.model.folder
        metadata = self.model.metadata
        self.has_queries = True
        self.format, self.vocabulary = metadata.format, metadata.vocabulary
        self.steps, self.amounts = metadata.steps, metadata.amounts

    @property
    def device(self) -> str:
        """The processor."""
        return f"{platform.machine()} processor"

    @property
    def queries(self) -> int:
        """Counted from the proposals, since the folder does not record it."""
        (engine, _) = self._engine([Problem("", "1", find_numbers("1"))])
        return int(engine.propose().operator.shape[1])

    def search(self, beam: int | None) -> Mapping[str, int]:
        """Without a beam, the solver searches again if it is unsure."""
        return {"beam": beam} if beam else {"beam": 1, "second_look": SECOND_LOOK}

    def outcomes(
        self, test_set: ProblemSet, *, beam: int | None = None, batch_size: int | None = None
    ) -> list[Outcome]:
        """The solver's outcomes."""
        texts = (problem.text for problem in test_set.given)
        found = self.solver.solve_many(texts, beam=beam, batch_size=batch_size or self.BATCH)
        return [
            _outcome(problem, None if problem.refused else next(found), test_set.seen(problem))
            for problem in test_set.problems
        ]

    def decode(self, problems: Sequence[Problem]) -> list[Decoded]:
        """In batches of similar length."""
        found: dict[int, Decoded] = {}
        for indices in in_order_of_length([len(problem.text) for problem in problems], self.BATCH):
            engine, reader = self._engine([problems[index] for index in indices])
            found |= zip(indices, decode_greedily(engine, reader, self.steps), strict=True)
        return [found[index] for index in range(len(problems))]

    def trace(self, problem: Problem) -> Trace:
        """One greedy search."""
        encoder = self.model.problem_encoder
        engine, reader = self._engine([problem], record=True)
        (decoded,) = decode_greedily(engine, reader, self.steps)
        (encoded,) = encoder.encode([problem], truncate=True)
        return trace(decoded, engine.records or [], reader, encoder.tokens(encoded))

    def _engine(self, problems: Sequence[Problem], *, record: bool = False) -> tuple[LightEngine, Reader]:
        arrays = padded(self.model.problem_encoder.encode(problems, truncate=True), self.model.metadata.padding)
        reader = Reader.of(self.vocabulary, [problem.values for problem in problems], arrays["positions"].shape[1])
        return LightEngine(self.model, arrays, record=record), reader

    def _training_texts(self, fold: int | None) -> frozenset[str]:
        return training_texts(self.model.metadata.trained_on, asdict(self.format), fold=fold)


def _outcome(problem: Problem, found: Solution | SolveError | None, seen: bool | None) -> Outcome:
    if isinstance(found, Solution):
        return score_graph(problem, found.graph, steps=len(found.layers), confidence=found.confidence, seen=seen)
    reason = problem.refused if found is None else found.message
    return score_graph(problem, None, steps=0, confidence=0.0, seen=seen, reason=reason)
