"""What every search has in common: what it is given, what computes for it, and what it finds.

The loops are :mod:`.greedy_search`, as in the paper, and :mod:`.beam_search`. They are the same whatever computes the
distributions; an :class:`Engine` is PyTorch's model or the light runtime's. ``R`` rows are decoded at a time; a row
that is done leaves, so that nobody waits for the deepest problem.
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
    """What a decoder must offer to be searched; it keeps the state of its rows."""

    def propose(self) -> Distributions:
        """Runs one step for all rows."""
        ...

    def advance(self, rows: Ints, operator: Ints, left: Ints, right: Ints, valid: Bools) -> None:
        """Goes on with ``rows`` (repetitions allowed) and their [R', K] expressions, of which the valid ones join."""
        ...


def joining(valid: Bools) -> Ints:
    """The queries whose expressions are valid [R, K], as [R, V] indices; rows with fewer than V are filled up.

    >>> joining(np.array([[False, True, False], [True, False, True]])).tolist()
    [[1, 0], [0, 2]]
    """
    order: Ints = np.argsort(~valid, axis=1, kind="stable")
    return order[:, : int(valid.sum(axis=1).max())]


class Equation(Protocol):
    """What a decoder says about a problem, whatever its way of writing equations."""

    @property
    def score(self) -> float:
        """The log-probability of everything that it said."""
        ...

    @property
    def graph(self) -> ExpressionGraph | None:
        """The equation, or None where it said none."""
        ...

    @property
    def steps(self) -> int:
        """How many steps it took to write; one that only says stop is not counted."""
        ...


@dataclass(slots=True)
class Decoded:
    """The layers of one problem's equation, the empty one that said stop left out."""

    layers: list[list[Proposed]] = field(default_factory=list)
    score: float = 0.0  # log-probability of everything that the queries said, None included
    stopped: bool = False  # whether all queries said None before the steps ran out
    rows: list[int] = field(default_factory=list)  # the engine's row at each step, by which its records are found
    _graph: ExpressionGraph | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def graph(self) -> ExpressionGraph | None:
        """The equation, or None where no query proposed anything; made when it is first asked for."""
        if self._graph is None:
            self._graph = assemble(self.layers)
        return self._graph

    @property
    def steps(self) -> int:
        """The layers."""
        return len(self.layers)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads slots of the rows that are being decoded.

    ``zero`` [R, S₀] marks numbers and constants known to be 0; ``several`` [R] the rows that have several numbers: no
    one of them is the answer by itself, so something is computed.
    """

    vocabulary: Vocabulary
    numbers: int
    zero: Bools
    several: Bools

    @classmethod
    def of(cls, vocabulary: Vocabulary, values: Sequence[Sequence[Fraction]], numbers: int) -> Reader:
        """What reads the slots of some problems, whose numbers have these values, with room for ``numbers`` each."""
        first = len(vocabulary.constants)
        zero = np.zeros((len(values), first + numbers), np.bool_)
        zero[:, :first] = [not value for value in vocabulary.constants]
        for row, found in enumerate(values):
            for slot, value in enumerate(found, start=first):
                if not value:
                    zero[row, slot] = True
        return cls(vocabulary, numbers, zero, np.array([len(found) > 1 for found in values], np.bool_))

    def only(self, rows: Ints) -> Reader:
        """What reads the slots of some of the rows, in this order."""
        return replace(self, zero=self.zero[rows], several=self.several[rows])

    @property
    def divisions(self) -> tuple[int, ...]:
        """The ids of the operators that divide: ÷, and those that round it or take what it leaves over."""
        return tuple(id for id, operator in enumerate(self.vocabulary.operators, start=NONE + 1) if operator.divides)

    def proposed(self, place: int, operator: int, left: int, right: int, score: float) -> Proposed:
        """An expression in words of the algebra."""
        return Proposed(
            place,
            self.vocabulary.operators[operator - 1],
            self.vocabulary.operand(left, self.numbers),
            self.vocabulary.operand(right, self.numbers),
            score,
        )
