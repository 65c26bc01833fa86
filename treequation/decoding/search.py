"""What greedy and beam search share: their input, the engine that computes for them, and their output.

:mod:`.greedy_search` is the paper's search, :mod:`.beam_search` follows several hypotheses. Both run on any
:class:`Engine`: the PyTorch model or the light runtime. ``R`` rows are decoded together; finished rows are removed, so
that they do not wait for the deepest problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from treequation.decoding.assembly import Proposed, assemble
from treequation.expression.graph import ExpressionGraph
from treequation.text.number_vocabulary import NONE, Vocabulary

IMPOSSIBLE = -1e9  # log-probabilities below this belong to masked slots

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Distributions(NamedTuple):
    """Log-probabilities of one step."""

    operator: Floats  # [R, K, O + 1]
    left: Floats  # [R, K, S]
    right: Floats  # [R, K, S]


class Engine(Protocol):
    """Computes the distributions of each step, and keeps the decoder state of each row."""

    def propose(self) -> Distributions:
        """Runs one step for all rows."""
        ...

    def advance(self, rows: Ints, operator: Ints, left: Ints, right: Ints, valid: Bools) -> None:
        """Continues with ``rows`` (repeats allowed), to which the valid ones of [R', K] expressions are added."""
        ...


def joining(valid: Bools) -> Ints:
    """The indices [R, V] of the queries whose expressions are valid [R, K]; rows with fewer than V are padded.

    >>> joining(np.array([[False, True, False], [True, False, True]])).tolist()
    [[1, 0], [0, 2]]
    """
    order: Ints = np.argsort(~valid, axis=1, kind="stable")
    return order[:, : int(valid.sum(axis=1).max())]


class Equation(Protocol):
    """A decoder's output for one problem, in whatever notation it writes equations."""

    @property
    def score(self) -> float:
        """The log-probability of the whole output."""
        ...

    @property
    def graph(self) -> ExpressionGraph | None:
        """The equation, or None if it found none."""
        ...

    @property
    def is_empty(self) -> bool:
        """Whether there is no equation because it found nothing to compute, rather than no valid one."""
        ...

    @property
    def steps(self) -> int:
        """How many steps it took, without the one that only stops."""
        ...


@dataclass(slots=True)
class Decoded:
    """The layers of one problem's equation, without the empty last one."""

    layers: list[list[Proposed]] = field(default_factory=list)
    score: float = 0.0  # log-probability of all predictions, None included
    stopped: bool = False  # whether all queries predicted None before the steps ran out
    rows: list[int] = field(default_factory=list)  # the engine's row at each step, to look up its records
    _graph: ExpressionGraph | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def graph(self) -> ExpressionGraph | None:
        """The equation, assembled on first use; None if no query proposed anything."""
        if self._graph is None:
            self._graph = assemble(self.layers)
        return self._graph

    @property
    def is_empty(self) -> bool:
        """Whether no query proposed anything."""
        return self.graph is None

    @property
    def steps(self) -> int:
        """The number of layers."""
        return len(self.layers)


@dataclass(frozen=True, slots=True)
class Reader:
    """Maps operator ids and operand slots to operators and operands, for the rows being decoded.

    ``zero`` [R, S₀] marks numbers and constants known to be 0. ``several`` [R] marks rows with several numbers: none of
    them is the answer by itself, so there is something to compute.
    """

    vocabulary: Vocabulary
    numbers: int
    zero: Bools
    several: Bools

    @classmethod
    def of(cls, vocabulary: Vocabulary, values: Sequence[Sequence[Fraction]], numbers: int) -> Reader:
        """A reader for problems whose numbers have these values, with ``numbers`` slots for each problem."""
        first = len(vocabulary.constants)
        zero = np.zeros((len(values), first + numbers), np.bool_)
        zero[:, :first] = [not value for value in vocabulary.constants]
        for row, numbers_of_row in enumerate(values):
            for slot, value in enumerate(numbers_of_row, start=first):
                if not value:
                    zero[row, slot] = True
        return cls(vocabulary, numbers, zero, np.array([len(row) > 1 for row in values], np.bool_))

    def only(self, rows: Ints) -> Reader:
        """A reader for these rows only, in this order."""
        return replace(self, zero=self.zero[rows], several=self.several[rows])

    @property
    def divisions(self) -> tuple[int, ...]:
        """The ids of the operators that divide: ÷, rounded division and remainder."""
        return tuple(id for id, operator in enumerate(self.vocabulary.operators, start=NONE + 1) if operator.divides)

    def proposed(self, place: int, operator: int, left: int, right: int, score: float) -> Proposed:
        """An expression, from the ids of its operator and operands."""
        return Proposed(
            place,
            self.vocabulary.operators[operator - 1],
            self.vocabulary.operand(left, self.numbers),
            self.vocabulary.operand(right, self.numbers),
            score,
        )
