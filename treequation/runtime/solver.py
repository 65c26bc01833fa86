"""The solver: text in, solutions out, with an exported model and without PyTorch."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from treequation.decoding.answer import Answer, rank_answers
from treequation.decoding.beam_search import decode_with_beam
from treequation.decoding.greedy_search import decode_greedily
from treequation.decoding.search import Decoded, Reader
from treequation.decoding.trace import Trace, trace
from treequation.expression.evaluation import evaluate
from treequation.runtime import BATCH_SIZE, MAX_BEAM, PRECISION, SECOND_LOOK
from treequation.runtime.folder import METADATA, Metadata
from treequation.runtime.hub import model_folder
from treequation.runtime.light_engine import LightEngine, LightModel, NotANumberError, padded
from treequation.runtime.problem_reader import read_problem
from treequation.runtime.solution import Alternative, Solution, equation_text
from treequation.runtime.solve_error import SolveError
from treequation.text.calculation import CalculationError, calculation
from treequation.text.encoding import EncodedProblem, ProblemTooLongError
from treequation.text.problem import Problem
from treequation.text.unit_conversion import unit_conversion

BUNDLED = Path(__file__).parent / "bundled"
log = logging.getLogger("treequation")
_MAX_THREADS = 16  # Python could not keep more of them busy
_MIN_FOR_THREADS = 32  # problems: for fewer, loading the model again is not worth it
_MAX_PADDING = 24  # tokens of padding in a batch
_AHEAD = 256  # problems read ahead, so that those of similar length can share a batch


class _Ready(NamedTuple):
    """A problem that is ready for the model."""

    problem: Problem
    encoded: EncodedProblem


class Solver:
    """Solves word problems with the bundled model, or with one from a light model folder or the Hugging Face hub.

    For names on the hub, such as ``org/name@revision``, see :func:`~treequation.runtime.hub.model_folder`.
    ``threads`` is how many processors one run of the model may use; 0 means all. ``precision`` is that of the encoder's
    matrix products: ``float``, ``int16``, or ``auto``, which is int16 if this processor computes it correctly
    and float otherwise. A solver keeps no state between problems, and several threads may share it.
    """

    def __init__(
        self, folder: str | PathLike[str] | None = None, *, threads: int = 0, precision: str = PRECISION
    ) -> None:
        if folder is None and not (BUNDLED / METADATA).is_file():
            raise SolveError(
                "no-model",
                "this version of Treequation has no bundled model",
                "train one with `treequation train`, export it with `treequation export`, and name its folder",
            )
        if threads < 0:
            raise ValueError(f"threads is {threads}; it must be the number of processors, or 0 for all")
        started = time.perf_counter()
        self._processors = min(threads or _MAX_THREADS, os.cpu_count() or 1)
        self.model = LightModel(
            BUNDLED if folder is None else model_folder(folder), threads=threads, precision=precision
        )
        milliseconds = 1e3 * (time.perf_counter() - started)
        log.info("model %s loaded from %s in %.0f ms", self.metadata.name, self.model.folder, milliseconds)

    @property
    def metadata(self) -> Metadata:
        """The model's metadata: name, number format, languages, training data."""
        return self.model.metadata

    def solve(self, text: str, *, beam: int | None = None, with_trace: bool = False) -> Solution:
        """The solution of one problem; :class:`SolveError` says why there is none.

        By default the search is greedy, as in the paper; if the answer is unsure, the solver searches again with a beam
        of :data:`~treequation.runtime.SECOND_LOOK`. With ``beam=1`` there is no second search. With a ``beam`` above 1,
        it follows that many hypotheses, and also returns the alternative answers.
        """
        _check_beam(beam)
        ready = self._prepare(text)
        if isinstance(ready, Solution):
            return ready
        (result,) = self._decode([ready], beam, with_trace, self.model)
        if isinstance(result, SolveError):
            raise result
        return result

    def solve_many(
        self, texts: Iterable[str], *, batch_size: int = BATCH_SIZE, beam: int | None = None, with_trace: bool = False
    ) -> Iterator[Solution | SolveError]:
        """The solution of each problem, or the reason why there is none, in order.

        Problems are read lazily, only a few batches ahead of the solutions, so there may be any number of them.
        ``beam`` is as in :meth:`solve`; only the unsure problems of a batch are searched again.
        """
        _check_beam(beam)
        _check("batch_size", batch_size)
        if isinstance(texts, str):
            raise TypeError("solve_many takes several texts but was given one; use solve, or put it into a list")
        return self._solutions(iter(texts), batch_size, beam, with_trace)

    def _solutions(
        self, rest: Iterator[str], batch_size: int, beam: int | None, with_trace: bool
    ) -> Iterator[Solution | SolveError]:
        while window := list(islice(rest, max(_AHEAD, batch_size))):
            yield from self._solve_window(window, batch_size, beam, with_trace)

    def _solve_window(
        self, texts: Sequence[str], batch_size: int, beam: int | None, with_trace: bool
    ) -> list[Solution | SolveError]:
        """The solutions of texts that are held in memory together; texts of similar length share a batch."""
        results: dict[int, Solution | SolveError] = {}
        ready: dict[int, _Ready] = {}
        for index, text in enumerate(texts):
            prepared: _Ready | Solution | SolveError
            try:
                prepared = self._prepare(text)
            except SolveError as error:
                prepared = error
            if isinstance(prepared, _Ready):
                ready[index] = prepared
            else:
                results[index] = prepared
        order = sorted(ready, key=lambda index: len(ready[index].encoded.ids))
        problems = [ready[index] for index in order]
        solved = chain.from_iterable(self._decode_all(_batches(problems, batch_size), beam, with_trace))
        results.update(zip(order, solved, strict=True))
        return [results[index] for index in range(len(texts))]

    def _decode_all(
        self, batches: Sequence[Sequence[_Ready]], beam: int | None, with_trace: bool
    ) -> list[list[Solution | SolveError]]:
        """The solutions of batches, in parallel if there are enough of them for all processors."""
        if self._processors == 1 or len(batches) < self._processors or sum(map(len, batches)) < _MIN_FOR_THREADS:
            return [self._decode(batch, beam, with_trace, self.model) for batch in batches]
        model = self._model_for_one
        with ThreadPoolExecutor(self._processors) as pool:
            # The longest texts first, so that no processor begins them when the others are done.
            begun = [pool.submit(self._decode, batch, beam, with_trace, model) for batch in reversed(batches)]
            try:
                return [each.result() for each in reversed(begun)]
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    @cached_property
    def _model_for_one(self) -> LightModel:
        """A second copy of the model, which uses one processor: several batches in parallel are faster than one by one.

        With one processor each, no batch waits for other processors at every matrix product.
        """
        return LightModel(self.model.folder, threads=1, precision=self.model.precision)

    def _prepare(self, text: str) -> _Ready | Solution:
        """The model's input, or the solution itself if the text is a plain calculation or conversion."""
        problem = read_problem(text, self.metadata)
        try:
            graph = calculation(problem) or unit_conversion(problem)
        except CalculationError as error:
            raise SolveError("bad-calculation", error.message, error.hint) from error
        if graph is not None:
            evaluation = evaluate(graph, problem.values)
            if not evaluation.value.defined:
                raise _without_value("the calculation", evaluation.value.reason)
            return Solution(problem, graph, evaluation, 1.0, False, (), None)
        try:
            (encoded,) = self.model.problem_encoder.encode([problem])
        except ProblemTooLongError as error:
            limit = f"the model takes {self.metadata.max_tokens} tokens, about {self.metadata.max_tokens // 2} words"
            raise SolveError("too-long", "the text is too long", limit) from error
        return _Ready(problem, encoded)

    def _decode(
        self, batch: Sequence[_Ready], beam: int | None, with_trace: bool, model: LightModel
    ) -> list[Solution | SolveError]:
        started = time.perf_counter()
        arrays = padded([ready.encoded for ready in batch], self.metadata.padding)
        room = arrays["positions"].shape[1]
        reader = Reader.of(model.vocabulary, [ready.problem.values for ready in batch], room)
        engine = LightEngine(model, arrays, record=with_trace)
        solved = self._look(batch, engine, reader, beam or 1)
        unsure = [row for row, result in enumerate(solved) if isinstance(result, Solution) and result.unsure]
        if beam is None and unsure:
            rows = np.array(unsure)
            again = self._look([batch[row] for row in unsure], engine.again(rows), reader.only(rows), SECOND_LOOK)
            for row, result in zip(unsure, again, strict=True):
                if isinstance(result, Solution):  # otherwise the first search has the only answer
                    solved[row] = result
        milliseconds = 1e3 * (time.perf_counter() - started)
        log.debug("%d problems in %.0f ms, %d of them unsure", len(batch), milliseconds, len(unsure))
        return solved

    def _look(
        self, batch: Sequence[_Ready], engine: LightEngine, reader: Reader, beam: int
    ) -> list[Solution | SolveError]:
        """One search for all problems of a batch; each is a row of the engine."""
        steps = self.metadata.steps
        try:
            if beam == 1:
                at_once = engine.search(reader)
                hypotheses = [[one] for one in ([at_once] if at_once else decode_greedily(engine, reader, steps))]
            else:
                hypotheses = decode_with_beam(engine, reader, steps, beam)
        except NotANumberError as error:
            if len(batch) == 1:
                return [SolveError("undefined-value", "the model gives no numbers for this text", str(error))]
            # The rest of the batch still gets its answers.
            return [
                self._look([ready], engine.again(np.array([row])), reader.only(np.array([row])), beam)[0]
                for row, ready in enumerate(batch)
            ]

        def trace_of(decoded: Decoded, ready: _Ready) -> Trace | None:
            if engine.records is None:
                return None
            encoder = self.model.problem_encoder
            traced = trace(decoded, engine.records, reader, encoder.tokens(ready.encoded))
            return replace(traced, spans=encoder.spans(ready.problem))

        solved: list[Solution | SolveError] = []
        for ready, decoded in zip(batch, hypotheses, strict=True):
            answers, undefined = rank_answers(ready.problem, decoded, amounts=self.metadata.amounts)
            if answers:
                solved.append(self._solution(ready.problem, answers, trace_of(answers[0].decoded, ready)))
            elif undefined:
                solved.append(_without_value("the equation that was found", undefined))
            else:
                hint = "state what is known and what is asked, with numbers"
                solved.append(SolveError("no-equation", "the model found nothing to compute", hint))
        return solved

    def _solution(self, problem: Problem, answers: Sequence[Answer], traced: Trace | None) -> Solution:
        best, *others = answers
        calibration = self.metadata.calibration
        confidence = best.confidence(calibration)
        rest = (1 - confidence) / (sum(other.likelihood for other in others) or 1)  # all answers together are at most 1
        return Solution(
            problem,
            best.graph,
            best.evaluation,
            confidence,
            confidence < self.metadata.unsure_below,
            tuple(
                Alternative(
                    other.evaluation.value,
                    equation_text(other.graph, problem),
                    min(other.confidence(calibration), rest * other.likelihood),
                )
                for other in others
            ),
            self.metadata.name,
            traced,
        )


def _batches(problems: Sequence[_Ready], size: int) -> list[list[_Ready]]:
    """Batches of texts, the shortest first; one ends where padding would take longer than another batch."""
    batches: list[list[_Ready]] = []
    for ready in problems:
        last, length = batches[-1] if batches else [], len(ready.encoded.ids)
        if 0 < len(last) < size and sum(length - len(other.encoded.ids) for other in last) <= _MAX_PADDING:
            last.append(ready)
        else:
            batches.append([ready])
    return batches


def _without_value(what: str, reason: str) -> SolveError:
    return SolveError("undefined-value", f"{what} has no value: {reason}", "check the numbers")


def _check_beam(beam: int | None) -> None:
    if beam is not None:
        _check("beam", beam, MAX_BEAM)


def _check(name: str, value: int, most: int | None = None) -> None:
    if not isinstance(value, int) or value < 1 or (most is not None and value > most):
        allowed = "a whole number above 0" if most is None else f"a whole number from 1 to {most}"
        raise ValueError(f"{name} is {value!r}; it must be {allowed}")
