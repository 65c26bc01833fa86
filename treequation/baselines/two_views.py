"""Two views of one equation: a tree from the root down and expressions from the leaves up, which must agree.

M-View, after Zhang et al., "Multi-View Reasoning: Consistent Contrastive Learning for Math Word Problem" (Findings of
EMNLP 2022). The decoders of :mod:`.seq2tree` and :mod:`.re_ext` share an encoder and the constants. For every inner
node of the gold tree, the embedding of its sub-tree in the first view is drawn towards the embedding of the same
expression in the second.

Three points differ from the paper: the likelier of the two equations is the answer, where its code reports the better
view; the tree's root goal is the encoder's summary, without a further recurrent network; and the views share no
operator embeddings, since our RE-Ext has a matrix an operator instead.

``B`` is the batch, ``L`` the symbols, ``M`` the expressions, ``D`` the width.
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn
from transformers import PreTrainedModel

from treequation.baselines.re_ext import PairDecoder, PairNotation
from treequation.baselines.seq2tree import Seq2Tree
from treequation.baselines.symbol_search import Written
from treequation.baselines.triples import Gold, pick_all
from treequation.data.batches import Batch
from treequation.data.labels import Label, LabelSets
from treequation.decoding.search import Equation, Reader
from treequation.expression.graph import ExpressionGraph, Operand, Result
from treequation.model.base import Read
from treequation.model.config import TreequationConfig
from treequation.model.parts import Traced
from treequation.model.registry import register

SYMBOL, EXPRESSION, NODE = range(3)  # what the labels of a set are
NOTHING = Label(0, 0, 0)


class Agreement(nn.Module):
    """How far apart the two views of the inner nodes are."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.of_tree = nn.Linear(width, width)
        self.of_expression = nn.Linear(width, width)

    def forward(self, trees: Tensor, expressions: Tensor, nodes: Tensor) -> Tensor:
        """The sum [B] of 1 − cos over the places of [B, L, D] that are expressions of [B, M, D].

        ``nodes`` [B, L] says which, counted from 1; 0 is none.
        """
        same = pick_all(self.of_expression(expressions), (nodes - 1).clamp(min=0))  # [B, L, D]
        distance = 1 - F.cosine_similarity(self.of_tree(trees).float(), same.float(), dim=-1)
        return distance.masked_fill(nodes == 0, 0.0).sum(dim=1)


@register
class TwoViews(Seq2Tree):
    """The peer with two views: its ``decoder`` is the tree's."""

    DECODER = "two-views"

    def __init__(self, config: TreequationConfig, encoder: PreTrainedModel | None = None) -> None:
        super().__init__(config, encoder)
        self.pair_notation = PairNotation(config.vocabulary)
        operators = len(self.pair_notation.operators)
        self.pairs = PairDecoder(self.width, dropout=config.dropout, operators=operators, constants=None)
        self.agreement = Agreement(self.width)
        self.post_init()

    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """For each place of the prefix equation its symbol, the expression that comes then, and the node that it is.

        An equation has fewer expressions than symbols. Operators of expressions are counted from 1, and so are nodes,
        by their place among the expressions.
        """
        expressions = [
            Label(label.operator + 1, label.left, label.right)
            for label in self.pair_notation.write(graph, self.config.expressions)
        ]
        symbols = self.notation.write(graph, self.config.symbols)
        expressions += [NOTHING] * (len(symbols) - len(expressions))
        nodes = [Label(node, 0, 0) for node in prefix_nodes(graph)]
        return tuple(zip(symbols, expressions, nodes, strict=True))

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The losses of both views, and by how much they disagree, [B]."""
        tree = super().loss(read, batch)
        assert tree.trees is not None
        most = max(1, (batch.operators.shape[1] - 2) // 2)  # of L symbols and a stop, so many are operators
        operator, left, right = (part[:, :most, EXPRESSION] for part in (batch.operators, batch.left, batch.right))
        gold = Gold((operator - 1).clamp(min=0), left, right)
        rows = [batch.active(2 * step + 3) for step in range(most)]  # n expressions take 2·n + 1 symbols at least
        deduced = self.pairs.deduce(read.numbers, read.number_mask, gold, (operator > 0).sum(dim=1), rows)
        apart = self.agreement(tree.trees, deduced.embeddings, batch.operators[:, :, NODE])
        return tree._replace(loss=tree.loss + deduced.loss + apart)

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """The equations of both views, the likeliest first; one that both wrote counts with its better score."""
        read = self.read(batch, self.constants)
        trees = self.search_read(read, reader, beam=beam, steps=steps)
        longest = self.config.expressions if steps is None else max(1, (steps - 1) // 2)
        pairs = self.pairs.write(read.numbers, read.number_mask, longest)
        both = []
        for found, (triples, score) in zip(trees, pairs, strict=True):
            other = Written(self.pair_notation.read(triples, reader.numbers), score, len(triples))
            unlikely_first = sorted([*found, other], key=lambda one: (one.graph is not None, one.score))
            by_graph = {one.graph: one for one in unlikely_first}  # of those with one graph, the likeliest stays
            both.append(sorted(by_graph.values(), key=unlikely_first.index, reverse=True)[:beam])
        return both


def prefix_nodes(graph: ExpressionGraph) -> list[int]:
    """For each place of the prefix equation the expression that begins there, counted from 1; 0 for an operand.

    >>> from treequation.expression import parse_infix
    >>> prefix_nodes(parse_infix("(n0+n1)*(n2-(n0+n1))"))
    [3, 1, 0, 0, 2, 0, 1, 0, 0]
    """
    nodes = []
    waiting: list[Operand] = [graph.root]
    while waiting:
        operand = waiting.pop()
        if isinstance(operand, Result):
            expression = graph.expressions[operand.index]
            waiting += [expression.right, expression.left]
            nodes.append(operand.index + 1)
        else:
            nodes.append(0)
    return nodes
