"""Sequence to expression: relations between pairs of quantities, one expression a step.

RE-Ext, after Jie, Li and Lu, "Learning to Reason Deductively: Math Word Problem Solving as Complex Relation
Extraction" (ACL 2022). At every step each pair of quantities (constants, numbers and results) is scored with each
operator, − ÷ and ^ in either order of operands, and with whether the equation ends there. The best is computed, joins
the quantities, and a rationalizer, a GRU cell, tells all of them about it. Decoding is greedy, as in the paper.

In one point we leave the paper. Its loss is by how much the best score is above the gold one, which is also near zero
where all scores are alike; it wants a thousand epochs at a small rate. Here the scores are a distribution over all
expressions that could come next, and the loss is the gold one's surprise: on made-up problems it learns in an epoch
what the other learns in three.

``B`` is the batch, ``S`` the quantities, ``P`` their pairs, ``O`` the operators, reversed ones too, ``D`` the width.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import PreTrainedModel

from treequation.baselines.symbol_search import Written
from treequation.data.batches import Batch
from treequation.data.labels import RESULT, Label, LabelError, LabelSets, Names
from treequation.decoding.search import Equation, Reader
from treequation.errors import TreequationError
from treequation.expression.graph import ExpressionGraph, GraphBuilder, Operand, Operator, Result
from treequation.model.base import Read, WordProblemModel
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Traced
from treequation.model.registry import register
from treequation.text.number_vocabulary import Vocabulary


class PairNotation:
    """Operators between a pair of quantities, of which the one with the lower slot comes first, unless reversed."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        reversible = [operator for operator in vocabulary.operators if not operator.commutes]
        self.operators: list[tuple[Operator, bool]] = [(operator, False) for operator in vocabulary.operators]
        self.operators += [(operator, True) for operator in reversible]
        self._index = {pair: index for index, pair in enumerate(self.operators)}
        self._names = Names(vocabulary)

    def write(self, graph: ExpressionGraph, longest: int) -> list[Label]:
        """The expressions in working order; operators are counted from 0, and ``left`` is never above ``right``.

        >>> from treequation.expression import parse_infix
        >>> PairNotation(Vocabulary(())).write(parse_infix("n1-n0"), 16)
        [Label(operator=5, left=0, right=1)]
        """
        if not graph.expressions:
            raise LabelError("no expression", "a decoder that relates quantities cannot say a bare number")
        if len(graph) > longest:
            raise LabelError("too long", f"the equation has {len(graph)} expressions and the model writes {longest}")

        def slot(operand: Operand) -> int:
            return RESULT + operand.index if isinstance(operand, Result) else self._names.leaf(operand)

        labels = []
        for expression in graph.expressions:
            self._names.operator(expression.operator)  # refuses one that the model does not know
            left, right = slot(expression.left), slot(expression.right)
            turned = left > right and not expression.operator.commutes
            labels.append(Label(self._index[expression.operator, turned], min(left, right), max(left, right)))
        return labels

    def add(self, builder: GraphBuilder, operator: int, left: Operand, right: Operand) -> Result:
        """Adds an expression that was said."""
        sign, turned = self.operators[operator]
        return builder.add(sign, right, left) if turned else builder.add(sign, left, right)


class Scored(NamedTuple):
    """All expressions that could come next."""

    scores: Tensor  # [B, P · O · 2] in full precision; the last is whether the equation ends with it
    embeddings: Tensor  # [B, P · O, D]
    pairs: Tensor  # [2, P] which quantities each pair is of


class PairDecoder(nn.Module):
    """The parts of RE-Ext."""

    def __init__(self, width: int, *, dropout: float, operators: int, constants: int) -> None:
        super().__init__()
        self.operators = operators
        self.constants = nn.Parameter(torch.randn(constants, width))  # at the scale of the numbers' states
        # One linear map of [q_i; q_j; q_i ∘ q_j] for each operator. A quantity's own share is computed once and not
        # for every pair that it is in.
        self.left = nn.Linear(width, operators * width)
        self.right = nn.Linear(width, operators * width, bias=False)
        self.both = nn.Linear(width, operators * width, bias=False)
        self.norm_scale = nn.Parameter(torch.ones(operators, width))
        self.norm_shift = nn.Parameter(torch.zeros(operators, width))
        self.drop = nn.Dropout(dropout)
        self.expression_score = nn.Linear(width, 1)
        self.quantity_score = nn.Sequential(*_layer(width, dropout), nn.Linear(width, 1))
        self.end_score = nn.Sequential(*_layer(width, dropout), nn.Linear(width, 2))
        self.rationalizer = nn.GRUCell(width, width)

    def score(self, quantities: Tensor, mask: Tensor) -> Scored:
        """Scores every pair [B, S, D] with every operator."""
        count = quantities.shape[1]
        pairs = torch.triu_indices(count, count, device=quantities.device)  # [2, P]; a quantity may meet itself
        scores, expressions = self(quantities, mask, *pairs.unbind())
        return Scored(scores, expressions, pairs)

    def forward(self, quantities: Tensor, mask: Tensor, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
        """Scores and embeddings of all expressions of the pairs of ``first`` and ``second`` quantities, [P] each."""
        product = quantities[:, first] * quantities[:, second]  # [B, P, D]
        mixed = self.left(quantities)[:, first] + self.right(quantities)[:, second] + self.both(product)
        expressions = F.relu(mixed).unflatten(-1, (self.operators, -1))  # [B, P, O, D]
        expressions = F.layer_norm(expressions, expressions.shape[-1:])
        expressions = self.drop(expressions * self.norm_scale + self.norm_shift)
        own = self.quantity_score(quantities).float().squeeze(-1)  # [B, S]
        scores = self.expression_score(expressions).float() + self.end_score(expressions).float()  # [B, P, O, 2]
        scores = scores + (own[:, first] + own[:, second])[:, :, None, None]
        absent = ~(mask[:, first] & mask[:, second])  # [B, P]
        return scores.masked_fill(absent[:, :, None, None], MASKED).flatten(1), expressions.flatten(1, 2)

    def rationalize(self, quantities: Tensor, expression: Tensor) -> Tensor:
        """All quantities [B, S, D] as they are seen after this expression [B, D], which joins them."""
        rows, count, width = quantities.shape
        news = expression.unsqueeze(1).expand(-1, count, -1).reshape(-1, width)
        told = self.rationalizer(news, quantities.reshape(-1, width)).view(rows, count, width)
        return torch.cat([told, expression.unsqueeze(1)], dim=1)


def _layer(width: int, dropout: float) -> list[nn.Module]:
    return [nn.Linear(width, width), nn.ReLU(), nn.LayerNorm(width), nn.Dropout(dropout)]


@register
class ReExt(WordProblemModel):
    """The relation-extraction peer."""

    DECODER = "re-ext"

    def __init__(self, config: TreequationConfig, encoder: PreTrainedModel | None = None) -> None:
        super().__init__(config, encoder)
        self.notation = PairNotation(config.vocabulary)
        self.decoder = PairDecoder(
            self.width,
            dropout=config.dropout,
            operators=len(self.notation.operators),
            constants=len(config.constants),
        )
        self.post_init()

    @property
    def max_steps(self) -> int:
        """The longest equation's expressions, and one that is never used: the last expression itself says stop."""
        return self.config.expressions + 1

    def costly_parts(self) -> list[tuple[nn.Module, bool]]:
        """Above all the scores of all pairs: as single operations they read and write everything a dozen times."""
        return [*super().costly_parts(), (self.decoder, True)]

    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """A label an expression."""
        return tuple((label,) for label in self.notation.write(graph, self.config.expressions))

    def loss(self, read: Read, batch: Batch) -> Traced:
        """How little the gold expressions are expected among all that could come next, in nats, [B]."""
        quantities, mask = read.numbers, read.number_mask
        operators, left, right = (part[:, :, 0] for part in (batch.operators, batch.left, batch.right))  # [B, L]
        loss = torch.zeros(len(quantities), device=quantities.device)
        for step in range(operators.shape[1] - 1):  # the last one is there for decoders that must say stop
            scored = self.decoder.score(quantities, mask)
            count = quantities.shape[1]
            first, second = left[:, step], right[:, step]
            pair = first * count - first * (first - 1) // 2 + second - first  # its place among the upper triangle's
            pair = pair.clamp(max=scored.pairs.shape[1] - 1)
            expression = pair * self.decoder.operators + operators[:, step]
            ends = (step + 2 == batch.layers).long()
            gold = scored.scores.gather(1, (2 * expression + ends).unsqueeze(1)).squeeze(1)
            surprise = scored.scores.logsumexp(dim=1) - gold
            loss = loss + surprise.masked_fill(step + 1 >= batch.layers, 0.0)
            quantities = self.decoder.rationalize(quantities, _pick(scored.embeddings, expression))
            mask = torch.cat([mask, mask.new_ones(len(mask), 1)], dim=1)
        return Traced(loss, read.problem[:, 0])

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """The best expression at each step, until one is said to be the last."""
        if beam > 1:
            raise TreequationError("the decoder re-ext decodes greedily, as its paper does: ask for a beam of 1")
        read = self.read(batch, self.decoder.constants)
        quantities, mask = read.numbers, read.number_mask
        builders = [GraphBuilder() for _ in range(len(mask))]
        results: list[list[Result]] = [[] for _ in builders]
        total = [0.0] * len(builders)
        rows = torch.arange(len(builders), device=mask.device)
        for step in range(steps or self.config.expressions):
            scored = self.decoder.score(quantities, mask)
            best, place = scored.scores.log_softmax(dim=1).max(dim=1)
            expression, end = place // 2, place % 2
            first, second = scored.pairs[:, expression // self.decoder.operators]
            said = torch.stack([rows, expression % self.decoder.operators, first, second, end], dim=1).tolist()
            for (row, operator, left, right, _), score in zip(said, best.tolist(), strict=True):
                operands = [self._operand(slot, reader, results[row]) for slot in (left, right)]
                results[row].append(self.notation.add(builders[row], operator, *operands))
                total[row] += score
            going = torch.tensor([index for index, row in enumerate(said) if not row[-1]], device=mask.device).long()
            if not len(going) or step + 1 == (steps or self.config.expressions):
                break
            new = _pick(scored.embeddings, expression)[going]
            quantities = self.decoder.rationalize(quantities[going], new)
            mask = torch.cat([mask[going], mask.new_ones(len(going), 1)], dim=1)
            rows = rows[going]
        return [
            [Written(builder.graph(found[-1]), score, len(found))]
            for builder, found, score in zip(builders, results, total, strict=True)
        ]

    def _operand(self, slot: int, reader: Reader, results: list[Result]) -> Operand:
        operand = reader.vocabulary.operand(slot, reader.numbers)
        return results[operand.index] if isinstance(operand, Result) else operand


def _pick(rows: Tensor, places: Tensor) -> Tensor:
    """One of the rows [B, ·, D] for each problem, [B, D]."""
    return rows.gather(1, places[:, None, None].expand(-1, 1, rows.shape[-1])).squeeze(1)
