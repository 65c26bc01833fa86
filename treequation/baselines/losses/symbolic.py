"""Auxiliary tasks: predict the count and places of the numbers, the constants, and the problem from its equation.

After Qin et al., "Neural-Symbolic Solver for Math Word Problems with Auxiliary Tasks" (NS-Solver or Symbol-Dec, ACL
2021), on the sequence-to-tree decoder. It differs from the paper in three ways: the predicted constants do not mask the
decoder; instead of parts of speech, which need a tagger, the class of a token is the number marker, one of the hundred
most frequent tokens, or any other; and the language models that the duality needs are unigrams. The published code has
the consistency with the opposite sign; we follow the paper.

All losses are means over symbols or tokens, as in the paper. ``A`` is the rows that are not mates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.baselines.losses.contrast import equations_of
from treequation.data.batches import Batch
from treequation.expression.notations import prefix_symbols
from treequation.model.base import Read, first_places
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Auxiliary, Chosen, PartLoss, Traced, register_part
from treequation.text.encoding import EncodedProblem
from treequation.text.problem import Problem

MAX_NUMBERS, MAX_TOKENS = 16, 160  # beyond these, the heads predict nothing
COMMON = 100
MARKER, OTHER, FIRST_COMMON = 1, 2, 3  # classes of tokens; 0 is padding
CLASSES = FIRST_COMMON + COMMON
CONSISTENCY, SOLVER_DUALITY, DUAL_DUALITY = 0.01, 0.0005, 0.005
_UNITS = 1000  # log-probabilities of the unigram models are stored as integers, in units of 1/1000 nat


def token_classes(encoded: Sequence[EncodedProblem]) -> list[list[int]]:
    """The class of each token of each problem.

    >>> token_classes([EncodedProblem((7, 9, 7, 5), (1,)), EncodedProblem((7, 5, 9), (2,))])
    [[3, 1, 3, 4], [3, 4, 1]]
    """
    counts: Counter[int] = Counter()
    for each in encoded:
        counts.update(token for place, token in enumerate(each.ids) if place not in each.positions)
    classes = {token: FIRST_COMMON + rank for rank, (token, _) in enumerate(counts.most_common(COMMON))}
    return [
        [MARKER if place in each.positions else classes.get(token, OTHER) for place, token in enumerate(each.ids)]
        for each in encoded
    ]


def unigram_loss(rows: Sequence[Sequence[object]]) -> list[float]:
    """The mean negative log-probability per symbol of each row, by a unigram model.

    >>> [round(each, 2) for each in unigram_loss([["a", "a"], ["a", "b"]])]
    [0.29, 0.84]
    """
    counts = Counter(symbol for row in rows for symbol in row)
    total = counts.total()
    return [sum(-log(counts[symbol] / total) for symbol in row) / max(1, len(row)) for row in rows]


class ProblemWriter(nn.Module):
    """A GRU with attention that predicts the classes of a problem's tokens from the sub-trees of its equation."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.classes = nn.Embedding(CLASSES, width)
        self.recurrent = nn.GRU(width, width, batch_first=True)
        self.key = nn.Linear(width, width, bias=False)
        self.output = nn.Sequential(nn.Linear(2 * width, width), nn.Tanh(), nn.Linear(width, CLASSES))

    def forward(self, trees: Tensor, there: Tensor, classes: Tensor) -> Tensor:
        """The mean loss [A] of the classes [A, T], given sub-trees [A, L, D] with the mask ``there`` [A, L]."""
        before = F.pad(classes[:, :-1], (1, 0))
        states, _ = self.recurrent(self.classes(before), trees[:, :1].transpose(0, 1).contiguous())
        energy = (states @ self.key(trees).transpose(1, 2)).float().masked_fill(~there.unsqueeze(1), MASKED)
        seen = energy.softmax(dim=-1).to(states.dtype) @ trees  # [A, T, D]
        logits = self.output(torch.cat([states, seen], dim=-1)).float()
        loss = F.cross_entropy(logits.transpose(1, 2), classes, ignore_index=0, reduction="none")
        return loss.sum(dim=1) / (classes > 0).sum(dim=1).clamp(min=1)


@register_part
class SymbolicTasks(Auxiliary):
    """The three heads, the consistency loss and the duality loss."""

    NAME = "symbolic"
    DECODERS = ("seq2tree",)
    CHOOSES = ("tags",)
    PER_SYMBOL = True

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        self.constants = len(config.constants)
        self.first_slot = len(config.operators)
        sizes = {"count": MAX_NUMBERS, "places": MAX_TOKENS, "constants": max(1, self.constants)}
        self.heads = nn.ModuleDict(
            {name: nn.Sequential(nn.Dropout(0.5), nn.Linear(width, size)) for name, size in sizes.items()}
        )
        self.writer = ProblemWriter(width)

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem] = ()) -> Chosen:
        """The unigram negative log-probabilities of the equation and the text, then the tokens' classes."""
        classes = token_classes(encoded)
        equations = unigram_loss([prefix_symbols(graph) for graph in equations_of(problems)])
        rows: Iterable[tuple[float, float, list[int]]] = zip(equations, unigram_loss(classes), classes, strict=True)
        return Chosen(tags=[[round(_UNITS * eq), round(_UNITS * text), *row] for eq, text, row in rows])

    def forward(self, traced: Traced, read: Read, batch: Batch) -> PartLoss:
        """The sum of the tasks' losses, and the writer's own loss."""
        count = batch.own
        if batch.tags is None or traced.trees is None:
            return PartLoss(torch.zeros_like(traced.loss[:count]))
        symbols, length = batch.operators[:count, :-1, 0], (batch.layers[:count] - 1).clamp(min=1)
        there = first_places(length, symbols.shape[1])  # [A, L]
        loss = self._heads(read, batch, symbols, there) + CONSISTENCY * self._consistency(traced, symbols, there)
        # Duality: the solver's and the writer's losses should differ as those of the two language models do.
        tags = batch.tags[:count, : 2 + batch.ids.shape[1]]
        expected = (tags[:, 1] - tags[:, 0]) / _UNITS
        written = self.writer(traced.trees[:count, : symbols.shape[1]].detach(), there, tags[:, 2:])
        solved = traced.loss[:count] / length
        loss = loss + SOLVER_DUALITY * (expected - written.detach() + solved).square()
        return PartLoss(loss, written + DUAL_DUALITY * (expected - written + solved.detach()).square())

    def _heads(self, read: Read, batch: Batch, symbols: Tensor, there: Tensor) -> Tensor:
        """The binary cross-entropies of the three heads, each the mean over its classes."""
        count, tokens = len(symbols), batch.ids.shape[1]
        mask = read.problem_mask[:count].unsqueeze(-1)
        pooled = torch.sigmoid((read.problem[:count] * mask).sum(dim=1) / mask.sum(dim=1))  # [A, D]
        found = first_places(batch.numbers[:count], batch.positions.shape[1])
        numbers = batch.numbers[:count].unsqueeze(1).clamp(max=MAX_NUMBERS - 1)  # [A, 1]
        numbers = numbers == torch.arange(MAX_NUMBERS, device=mask.device)
        places = batch.positions.new_zeros(count, max(tokens, MAX_TOKENS)).scatter_add(
            1, batch.positions[:count], found.long()
        )[:, :MAX_TOKENS]
        slot = (symbols - self.first_slot).masked_fill(~there, -1)
        constants = (slot.unsqueeze(2) == torch.arange(max(1, self.constants), device=slot.device)).any(dim=1)
        if not self.constants:
            constants = torch.zeros_like(constants)
        loss = torch.zeros(count, device=pooled.device)
        for name, gold in (("count", numbers), ("places", places.clamp(max=1)), ("constants", constants)):
            logits = self.heads[name](pooled).float()
            loss = loss + F.binary_cross_entropy_with_logits(logits, gold.float(), reduction="none").mean(dim=1)
        return loss

    def _consistency(self, traced: Traced, symbols: Tensor, there: Tensor) -> Tensor:
        """−log Π (p of the gold symbol, 1 − p of every other), as the mean over symbols."""
        predicted = torch.stack(list(traced.log_probabilities), dim=1)[: len(symbols)]  # [A, L, V]
        others = torch.log1p(-predicted.exp().clamp(max=1 - 1e-6)).sum(dim=2)
        gold = predicted.gather(2, symbols.unsqueeze(-1)).squeeze(-1)
        right = gold - torch.log1p(-gold.exp().clamp(max=1 - 1e-6))
        loss = -(others + right).masked_fill(~there, 0.0)
        return loss.sum(dim=1) / there.sum(dim=1)
