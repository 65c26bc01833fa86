"""Beam search over layers: keeps the likeliest hypotheses and returns the likeliest equations."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treequation.decoding.search import IMPOSSIBLE, Bools, Decoded, Distributions, Engine, Reader
from treequation.text.number_vocabulary import NONE


class _Option(NamedTuple):
    """One prediction of a query: an expression, or None."""

    score: float
    operator: int
    left: int
    right: int


class _Branch(NamedTuple):
    """A hypothesis and one possible next layer."""

    score: float
    row: int
    options: tuple[_Option, ...]  # one for each query
    valid: tuple[bool, ...]


def decode_with_beam(engine: Engine, reader: Reader, steps: int, beam: int) -> list[list[Decoded]]:
    """The ``beam`` most likely equations of each problem, the likeliest first.

    A layer's hypothesis combines the predictions of all K queries. Hypotheses that differ only in which query proposes
    which expression are merged, and their probabilities are added.
    """
    count = len(reader.zero)
    finished: list[list[Decoded]] = [[] for _ in range(count)]
    live = [Decoded() for _ in range(count)]  # one for each row of the engine
    owner = list(range(count))
    for step in range(steps):
        predicted = engine.propose()
        queries = predicted.operator.shape[1]
        branches: dict[int, list[_Branch]] = {}
        for row, problem in enumerate(owner):
            options = [_options(predicted, row, query, reader, reader.zero[problem], beam) for query in range(queries)]
            branches.setdefault(problem, []).extend(_likeliest_combinations(options, live[row].score, row, beam))
        chosen: list[_Branch] = []
        must_continue = reader.several if step == 0 else np.zeros(count, np.bool_)
        for problem, candidates in branches.items():
            kept = _merge(candidates)[:beam]
            if must_continue[problem] and any(any(branch.valid) for branch in kept):
                kept = [branch for branch in kept if any(branch.valid)]
            for branch in kept:
                if any(branch.valid) and step + 1 < steps:
                    chosen.append(branch)
                else:
                    finished[problem].append(_extended(live[branch.row], branch, step, reader))
        # Probabilities only decrease, so a live hypothesis is pruned once `beam` finished ones are better.
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


def _options(predicted: Distributions, row: int, query: int, reader: Reader, zero: Bools, beam: int) -> list[_Option]:
    """The ``beam`` likeliest predictions of a query, the likeliest first."""
    operators, lefts, rights = predicted.operator[row, query], predicted.left[row, query], predicted.right[row, query]
    options = [_Option(float(operators[NONE]), NONE, 0, 0)]
    divisions = reader.divisions
    enough = beam + int(zero.sum())  # zeros, by which nothing is divided, must not displace slots that are allowed
    best_left, best_right = (
        [slot for slot in np.argsort(-side, kind="stable")[:enough].tolist() if side[slot] > IMPOSSIBLE]
        for side in (lefts, rights)
    )
    for operator in np.argsort(-operators, kind="stable")[: beam + 1].tolist():
        if operator == NONE:
            continue
        for rank, left in enumerate(best_left, start=1):
            # A pair cannot be among the best once `beam` allowed pairs rank higher in both operands.
            for right in best_right[: beam // rank + 1 + enough - beam]:
                if operator in divisions and right < len(zero) and zero[right]:
                    continue
                score = float(operators[operator] + lefts[left] + rights[right])
                options.append(_Option(score, operator, left, right))
    return heapq.nlargest(beam, options)


def _likeliest_combinations(options: Sequence[Sequence[_Option]], score: float, row: int, beam: int) -> list[_Branch]:
    """The ``beam`` likeliest combinations of one option per query, best first, without building the whole product."""
    start = (0,) * len(options)
    heap = [(-sum(query[0].score for query in options), start)]
    seen = {start}
    branches: list[_Branch] = []
    while heap and len(branches) < beam:
        negative, places = heapq.heappop(heap)
        combination = tuple(query[place] for query, place in zip(options, places, strict=True))
        branches.append(_Branch(score - negative, row, combination, _valid(combination)))
        for query, place in enumerate(places):
            after = (*places[:query], place + 1, *places[query + 1 :])
            if place + 1 < len(options[query]) and after not in seen:
                seen.add(after)
                gain = options[query][place + 1].score - options[query][place].score
                heapq.heappush(heap, (negative - gain, after))
    return branches


def _valid(combination: Sequence[_Option]) -> tuple[bool, ...]:
    """Which queries' expressions are added to the equation: each distinct one once, and no None."""
    return tuple(
        option.operator != NONE and option[1:] not in [other[1:] for other in combination[:query]]
        for query, option in enumerate(combination)
    )


def _merge(branches: Sequence[_Branch]) -> list[_Branch]:
    """The branches of one problem, the likeliest first; the probabilities of equal ones are added."""
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
