"""How an equation was decoded: each query's predictions at each step, and which of them were kept.

An engine that records keeps a :class:`StepRecord` for each step. A :class:`Trace` is built from these afterwards, so
decoding without a trace costs nothing extra.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from treequation.decoding.assembly import Proposed
from treequation.decoding.search import IMPOSSIBLE, Decoded, Distributions, Floats, Reader
from treequation.expression.graph import Operand, Operator
from treequation.text.number_vocabulary import NONE

Entry = TypeVar("Entry")


class StepRecord(NamedTuple):
    """What an engine keeps of one step."""

    distributions: Distributions  # [R, K, ·]
    similarity: Floats  # [R, K, T] cosine of each query and each state of the problem


class OperatorEntry(NamedTuple):
    """An operator, or None for *no expression*, with its probability from a query."""

    operator: Operator | None
    probability: float


class OperandEntry(NamedTuple):
    """An operand, with its probability from a query. A result is named by its place: layer × queries + query."""

    operand: Operand
    probability: float


@dataclass(frozen=True, slots=True)
class QueryTrace:
    """One query at one step: its likeliest operators and operands, and its expression if that was kept."""

    operator: tuple[OperatorEntry, ...]
    left: tuple[OperandEntry, ...]
    right: tuple[OperandEntry, ...]
    similarity: tuple[float, ...]  # cosine of the query and each token of the problem
    kept: Proposed | None


@dataclass(frozen=True, slots=True)
class Trace:
    """How one equation was decoded, step by step and query by query, including the last step, which stops."""

    decoded: Decoded
    tokens: tuple[str, ...]
    steps: tuple[tuple[QueryTrace, ...], ...]
    spans: tuple[tuple[int, int] | None, ...] = ()  # each token's place in the text, if known


def trace(
    decoded: Decoded, records: Sequence[StepRecord], reader: Reader, tokens: Sequence[str], *, best: int = 3
) -> Trace:
    """Builds the trace of ``decoded`` from the engine's records, with the ``best`` entries of each distribution."""
    kept = {proposed.place: proposed for layer in decoded.layers for proposed in layer}

    def operator(index: int) -> Operator | None:
        return None if index == NONE else reader.vocabulary.operators[index - 1]

    def operand(slot: int) -> Operand:
        return reader.vocabulary.operand(slot, reader.numbers)

    def query_trace(record: StepRecord, row: int, query: int, place: int) -> QueryTrace:
        predicted = record.distributions
        return QueryTrace(
            tuple(OperatorEntry(*entry) for entry in _best(predicted.operator[row, query], best, operator)),
            tuple(OperandEntry(*entry) for entry in _best(predicted.left[row, query], best, operand)),
            tuple(OperandEntry(*entry) for entry in _best(predicted.right[row, query], best, operand)),
            tuple(record.similarity[row, query, : len(tokens)].tolist()),
            kept.get(place),
        )

    steps = []
    for step, (row, record) in enumerate(zip(decoded.rows, records, strict=False)):  # other rows may take more steps
        queries = record.distributions.operator.shape[1]
        steps.append(tuple(query_trace(record, row, query, step * queries + query) for query in range(queries)))
    return Trace(decoded, tuple(tokens), tuple(steps))


def _best(log_probabilities: Floats, count: int, name: Callable[[int], Entry]) -> list[tuple[Entry, float]]:
    """The likeliest entries that are not masked, with their probabilities."""
    order = np.argsort(-log_probabilities, kind="stable")[:count].tolist()
    return [
        (name(index), float(np.exp(log_probabilities[index])))
        for index in order
        if log_probabilities[index] > IMPOSSIBLE
    ]
