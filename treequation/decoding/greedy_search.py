"""Greedy search, as in the paper: at each step every query says what it finds likeliest."""

from __future__ import annotations

import numpy as np

from treequation.decoding.search import IMPOSSIBLE, Bools, Decoded, Distributions, Engine, Floats, Ints, Reader
from treequation.text.number_vocabulary import NONE


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
