"""Two views of one equation: a tree, top down, and expressions, bottom up, whose embeddings must agree.

M-View, after Zhang et al., "Multi-View Reasoning: Consistent Contrastive Learning for Math Word Problem" (Findings of
EMNLP 2022). The decoders of :mod:`.seq2tree` and :mod:`.re_ext` share an encoder and the constants. For every inner
node of the gold tree, a loss pulls the embedding of its sub-tree in the first view towards that of the same expression
in the second.

It differs from the paper in three ways: the likelier of the two equations is the answer, while the paper's code reports
the better view; the root goal is the encoder's summary, without another recurrent network; and the views share no
operator embeddings, since our RE-Ext has a matrix per operator instead.

``B`` is the batch, ``L`` the symbols, ``M`` the expressions, ``D`` the width.
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn
from transformers import PreTrainedModel

from treequation.baselines.re_ext import PairDecoder, PairNotation
from treequation.baselines.seq2tree import Seq2Tree
from treequation.baselines.symbol_search import Written
from treequation.baselines.triples import Gold
from treequation.data.batches import Batch
from treequation.data.labels import Label, LabelSets
from treequation.decoding.search import Equation, Reader
from treequation.expression.graph import ExpressionGraph, Result
from treequation.expression.notations import prefix_operands
from treequation.model.base import Read, pick_all
from treequation.model.config import TreequationConfig
from treequation.model.parts import Traced
from treequation.model.registry import register

SYMBOL, EXPRESSION, NODE = range(3)  # the places of the labels in a set
NOTHING = Label(0, 0, 0)


class Agreement(nn.Module):
    """The loss that pulls the two views of each inner node together."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.of_tree = nn.Linear(width, width)
        self.of_expression = nn.Linear(width, width)

    def forward(self, trees: Tensor, expressions: Tensor, nodes: Tensor) -> Tensor:
        """The sum [B] of 1 − cos between ``trees`` [B, L, D] and the same ``expressions`` [B, M, D].

        ``nodes`` [B, L] has the expression of each place, numbered from 1; 0: no expression.
        """
        same = pick_all(self.of_expression(expressions), (nodes - 1).clamp(min=0))  # [B, L, D]
        distance = 1 - F.cosine_similarity(self.of_tree(trees).float(), same.float(), dim=-1)
        return distance.masked_fill(nodes == 0, 0.0).sum(dim=1)


@register
class TwoViews(Seq2Tree):
    """The peer with two views; ``decoder`` is that of the tree."""

    DECODER = "two-views"

    def __init__(self, config: TreequationConfig, encoder: PreTrainedModel | None = None) -> None:
        super().__init__(config, encoder)
        self.pair_notation = PairNotation(config.vocabulary)
        self.pairs = PairDecoder(config, self.width, has_constants=False)
        self.agreement = Agreement(self.width)
        self.post_init()

    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """For each place of the prefix equation: its symbol, the next expression, and the expression that begins there.

        An equation has fewer expressions than symbols, so these are padded. Operators of expressions are numbered from
        1, and so are the expressions.
        """
        expressions = [
            Label(label.operator + 1, label.left, label.right)
            for label in self.pair_notation.write(graph, self.config.expressions)
        ]
        symbols = self.notation.write(graph, self.config.symbols)
        expressions += [NOTHING] * (len(symbols) - len(expressions))
        places = prefix_operands(graph)
        nodes = [Label(each.index + 1, 0, 0) if isinstance(each, Result) else NOTHING for each in places]
        return tuple(zip(symbols, expressions, nodes, strict=True))

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The losses of both views plus their disagreement, [B]."""
        tree = super().loss(read, batch)
        assert tree.trees is not None
        most = max(1, (batch.operators.shape[1] - 2) // 2)  # operators among L symbols and a stop
        operator, left, right = (part[:, :most, EXPRESSION] for part in (batch.operators, batch.left, batch.right))
        gold = Gold((operator - 1).clamp(min=0), left, right)
        rows = [batch.active(2 * step + 3) for step in range(most)]  # n expressions need at least 2·n + 1 symbols
        deduced = self.pairs.deduce(read.numbers, read.number_mask, gold, (operator > 0).sum(dim=1), rows)
        disagreement = self.agreement(tree.trees, deduced.embeddings, batch.operators[:, :, NODE])
        return tree._replace(loss=tree.loss + deduced.loss + disagreement)

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """The equations of both views, the likeliest first; one that both found keeps its better score."""
        read = self.read(batch, self.constants)
        trees = self.hypotheses(read, batch, beam=beam, steps=steps)
        longest = self.config.expressions if steps is None else max(1, (steps - 1) // 2)
        pairs = self.pairs.write(read.numbers, read.number_mask, longest)
        both = []
        for found, (triples, score) in zip(trees, pairs, strict=True):
            other = Written(self.pair_notation.read(triples, reader.numbers), score, len(triples))
            views: list[Equation] = [*(self.written(one, reader) for one in found), other]
            unlikely_first = sorted(views, key=lambda one: (one.graph is not None, one.score))
            by_graph = {one.graph: one for one in unlikely_first}  # of equal graphs, the likeliest stays
            both.append(sorted(by_graph.values(), key=unlikely_first.index, reverse=True)[:beam])
        return both
