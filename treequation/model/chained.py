"""Our decoder: a query finds its left operand, then the right one knowing the left, then the operator knowing both.

It differs from the paper's in three ways. The paper's three heads do not see each other, so that a query that hesitates
between two numbers may take one of them twice; here each part follows from those before it. Results are always made of
the embeddings of what was chosen (``teacher = "gold"``). And every step begins with the learned queries again: what was
found so far they read from the results. So no step of a gold equation waits for what another said, and training
computes the losses of all layers at once.

The letters for sizes are those of :mod:`treequation.model.decoder`; ``Q`` counts queries of any kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.data.batches import Batch
from treequation.model.config import TreequationConfig
from treequation.model.criterion import LabelScores
from treequation.model.decoder import DecoderState, ExpressionDecoder, Expressions, Proposal, number_at, scores_at
from treequation.model.transformer import mlp
from treequation.text.number_vocabulary import NONE


class ChainedDecoder(ExpressionDecoder):
    """Left operand, right operand, operator, each found knowing those before."""

    def __init__(self, config: TreequationConfig, width: int, heads: int) -> None:
        super().__init__(config, width, heads, layers=config.shared_layers or config.steps * config.layers_per_step)
        # The same layers read the same states again and again: their keys and values are computed once.
        self.keeps_memory = self.shared and not config.update_problem
        if not config.update_problem:
            self.update = nn.Identity()
        self.denoising = config.denoising
        self.denoising_mlp = mlp(3 * width, width) if config.denoising else None
        self.after_left = nn.Linear(width, width)
        self.after_both = mlp(3 * width, width)

    def start(self, problem: Tensor, mask: Tensor, numbers: Tensor, number_mask: Tensor) -> DecoderState:
        """As in the paper's decoder, with a memory of the problem if it never changes."""
        state = super().start(problem, mask, numbers, number_mask)
        return state._replace(memory=self._remember(problem)) if self.keeps_memory else state

    def _remember(self, states: Tensor) -> Tensor:
        """What N layers make of problem states [B, ·, D]: their keys and values, [B, ·, 2·N·D]."""
        return torch.cat([layer.cross_attention.key_value(states) for layer in self.layers_of(0)], dim=-1)

    def read(self, step: int, state: DecoderState, seen: Tensor | None = None) -> Tensor:
        """Equation 1, where each query may be shown some of the others only: ``seen`` [Q, Q]."""
        queries, layers = state.queries, self.layers_of(step)
        if state.memory is None:
            for layer in layers:
                queries = layer(queries, state.problem, state.problem_mask, seen)
        else:
            for layer, memory in zip(layers, state.memory.chunk(len(layers), dim=-1), strict=True):
                queries = layer.recall(queries, memory, state.problem_mask, seen)
        return queries

    def propose(self, state: DecoderState) -> Proposal:
        """The likeliest left operand decides which right one goes with it, and both decide the operator."""
        return self._propose(self.query_norm(state.queries), state)

    def _propose(self, read: Tensor, state: DecoderState) -> Proposal:
        left_state = self.left_head(read)
        left = self.operand_distribution(left_state, state)
        first = number_at(state, left.argmax(dim=-1))  # [B, K, D]
        right_state = self.right_head(read + self.after_left(first))
        right = self.operand_distribution(right_state, state)
        second = number_at(state, right.argmax(dim=-1))
        operator_state = self.operator_head(read + self.after_both(_pair(first, second)))
        operator = self.operator_distribution(operator_state)
        return Proposal(operator, left, right, operator[..., NONE], (operator_state, left_state, right_state))

    def results(self, state: DecoderState, proposal: Proposal, chosen: Expressions) -> Tensor:
        """Equation 5, always from the embeddings of what was chosen."""
        return self.result_of(state, chosen)

    def grow(self, state: DecoderState, results: Tensor, valid: Tensor) -> DecoderState:
        """Equation 6; the next step begins with the learned queries."""
        grown = super().grow(state, results, valid)._replace(queries=self.first_queries(state.problem))
        if state.memory is None:
            return grown
        # What is remembered of the results is all that will be read of them.
        return grown._replace(problem=state.problem, memory=torch.cat([state.memory, self._remember(results)], dim=1))

    # --- training ----------------------------------------------------------------------------------------------

    def losses(self, batch: Batch, state: DecoderState) -> Tensor:
        """The losses of the layers [B, L], all at once.

        The queries of a layer owe nothing to the layer before, and gold results are known beforehand, so that a layer
        is to the one before it what a row of a batch is to another. A result stands where its label does: no matching
        moves it.
        """
        rows, layers, width = batch.operators.shape
        queries, first_result = len(self.queries), state.numbers.shape[1]
        operands = (_one_slot_a_label(part, first_result, queries, width) for part in (batch.left, batch.right))
        # Layer by layer the rows that have it: E in all. One memory serves all steps, so there it is all rows.
        counts = [rows if self.keeps_memory else batch.active(layer) for layer in range(layers)]
        parts = batch.operators, *operands
        by_layer = [Expressions(*(part[:count, layer] for part in parts)) for layer, count in enumerate(counts)]
        states = self._states_before(by_layer, state)
        every = _layers_as_rows(states)
        labels = Expressions(*(torch.cat(part) for part in zip(*by_layer, strict=True)))  # [E, W]
        denoising = self.denoising_queries(every, labels) if self.denoising and self.training else None
        losses = self._loss(self.read_all(states, denoising), labels, every).split(counts)
        return torch.stack([F.pad(loss, (0, rows - len(loss))) for loss in losses], dim=1)

    def _states_before(self, labels: Sequence[Expressions], state: DecoderState) -> list[DecoderState]:
        """The state before each layer, with the gold results of the layers before it, of the rows that have it."""
        states = [state.first(len(labels[0].operator))]
        for gold, following in pairwise(labels):
            grown = self.grow(states[-1], self.result_of(states[-1], gold), gold.real)
            states.append(grown.first(len(following.operator)))
        return states

    def read_all(self, states: Sequence[DecoderState], denoising: Tensor | None = None) -> Tensor:
        """What the queries read at every layer, of which the ``states`` before them are known: [E, K + W, D].

        The rows of the first layer come first. ``denoising`` [E, W, D] are queries that read beside the model's own,
        unseen by them.
        """
        counts, last = [len(state.queries) for state in states], states[-1]
        queries = torch.cat([state.queries for state in states])  # [E, K, D]
        seen = None
        if denoising is not None:
            own = queries.shape[1]
            queries = torch.cat([queries, denoising], dim=1)
            kind = torch.arange(queries.shape[1], device=queries.device) < own
            seen = ~(kind.unsqueeze(1) ^ kind)  # [K + W, K + W]: each kind sees its like
        if last.memory is None:
            each = zip(states, queries.split(counts), strict=True)
            return torch.cat([self.read(layer, s._replace(queries=own), seen) for layer, (s, own) in enumerate(each)])
        # The same layers read the same memory at every step, so one reading does: each step's queries see their like,
        # and of the memory what was there before their step.
        layers, count = len(states), queries.shape[1]
        queries = queries.unflatten(0, (layers, -1)).transpose(0, 1)  # [B, L, K + W, D]
        step = torch.arange(layers * count, device=queries.device) // count  # [L·Q]
        together = step.unsqueeze(1) == step
        if seen is not None:
            together = together & seen.repeat(layers, layers)
        first, whole = states[0].problem_mask.shape[1], last.problem_mask.shape[1]
        there = first + step * ((whole - first) // max(1, layers - 1))  # [L·Q]
        before = torch.arange(whole, device=queries.device) < there.unsqueeze(1)  # [L·Q, T]
        mask = last.problem_mask.unsqueeze(1) & before  # [B, L·Q, T]
        read = self.read(0, last._replace(queries=queries.flatten(1, 2), problem_mask=mask), together)
        return read.unflatten(1, (layers, count)).transpose(0, 1).flatten(0, 1)

    def _loss(self, read: Tensor, labels: Expressions, state: DecoderState) -> Tensor:
        """The loss [B] of what was read [B, K + W, D] by the model's own queries and, if there are, denoising ones."""
        read = self.query_norm(read)
        own, denoising = read.tensor_split([len(self.queries)], dim=1)
        has_denoising = denoising.shape[1] > 0
        # Each of its own is asked about each label, a denoising one about the label that is its own; in one call, since
        # each is little by itself.
        asked = own.unsqueeze(2)  # [B, K, 1, D]
        if has_denoising:
            asked = torch.cat([asked.expand(-1, -1, denoising.shape[1], -1), denoising.unsqueeze(1)], dim=1)
        operator, right = self.after_gold(asked, labels, state)  # [B, K, W] or [B, K + 1, W]
        count = own.shape[1]
        proposal = self._propose(own, state)
        left = scores_at(proposal.left, labels.left)
        scores = LabelScores(operator[:, :count], left, right[:, :count], proposal.none)
        loss = self.criterion(scores, labels.real).loss
        if not has_denoising:
            return loss
        left = self.operand_distribution(self.left_head(denoising), state)  # [B, W, S]
        left = left.gather(2, labels.left.unsqueeze(-1)).squeeze(-1)  # [B, W]
        restored = operator[:, count] + left + right[:, count]
        return loss - restored.masked_fill(~labels.real, 0.0).sum(dim=1)

    def after_gold(self, read: Tensor, labels: Expressions, state: DecoderState) -> tuple[Tensor, Tensor]:
        """What queries [B, Q, W, D] say of the labels [B, W] once they are told its operands.

        Log-probabilities [B, Q, W] of the gold operator, after both operands, and of the right operand, after the left.
        """
        first, second = number_at(state, labels.left), number_at(state, labels.right)  # [B, W, D]
        right_state = self.right_head(read + self.after_left(first).unsqueeze(1))  # [B, Q, W, D]
        right = self.operand_distribution(right_state.flatten(1, 2), state).unflatten(1, right_state.shape[1:3])
        both = self.after_both(_pair(first, second)).unsqueeze(1)
        operator = self.operator_distribution(self.operator_head(read + both))  # [B, Q, W, O + 1]

        def of(said: Tensor, gold: Tensor) -> Tensor:  # [B, Q, W, ·], [B, W] → [B, Q, W]
            return said.gather(3, gold[:, None, :, None].expand(-1, said.shape[1], -1, -1)).squeeze(-1)

        return of(operator, labels.operator), of(right, labels.right)

    def denoising_queries(self, state: DecoderState, labels: Expressions) -> Tensor:
        """Queries [B, W, D] that are given the gold expressions with parts replaced, and must restore them.

        After DN-DETR (Li et al., 2022): what such a query is to say is known without matching, so that the decoder
        learns to read a problem before its own queries have settled who says what. The model's queries do not see them.
        """
        assert self.denoising_mlp is not None, "a decoder made without denoising"
        gold = torch.stack(labels)  # [3, B, W]: operators, left and right operands
        replaced = torch.rand(gold.shape, device=gold.device) < self.denoising
        lots = torch.rand(*gold[1:].shape, state.numbers.shape[1], device=gold.device)  # [2, B, W, S]
        slots = lots.masked_fill(~state.number_mask.unsqueeze(1), -1.0).argmax(dim=-1)  # one that is there
        operators = torch.randint_like(gold[0], NONE + 1, len(self.operators))
        operator, left, right = torch.where(replaced, torch.cat([operators.unsqueeze(0), slots]), gold)
        given = self.operator_at(operator), number_at(state, left), number_at(state, right)
        queries: Tensor = self.denoising_mlp(torch.cat([part.to(state.problem.dtype) for part in given], dim=-1))
        return queries


def _pair(left: Tensor, right: Tensor) -> Tensor:
    """Two operands [..., D] as equation 5 takes them, [..., 3·D]."""
    return torch.cat([left, right, left * right], dim=-1)


def _one_slot_a_label(labels: Tensor, first_result: int, queries: int, width: int) -> Tensor:
    """Labels with gold results, which are counted with a slot for every query, counted with one for every label."""
    layer, place = (labels - first_result) // queries, (labels - first_result) % queries
    return torch.where(labels >= first_result, first_result + layer * width + place, labels)


def _layers_as_rows(states: Sequence[DecoderState]) -> DecoderState:
    """The number vocabulary before each layer as if the layers were problems; what is not known yet is masked."""
    most = states[-1].numbers.shape[1]
    numbers = [F.pad(state.numbers, (0, 0, 0, most - state.numbers.shape[1])) for state in states]
    masks = [F.pad(state.number_mask, (0, most - state.number_mask.shape[1])) for state in states]
    return states[-1]._replace(numbers=torch.cat(numbers), number_mask=torch.cat(masks))
