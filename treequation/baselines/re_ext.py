"""Sequence to expression: relations between pairs of quantities, one expression per step.

RE-Ext, after Jie, Li and Lu, "Learning to Reason Deductively: Math Word Problem Solving as Complex Relation
Extraction" (ACL 2022). At every step, each pair of quantities (constants, numbers and results) is scored with each
operator (− ÷ and ^ in both orders) and with whether the equation ends there. The best expression becomes a new
quantity, and a rationalizer, a GRU cell, updates all the others. Decoding is greedy, as in the paper.

It differs from the paper in the loss. The paper's is the margin between the best score and the gold one, which is also
near zero if all scores are alike; it needs a thousand epochs at a low learning rate. Ours is the cross-entropy of the
gold expression among all that could come next: on synthetic problems it learns in one epoch what the other learns in
three.

``B`` is the batch, ``S`` the quantities, ``P`` their pairs, ``O`` the operators including reversed ones, ``D`` the
width.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.baselines.symbol_search import Written
from treequation.baselines.triples import Gold, Triple, TripleModel, TripleNotation, check_greedy
from treequation.data.batches import Batch
from treequation.data.labels import Label
from treequation.decoding.search import Equation, Reader
from treequation.expression.graph import ExpressionGraph
from treequation.model.base import Read, padded, pick, summed
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Traced
from treequation.model.registry import register
from treequation.text.number_vocabulary import NONE, Vocabulary


class PairNotation(TripleNotation):
    """Operators on a pair of quantities with the lower slot first; a reversed operator swaps the operands.

    They are numbered from 0: those of the vocabulary, then the reversed ones.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        known = list(enumerate(vocabulary.operators, start=NONE + 1))
        self.operators: list[tuple[int, bool]] = [(id, False) for id, _ in known]
        self.operators += [(id, True) for id, operator in known if not operator.commutes]
        self._index = {pair: index for index, pair in enumerate(self.operators)}

    def write(self, graph: ExpressionGraph, longest: int) -> list[Label]:
        """The expressions, each after its operands; ``left`` is never above ``right``.

        >>> from treequation.expression.parsing import parse_infix
        >>> PairNotation(Vocabulary(())).write(parse_infix("n1-n0"), 16)
        [Label(operator=5, left=0, right=1)]
        """
        return [self.paired(label) for label in super().write(graph, longest)]

    def read(self, triples: Iterable[Triple], numbers: int) -> ExpressionGraph | None:
        """The equation that ends with the last of the triples, or None if there is none."""
        return super().read((self.unpaired(*triple) for triple in triples), numbers)

    def paired(self, label: Label) -> Label:
        """An expression as an operator on a pair, lower slot first."""
        commutes = self.vocabulary.operators[label.operator - 1].commutes
        is_reversed = label.left > label.right and not commutes
        operator = self._index[label.operator, is_reversed]
        return Label(operator, min(label.left, label.right), max(label.left, label.right))

    def unpaired(self, operator: int, left: int, right: int) -> Triple:
        """The inverse of :meth:`paired`."""
        id, is_reversed = self.operators[operator]
        return (id, right, left) if is_reversed else (id, left, right)


class PairScorer(nn.Module):
    """Scores pairs of quantities with every operator."""

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__()
        self.operators = operators = len(PairNotation(config.vocabulary).operators)
        # One linear layer on [q_i; q_j; q_i ∘ q_j] for each operator, in three parts: those of single quantities are
        # computed once, not for every pair.
        self.left = nn.Linear(width, operators * width)
        self.right = nn.Linear(width, operators * width, bias=False)
        self.both = nn.Linear(width, operators * width, bias=False)
        self.norm_scale = nn.Parameter(torch.ones(operators, width))
        self.norm_shift = nn.Parameter(torch.zeros(operators, width))
        self.drop = nn.Dropout(config.dropout)
        self.expression_score = nn.Linear(width, 1)
        self.quantity_score = nn.Sequential(*_layer(width, config.dropout), nn.Linear(width, 1))

    def forward(self, quantities: Tensor, mask: Tensor, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
        """Scores [B, P, O] and embeddings [B, P, O, D] of all expressions on the pairs ``first``, ``second`` [P].

        ``quantities`` are [B, S, D]. Scores are in full precision.
        """
        product = quantities[:, first] * quantities[:, second]  # [B, P, D]
        mixed = self.left(quantities)[:, first] + self.right(quantities)[:, second] + self.both(product)
        expressions = F.relu(mixed).unflatten(-1, (self.operators, -1))  # [B, P, O, D]
        expressions = F.layer_norm(expressions, expressions.shape[-1:])
        expressions = self.drop(expressions * self.norm_scale + self.norm_shift)
        own = self.quantity_score(quantities).float().squeeze(-1)  # [B, S]
        scores = self.expression_score(expressions).float().squeeze(-1) + (own[:, first] + own[:, second]).unsqueeze(-1)
        absent = ~(mask[:, first] & mask[:, second])  # [B, P]
        return scores.masked_fill(absent.unsqueeze(-1), MASKED), expressions


def _layer(width: int, dropout: float) -> list[nn.Module]:
    return [nn.Linear(width, width), nn.ReLU(), nn.LayerNorm(width), nn.Dropout(dropout)]


class Scored(NamedTuple):
    """All expressions that could come next."""

    scores: Tensor  # [B, P · O · 2] in full precision; the 2: the equation continues, or ends with it
    embeddings: Tensor  # [B, P · O, D]
    pairs: Tensor  # [2, P] the quantities of each pair


class Deduced(NamedTuple):
    """The loss and embeddings of gold expressions."""

    loss: Tensor  # [B]
    embeddings: Tensor  # [B, L, D] of each expression


class PairDecoder(PairScorer):
    """The layers of RE-Ext."""

    def __init__(self, config: TreequationConfig, width: int, *, has_constants: bool = True) -> None:
        super().__init__(config, width)
        if has_constants:  # otherwise another module has their embeddings
            # Same scale as the numbers' states.
            self.constants = nn.Parameter(torch.randn(len(config.constants), width))
        self.end_score = nn.Sequential(*_layer(width, config.dropout), nn.Linear(width, 2))
        self.rationalizer = nn.GRUCell(width, width)

    def forward(self, quantities: Tensor, mask: Tensor, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
        """As :class:`PairScorer`, with two scores per expression: the equation continues, or ends, [B, P · O · 2]."""
        scores, expressions = super().forward(quantities, mask, first, second)
        ends = self.end_score(expressions).float()  # [B, P, O, 2]
        return (scores.unsqueeze(-1) + ends).flatten(1), expressions.flatten(1, 2)

    def score(self, quantities: Tensor, mask: Tensor) -> Scored:
        """Scores every pair [B, S, D] with every operator."""
        count = quantities.shape[1]
        # [2, P]; a quantity may be paired with itself.
        pairs = torch.triu_indices(count, count, device=quantities.device)
        scores, expressions = self(quantities, mask, *pairs.unbind())
        return Scored(scores, expressions, pairs)

    def rationalize(self, quantities: Tensor, expression: Tensor) -> Tensor:
        """Updates all quantities [B, S, D] by this expression [B, D], and appends it."""
        rows, count, width = quantities.shape
        inputs = expression.unsqueeze(1).expand(-1, count, -1).reshape(-1, width)
        updated = self.rationalizer(inputs, quantities.reshape(-1, width)).view(rows, count, width)
        return torch.cat([updated, expression.unsqueeze(1)], dim=1)

    def deduce(self, quantities: Tensor, mask: Tensor, gold: Gold, count: Tensor, rows: Sequence[int]) -> Deduced:
        """The loss of the first ``count`` [B] gold expressions, with teacher forcing.

        ``rows`` has the number of rows, counted from the first, that may have each expression.
        """
        losses, embeddings = [], []
        for step, active in enumerate(rows):
            quantities, mask = quantities[:active], mask[:active]
            scored = self.score(quantities, mask)
            slots = quantities.shape[1]
            first, second = gold.left[:active, step], gold.right[:active, step]
            pair = first * slots - first * (first - 1) // 2 + second - first  # its index in the upper triangle
            pair = pair.clamp(max=scored.pairs.shape[1] - 1)
            expression = pair * self.operators + gold.operator[:active, step]
            ends = (count[:active] == step + 1).long()
            score = scored.scores.gather(1, (2 * expression + ends).unsqueeze(1)).squeeze(1)
            losses.append(padded(scored.scores.logsumexp(dim=1) - score, len(count)))
            embedding = pick(scored.embeddings, expression)
            embeddings.append(padded(embedding, len(count)))
            quantities = self.rationalize(quantities, embedding)
            mask = torch.cat([mask, mask.new_ones(len(mask), 1)], dim=1)
        return Deduced(summed(torch.stack(losses, dim=1), count), torch.stack(embeddings, dim=1))

    def write(self, quantities: Tensor, mask: Tensor, steps: int) -> list[tuple[list[Triple], float]]:
        """Greedy decoding: the expressions of each problem, until one is predicted to be the last, and their score."""
        triples: list[list[Triple]] = [[] for _ in range(len(mask))]
        total = [0.0] * len(triples)
        rows = torch.arange(len(triples), device=mask.device)
        for step in range(steps):
            scored = self.score(quantities, mask)
            best, place = scored.scores.log_softmax(dim=1).max(dim=1)
            expression, end = place // 2, place % 2
            first, second = scored.pairs[:, expression // self.operators]
            predicted = torch.stack([rows, expression % self.operators, first, second, end], dim=1).tolist()
            for (row, operator, left, right, _), score in zip(predicted, best.tolist(), strict=True):
                triples[row].append((operator, left, right))
                total[row] += score
            remaining = torch.tensor([i for i, row in enumerate(predicted) if not row[-1]], device=mask.device).long()
            if not len(remaining) or step + 1 == steps:
                break
            quantities = self.rationalize(quantities[remaining], pick(scored.embeddings, expression)[remaining])
            mask = torch.cat([mask[remaining], mask.new_ones(len(remaining), 1)], dim=1)
            rows = rows[remaining]
        return list(zip(triples, total, strict=True))


@register
class ReExt(TripleModel):
    """The relation-extraction peer."""

    DECODER = "re-ext"
    DECODER_CLASS = PairDecoder
    decoder: PairDecoder

    @cached_property
    def notation(self) -> PairNotation:
        """How equations are written."""
        return PairNotation(self.config.vocabulary)

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The cross-entropy [B] of the gold expressions among all that could come next."""
        gold = Gold(*(part[:, :-1] for part in Gold.of(batch)))  # the last step is for decoders that predict a stop
        rows = [batch.active(step + 1) for step in range(gold.operator.shape[1])]
        deduced = self.decoder.deduce(read.numbers, read.number_mask, gold, batch.layers - 1, rows)
        return Traced(deduced.loss, read.problem[:, 0])

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """Takes the best expression at each step, until one is predicted to be the last."""
        check_greedy(self, beam)
        read = self.read(batch, self.decoder.constants)
        found = self.decoder.write(read.numbers, read.number_mask, steps or self.config.expressions)
        return [[Written(self.notation.read(triples, reader.numbers), score, len(triples))] for triples, score in found]
