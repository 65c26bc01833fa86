"""What happened while an equation was decoded: what each query thought at each step, and what became of it.

An engine that records keeps a :class:`StepRecord` for each step. A :class:`Trace` is read from these afterwards, so
that decoding without one costs nothing.
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

    said: Distributions  # [R, K, ·]
    similarity: Floats  # [R, K, T] cosine of each query and each state of the problem


class OperatorEntry(NamedTuple):
    """An operator, or None for *no expression*, and how likely a query finds it."""

    operator: Operator | None
    probability: float


class OperandEntry(NamedTuple):
    """An operand and how likely a query finds it. A result is named by its place: layer × queries + query."""

    operand: Operand
    probability: float


@dataclass(frozen=True, slots=True)
class QueryTrace:
    """One query at one step: its likeliest entries, likeliest first, and the expression of it that was kept."""

    operator: tuple[OperatorEntry, ...]
    left: tuple[OperandEntry, ...]
    right: tuple[OperandEntry, ...]
    similarity: tuple[float, ...]  # cosine of the query and each token of the problem
    kept: Proposed | None

    @property
    def dropped(self) -> bool:
        """Whether it had an expression in mind that did not join: another query said the same, or it was overruled."""
        return self.kept is None and self.operator[0].operator is not None


@dataclass(frozen=True, slots=True)
class Trace:
    """The way to one decoded equation, step by step and query by query, the step that said stop included."""

    decoded: Decoded
    tokens: tuple[str, ...]
    steps: tuple[tuple[QueryTrace, ...], ...]
    spans: tuple[tuple[int, int] | None, ...] = ()  # where each token stands in the text, if that is known


def trace(
    decoded: Decoded, records: Sequence[StepRecord], reader: Reader, tokens: Sequence[str], *, best: int = 3
) -> Trace:
    """Reads the way to ``decoded`` out of the engine's records, with the ``best`` entries of each distribution."""
    kept = {proposed.place: proposed for layer in decoded.layers for proposed in layer}

    def operator(index: int) -> Operator | None:
        return None if index == NONE else reader.vocabulary.operators[index - 1]

    def operand(slot: int) -> Operand:
        return reader.vocabulary.operand(slot, reader.numbers)

    def query_trace(record: StepRecord, row: int, query: int, place: int) -> QueryTrace:
        said = record.said
        return QueryTrace(
            tuple(OperatorEntry(*entry) for entry in _best(said.operator[row, query], best, operator)),
            tuple(OperandEntry(*entry) for entry in _best(said.left[row, query], best, operand)),
            tuple(OperandEntry(*entry) for entry in _best(said.right[row, query], best, operand)),
            tuple(record.similarity[row, query, : len(tokens)].tolist()),
            kept.get(place),
        )

    steps = []
    for step, (row, record) in enumerate(zip(decoded.rows, records, strict=False)):  # others may have gone on longer
        queries = record.said.operator.shape[1]
        steps.append(tuple(query_trace(record, row, query, step * queries + query) for query in range(queries)))
    return Trace(decoded, tuple(tokens), tuple(steps))


def _best(log_probabilities: Floats, count: int, name: Callable[[int], Entry]) -> list[tuple[Entry, float]]:
    """The likeliest entries that are possible at all, with their probabilities."""
    order = np.argsort(-log_probabilities, kind="stable")[:count].tolist()
    return [
        (name(index), float(np.exp(log_probabilities[index])))
        for index in order
        if log_probabilities[index] > IMPOSSIBLE
    ]
