"""Sequence to tree: a goal-driven decoder writes the prefix equation from the root down.

After GTS (Xie and Sun, "A Goal-Driven Tree-Structured Neural Model for Math Word Problems", IJCAI 2019), as BERT-T and
PLM-GTS use it on a pretrained encoder. A goal vector represents what a sub-equation has to compute. An operator splits
its goal into the goals of its two operands; that of the right operand also depends on the embedding of the left
sub-tree. As in the paper, the beam is 5.

``B`` is the batch, ``L`` the symbols, ``T`` the problem's tokens, ``S`` the slots, ``D`` the width.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from treequation.baselines.symbol_search import Hypothesis, SymbolModel, Written, likeliest
from treequation.data.batches import Batch
from treequation.data.labels import Label, LabelSets, Names, check_length
from treequation.decoding.search import Bools, Floats, Ints, Reader
from treequation.expression.graph import ExpressionGraph, GraphBuilder, Operand, Result
from treequation.expression.notations import prefix_length, prefix_operands
from treequation.model.base import Read, look_up, padded, pick, pick_all, summed
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Traced
from treequation.model.registry import register
from treequation.text.number_vocabulary import Vocabulary


class PrefixNotation:
    """Symbols are numbered from 0: the operators, then the slots."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.first_slot = len(vocabulary.operators)
        self._names = Names(vocabulary)

    def write(self, graph: ExpressionGraph, longest: int) -> list[Label]:
        """The equation from the root down, left operands first: one label per symbol.

        ``operator`` is the symbol. For an operator, ``left`` is the place where its right operand begins. For the first
        symbol of a right operand, ``right`` is the place of its operator, counted from 1; for all others it is 0.

        >>> from treequation.expression.parsing import parse_infix
        >>> for label in PrefixNotation(Vocabulary(())).write(parse_infix("(n0+n1)*n2"), 100):
        ...     print(label.operator, label.left, label.right)
        2 4 0
        0 3 0
        5 0 0
        6 0 2
        7 0 1
        """
        check_length(prefix_length(graph), longest)
        written: list[Label] = []
        waiting = [0]  # the `right` of the operands that are still to come
        for place, operand in enumerate(prefix_operands(graph)):
            if right_of := waiting.pop():
                owner = written[right_of - 1]
                written[right_of - 1] = Label(owner.operator, place, owner.right)
            if isinstance(operand, Result):
                symbol = self._names.operator(graph.expressions[operand.index].operator) - 1
                waiting += [place + 1, 0]
            else:
                symbol = self.first_slot + self._names.leaf(operand)
            written.append(Label(symbol, 0, right_of))
        return written

    def read(self, symbols: tuple[int, ...], numbers: int) -> ExpressionGraph:
        """The equation that a complete sequence of symbols spells."""
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
    """tanh(W x) ∘ σ(V x), the building block of GTS."""

    def __init__(self, inputs: int, width: int, dropout: float) -> None:
        super().__init__()
        self.both = nn.Linear(inputs, 2 * width)
        self.drop = nn.Dropout(dropout)

    def forward(self, *inputs: Tensor) -> Tensor:
        value, gate = self.both(self.drop(torch.cat(inputs, dim=-1))).chunk(2, dim=-1)
        return torch.tanh(value) * torch.sigmoid(gate)


class Additive(nn.Module):
    """Additive attention: scores wᵀ tanh(W [a; b]) of one ``a`` against many ``b``, whose part is computed once."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.one = nn.Linear(inputs, width)
        self.many = nn.Linear(width, width, bias=False)
        self.score = nn.Linear(width, 1, bias=False)

    def forward(self, one: Tensor, many: Tensor) -> Tensor:
        """Scores [B, M] of ``one`` [B, ·] against ``many`` [B, M, D], which have been through ``self.many``.

        With ``one`` [B, Q, ·] and ``many`` [B, 1, M, D], the scores are [B, Q, M].
        """
        return self.score(torch.tanh(self.one(one).unsqueeze(-2) + many)).squeeze(-1)


class Ground(NamedTuple):
    """The encoder's output, with the keys that do not depend on the goal."""

    problem: Tensor  # [B, T, D]
    problem_keys: Tensor  # [B, T, D]
    problem_mask: Tensor  # [B, T]
    numbers: Tensor  # [B, S, D]
    number_keys: Tensor  # [B, S, D]
    number_mask: Tensor  # [B, S]

    def first(self, rows: int) -> Ground:
        """The first rows."""
        return Ground(*(part[:rows] for part in self))


class Pursued(NamedTuple):
    """A goal, its context and its prediction."""

    goal: Tensor  # [B, D]
    context: Tensor  # [B, D] attended from the problem
    log_probabilities: Tensor  # [B, V] of the symbols


class GoalDecoder(nn.Module):
    """The layers of GTS."""

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__()
        operators, dropout = len(config.operators), config.dropout
        self.constants = nn.Parameter(torch.randn(len(config.constants), width))  # same scale as the numbers' states
        self.operators = nn.Parameter(torch.randn(operators, width))
        self.left_goal = Gated(3 * width, width, dropout)
        self.right_goal = Gated(3 * width, width, dropout)
        self.alone = Gated(width, width, dropout)
        self.beside = Gated(2 * width, width, dropout)
        self.merge = Gated(3 * width, width, dropout)  # of a sub-tree's operator and operands
        self.attention = Additive(width, width)
        self.operand_score = Additive(2 * width, width)
        self.operator_score = nn.Linear(2 * width, operators)
        self.drop = nn.Dropout(dropout)

    def ground(self, read: Read) -> Ground:
        """The encoder's output with the keys of both attentions."""
        problem_keys, number_keys = self.attention.many(read.problem), self.operand_score.many(self.drop(read.numbers))
        return Ground(read.problem, problem_keys, read.problem_mask, read.numbers, number_keys, read.number_mask)

    def pursue(self, start: Tensor, left_tree: Tensor, is_right: Tensor, ground: Ground) -> Pursued:
        """Predicts symbols from the goals ``start`` [B, D]; right operands also read the left sub-tree [B, D]."""
        goal = torch.where(is_right.unsqueeze(-1), self.beside(left_tree, start), self.alone(start))
        energy = self.attention(self.drop(goal), ground.problem_keys).float()
        weights = energy.masked_fill(~ground.problem_mask, MASKED).softmax(dim=-1).to(goal.dtype)  # [B, T]
        context = (weights.unsqueeze(1) @ ground.problem).squeeze(1)
        both = self.drop(torch.cat([goal, context], dim=-1))
        operands = self.operand_score(both, ground.number_keys).float().masked_fill(~ground.number_mask, MASKED)
        scores = torch.cat([self.operator_score(both).float(), operands], dim=-1)
        return Pursued(goal, context, scores.log_softmax(dim=-1))

    def split(self, pursued: Pursued, operator: Tensor) -> tuple[Tensor, Tensor]:
        """The initial goals of the two operands, [B, D] each, given the operator's embedding [B, D]."""
        parts = pursued.goal, pursued.context, operator
        return self.left_goal(*parts), self.right_goal(*parts)


class GoalState(NamedTuple):
    """The state of the search.

    Every row has a stack of operators whose right operand is not complete: the initial goal of that operand and, once
    the left one is complete, its sub-tree. The host keeps track of the stacks, since it chooses the symbols; their
    vectors stay on the device.
    """

    ground: Ground
    pursued: Pursued | None  # the current goal and its prediction
    start: Tensor  # [R, D] the initial current goal
    left_tree: Tensor  # [R, D] the sub-tree beside it, if it is that of a right operand
    is_right: Tensor  # [R]
    right_starts: Tensor  # [R, depth, D]
    left_trees: Tensor  # [R, depth, D]
    operators: Ints  # [R, depth]
    on_right: Bools  # [R, depth] whether the left operand is complete
    depth: Ints  # [R] how much of the stack is in use

    def deeper(self) -> GoalState:
        """With room for one more operator on the stacks."""
        rows, _, width = self.right_starts.shape
        more = self.right_starts.new_zeros(rows, 1, width)
        return self._replace(
            right_starts=torch.cat([self.right_starts, more], dim=1),
            left_trees=torch.cat([self.left_trees, more], dim=1),
            operators=np.pad(self.operators, ((0, 0), (0, 1))),
            on_right=np.pad(self.on_right, ((0, 0), (0, 1))),
        )


@register
class Seq2Tree(SymbolModel[GoalState]):
    """The sequence-to-tree peer."""

    DECODER = "seq2tree"
    DECODER_CLASS = GoalDecoder
    BEAM = 5
    TRACES_GOALS = True
    decoder: GoalDecoder

    @cached_property
    def notation(self) -> PrefixNotation:
        """How equations are written."""
        return PrefixNotation(self.config.vocabulary)

    @property
    def max_steps(self) -> int:
        """The maximum number of symbols, plus one for stopping, which a tree does not need."""
        return self.config.symbols + 1

    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """One label per symbol, which also tells its position in the tree."""
        return tuple((label,) for label in self.notation.write(graph, self.config.symbols))

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The loss [B] of the gold symbols, with the goals of the gold tree.

        A place is computed only for the first rows, whose equations may be long enough to have it.
        """
        decoder = self.decoder
        ground = decoder.ground(read)
        symbols, right_side, right_of = (part[:, :, 0] for part in (batch.operators, batch.left, batch.right))
        length = symbols.shape[1] - 1  # the last one is for decoders that predict a stop
        is_operator = (right_side > 0).unsqueeze(-1)  # [B, L, 1]
        operators = symbols.clamp(max=self.notation.first_slot - 1)  # for operands the value is not used
        slots = (symbols - self.notation.first_slot).clamp(min=0)

        rows = [batch.active(place + 1) for place in range(length)]
        operator_states = look_up(decoder.operators, operators)  # [B, L + 1, D]
        leaves = pick_all(read.numbers, slots)  # [B, L + 1, D]

        trees = leaves[: rows[-1], length - 1 :]  # from the last place on; it grows towards the first
        for place in reversed(range(length - 1)):
            count = rows[place]
            trees = padded(trees, count)
            right = pick(trees, (right_side[:count, place] - place - 1).clamp(min=0))
            joined = decoder.merge(operator_states[:count, place], trees[:, 0], right)
            tree = torch.where(is_operator[:count, place], joined, leaves[:count, place])
            trees = torch.cat([tree.unsqueeze(1), trees], dim=1)
        trees = padded(trees, len(symbols))

        root = read.problem[:, 0]  # the encoder's summary of the whole problem
        start = left_tree = root
        right_starts = root.new_zeros(len(root), 0, self.width)
        goals, log_probabilities, losses = [], [], []
        for place, count in enumerate(rows):
            is_right = right_of[:count, place] > 0
            start, right_starts = start[:count], right_starts[:count]
            if place:
                owner = (right_of[:count, place] - 1).clamp(min=0)
                start = torch.where(is_right.unsqueeze(-1), pick(right_starts, owner), start)
                left_tree = pick(trees[:count], owner + 1)  # a left operand begins right after its operator
            pursued = decoder.pursue(start, left_tree, is_right, ground.first(count))
            start, right_start = decoder.split(pursued, operator_states[:count, place])
            right_starts = torch.cat([right_starts, right_start.unsqueeze(1)], dim=1)
            goals.append(pursued.goal)
            log_probabilities.append(pursued.log_probabilities)
            step_loss = -pursued.log_probabilities.gather(1, symbols[:count, place : place + 1]).squeeze(1)
            losses.append(padded(step_loss, len(root)))
        loss = summed(torch.stack(losses, dim=1), batch.layers - 1)
        if not self.auxiliaries:
            return Traced(loss, root, trees=trees)
        goals, log_probabilities = ([padded(one, len(root)) for one in each] for each in (goals, log_probabilities))
        return Traced(loss, root, torch.stack(goals, dim=1), trees, log_probabilities)

    def longest(self, steps: int | None) -> int:
        """A tree needs no stop."""
        return steps or self.config.symbols

    def opens(self, symbol: int) -> int:
        """An operator needs two operands, and is one."""
        return 1 if symbol < self.notation.first_slot else -1

    def begin(self, read: Read, batch: Batch, steps: int) -> GoalState:
        """The state before the root, with empty stacks."""
        root = read.problem[:, 0]
        rows, width = root.shape
        return GoalState(
            ground=self.decoder.ground(read),
            pursued=None,
            start=root,
            left_tree=root,
            is_right=torch.zeros(rows, dtype=torch.bool, device=root.device),
            right_starts=root.new_zeros(rows, 0, width),
            left_trees=root.new_zeros(rows, 0, width),
            operators=np.zeros((rows, 0), np.int64),
            on_right=np.zeros((rows, 0), np.bool_),
            depth=np.zeros(rows, np.int64),
        )

    def propose(self, state: GoalState, count: int) -> tuple[Floats, Ints, GoalState]:
        """Predicts the next symbol of each row from its current goal."""
        pursued = self.decoder.pursue(state.start, state.left_tree, state.is_right, state.ground)
        return *likeliest(pursued.log_probabilities, count), state._replace(pursued=pursued)

    def write(self, state: GoalState, symbols: Ints) -> GoalState:
        """An operator opens two goals; an operand completes one, and perhaps its parents."""
        assert state.pursued is not None, "propose before you write"
        pursued, first_slot, device = state.pursued, self.notation.first_slot, state.start.device
        is_operator = symbols < first_slot
        if is_operator.any() and int(state.depth.max(initial=0)) == state.operators.shape[1]:
            state = state.deeper()
        operator = torch.from_numpy(np.where(is_operator, symbols, 0)).to(device)
        left_start, right_start = self.decoder.split(pursued, look_up(self.decoder.operators, operator))
        slots = torch.from_numpy(np.where(is_operator, 0, symbols - first_slot)).to(device)
        tree, depth = self._closed(state, pick(state.ground.numbers, slots), ~is_operator)
        # Each row now pushes an operator, or begins the right operand of the operator on top of its stack.
        top = np.where(is_operator, depth, depth - 1)
        place, opens = torch.from_numpy(top).to(device), torch.from_numpy(is_operator).to(device).unsqueeze(-1)
        waiting = pick(state.right_starts, place)
        every = np.arange(len(top))
        operators, on_right = state.operators.copy(), state.on_right.copy()
        operators[every, top] = np.where(is_operator, symbols, operators[every, top])
        on_right[every, top] = ~is_operator
        return state._replace(
            start=torch.where(opens, left_start, waiting),
            left_tree=tree,
            is_right=~opens.squeeze(-1),
            right_starts=_put(state.right_starts, place, torch.where(opens, right_start, waiting)),
            left_trees=_put(state.left_trees, place, tree),
            operators=operators,
            on_right=on_right,
            depth=depth + is_operator,
        )

    def _closed(self, state: GoalState, tree: Tensor, closing: Bools) -> tuple[Tensor, Ints]:
        """The largest sub-trees [R, D] that the operands of ``closing`` rows complete, and the depths that are left.

        A complete right operand completes its operator.
        """
        depth, every = state.depth, np.arange(len(closing))
        while True:
            top = np.maximum(depth - 1, 0)
            ends = closing & (depth > 0)
            ends[ends] = state.on_right[every[ends], top[ends]]
            if not ends.any():
                return tree, depth
            which, place = (torch.from_numpy(part[ends]).to(tree.device) for part in (every, top))
            operator = torch.from_numpy(state.operators[every[ends], top[ends]]).to(tree.device)
            operator = look_up(self.decoder.operators, operator)
            joined = self.decoder.merge(operator, state.left_trees[which, place], tree[which])
            tree = tree.index_copy(0, which, joined)
            depth = depth - ends

    def written(self, found: Hypothesis, reader: Reader) -> Written:
        """The equation of a complete tree."""
        graph = self.notation.read(found.symbols, reader.numbers) if found.open_ends == 0 else None
        return Written(graph, found.score, len(found.symbols))


def _put(rows: Tensor, places: Tensor, new: Tensor) -> Tensor:
    """Replaces the rows at one place [B] of each problem in [B, L, D]."""
    index = places[:, None, None].expand(-1, 1, rows.shape[-1])
    return rows.scatter(1, index, new.unsqueeze(1))
