"""Greedy search, as in the paper: at each step, every query proposes its likeliest expression."""

from __future__ import annotations

import numpy as np

from treequation.decoding.search import IMPOSSIBLE, Bools, Decoded, Distributions, Engine, Floats, Ints, Reader
from treequation.text.number_vocabulary import NONE


def decode_greedily(engine: Engine, reader: Reader, steps: int) -> list[Decoded]:
    """The likeliest equation of each row, one layer at a time.

    If every query predicts None at the first step although the text has several numbers, the likeliest expression is
    taken anyway: no query may be sure enough by itself, but there is something to compute.
    """
    decoded = [Decoded() for _ in reader.zero]
    rows = np.arange(len(decoded))
    for step in range(steps):
        if not len(rows):
            break
        predicted = engine.propose()
        operator, left, right, score = _best(predicted, reader, reader.zero[rows])
        valid = (operator != NONE) & ~_repeated(operator, left, right, score)
        silent = np.flatnonzero(reader.several & ~valid.any(axis=1)) if step == 0 else ()
        if len(silent):
            forced = _force_one(Distributions(*(part[silent] for part in predicted)), reader, reader.zero[silent])
            operator[silent], left[silent], right[silent], score[silent] = forced
            valid[silent] = operator[silent] != NONE
        total = np.where(operator == NONE, predicted.operator[..., NONE], score).sum(axis=1)
        queries, continues = operator.shape[1], valid.any(axis=1)
        # As lists: indexing arrays one element at a time would take most of the time here.
        for index, (row, gained, has_layer) in enumerate(
            zip(rows.tolist(), total.tolist(), continues.tolist(), strict=True)
        ):
            one = decoded[row]
            one.score += gained
            one.stopped = not has_layer
            one.rows.append(index)
            if has_layer:
                one.layers.append([])
        at, query = np.nonzero(valid)
        parts = (rows[at], step * queries + query, *(part[at, query] for part in (operator, left, right, score)))
        for row, *expression in zip(*(part.tolist() for part in parts), strict=True):
            decoded[row].layers[step].append(reader.proposed(*expression))
        remaining = np.flatnonzero(continues)
        rows = rows[remaining]
        if len(rows) and step + 1 < steps:
            engine.advance(remaining, operator[remaining], left[remaining], right[remaining], valid[remaining])
    return decoded


def _best(predicted: Distributions, reader: Reader, zero: Bools) -> tuple[Ints, Ints, Ints, Floats]:
    """The likeliest operator and operands of each query, [R, K], and their joint log-probability."""
    operator, left, right = (part.argmax(axis=-1) for part in predicted)
    likeliest = [part.max(axis=-1) for part in predicted]
    divides = np.isin(operator, reader.divisions)
    if divides.any():  # never divide by a known zero
        known = zero.shape[1]
        row = np.arange(len(zero))[:, None]
        refused = divides & (right < known) & zero[row, np.minimum(right, known - 1)]
        if refused.any():
            allowed = predicted.right.copy()
            allowed[..., :known][refused[:, :, None] & zero[:, None]] = -np.inf
            right, likeliest[2] = allowed.argmax(axis=-1), allowed.max(axis=-1)
    nothing = np.minimum(likeliest[1], likeliest[2]) <= IMPOSSIBLE  # every operand is masked
    if nothing.any():
        operator = np.where(nothing, NONE, operator)
        likeliest[0] = np.where(nothing, predicted.operator[..., NONE], likeliest[0])
    score: Floats = sum(np.maximum(part, IMPOSSIBLE) for part in likeliest)
    return operator, left, right, score


def _force_one(predicted: Distributions, reader: Reader, zero: Bools) -> tuple[Ints, Ints, Ints, Floats]:
    """As :func:`_best`, but the query with the likeliest expression of each row proposes it, and the others None."""
    real = predicted.operator.copy()
    real[..., NONE] = -np.inf
    operator, left, right, score = _best(predicted._replace(operator=real), reader, zero)
    silent = np.arange(operator.shape[1]) != score.argmax(axis=1)[:, None]
    operator[silent] = NONE
    return operator, left, right, score


def _repeated(operator: Ints, left: Ints, right: Ints, score: Floats) -> Bools:
    """Which queries repeat the expression of another that is more certain, or as certain and earlier."""
    if ((operator != NONE).sum(axis=1) < 2).all():
        return np.zeros(operator.shape, np.bool_)
    packed = (operator << 42) | (left << 21) | right  # one integer for all three; there are never 2²¹ slots
    same = packed[:, :, None] == packed[:, None, :]
    place = np.arange(operator.shape[1])
    earlier = place[None, :] < place[:, None]
    better = (score[:, None, :] > score[:, :, None]) | ((score[:, None, :] == score[:, :, None]) & earlier)
    return (same & better).any(axis=-1)  # type: ignore[no-any-return]
