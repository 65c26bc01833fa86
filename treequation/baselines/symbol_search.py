"""Greedy and beam search for decoders that write an equation symbol by symbol.

Symbols are counted: 0 says stop where a notation needs that, then come operators and brackets, then the slots of the
number vocabulary. ``R`` rows are decoded at a time; a row that is done leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from treequation.decoding.search import IMPOSSIBLE, Floats, Ints
from treequation.expression.graph import ExpressionGraph

END = 0


@dataclass(frozen=True, slots=True)
class Written:
    """An equation as a peer wrote it; ``graph`` is None where what it wrote is no equation."""

    graph: ExpressionGraph | None
    score: float  # log-probability
    steps: int  # symbols or expressions


class SymbolEngine(Protocol):
    """A decoder that is being searched; it keeps the state of its rows."""

    def propose(self, count: int) -> tuple[Floats, Ints]:
        """The ``count`` likeliest next symbols of each row [R, count], the likeliest first, by log-probability."""
        ...

    def advance(self, rows: Ints, symbols: Ints) -> None:
        """Goes on with ``rows`` (repetitions allowed), each with its symbol."""
        ...


class Hypothesis(NamedTuple):
    """What was written for a problem so far, and how many ends of it are open."""

    symbols: tuple[int, ...] = ()
    score: float = 0.0
    open_ends: int = 1


def search(
    engine: SymbolEngine, problems: int, *, steps: int, beam: int, opens: Callable[[int], int]
) -> list[list[Hypothesis]]:
    """The ``beam`` likeliest hypotheses of each problem, the likeliest first.

    ``opens`` says by how much a symbol changes the number of open ends; a hypothesis with none is complete. Those that
    are not complete after so many steps come last. For ``beam`` 1 the likeliest symbol is taken each time.
    """
    finished: list[list[Hypothesis]] = [[] for _ in range(problems)]
    live, owner = [Hypothesis() for _ in range(problems)], list(range(problems))
    for _ in range(steps):
        scores, symbols = (part.tolist() for part in engine.propose(beam))
        candidates: dict[int, list[tuple[float, int, int]]] = {}  # score, row and symbol
        for row, (problem, sofar) in enumerate(zip(owner, live, strict=True)):
            mine = candidates.setdefault(problem, [])
            for score, symbol in zip(scores[row], symbols[row], strict=True):
                if score > IMPOSSIBLE:
                    mine.append((sofar.score + score, row, symbol))
        going: list[tuple[int, Hypothesis, int]] = []
        for problem, found in candidates.items():
            if len(found) > 1:
                found.sort(key=lambda one: -one[0])
            if not found and not finished[problem]:  # such as with weights that are no numbers: it says no more
                finished[problem].append(live[owner.index(problem)])
            for score, row, symbol in found[:beam]:  # only these are written out
                sofar = live[row]
                longer = Hypothesis((*sofar.symbols, symbol), score, sofar.open_ends + opens(symbol))
                if longer.open_ends == 0:
                    finished[problem].append(longer)
                else:
                    going.append((problem, longer, row))
        # A live hypothesis can only lose probability: once `beam` finished ones are better, it is out.
        going = [(problem, h, row) for problem, h, row in going if _may_win(h, finished[problem], beam)]
        owner, live = [problem for problem, _, _ in going], [h for _, h, _ in going]
        if not going:
            break
        engine.advance(np.array([row for _, _, row in going]), np.array([h.symbols[-1] for h in live]))
    for problem, unfinished in zip(owner, live, strict=True):
        finished[problem].append(unfinished)
    return [sorted(group, key=lambda h: (h.open_ends > 0, -h.score))[:beam] for group in finished]


def _may_win(hypothesis: Hypothesis, finished: Sequence[Hypothesis], beam: int) -> bool:
    return sum(done.score >= hypothesis.score for done in finished) < beam


def likeliest(log_probabilities: Tensor, count: int) -> tuple[Floats, Ints]:
    """The ``count`` largest entries of each row [R, V] and where they stand; only these leave the device."""
    best = torch.topk(log_probabilities, min(count, log_probabilities.shape[1]), dim=1)
    return best.values.float().cpu().numpy(), best.indices.cpu().numpy()


def unchanged(rows: Ints, before: int) -> bool:
    """Whether going on with ``rows`` is going on with all rows as they are, so that nothing need be moved."""
    return len(rows) == before and bool((rows == np.arange(before)).all())
