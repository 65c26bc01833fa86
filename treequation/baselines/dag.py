"""Bottom up, one layer at a time: every pair of quantities is scored with every operator at once.

After Cao, Hong, Li and Luo, "A Bottom-Up DAG Structure Extraction Model for Math Word Problems" (AAAI 2021). We found
no code by the authors: the idea is theirs, the details are ours. The graph starts with constants and numbers as nodes.
In each layer, all pairs with a node of the previous layer are scored with every operator (− ÷ and ^ in both orders), as
in RE-Ext. Accepted candidates become the nodes of the next layer, until none is accepted. A tree-LSTM cell computes the
state of a node from its two children; if the operator commutes, their order makes no difference.

Each operator of a pair is accepted or rejected independently, since equations such as (a + b) ÷ (a − b) need a pair
twice. Almost all candidates must be rejected, so these get less weight in training.

``B`` is the batch, ``L`` the layers, ``K`` the maximum number of nodes of a layer, ``S`` the nodes so far, ``P`` their
pairs, ``O`` the operators including reversed ones, ``D`` the width.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.baselines.re_ext import PairNotation, PairScorer
from treequation.baselines.symbol_search import Written
from treequation.baselines.triples import Triple, TripleNotation, check_greedy
from treequation.data.batches import Batch
from treequation.data.labels import RESULT, Label, LabelError, LabelSets
from treequation.decoding.search import IMPOSSIBLE, Equation, Reader
from treequation.expression.graph import ExpressionGraph
from treequation.expression.layers import layers
from treequation.model.base import Read, WordProblemModel, padded, pick_all, summed
from treequation.model.config import TreequationConfig
from treequation.model.parts import Traced
from treequation.model.registry import register
from treequation.text.number_vocabulary import NONE

REJECTED_WEIGHT = 0.3  # of a candidate that must be rejected, in training only
RARE = -4.0  # initial bias of the scores, since few candidates are accepted


class Child(NamedTuple):
    """State and memory of a node in the tree-LSTM."""

    state: Tensor  # [..., D]
    memory: Tensor  # [..., D]


class Nodes(NamedTuple):
    """The nodes of a graph so far: constants, numbers, then K slots per layer."""

    states: Tensor  # [B, S, D]
    memories: Tensor  # [B, S, D] the memory cells of the tree-LSTM
    mask: Tensor  # [B, S]
    old: int  # how many there were before the last layer

    def first(self, rows: int) -> Nodes:
        """The nodes of the first rows."""
        return Nodes(self.states[:rows], self.memories[:rows], self.mask[:rows], self.old)

    @property
    def pairs(self) -> Tensor:
        """All pairs [2, P] with a node of the last layer, lower slot first; a node may be paired with itself."""
        count = self.states.shape[1]
        second, first = torch.tril_indices(count - self.old, count, offset=self.old, device=self.states.device)
        return torch.stack([first, second + self.old])

    def place(self, first: Tensor, second: Tensor) -> Tensor:
        """The index among :attr:`pairs` of a pair of slots, lower slot first."""
        return second * (second + 1) // 2 + first - self.old * (self.old + 1) // 2


class Cell(nn.Module):
    """The binary tree-LSTM cell of one operator; symmetric in the children if the operator commutes."""

    def __init__(self, width: int, *, commutes: bool) -> None:
        super().__init__()
        self.first = nn.Linear(width, (4 if commutes else 5) * width)
        self.second = None if commutes else nn.Linear(width, 5 * width, bias=False)

    def forward(self, first: Child, second: Child) -> Child:
        """State and memory of a node, [..., D] each, from those of its children."""
        if self.second is None:
            enter, leave, new, forget = self.first(first.state + second.state).chunk(4, dim=-1)
            forget_first = forget_second = forget
        else:
            gates = self.first(first.state) + self.second(second.state)
            enter, leave, new, forget_first, forget_second = gates.chunk(5, dim=-1)
        kept = forget_first.sigmoid() * first.memory + forget_second.sigmoid() * second.memory
        memory = kept + enter.sigmoid() * new.tanh()
        return Child(leave.sigmoid() * memory.tanh(), memory)


class DagDecoder(nn.Module):
    """The layers of the network."""

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__()
        self.nodes = config.queries  # at most in a layer
        self.constants = nn.Parameter(torch.randn(len(config.constants), width))  # same scale as the numbers' states
        self.scorer = PairScorer(config, width)
        self.directed = self.scorer.operators  # how many operators there are, including reversed ones
        nn.init.constant_(self.scorer.expression_score.bias, RARE)
        self.cells = nn.ModuleList(Cell(width, commutes=each.commutes) for each in config.vocabulary.operators)
        self.norm = nn.LayerNorm(width)

    def start(self, read: Read) -> Nodes:
        """The first nodes: constants and the numbers of the text."""
        return Nodes(read.numbers, read.numbers, read.number_mask, 0)

    def score(self, nodes: Nodes) -> Tensor:
        """Scores of the candidates [B, P · O]; above 0 they are accepted."""
        scores, _ = self.scorer(nodes.states, nodes.mask, *nodes.pairs.unbind())
        return scores.flatten(1)

    def grow(self, nodes: Nodes, operator: Tensor, left: Tensor, right: Tensor) -> Nodes:
        """Adds a layer of nodes [B, ≤ K], given by operator (0: no node) and the slots of the children."""
        children = [Child(pick_all(nodes.states, side), pick_all(nodes.memories, side)) for side in (left, right)]
        made = [cell(*children) for cell in self.cells]
        chosen = (operator - 1).clamp(min=0)[:, :, None, None].expand(-1, -1, 1, nodes.states.shape[-1])
        state, memory = (torch.stack(part, dim=2).gather(2, chosen).squeeze(2) for part in zip(*made, strict=True))
        room = self.nodes - operator.shape[1]
        return Nodes(
            torch.cat([nodes.states, F.pad(self.norm(state), (0, 0, 0, room))], dim=1),
            torch.cat([nodes.memories, F.pad(memory, (0, 0, 0, room))], dim=1),
            torch.cat([nodes.mask, F.pad(operator > NONE, (0, room))], dim=1),
            nodes.states.shape[1],
        )


@register
class Dag(WordProblemModel):
    """The bottom-up peer."""

    DECODER = "dag"
    DECODER_CLASS = DagDecoder
    decoder: DagDecoder

    @cached_property
    def notation(self) -> PairNotation:
        """How equations are written."""
        return PairNotation(self.config.vocabulary)

    @property
    def max_steps(self) -> int:
        """The maximum number of layers."""
        return self.config.steps

    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """The layers of the equation, each sorted like its candidates.

        The order is fixed because a pair is scored with the lower slot first.
        """
        written = TripleNotation.write(self.notation, graph, self.config.steps * self.config.queries)
        laid_out = layers(graph)
        widest = max(map(len, laid_out))
        if len(laid_out) > self.config.steps:
            raise LabelError(
                "too deep", f"the equation needs {len(laid_out)} layers, but the model has {self.config.steps}"
            )
        if widest > self.config.queries:  # a later layer does not pair two older nodes
            raise LabelError(
                "too wide", f"a layer has {widest} expressions, but the model allows {self.config.queries}"
            )
        slots: dict[int, int] = {}  # by result, as numbered in the written equation
        label_sets = []
        for depth, indices in enumerate(laid_out):
            named = {}
            for index in indices:
                label = written[index]
                left, right = (slots.get(side, side) for side in (label.left, label.right))
                named[Label(label.operator, left, right)] = index
            label_set = sorted(named, key=lambda label: candidate_order(self.notation.paired(label)))
            for place, label in enumerate(label_set):
                slots[RESULT + named[label]] = RESULT + depth * self.config.queries + place
            label_sets.append(tuple(label_set))
        return tuple(label_sets)

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The binary cross-entropy [B] of accepting the gold expressions and rejecting all others, layer by layer."""
        nodes = self.decoder.start(read)
        weight = REJECTED_WEIGHT if self.training else 1.0
        losses = []
        for layer in range(batch.operators.shape[1]):
            count = batch.active(layer)  # the rows that may have this layer
            nodes = nodes.first(count)
            parts = batch.operators, batch.left, batch.right
            operator, left, right = (part[:count, layer] for part in parts)  # [B, W]
            scores = self.decoder.score(nodes)
            candidate = nodes.place(torch.minimum(left, right), torch.maximum(left, right)) * self.decoder.directed
            candidate = (candidate + self._directed(operator, left, right)).clamp(0, scores.shape[1] - 1)
            gold = torch.zeros_like(scores).scatter_add(1, candidate, (operator > NONE).to(scores.dtype))
            gold = gold.clamp(max=1.0)  # n0 + n1 and n1 + n0 are the same candidate
            surprise = F.softplus(scores) * torch.where(gold > 0, 1.0, weight) - gold * scores
            losses.append(padded(surprise.sum(dim=1), len(read.problem)))
            if layer + 1 < batch.operators.shape[1]:
                nodes = self.decoder.grow(nodes, operator, left, right)
        return Traced(summed(torch.stack(losses, dim=1), batch.layers), read.problem[:, 0])

    def _directed(self, operator: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """The index of each operator for a pair with the lower slot first."""
        index = (operator - 1).clamp(min=0)
        for place, (id, is_reversed) in enumerate(self.notation.operators):
            if is_reversed:
                index = torch.where((operator == id) & (left > right), place, index)
        return index

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """Adds layers until nothing is accepted; the root is the likeliest node of the last layer."""
        check_greedy(self, beam)
        limit, room, directed = steps or self.max_steps, self.decoder.nodes, self.decoder.directed
        nodes = self.decoder.start(self.read(batch, self.decoder.constants))
        base = nodes.states.shape[1]
        found = [PartialGraph(base) for _ in range(len(nodes.states))]
        rows = list(range(len(found)))
        for layer in range(limit):
            scores = self.decoder.score(nodes)
            best = scores.topk(min(room, scores.shape[1]), dim=1)
            accepted = best.values > 0
            if layer == 0:
                accepted[:, 0] |= best.values[:, 0] > IMPOSSIBLE  # an equation has at least one expression
            total = best.values.masked_fill(~accepted, 0.0).sum(dim=1) - F.softplus(scores).sum(dim=1)
            pair, operator = best.indices // directed, best.indices % directed
            candidates = torch.stack([accepted.long(), operator, *nodes.pairs[:, pair]], dim=-1).tolist()  # [R, ≤ K, 4]
            remaining, added = [], []
            for row, (index, score) in enumerate(zip(rows, total.tolist(), strict=True)):
                new = [Label(operator, first, second) for yes, operator, first, second in candidates[row] if yes]
                found[index].score += score
                if new:
                    ordered = found[index].add(new, nodes.states.shape[1])
                    remaining.append(row)
                    triples = [self.notation.unpaired(one.operator, one.left, one.right) for one in ordered]
                    added.append(triples + [(NONE, 0, 0)] * (room - len(triples)))
            rows = [rows[row] for row in remaining]
            if not rows or layer + 1 == limit:
                break
            kept = Nodes(nodes.states[remaining], nodes.memories[remaining], nodes.mask[remaining], nodes.old)
            nodes = self.decoder.grow(kept, *torch.tensor(added, device=scores.device).unbind(-1))
        return [[Written(self.notation.read(one.triples, reader.numbers), one.score, one.layers)] for one in found]


def candidate_order(paired: Label) -> Triple:
    """The sort key of the candidates of a layer, pairs with an operator."""
    return paired.right, paired.left, paired.operator


class PartialGraph:
    """The graph found so far for one problem."""

    def __init__(self, base: int) -> None:
        self.base = base  # constants and numbers
        self.triples: list[Triple] = []  # the likeliest of a layer comes last
        self.score = 0.0
        self.layers = 0
        self._results: dict[int, int] = {}  # from a slot (some stay empty) to that of its triple

    def add(self, layer: list[Label], first_slot: int) -> list[Label]:
        """Adds a layer, sorted by likelihood; returns it sorted by slot, from ``first_slot`` on."""
        ordered = sorted(layer, key=candidate_order)
        for one in reversed(layer):
            self._results[first_slot + ordered.index(one)] = self.base + len(self.triples)
            left, right = (self._results.get(slot, slot) for slot in (one.left, one.right))
            self.triples.append((one.operator, left, right))
        self.layers += 1
        return ordered
