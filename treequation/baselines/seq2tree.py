"""Sequence to tree: a goal-driven decoder writes the prefix equation from the root down.

After GTS (Xie and Sun, "A Goal-Driven Tree-Structured Neural Model for Math Word Problems", IJCAI 2019), as BERT-T and
PLM-GTS use it on a pretrained encoder. A goal vector stands for what a sub-equation is to compute. An operator splits
its goal into those of its two sides; the right side's goal also takes in what the left side became, the embedding of
that sub-tree. As in the paper, five hypotheses are followed.

``B`` is the batch, ``L`` the symbols, ``T`` the problem's tokens, ``S`` the slots, ``D`` the width.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from treequation.baselines.symbol_search import Hypothesis, Written, likeliest, search, unchanged
from treequation.baselines.triples import pick, pick_all
from treequation.data.batches import Batch
from treequation.data.labels import Label, LabelError, LabelSets, Names
from treequation.decoding.search import Equation, Floats, Ints, Reader
from treequation.expression.graph import ExpressionGraph, GraphBuilder, Operand, Result
from treequation.expression.notations import prefix_length
from treequation.model.base import Read, WordProblemModel
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Traced
from treequation.model.registry import register
from treequation.text.number_vocabulary import Vocabulary


class PrefixNotation:
    """Symbols: the operators, counted from 0, then the slots."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.first_slot = len(vocabulary.operators)
        self._names = Names(vocabulary)

    def write(self, graph: ExpressionGraph, longest: int) -> list[Label]:
        """The equation from the root down, left sides first: a label a symbol.

        ``operator`` is the symbol. ``left`` is, of an operator, the place where its right side begins. ``right`` is, of
        a symbol with which a right side begins, the place of its operator, counted from 1; of all others it is 0.

        >>> from treequation.expression import parse_infix
        >>> for label in PrefixNotation(Vocabulary(())).write(parse_infix("(n0+n1)*n2"), 100):
        ...     print(label.operator, label.left, label.right)
        2 4 0
        0 3 0
        5 0 0
        6 0 2
        7 0 1
        """
        length = prefix_length(graph)
        if length > longest:
            raise LabelError("too long", f"the equation has {length} symbols and the model writes {longest}")
        written: list[Label] = []
        waiting: list[tuple[Operand, int]] = [(graph.root, 0)]
        while waiting:
            operand, right_of = waiting.pop()
            if right_of:
                owner = written[right_of - 1]
                written[right_of - 1] = Label(owner.operator, len(written), owner.right)
            if isinstance(operand, Result):
                expression = graph.expressions[operand.index]
                written.append(Label(self._names.operator(expression.operator) - 1, 0, right_of))
                waiting += [(expression.right, len(written)), (expression.left, 0)]
            else:
                written.append(Label(self.first_slot + self._names.leaf(operand), 0, right_of))
        return written

    def read(self, symbols: tuple[int, ...], numbers: int) -> ExpressionGraph:
        """The equation that a complete row of symbols is."""
        builder = GraphBuilder()
        waiting: list[Operand] = []
        for symbol in reversed(symbols):
            if symbol < self.first_slot:
                waiting.append(builder.add(self.vocabulary.operators[symbol], waiting.pop(), waiting.pop()))
            else:
                waiting.append(self.vocabulary.operand(symbol - self.first_slot, numbers))
        (root,) = waiting
        return builder.graph(root)


class Gated(nn.Module):
    """tanh(W x) ∘ σ(V x), of which every part of GTS is made."""

    def __init__(self, inputs: int, width: int, dropout: float) -> None:
        super().__init__()
        self.both = nn.Linear(inputs, 2 * width)
        self.drop = nn.Dropout(dropout)

    def forward(self, *inputs: Tensor) -> Tensor:
        value, gate = self.both(self.drop(torch.cat(inputs, dim=-1))).chunk(2, dim=-1)
        return torch.tanh(value) * torch.sigmoid(gate)


class Additive(nn.Module):
    """Scores wᵀ tanh(W [a; b]) of one ``a`` against many ``b``, whose share is computed once."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.one = nn.Linear(inputs, width)
        self.many = nn.Linear(width, width, bias=False)
        self.score = nn.Linear(width, 1, bias=False)

    def forward(self, one: Tensor, many: Tensor) -> Tensor:
        """Scores [B, M] of ``one`` [B, ·] against ``many`` [B, M, D], which have been through ``self.many``.

        Of several [B, Q, ·] at a time, where ``many`` is [B, 1, M, D], the scores are [B, Q, M].
        """
        return self.score(torch.tanh(self.one(one).unsqueeze(-2) + many)).squeeze(-1)


class Ground(NamedTuple):
    """What all goals of a problem look at."""

    problem: Tensor  # [B, T, D]
    problem_keys: Tensor  # [B, T, D]
    problem_mask: Tensor  # [B, T]
    numbers: Tensor  # [B, S, D]
    number_keys: Tensor  # [B, S, D]
    number_mask: Tensor  # [B, S]

    def first(self, rows: int) -> Ground:
        """What the goals of the first rows look at."""
        return Ground(*(part[:rows] for part in self))


class Pursued(NamedTuple):
    """A goal that has been looked into."""

    goal: Tensor  # [B, D]
    context: Tensor  # [B, D] what of the problem matters to it
    said: Tensor  # [B, V] log-probabilities of the symbols


class GoalDecoder(nn.Module):
    """The parts of GTS."""

    def __init__(self, width: int, *, dropout: float, operators: int, constants: int) -> None:
        super().__init__()
        self.constants = nn.Parameter(torch.randn(constants, width))  # at the scale of the numbers' states
        self.operators = nn.Parameter(torch.randn(operators, width))
        self.left_goal = Gated(3 * width, width, dropout)
        self.right_goal = Gated(3 * width, width, dropout)
        self.alone = Gated(width, width, dropout)
        self.beside = Gated(2 * width, width, dropout)
        self.merge = Gated(3 * width, width, dropout)
        self.attention = Additive(width, width)
        self.operand_score = Additive(2 * width, width)
        self.operator_score = nn.Linear(2 * width, operators)
        self.drop = nn.Dropout(dropout)

    def ground(self, read: Read) -> Ground:
        """What was read, with the shares of the scores that no goal changes."""
        problem_keys, number_keys = self.attention.many(read.problem), self.operand_score.many(self.drop(read.numbers))
        return Ground(read.problem, problem_keys, read.problem_mask, read.numbers, number_keys, read.number_mask)

    def pursue(self, start: Tensor, left_tree: Tensor, is_right: Tensor, ground: Ground) -> Pursued:
        """Looks into goals that started as ``start`` [B, D]; right sides [B] take in what the left became [B, D]."""
        goal = torch.where(is_right.unsqueeze(-1), self.beside(left_tree, start), self.alone(start))
        energy = self.attention(self.drop(goal), ground.problem_keys).float()
        weights = energy.masked_fill(~ground.problem_mask, MASKED).softmax(dim=-1).to(goal.dtype)  # [B, T]
        context = (weights.unsqueeze(1) @ ground.problem).squeeze(1)
        both = self.drop(torch.cat([goal, context], dim=-1))
        operands = self.operand_score(both, ground.number_keys).float().masked_fill(~ground.number_mask, MASKED)
        said = torch.cat([self.operator_score(both).float(), operands], dim=-1).log_softmax(dim=-1)
        return Pursued(goal, context, said)

    def operator_at(self, index: Tensor) -> Tensor:
        """The embeddings [..., D] of the operators with these numbers.

        As a product: the gradient of an index adds up row by row, and a handful of operators have thousands of rows.
        """
        chosen = index.unsqueeze(-1) == torch.arange(len(self.operators), device=index.device)
        return chosen.to(self.operators.dtype) @ self.operators

    def split(self, pursued: Pursued, operator: Tensor) -> tuple[Tensor, Tensor]:
        """How the goals of the two sides of an operator start, [B, D] each, like its embedding."""
        parts = pursued.goal, pursued.context, operator
        return self.left_goal(*parts), self.right_goal(*parts)

    def join(self, operator: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """The embedding of the sub-tree of an operator and its two sides, of which these are the embeddings [B, D]."""
        return self.merge(operator, left, right)


@register
class Seq2Tree(WordProblemModel):
    """The sequence-to-tree peer."""

    DECODER = "seq2tree"
    BEAM = 5
    TRACES_GOALS = True

    def __init__(self, config: TreequationConfig, encoder: PreTrainedModel | None = None) -> None:
        super().__init__(config, encoder)
        self.notation = PrefixNotation(config.vocabulary)
        self.decoder = GoalDecoder(
            self.width, dropout=config.dropout, operators=len(config.operators), constants=len(config.constants)
        )
        self.post_init()

    @property
    def max_steps(self) -> int:
        """The longest equation's symbols, and one that is never used: a tree is complete by itself."""
        return self.config.symbols + 1

    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """A label a symbol, which also says where in the tree it stands."""
        return tuple((label,) for label in self.notation.write(graph, self.config.symbols))

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The loss [B] of the gold symbols, each pursuing the goal that it has in the gold tree.

        At each place only the rows whose equations are so long are computed: the first ones.
        """
        decoder = self.decoder
        ground = decoder.ground(read)
        symbols, right_side, right_of = (part[:, :, 0] for part in (batch.operators, batch.left, batch.right))
        length = symbols.shape[1] - 1  # the last one is there for decoders that must say stop
        is_operator = (right_side > 0).unsqueeze(-1)  # [B, L, 1]
        operators = symbols.clamp(max=self.notation.first_slot - 1)  # of operands any will do: it is not used
        slots = (symbols - self.notation.first_slot).clamp(min=0)

        rows = [batch.active(place + 1) for place in range(length)]
        operator_states = decoder.operator_at(operators)  # [B, L + 1, D]
        leaves = pick_all(read.numbers, slots)  # [B, L + 1, D]

        trees = leaves[: rows[-1], length - 1 :]  # of the places from some place on; it grows towards the first
        for place in reversed(range(length - 1)):
            count = rows[place]
            trees = _padded(trees, count)
            right = pick(trees, (right_side[:count, place] - place - 1).clamp(min=0))
            joined = decoder.join(operator_states[:count, place], trees[:, 0], right)
            tree = torch.where(is_operator[:count, place], joined, leaves[:count, place])
            trees = torch.cat([tree.unsqueeze(1), trees], dim=1)
        trees = _padded(trees, len(symbols))

        root = read.problem[:, 0]  # the encoder's summary of the whole problem
        start = left_tree = root
        right_starts = root.new_zeros(len(root), 0, self.width)
        goals, said, losses = [], [], []
        for place, count in enumerate(rows):
            is_right = right_of[:count, place] > 0
            start, right_starts = start[:count], right_starts[:count]
            if place:
                owner = (right_of[:count, place] - 1).clamp(min=0)
                start = torch.where(is_right.unsqueeze(-1), pick(right_starts, owner), start)
                left_tree = pick(trees[:count], owner + 1)  # a left side begins right after its operator
            pursued = decoder.pursue(start, left_tree, is_right, ground.first(count))
            start, right_start = decoder.split(pursued, operator_states[:count, place])
            right_starts = torch.cat([right_starts, right_start.unsqueeze(1)], dim=1)
            goals.append(pursued.goal)
            said.append(pursued.said)
            surprise = -pursued.said.gather(1, symbols[:count, place : place + 1]).squeeze(1)
            losses.append(_padded(surprise.masked_fill(place + 1 >= batch.layers[:count], 0.0), len(root)))
        loss = torch.stack(losses).sum(dim=0)
        if not self.auxiliaries:
            return Traced(loss, root, trees=trees)
        goals, said = ([_padded(one, len(root)) for one in each] for each in (goals, said))
        return Traced(loss, root, torch.stack(goals, dim=1), trees, said)

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """Symbol by symbol until the tree is complete."""
        return self.search_read(self.read(batch, self.constants), reader, beam=beam, steps=steps)

    def search_read(self, read: Read, reader: Reader, *, beam: int, steps: int | None) -> list[list[Equation]]:
        """As :meth:`search`, of problems that the encoder has read."""
        first_slot = self.notation.first_slot
        found = search(
            GoalEngine(self.decoder, read, first_slot),
            len(read.problem),
            steps=steps or self.config.symbols,
            beam=beam,
            opens=lambda symbol: 1 if symbol < first_slot else -1,
        )
        return [[self._written(one, reader.numbers) for one in hypotheses] for hypotheses in found]

    def _written(self, found: Hypothesis, numbers: int) -> Written:
        graph = self.notation.read(found.symbols, numbers) if found.open_ends == 0 else None
        return Written(graph, found.score, len(found.symbols))


class GoalEngine:
    """A goal-driven decoder that is being searched.

    Every row has a stack of operators whose right side is not written yet or being written: how the right goal starts
    and, in the second case, what the left side became. The stacks' bookkeeping is done on the host, which chooses the
    symbols anyway; their vectors stay on the device.
    """

    def __init__(self, decoder: GoalDecoder, read: Read, first_slot: int) -> None:
        self.decoder, self.first_slot = decoder, first_slot
        self._ground = decoder.ground(read)
        rows, width = len(read.problem), read.problem.shape[-1]
        self._start = read.problem[:, 0]
        self._left_tree = self._start
        self._is_right = torch.zeros(rows, dtype=torch.bool, device=self._start.device)
        self._right_starts = self._start.new_zeros(rows, 0, width)  # [R, depth, D]
        self._left_trees = self._start.new_zeros(rows, 0, width)
        self._operators = np.zeros((rows, 0), np.int64)
        self._on_right = np.zeros((rows, 0), np.bool_)
        self._depth = np.zeros(rows, np.int64)
        self._pursued: Pursued | None = None

    def propose(self, count: int) -> tuple[Floats, Ints]:
        """Pursues the goal of each row."""
        self._pursued = self.decoder.pursue(self._start, self._left_tree, self._is_right, self._ground)
        return likeliest(self._pursued.said, count)

    def advance(self, rows: Ints, symbols: Ints) -> None:
        """Goes on with some rows: an operator opens two goals, an operand closes one and perhaps what it ends."""
        assert self._pursued is not None, "propose before you advance"
        pursued = self._pursued
        if not unchanged(rows, len(self._depth)):
            pursued = self._keep(rows)
        is_operator = symbols < self.first_slot
        if is_operator.any() and int(self._depth.max(initial=0)) == self._operators.shape[1]:
            self._deepen()
        device = self._start.device
        operator = torch.from_numpy(np.where(is_operator, symbols, 0)).to(device)
        left_start, right_start = self.decoder.split(pursued, self.decoder.operator_at(operator))
        slots = torch.from_numpy(np.where(is_operator, 0, symbols - self.first_slot)).to(device)
        tree = pick(self._ground.numbers, slots)
        tree = self._close(tree, ~is_operator)
        # Each row now opens an operator, or begins the right side of the operator on top of its stack.
        top = np.where(is_operator, self._depth, self._depth - 1)
        place, opens = torch.from_numpy(top).to(device), torch.from_numpy(is_operator).to(device).unsqueeze(-1)
        waiting = pick(self._right_starts, place)
        self._right_starts = _put(self._right_starts, place, torch.where(opens, right_start, waiting))
        self._left_trees = _put(self._left_trees, place, tree)
        self._start = torch.where(opens, left_start, waiting)
        self._left_tree, self._is_right = tree, ~opens.squeeze(-1)
        every = np.arange(len(top))
        self._operators[every, top] = np.where(is_operator, symbols, self._operators[every, top])
        self._on_right[every, top] = ~is_operator
        self._depth = self._depth + is_operator

    def _close(self, tree: Tensor, closing: np.ndarray) -> Tensor:
        """The sub-trees [R, D] that end with an operand: as long as it ends a right side, its operator ends, too."""
        while True:
            top = np.maximum(self._depth - 1, 0)
            every = np.arange(len(top))
            ends = closing & (self._depth > 0)
            ends[ends] = self._on_right[every[ends], top[ends]]
            if not ends.any():
                return tree
            which, place = (torch.from_numpy(part[ends]).to(tree.device) for part in (every, top))
            operator = torch.from_numpy(self._operators[every[ends], top[ends]]).to(tree.device)
            joined = self.decoder.join(self.decoder.operator_at(operator), self._left_trees[which, place], tree[which])
            tree = tree.index_copy(0, which, joined)
            self._depth = self._depth - ends

    def _keep(self, rows: Ints) -> Pursued:
        assert self._pursued is not None
        chosen = torch.from_numpy(rows).to(self._start.device)
        self._ground = Ground(*(part[chosen] for part in self._ground))
        self._right_starts, self._left_trees = self._right_starts[chosen], self._left_trees[chosen]
        self._operators, self._on_right = self._operators[rows], self._on_right[rows]
        self._depth = self._depth[rows]
        return Pursued(*(part[chosen] for part in self._pursued))

    def _deepen(self) -> None:
        """Room for one more operator on the stacks."""
        rows, _, width = self._right_starts.shape
        more = self._right_starts.new_zeros(rows, 1, width)
        self._right_starts = torch.cat([self._right_starts, more], dim=1)
        self._left_trees = torch.cat([self._left_trees, more], dim=1)
        self._operators = np.pad(self._operators, ((0, 0), (0, 1)))
        self._on_right = np.pad(self._on_right, ((0, 0), (0, 1)))


def _padded(rows: Tensor, count: int) -> Tensor:
    """Rows [R, …] and after them zeros, up to so many rows."""
    return rows if len(rows) == count else torch.cat([rows, rows.new_zeros(count - len(rows), *rows.shape[1:])])


def _put(rows: Tensor, places: Tensor, new: Tensor) -> Tensor:
    """The rows [B, L, D] with one of each problem replaced."""
    index = places[:, None, None].expand(-1, 1, rows.shape[-1])
    return rows.scatter(1, index, new.unsqueeze(1))
