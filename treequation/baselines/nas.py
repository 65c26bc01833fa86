"""Levels: a non-autoregressive decoder writes an M-tree from the root down, all nodes of a level at once.

MWP-NAS, after Bin et al., "Non-Autoregressive Math Word Problem Solver with Unified Tree Structure" (EMNLP 2023). The
problem's summary is the goal of the root. A goal is expanded into places for children, with sinusoidal position
embeddings. The places of a level attend to each other and to the candidates: the kinds of nodes, END, constants and
numbers. Each place points to one candidate, and predicts whether it is negated or inverted. A place that points to a
kind of node becomes a goal of the next level. The children of a node are in the order of the candidates, then END.

The paper expands the full tree; here only places that hold a node are expanded. The loss is a sum over all predictions,
as for the other decoders; the paper's is two means.

``B`` is the batch, ``G`` the goals of a level, ``P`` the places of a goal, ``W`` the labels of a level, ``V`` the
candidates, ``D`` the width.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor, nn

from treequation.baselines.codes import labelled_mtree
from treequation.baselines.mtree import Kind, Leaf, MTreeError, Node, Tree, from_mtree
from treequation.baselines.seq2seq import sinusoids
from treequation.baselines.seq2tree import Additive
from treequation.baselines.symbol_search import Written
from treequation.baselines.triples import check_greedy
from treequation.data.batches import Batch
from treequation.data.labels import Label, LabelError, LabelSets, Names
from treequation.decoding.search import Equation, Reader
from treequation.expression.graph import Constant, ExpressionGraph, Number
from treequation.model.base import Read, WordProblemModel, first_places, pick_all
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Traced
from treequation.model.registry import register
from treequation.model.transformer import Attention, mlp
from treequation.text.number_vocabulary import Vocabulary

MAX_CHILDREN = 8  # of a node, as in the paper
MAX_GOALS = 16  # of a level
PLACES = MAX_CHILDREN + 1  # one for END

END = 0
_KINDS = tuple(Kind)
FIRST_SLOT = 1 + len(_KINDS)  # candidates: END, the kinds, then the slots


class LevelNotation:
    """Candidates are numbered from 0: END, the kinds of nodes, then the slots."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._names = Names(vocabulary)

    def write(self, graph: ExpressionGraph, *, longest: int, levels: int) -> LabelSets:
        """The levels below the root, each with the children of all its nodes.

        ``operator`` is the candidate plus 1, since 0 is padding. ``left`` is the place: there are nine for each node of
        the level above, in the same order. ``right`` is 1 for inverted plus 2 for negated.

        >>> from treequation.expression.parsing import parse_infix
        >>> for level in LevelNotation(Vocabulary(())).write(parse_infix("n0-n1*n2"), longest=100, levels=8):
        ...     print([(label.operator, label.left, label.right) for label in level])
        [(5, 0, 0), (6, 1, 0), (1, 2, 0)]
        [(7, 0, 0), (8, 1, 0), (1, 2, 0)]
        """
        written: list[tuple[Label, ...]] = []
        goals = [labelled_mtree(graph, longest)]
        while goals:
            labels: list[Label] = []
            below: list[Node] = []
            for goal, node in enumerate(goals):
                children = sorted(node.children, key=self._candidate)  # stable: equal ones stay in order
                if len(children) > MAX_CHILDREN:
                    raise LabelError(
                        "too long", f"a node has {len(children)} children, but at most {MAX_CHILDREN} are allowed"
                    )
                for place, child in enumerate(children, start=goal * PLACES):
                    bits = 2 * child.negated + child.inverted if isinstance(child, Leaf) else 0
                    labels.append(Label(1 + self._candidate(child), place, bits))
                labels.append(Label(1 + END, goal * PLACES + len(children), 0))
                below += [child for child in children if isinstance(child, Node)]
            written.append(tuple(labels))
            goals = below
            if len(goals) > MAX_GOALS:
                raise LabelError("too long", f"a level has {len(goals)} nodes, but at most {MAX_GOALS} are allowed")
        if len(written) > levels:
            raise LabelError("too deep", f"the tree has {len(written)} levels, but the model writes at most {levels}")
        return tuple(written)

    def _candidate(self, tree: Tree) -> int:
        if isinstance(tree, Node):
            return 1 + _KINDS.index(tree.kind)
        return FIRST_SLOT + self._names.leaf(tree.operand)

    def leaf(self, candidate: int, bits: int, numbers: int) -> Leaf:
        """The leaf of a candidate that is neither END nor a kind."""
        operand = self.vocabulary.operand(candidate - FIRST_SLOT, numbers)
        assert isinstance(operand, Number | Constant)
        return Leaf(operand, negated=bits >= 2, inverted=bits % 2 == 1)


class Candidates(NamedTuple):
    """What the places attend and point to."""

    embeddings: Tensor  # [B, V, D]
    keys: Tensor  # [B, 1, V, D] for the pointer
    mask: Tensor  # [B, V]


class LevelDecoder(nn.Module):
    """The parts of MWP-NAS."""

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__()
        heads, dropout = config.heads(width), config.dropout
        self.constants = nn.Parameter(torch.randn(len(config.constants), width))  # same scale as the numbers' states
        self.kinds = nn.Parameter(torch.randn(FIRST_SLOT, width))
        self.root_goal = mlp(width, width)
        self.number = mlp(width, width)
        self.next_goal = mlp(width, width)
        self.norm = nn.LayerNorm(width)
        self.among = Attention(width, heads, dropout)
        self.look = nn.ModuleList(Attention(width, heads, dropout) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.drop = nn.Dropout(dropout)
        self.pointer = Additive(width, width)
        self.bits = nn.Linear(width, 4)

    def candidates(self, read: Read) -> Candidates:
        """The candidates of these problems: END, the kinds, constants and numbers."""
        kinds = self.kinds.to(read.numbers.dtype).expand(len(read.numbers), -1, -1)
        embeddings = torch.cat([kinds, self.number(read.numbers)], dim=1)
        mask = torch.cat([read.number_mask.new_ones(kinds.shape[:2]), read.number_mask], dim=1)
        return Candidates(embeddings, self.pointer.many(embeddings).unsqueeze(1), mask)

    def expand(self, goals: Tensor, there: Tensor, candidates: Candidates) -> Tensor:
        """The states of the places [B, G · P, D] of goals [B, G, D]; ``there`` [B, G] masks padding."""
        places = goals.unsqueeze(2) + sinusoids(0, PLACES, goals.shape[-1], goals)
        x = self.norm(places).flatten(1, 2)
        seen = there.repeat_interleave(PLACES, dim=1)
        x = self.norms[0](x + self.drop(self.among(x, x, seen)))
        for look, norm in zip(self.look, list(self.norms)[1:], strict=True):
            x = norm(x + self.drop(look(x, candidates.embeddings, candidates.mask)))
        return x

    def predict(self, states: Tensor, candidates: Candidates) -> tuple[Tensor, Tensor]:
        """Log-probabilities of candidates [B, W, V] and of bits [B, W, 4], from the states of places [B, W, D]."""
        scores = self.pointer(self.drop(states), candidates.keys).float()
        scores = scores.masked_fill(~candidates.mask.unsqueeze(1), MASKED)
        return scores.log_softmax(dim=-1), self.bits(states).float().log_softmax(dim=-1)


@register
class Nas(WordProblemModel):
    """The non-autoregressive peer."""

    DECODER = "nas"
    DECODER_CLASS = LevelDecoder
    decoder: LevelDecoder

    @cached_property
    def notation(self) -> LevelNotation:
        """How equations are written."""
        return LevelNotation(self.config.vocabulary)

    @property
    def max_steps(self) -> int:
        """The maximum number of levels, plus one for stopping, which a tree does not need."""
        return self.config.steps + 1

    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """The levels of the M-tree."""
        return self.notation.write(graph, longest=self.config.symbols, levels=self.config.steps)

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The loss [B] of the gold children, with teacher forcing from level to level."""
        candidates = self.decoder.candidates(read)
        goals = self.decoder.root_goal(read.problem[:, :1])  # [B, 1, D]
        there = read.problem_mask[:, :1]
        loss = torch.zeros(len(goals), device=goals.device)
        width = batch.operators.shape[2]
        room = min(MAX_GOALS, max(1, width // 3))  # a node has at least two children and END
        for level in range(batch.operators.shape[1] - 1):  # the last one is for decoders that predict a stop
            symbol, place, bits = (part[:, level] for part in (batch.operators, batch.left, batch.right))  # [B, W]
            states = pick_all(self.decoder.expand(goals, there, candidates), place)  # [B, W, D]
            chosen, signed = self.decoder.predict(states, candidates)
            place_loss = -chosen.gather(2, (symbol - 1).clamp(min=0).unsqueeze(-1)).squeeze(-1)
            is_leaf = symbol > FIRST_SLOT
            signs = -signed.gather(2, bits.unsqueeze(-1)).squeeze(-1)
            place_loss = place_loss + signs.masked_fill(~is_leaf, 0.0)
            loss = loss + place_loss.masked_fill(symbol == 0, 0.0).sum(dim=1)
            is_node = (symbol > 1 + END) & ~is_leaf
            # The goal that each node becomes; leaves go to an extra column.
            goal = (is_node.cumsum(dim=1) - 1).masked_fill(~is_node, room)
            where = torch.arange(width, device=goal.device).expand_as(goal)
            chosen_places = goal.new_zeros(len(goal), room + 1).scatter(1, goal, where)[:, :room]
            goals = self.decoder.next_goal(pick_all(states, chosen_places))
            there = first_places(is_node.sum(dim=1).clamp(min=1), room)
        return Traced(loss, read.problem[:, 0])

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """Takes the likeliest children of each level, until no node is left to expand."""
        check_greedy(self, beam)
        read = self.read(batch, self.decoder.constants)
        candidates = self.decoder.candidates(read)
        goals = self.decoder.root_goal(read.problem[:, :1])
        trees = [PartialTree(self.notation, reader.numbers) for _ in range(len(goals))]
        for _ in range(steps or self.config.steps):
            count = [len(tree.open) for tree in trees]
            if not any(count):
                break
            there = torch.tensor([[goal < max(1, own) for goal in range(goals.shape[1])] for own in count])
            states = self.decoder.expand(goals, there.to(goals.device), candidates)
            chosen, signed = self.decoder.predict(states, candidates)
            score, candidate = chosen.max(dim=-1)
            sign_score, bits = signed.max(dim=-1)
            host = zip(*(part.tolist() for part in (score, candidate, sign_score, bits)), strict=True)
            kept = [tree.grow(*row) for tree, row in zip(trees, host, strict=True)]
            room = max(1, max(map(len, kept)))
            places = torch.tensor([row + [0] * (room - len(row)) for row in kept], device=goals.device)
            goals = self.decoder.next_goal(pick_all(states, places))
        return [[Written(tree.graph(), tree.score, tree.levels)] for tree in trees]


class PartialTree:
    """The tree written so far for one problem."""

    def __init__(self, notation: LevelNotation, numbers: int) -> None:
        self.notation, self.numbers = notation, numbers
        self.score, self.levels, self.whole = 0.0, 0, True
        self._children: list[tuple[Kind, list[Leaf | int]]] = [(Kind.SUM, [])]  # a child is a leaf or another node
        self.open = [0]  # the nodes whose children are not written yet

    def grow(self, score: list[float], candidate: list[int], sign_score: list[float], bits: list[int]) -> list[int]:
        """Writes a level from the predictions of its places; returns the places that become goals of the next level."""
        goals, places_of_goals = [], []
        self.levels += bool(self.open)
        for goal, node in enumerate(self.open):
            children = self._children[node][1]
            for place in range(goal * PLACES, (goal + 1) * PLACES):
                chosen = candidate[place]
                self.score += score[place]
                if chosen == END:
                    break
                if chosen >= FIRST_SLOT:
                    self.score += sign_score[place]
                    children.append(self.notation.leaf(chosen, bits[place], self.numbers))
                else:
                    children.append(len(self._children))
                    goals.append(len(self._children))
                    places_of_goals.append(place)
                    self._children.append((_KINDS[chosen - 1], []))
            else:
                self.whole = False  # no END was predicted
        self.whole = self.whole and len(goals) <= MAX_GOALS
        self.open = goals if self.whole else []
        return places_of_goals if self.whole else []

    def graph(self) -> ExpressionGraph | None:
        """The equation, or None if the tree is incomplete or invalid."""
        if not self.whole or self.open:
            return None
        nodes: dict[int, Node] = {}
        for index in reversed(range(len(self._children))):  # children come after their node
            kind, children = self._children[index]
            nodes[index] = Node(kind, tuple(nodes[c] if isinstance(c, int) else c for c in children))
        try:
            return from_mtree(nodes[0])
        except MTreeError:
            return None
