"""The light engine: runs an exported model on ONNX Runtime, for the same search as PyTorch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Tokenizer

from treequation.decoding.assembly import Proposed
from treequation.decoding.search import IMPOSSIBLE, Bools, Decoded, Distributions, Floats, Ints, Reader, joining
from treequation.decoding.trace import StepRecord
from treequation.errors import TreequationError
from treequation.runtime import PRECISION
from treequation.runtime.folder import GRAPHS, INT16, PROBE, PROBED, TOKENIZER, WEIGHTS, Metadata, read_metadata
from treequation.runtime.weight_file import LARGEST, WeightFile
from treequation.storage import DamagedFolderError
from treequation.text.encoding import EncodedProblem, ProblemEncoder
from treequation.text.number_vocabulary import NONE

State = Mapping[str, npt.NDArray[Any]]
_FIRST_LAYER = "decoder.layers.0."
_PROPOSED = ("operator", "left", "right")
_MAX_MESSAGE = 300  # characters of a library's error message that we repeat

PRECISIONS = ("auto", "float", "int16")
"""How the encoder may multiply. ``auto``: int16 if the folder has it and the processor multiplies correctly."""


class NotANumberError(DamagedFolderError):
    """A model computes NaN, usually because values have overflowed."""


class LightModel:
    """A light model folder, loaded: the graphs, the problem encoder and the metadata.

    ``threads`` is how many cores one run may use; 0 leaves the choice to ONNX Runtime, which takes all.
    ``precision`` is one of :data:`PRECISIONS`; the attribute :attr:`precision` is the one in use, so never ``auto``.
    """

    def __init__(self, folder: Path, *, threads: int = 0, precision: str = PRECISION) -> None:
        self.folder = folder
        self.metadata: Metadata = read_metadata(folder)
        self.precision = _usable_precision(precision, folder, self.metadata)
        self.vocabulary = self.metadata.vocabulary
        with _named_errors(folder / TOKENIZER):
            self.problem_encoder = ProblemEncoder(
                Tokenizer.from_file(str(folder / TOKENIZER)),
                max_tokens=self.metadata.max_tokens,
                keep_number_text=self.metadata.keep_number_text,
            )
        with WeightFile(folder / WEIGHTS) as weights:
            weight = cache(weights.__getitem__)

            # The decoder gets one thread: its products are so small that sharing them out takes longer.
            def load(name: str, layer: int = 0, threads: int = 1) -> Graph:
                own = _FIRST_LAYER.replace("0", str(layer))
                initializers = {each: weight(each.replace(_FIRST_LAYER, own)) for each in self.metadata.graphs[name]}
                return Graph(folder / GRAPHS / f"{name}.onnx", initializers, threads)

            self.start = load("start" if self.precision == "float" else INT16, threads=threads)
            # A Standard model has separate weights for each step; a Layer-Shared one uses the same for all.
            layers = 1 if self.metadata.shared_layers else self.metadata.steps
            self.read = [load("read", layer) for layer in range(layers)]
            self.propose = load("propose")
            self.advance = load("advance")
            self.search = load("search") if "search" in self.metadata.graphs else None
        self._try_graphs()

    def _try_graphs(self) -> None:
        """Runs every graph once, so that mismatched parts of a folder are an error now, not at the first problem."""
        tokenizer = self.problem_encoder.tokenizer
        last = tokenizer.get_vocab_size() - 1  # out of range if the tokenizer belongs to another model
        ids = (self.problem_encoder.marker, last)
        batch = padded([EncodedProblem(ids, (0,)), EncodedProblem(ids[:1], (0,))], self.metadata.padding)
        with _named_errors(self.folder / GRAPHS):
            engine = LightEngine(self, batch)
            for step, _ in enumerate(self.read):
                predicted = engine.propose()
                slots = len(self.vocabulary.constants) + 1
                if not step and (
                    predicted.operator.shape[2] != len(self.vocabulary.operators) + 1
                    or predicted.left.shape[2] != slots
                ):
                    raise ValueError("they are made for other operators or constants")
                rows, operator = np.arange(2), np.ones(predicted.operator.shape[:2], np.int64)
                engine.advance(rows, operator, operator * 0, operator * 0, operator == 1)
            reader = Reader.of(self.vocabulary, [(Fraction(1),)], 1)
            LightEngine(self, {name: part[:1] for name, part in batch.items()}).search(reader)


def _usable_precision(precision: str, folder: Path, metadata: Metadata) -> str:
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}; it must be one of {', '.join(PRECISIONS)}")
    if precision == "float":
        return precision
    if INT16 not in metadata.graphs:
        reason = f"{folder} has no graph for products in 16 bits; export the model again, or"
    elif not multiplies_right(folder):
        reason = "this processor cannot multiply 8-bit numbers without overflow;"
    else:
        return "int16"
    if precision == "auto":
        return "float"
    raise TreequationError(f"{reason} solve with precision float")


def multiplies_right(folder: Path) -> bool:
    """Whether this processor multiplies 8-bit numbers correctly.

    On x86-64 processors without VNNI, ONNX Runtime adds pairs of products in 16 bits, which overflow for the largest
    numbers. So we try the largest, with one row and with several, since ONNX Runtime has a kernel for each case.
    """
    probe = Graph(folder / GRAPHS / f"{PROBE}.onnx", {}, 1)
    inputs, top = PROBED[0], np.iinfo(np.uint8).max
    return all(
        bool((probe({"given": np.full((rows, inputs), top, np.uint8)})["found"] == inputs * top * LARGEST).all())
        for rows in (1, 16)
    )


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    """Turns any error of a library into one line that names the file."""
    try:
        yield
    except (TreequationError, OSError):
        raise
    except Exception as error:  # the errors of ONNX Runtime and tokenizers have no narrower base class
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise DamagedFolderError(
            f"{path} cannot be used ({reason[:_MAX_MESSAGE]}); get the model folder again"
        ) from error


class Graph:
    """An ONNX graph with its weights, called with named arrays."""

    def __init__(self, path: Path, weights: Mapping[str, npt.NDArray[Any]], threads: int) -> None:
        options = ort.SessionOptions()
        options.log_severity_level = 3  # errors only
        options.intra_op_num_threads = min(threads, os.cpu_count() or 1)  # more would wait for each other
        # Planning memory reuse takes most of the loading time, and saves neither memory nor time afterwards.
        options.enable_mem_reuse = False
        # Every text has its own shapes, and most tensors of the decoder are tiny: plain allocation is faster.
        options.enable_mem_pattern = options.enable_cpu_mem_arena = False
        # The graphs run in turn. Without this, the threads of one would keep spinning while the next computes.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        values = [ort.OrtValue.ortvalue_from_numpy(weight) for weight in weights.values()]
        with _named_errors(path):
            options.add_external_initializers(list(weights), values)
            self._session = ort.InferenceSession(
                path.read_bytes(),
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=["MatMulAddFusion"],  # it reshapes around each product, and hides other fusions
            )
        self._inputs = [(each.name, each.name.removeprefix("in.")) for each in self._session.get_inputs()]
        self._outputs = [each.name.removeprefix("out.") for each in self._session.get_outputs()]

    def __call__(self, arrays: State) -> dict[str, npt.NDArray[Any]]:
        """Runs the graph on those of ``arrays`` that it needs; returns its outputs by name."""
        outputs = self._session.run(None, {name: arrays[plain] for name, plain in self._inputs})
        return dict(zip(self._outputs, outputs, strict=True))


def padded(problems: Sequence[EncodedProblem], padding: int) -> dict[str, Ints]:
    """Encoded problems as one padded batch."""
    tokens = max(len(problem.ids) for problem in problems)
    numbers = max(1, *(len(problem.positions) for problem in problems))
    ids = np.full((len(problems), tokens), padding, np.int64)
    positions = np.zeros((len(problems), numbers), np.int64)
    for row, problem in enumerate(problems):
        ids[row, : len(problem.ids)] = problem.ids
        positions[row, : len(problem.positions)] = problem.positions
    return {
        "ids": ids,
        "lengths": np.array([len(problem.ids) for problem in problems], np.int64),
        "positions": positions,
        "numbers": np.array([len(problem.positions) for problem in problems], np.int64),
    }


class LightEngine:
    """Computes the steps of a search with an exported model (an :class:`~treequation.decoding.search.Engine`)."""

    def __init__(self, model: LightModel, batch: State, *, record: bool = False) -> None:
        self.records: list[StepRecord] | None = [] if record else None
        self._model = model
        self._start: State = model.start(batch)
        self._state = dict(self._start)
        self._step = 0

    def again(self, rows: Ints) -> LightEngine:
        """An engine for another search of some rows, without running the encoder again."""
        other = copy(self)
        other.records = None if self.records is None else []
        other._start = {name: part[rows] for name, part in self._start.items()}
        other._state = dict(other._start)
        other._step = 0
        return other

    def search(self, reader: Reader) -> Decoded | None:
        """Runs the whole greedy search of one row as one graph; returns None if it has to be done step by step.

        That is the case for several rows, for a trace, for a model without such a graph, and where a rule applies that
        the graph does not have: there must be an expression, nothing is divided by zero, and nothing is NaN.
        """
        if self._model.search is None or self.records is not None or len(reader.several) > 1:
            return None
        outputs = self._model.search(self._state)
        # Lists [L] of [K].
        predicted = zip(*(outputs[part][:, 0].tolist() for part in (*_PROPOSED, "score", "valid")), strict=True)
        layers: list[list[Proposed]] = []
        operators, known = reader.vocabulary.operators, reader.zero.shape[1]
        for step, queries in enumerate(zip(*parts, strict=True) for parts in predicted):
            layers.append([])
            for query, (operator, left, right, score, valid) in enumerate(queries):
                divides = operator != NONE and operators[operator - 1].divides
                if not score > IMPOSSIBLE or (divides and right < known and reader.zero[0, right]):
                    return None
                if valid:
                    place = step * outputs["valid"].shape[2] + query
                    layers[-1].append(reader.proposed(place, operator, left, right, score))
        rows, stopped = [0] * len(layers), not layers[-1]
        if stopped:
            layers.pop()
        if not layers and reader.several[0]:
            return None
        return Decoded(layers, sum(outputs["gained"].sum(axis=(1, 2)).tolist()), stopped, rows)

    def propose(self) -> Distributions:
        """Runs one step for all rows."""
        model, state = self._model, self._state
        state.update(model.read[self._step % len(model.read)](state))
        state.update(model.propose(state))
        predicted = Distributions(*(state[part] for part in _PROPOSED))
        if any(np.isnan(part).any() for part in predicted):
            raise NotANumberError(
                f"the model in {model.folder} computes values that are not numbers; get the model folder again"
            )
        if self.records is not None:
            similarity = np.nan_to_num(_similarity(state["queries"], state["problem"]))
            self.records.append(StepRecord(predicted, similarity))
        return predicted

    def advance(self, rows: Ints, operator: Ints, left: Ints, right: Ints, valid: Bools) -> None:
        """Continues with these rows, to which the valid expressions are added."""
        chosen = {"rows": rows, "operator": operator, "left": left, "right": right, "valid": valid}
        chosen["joining"] = joining(valid)
        self._state = self._model.advance(self._state | chosen)
        self._step += 1


def _similarity(queries: Floats, problem: Floats) -> Floats:
    """Cosine similarity of each query and each state of the problem, [R, K, T]."""

    def normed(states: Floats) -> Floats:
        lengths = np.sqrt(np.square(states).sum(axis=-1, keepdims=True))
        unit: Floats = states / np.maximum(lengths, np.float32(1e-12))
        return unit

    cosines: Floats = normed(queries) @ normed(problem).transpose(0, 2, 1)
    return cosines
