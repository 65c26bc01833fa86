"""Decoding: from the queries' distributions to expressions, greedily as in the paper or with a beam over layers.

The loop is the same whatever computes the distributions; an :class:`Engine` is PyTorch's model or the light
runtime's. ``R`` rows are decoded at a time; a row that is done leaves, so that nobody waits for the deepest problem.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from treequation.expression.graph import ExpressionGraph
from treequation.expression.slots import NONE, Proposed, Vocabulary, assemble

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


def decode_greedily(engine: Engine, reader: Reader, steps: int) -> list[Decoded]:
    """The paper's decoding: each query says what it finds most likely.

    Where no query says anything at the first step though the text has several numbers, the likeliest expression is
    taken all the same: queries that are each not sure enough to speak do not mean that there is nothing to compute.
    """
    decoded = [Decoded() for _ in reader.zero]
    rows = np.arange(len(decoded))
    for step in range(steps):
        if not len(rows):
            break
        said = engine.propose()
        operator, left, right, score = _best(said, reader, reader.zero[rows])
        valid = (operator != NONE) & ~_repeated(operator, left, right, score)
        silent = np.flatnonzero(reader.several & ~valid.any(axis=1)) if step == 0 else ()
        if len(silent):
            spoken = _one_speaks(Distributions(*(part[silent] for part in said)), reader, reader.zero[silent])
            operator[silent], left[silent], right[silent], score[silent] = spoken
            valid[silent] = operator[silent] != NONE
        total = np.where(operator == NONE, said.operator[..., NONE], score).sum(axis=1)
        queries, speaks = operator.shape[1], valid.any(axis=1)
        # As lists: looking a number up in an array costs more than everything else here.
        for index, (row, gained, goes_on) in enumerate(
            zip(rows.tolist(), total.tolist(), speaks.tolist(), strict=True)
        ):
            one = decoded[row]
            one.score += gained
            one.stopped = not goes_on
            one.rows.append(index)
            if goes_on:
                one.layers.append([])
        at, query = np.nonzero(valid)
        parts = (rows[at], step * queries + query, *(part[at, query] for part in (operator, left, right, score)))
        for row, *expression in zip(*(part.tolist() for part in parts), strict=True):
            decoded[row].layers[step].append(reader.proposed(*expression))
        going = np.flatnonzero(speaks)
        rows = rows[going]
        if len(rows) and step + 1 < steps:
            engine.advance(going, operator[going], left[going], right[going], valid[going])
    return decoded


def _best(said: Distributions, reader: Reader, zero: Bools) -> tuple[Ints, Ints, Ints, Floats]:
    """The likeliest operator and operands of each query, [R, K], and their joint log-probability."""
    operator, left, right = (part.argmax(axis=-1) for part in said)
    likeliest = [part.max(axis=-1) for part in said]
    divides = np.isin(operator, reader.divisions)
    if divides.any():  # never divide by what is known to be zero
        known = zero.shape[1]
        row = np.arange(len(zero))[:, None]
        refused = divides & (right < known) & zero[row, np.minimum(right, known - 1)]
        if refused.any():
            allowed = said.right.copy()
            allowed[..., :known][refused[:, :, None] & zero[:, None]] = -np.inf
            right, likeliest[2] = allowed.argmax(axis=-1), allowed.max(axis=-1)
    nothing = np.minimum(likeliest[1], likeliest[2]) <= IMPOSSIBLE  # where there is no operand, there is no expression
    if nothing.any():
        operator = np.where(nothing, NONE, operator)
        likeliest[0] = np.where(nothing, said.operator[..., NONE], likeliest[0])
    score: Floats = sum(np.maximum(part, IMPOSSIBLE) for part in likeliest)
    return operator, left, right, score


def _one_speaks(said: Distributions, reader: Reader, zero: Bools) -> tuple[Ints, Ints, Ints, Floats]:
    """As :func:`_best` if one query of each row must not say None: the one whose expression is the likeliest."""
    real = said.operator.copy()
    real[..., NONE] = -np.inf
    operator, left, right, score = _best(said._replace(operator=real), reader, zero)
    silent = np.arange(operator.shape[1]) != score.argmax(axis=1)[:, None]
    operator[silent] = NONE
    return operator, left, right, score


def _repeated(operator: Ints, left: Ints, right: Ints, score: Floats) -> Bools:
    """Which queries say what another query of the layer says with more certainty (or as much, and before it)."""
    if ((operator != NONE).sum(axis=1) < 2).all():
        return np.zeros(operator.shape, np.bool_)
    said = (operator << 42) | (left << 21) | right  # one number for all three; there are never 2²¹ slots
    same = said[:, :, None] == said[:, None, :]
    place = np.arange(operator.shape[1])
    earlier = place[None, :] < place[:, None]
    better = (score[:, None, :] > score[:, :, None]) | ((score[:, None, :] == score[:, :, None]) & earlier)
    return (same & better).any(axis=-1)  # type: ignore[no-any-return]


# --- beam ----------------------------------------------------------------------------------------------------------


class _Option(NamedTuple):
    """What one query may say."""

    score: float
    operator: int
    left: int
    right: int


class _Branch(NamedTuple):
    """A hypothesis and a way to go on with it."""

    score: float
    row: int
    options: tuple[_Option, ...]  # one for each query
    valid: tuple[bool, ...]


def decode_with_beam(engine: Engine, reader: Reader, steps: int, beam: int) -> list[list[Decoded]]:
    """The ``beam`` most likely equations of each problem, the likeliest first.

    A layer's hypothesis is what all K queries say together. Hypotheses that propose the same set of expressions
    (by other queries) are one hypothesis, whose probabilities add up.
    """
    count = len(reader.zero)
    finished: list[list[Decoded]] = [[] for _ in range(count)]
    live = [Decoded() for _ in range(count)]  # one a row of the engine
    owner = list(range(count))
    for step in range(steps):
        said = engine.propose()
        queries = said.operator.shape[1]
        branches: dict[int, list[_Branch]] = {}
        for row, problem in enumerate(owner):
            options = [_options(said, row, query, reader, reader.zero[problem], beam) for query in range(queries)]
            branches.setdefault(problem, []).extend(_together(options, live[row].score, row, beam))
        chosen: list[_Branch] = []
        must_go_on = reader.several if step == 0 else np.zeros(count, np.bool_)
        for problem, candidates in branches.items():
            kept = _merge(candidates)[:beam]
            if must_go_on[problem] and any(any(branch.valid) for branch in kept):
                kept = [branch for branch in kept if any(branch.valid)]
            for branch in kept:
                if any(branch.valid) and step + 1 < steps:
                    chosen.append(branch)
                else:
                    finished[problem].append(_extended(live[branch.row], branch, step, reader))
        # A live hypothesis can only lose probability: once `beam` finished ones are better, it is out.
        chosen = [b for b in chosen if _may_win(b.score, finished[owner[b.row]], beam)]
        if not chosen:
            break
        live, owner = (
            [_extended(live[branch.row], branch, step, reader) for branch in chosen],
            [owner[branch.row] for branch in chosen],
        )
        operator, left, right = (
            np.array([[getattr(option, part) for option in branch.options] for branch in chosen])
            for part in ("operator", "left", "right")
        )
        rows, valid = np.array([branch.row for branch in chosen]), np.array([branch.valid for branch in chosen])
        engine.advance(rows, operator, left, right, valid)
    return [sorted(group, key=lambda d: -d.score)[:beam] for group in finished]


def _may_win(score: float, finished: Sequence[Decoded], beam: int) -> bool:
    return sum(done.score >= score for done in finished) < beam


def _options(said: Distributions, row: int, query: int, reader: Reader, zero: Bools, beam: int) -> list[_Option]:
    """The ``beam`` likeliest things that a query may say, the likeliest first."""
    operators, lefts, rights = said.operator[row, query], said.left[row, query], said.right[row, query]
    options = [_Option(float(operators[NONE]), NONE, 0, 0)]
    divisions = reader.divisions
    enough = beam + int(zero.sum())  # slots that ÷ may not use must not take the place of those that it may
    best_left, best_right = (
        [slot for slot in np.argsort(-side, kind="stable")[:enough].tolist() if side[slot] > IMPOSSIBLE]
        for side in (lefts, rights)
    )
    for operator in np.argsort(-operators, kind="stable")[: beam + 1].tolist():
        if operator == NONE:
            continue
        for rank, left in enumerate(best_left, start=1):
            # A pair is out once as many are better that are allowed: those of the lefts and rights up to its own.
            for right in best_right[: beam // rank + 1 + enough - beam]:
                if operator in divisions and right < len(zero) and zero[right]:
                    continue
                score = float(operators[operator] + lefts[left] + rights[right])
                options.append(_Option(score, operator, left, right))
    return heapq.nlargest(beam, options)


def _together(options: Sequence[Sequence[_Option]], score: float, row: int, beam: int) -> list[_Branch]:
    """The ``beam`` likeliest joint choices, one option a query: best-first over the product, which is never built."""
    start = (0,) * len(options)
    heap = [(-sum(query[0].score for query in options), start)]
    seen = {start}
    branches: list[_Branch] = []
    while heap and len(branches) < beam:
        negative, places = heapq.heappop(heap)
        said = tuple(query[place] for query, place in zip(options, places, strict=True))
        branches.append(_Branch(score - negative, row, said, _first_of_each(said)))
        for query, place in enumerate(places):
            after = (*places[:query], place + 1, *places[query + 1 :])
            if place + 1 < len(options[query]) and after not in seen:
                seen.add(after)
                gain = options[query][place + 1].score - options[query][place].score
                heapq.heappush(heap, (negative - gain, after))
    return branches


def _first_of_each(said: Sequence[_Option]) -> tuple[bool, ...]:
    """Which queries' expressions join: real ones, each once."""
    return tuple(
        option.operator != NONE and option[1:] not in [other[1:] for other in said[:query]]
        for query, option in enumerate(said)
    )


def _merge(branches: Sequence[_Branch]) -> list[_Branch]:
    """Branches of one problem, likeliest first, with equal ones added up."""
    groups: dict[tuple[int, frozenset[tuple[int, int, int]]], list[_Branch]] = {}
    for branch in branches:
        real = frozenset(o[1:] for o, valid in zip(branch.options, branch.valid, strict=True) if valid)
        groups.setdefault((branch.row, real), []).append(branch)
    merged = []
    for group in groups.values():
        total = float(np.logaddexp.reduce([branch.score for branch in group]))
        merged.append(max(group, key=lambda branch: branch.score)._replace(score=total))
    return sorted(merged, key=lambda branch: -branch.score)


def _extended(hypothesis: Decoded, branch: _Branch, step: int, reader: Reader) -> Decoded:
    queries = len(branch.options)
    layer = [
        reader.proposed(step * queries + query, o.operator, o.left, o.right, o.score)
        for query, (o, valid) in enumerate(zip(branch.options, branch.valid, strict=True))
        if valid
    ]
    rows = [*hypothesis.rows, branch.row]
    if not layer:
        return Decoded(hypothesis.layers, branch.score, stopped=True, rows=rows)
    return Decoded([*hypothesis.layers, layer], branch.score, rows=rows)
