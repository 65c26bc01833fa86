"""Greedy and beam search for decoders that write an equation symbol by symbol.

Symbols are numbered: 0 is stop, if a notation needs it, then operators and brackets, then the slots of the number
vocabulary. ``R`` rows are decoded together; finished rows are removed.
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
    """A peer's output; ``graph`` is None if it is not a valid equation, which is never an answer."""

    graph: ExpressionGraph | None
    score: float  # log-probability
    steps: int  # symbols or expressions

    @property
    def is_empty(self) -> bool:
        """False: a peer writes a bare number as such, or cannot write it."""
        return False


class SymbolEngine(Protocol):
    """Computes the next symbols for the search, and keeps the decoder state of each row."""

    def propose(self, count: int) -> tuple[Floats, Ints]:
        """The ``count`` likeliest next symbols of each row [R, count], the likeliest first, by log-probability."""
        ...

    def advance(self, rows: Ints, symbols: Ints) -> None:
        """Continues with ``rows`` (repeats allowed), each with its symbol."""
        ...


class Hypothesis(NamedTuple):
    """The symbols written for a problem so far, and how many operands or stops are still missing."""

    symbols: tuple[int, ...] = ()
    score: float = 0.0
    open_ends: int = 1


def search(
    engine: SymbolEngine, problems: int, *, steps: int, beam: int, opens: Callable[[int], int]
) -> list[list[Hypothesis]]:
    """The ``beam`` likeliest hypotheses of each problem, the likeliest first.

    ``opens`` tells by how much a symbol changes the number of open ends; a hypothesis without any is complete. Those
    that are incomplete after the last step come last. With ``beam`` 1, the search is greedy.
    """
    finished: list[list[Hypothesis]] = [[] for _ in range(problems)]
    live, owner = [Hypothesis() for _ in range(problems)], list(range(problems))
    for _ in range(steps):
        scores, symbols = (part.tolist() for part in engine.propose(beam))
        candidates: dict[int, list[tuple[float, int, int]]] = {}  # score, row and symbol
        for row, (problem, hypothesis) in enumerate(zip(owner, live, strict=True)):
            of_problem = candidates.setdefault(problem, [])
            for score, symbol in zip(scores[row], symbols[row], strict=True):
                if score > IMPOSSIBLE:
                    of_problem.append((hypothesis.score + score, row, symbol))
        continuing: list[tuple[int, Hypothesis, int]] = []
        for problem, found in candidates.items():
            if len(found) > 1:
                found.sort(key=lambda one: -one[0])
            if not found and not finished[problem]:  # no symbol is possible, such as with NaN weights: it ends here
                finished[problem].append(live[owner.index(problem)])
            for score, row, symbol in found[:beam]:  # extend only these
                before = live[row]
                longer = Hypothesis((*before.symbols, symbol), score, before.open_ends + opens(symbol))
                if longer.open_ends == 0:
                    finished[problem].append(longer)
                else:
                    continuing.append((problem, longer, row))
        # Probabilities only decrease, so a live hypothesis is pruned once `beam` finished ones are better.
        continuing = [(problem, h, row) for problem, h, row in continuing if _may_win(h, finished[problem], beam)]
        owner, live = [problem for problem, _, _ in continuing], [h for _, h, _ in continuing]
        if not continuing:
            break
        engine.advance(np.array([row for _, _, row in continuing]), np.array([h.symbols[-1] for h in live]))
    for problem, unfinished in zip(owner, live, strict=True):
        finished[problem].append(unfinished)
    return [sorted(group, key=lambda h: (h.open_ends > 0, -h.score))[:beam] for group in finished]


def _may_win(hypothesis: Hypothesis, finished: Sequence[Hypothesis], beam: int) -> bool:
    return sum(done.score >= hypothesis.score for done in finished) < beam


def likeliest(log_probabilities: Tensor, count: int) -> tuple[Floats, Ints]:
    """The ``count`` largest entries of each row [R, V] and their indices; only these are copied to the host."""
    best = torch.topk(log_probabilities, min(count, log_probabilities.shape[1]), dim=1)
    return best.values.float().cpu().numpy(), best.indices.cpu().numpy()


def unchanged(rows: Ints, before: int) -> bool:
    """Whether ``rows`` are all rows in order, so that nothing needs to be moved."""
    return len(rows) == before and bool((rows == np.arange(before)).all())
