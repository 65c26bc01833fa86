"""Greedy and beam search for decoders that write an equation symbol by symbol.

Symbols are numbered: 0 is stop, if a notation needs it, then operators and brackets, then the slots of the number
vocabulary. ``R`` rows are decoded together; finished rows are removed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np
import torch
from torch import Tensor

from treequation.data.batches import Batch
from treequation.decoding.search import IMPOSSIBLE, Equation, Floats, Ints, Reader
from treequation.expression.graph import ExpressionGraph
from treequation.model.base import Read, WordProblemModel

END = 0
S = TypeVar("S")
T = TypeVar("T")


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


class Hypothesis(NamedTuple):
    """The symbols written for a problem so far, and how many operands or stops are still missing."""

    symbols: tuple[int, ...] = ()
    score: float = 0.0
    open_ends: int = 1


class SymbolModel(WordProblemModel, Generic[S]):
    """The base of models that write an equation symbol by symbol.

    The search keeps the model's state between two symbols, a nested tuple. Its tensors and arrays have one row per
    hypothesis; what else is in it, such as the place, is the same for all.
    """

    @abstractmethod
    def begin(self, read: Read, batch: Batch, steps: int) -> S:
        """The state before the first of at most ``steps`` symbols."""

    @abstractmethod
    def propose(self, state: S, count: int) -> tuple[Floats, Ints, S]:
        """The ``count`` likeliest next symbols of each row [R, count], the likeliest first.

        First come their log-probabilities, last the state, which may keep what was computed.
        """

    @abstractmethod
    def write(self, state: S, symbols: Ints) -> S:
        """The state after each row has written its symbol [R]."""

    @abstractmethod
    def written(self, found: Hypothesis, reader: Reader) -> Written:
        """The equation that these symbols spell."""

    def opens(self, symbol: int) -> int:
        """By how much a symbol changes the number of open ends; a hypothesis without any is complete."""
        return -1 if symbol == END else 0

    def longest(self, steps: int | None) -> int:
        """The maximum number of symbols, stop included, where the search may take so many ``steps``."""
        return steps or self.max_steps

    def hypotheses(self, read: Read, batch: Batch, *, beam: int, steps: int | None = None) -> list[list[Hypothesis]]:
        """The symbols of the ``beam`` likeliest equations of each problem that has been read, the likeliest first."""
        steps = self.longest(steps)
        return search(self, self.begin(read, batch, steps), len(batch.ids), steps=steps, beam=beam)

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """Writes symbols one by one until the equation is complete."""
        found = self.hypotheses(self.read(batch, self.constants), batch, beam=beam, steps=steps)
        return [[self.written(one, reader) for one in hypotheses] for hypotheses in found]


def search(model: SymbolModel[S], state: S, problems: int, *, steps: int, beam: int) -> list[list[Hypothesis]]:
    """The ``beam`` likeliest hypotheses of each problem, the likeliest first.

    Those that are incomplete after the last step come last. With ``beam`` 1, the search is greedy.
    """
    finished: list[list[Hypothesis]] = [[] for _ in range(problems)]
    live, owner = [Hypothesis() for _ in range(problems)], list(range(problems))
    for _ in range(steps):
        values, indices, state = model.propose(state, beam)
        scores, symbols = values.tolist(), indices.tolist()
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
                longer = Hypothesis((*before.symbols, symbol), score, before.open_ends + model.opens(symbol))
                if longer.open_ends == 0:
                    finished[problem].append(longer)
                else:
                    continuing.append((problem, longer, row))
        # Probabilities only decrease, so a live hypothesis is pruned once `beam` finished ones are better.
        continuing = [(problem, h, row) for problem, h, row in continuing if _may_win(h, finished[problem], beam)]
        rows, count = np.array([row for _, _, row in continuing]), len(live)
        owner, live = [problem for problem, _, _ in continuing], [h for _, h, _ in continuing]
        if not continuing:
            break
        if not np.array_equal(rows, np.arange(count)):  # otherwise nothing needs to be moved
            state = selected(state, rows, torch.from_numpy(rows).to(model.device))
        state = model.write(state, np.array([h.symbols[-1] for h in live]))
    for problem, unfinished in zip(owner, live, strict=True):
        finished[problem].append(unfinished)
    return [sorted(group, key=lambda h: (h.open_ends > 0, -h.score))[:beam] for group in finished]


def selected(state: T, rows: Ints, on_device: Tensor) -> T:
    """The state of these rows (repeats allowed); ``on_device`` has them once more, for its tensors.

    >>> rows = np.array([1, 1])
    >>> selected((torch.tensor([[3], [4]]), (np.array([5, 6]), None), 7), rows, torch.from_numpy(rows))
    (tensor([[4],
            [4]]), (array([6, 6]), None), 7)
    """
    chosen: Any = state
    if isinstance(state, Tensor):
        chosen = state[on_device]
    elif isinstance(state, np.ndarray):
        chosen = state[rows]
    elif isinstance(state, tuple):
        parts = [selected(part, rows, on_device) for part in state]
        chosen = type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return cast(T, chosen)


def _may_win(hypothesis: Hypothesis, finished: Sequence[Hypothesis], beam: int) -> bool:
    return sum(done.score >= hypothesis.score for done in finished) < beam


def likeliest(log_probabilities: Tensor, count: int) -> tuple[Floats, Ints]:
    """The ``count`` largest entries of each row [R, V] and their indices; only these are copied to the host."""
    best = torch.topk(log_probabilities, min(count, log_probabilities.shape[1]), dim=1)
    return best.values.float().cpu().numpy(), best.indices.cpu().numpy()
