"""Our decoder: a query chooses its left operand, then the right one given the left, then the operator given both.

It differs from the paper's in three ways. The paper's three heads are independent, so a query that hesitates between
two numbers may take one of them twice; here each choice depends on those before it. Results are always made from the
embeddings of the chosen operator and operands (``teacher = "gold"``). And every step starts from the learned queries,
which read earlier results from the problem's states. With teacher forcing no step depends on the predictions of
another, so training computes the layers as rows of one batch.

The letters for sizes are those of :mod:`treequation.model.decoder`; ``Q`` counts queries of any kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.data.batches import Batch
from treequation.model.base import padded, pick_all
from treequation.model.config import TreequationConfig
from treequation.model.criterion import LabelScores
from treequation.model.decoder import DecoderState, ExpressionDecoder, Expressions, Proposal, scores_at
from treequation.model.transformer import mlp
from treequation.text.number_vocabulary import NONE


class ChainedDecoder(ExpressionDecoder):
    """Left operand, right operand, operator: each is predicted given those before."""

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        # The same layers attend to the same states at every step, so their keys and values are cached.
        self.keeps_memory = self.shared and not config.update_problem
        if not config.update_problem:
            self.update = nn.Identity()
        self.denoising = config.denoising
        self.denoising_mlp = mlp(3 * width, width) if config.denoising else None
        self.after_left = nn.Linear(width, width)
        self.after_both = mlp(3 * width, width)

    def start(self, problem: Tensor, mask: Tensor, numbers: Tensor, number_mask: Tensor) -> DecoderState:
        """As in the paper's decoder, with a key/value cache of the problem if its states never change.

        In training, the cache is made when all results are known.
        """
        state = super().start(problem, mask, numbers, number_mask)
        return state._replace(memory=self._remember(problem)) if self.keeps_memory and not self.training else state

    def _remember(self, states: Tensor) -> Tensor:
        """The keys and values [B, ·, 2·N·D] that the N layers compute from problem states [B, ·, D]."""
        parts = [layer.cross_attention.key_value for layer in self.layers_of(0)]
        if not self.training:
            return torch.cat([part(states) for part in parts], dim=-1)
        # One product, since the cache is by far the largest tensor of the decoder: it must not be copied.
        weight, bias = (torch.cat([getattr(part, name) for part in parts]) for name in ("weight", "bias"))
        return F.linear(states, weight, bias)

    def read(self, step: int, state: DecoderState, seen: Tensor | None = None) -> Tensor:
        """Equation 1. ``seen`` [Q, Q] limits which queries each query attends to."""
        queries, layers = state.queries, self.layers_of(step)
        if state.memory is None:
            for layer in layers:
                queries = layer(queries, state.problem, state.problem_mask, seen)
        else:
            for layer, memory in zip(layers, state.memory.chunk(len(layers), dim=-1), strict=True):
                queries = layer.recall(queries, memory, state.problem_mask, seen)
        return queries

    def propose(self, state: DecoderState) -> Proposal:
        """The right operand is predicted given the likeliest left one, the operator given both."""
        return self._propose(self.query_norm(state.queries), state)

    def _propose(self, read: Tensor, state: DecoderState) -> Proposal:
        """What queries [B, K, D] propose after reading and normalisation."""
        left_state = self.left_head(read)
        left = self.operand_distribution(left_state, state)
        first = pick_all(state.numbers, left.argmax(dim=-1))  # [B, K, D]
        right_state = self.right_head(read + self.after_left(first))
        right = self.operand_distribution(right_state, state)
        second = pick_all(state.numbers, right.argmax(dim=-1))
        operator_state = self.operator_head(read + self.after_both(_pair(first, second)))
        operator = self.operator_distribution(operator_state)
        return Proposal(operator, left, right, operator[..., NONE], (operator_state, left_state, right_state))

    def results(self, state: DecoderState, proposal: Proposal, chosen: Expressions) -> Tensor:
        """Equation 5, always from the embeddings of the chosen operators and operands."""
        return self.result_of(state, chosen)

    def grow(self, state: DecoderState, results: Tensor, valid: Tensor) -> DecoderState:
        """Equation 6; the next step starts from the learned queries."""
        grown = super().grow(state, results, valid)._replace(queries=self.first_queries(state.problem))
        if state.memory is None:
            return grown
        # Later steps read only the cache, so the problem's states need not grow.
        return grown._replace(problem=state.problem, memory=torch.cat([state.memory, self._remember(results)], dim=1))

    # --- training ----------------------------------------------------------------------------------------------

    def losses(self, batch: Batch, state: DecoderState) -> Tensor:
        """The losses of the layers [B, L], which are computed together: every layer has queries of its own.

        This is possible since the queries of a layer do not depend on the layer before, and the gold results are known
        in advance. A result takes the slot of its label, whichever query that is matched to.
        """
        layers, width = batch.operators.shape[1:]
        queries, first_result = len(self.queries), state.numbers.shape[1]
        operands = (_one_slot_per_label(part, first_result, queries, width) for part in (batch.left, batch.right))
        labels = Expressions(batch.operators, *operands)  # [B, L, W]
        counts = [batch.active(layer) for layer in range(layers)]  # how many rows have each layer
        states = self._states_before(labels, counts, state)
        results = _results_of(states)
        known = _known_before(state, results, labels)
        if self.keeps_memory:
            last = self.grow(state._replace(memory=None), results, labels.real[:, :-1].flatten(1))
            states[-1] = last._replace(memory=self._remember(last.problem))
        denoising = None
        if self.denoising and self.training:
            each = known._replace(number_mask=known.number_mask.repeat_interleave(width, dim=1))  # [B, L·W, S]
            flat = Expressions(*(part.flatten(1) for part in labels))
            denoising = self.denoising_queries(each, flat).unflatten(1, (layers, width))
        return self._loss(self.read_all(states, denoising), labels, known)

    def _states_before(self, labels: Expressions, counts: Sequence[int], state: DecoderState) -> list[DecoderState]:
        """The state before each layer, with the gold results of earlier layers, for the rows that have the layer.

        With a key/value cache, only their number vocabularies grow.
        """
        grow = DecoderState.knowing if self.keeps_memory else self.grow
        operators = self.operator_at(labels.operator)  # [B, L, W, D]
        states = [state]
        for layer, (count, following) in enumerate(pairwise(counts)):
            state = states[-1]
            gold = Expressions(*(part[:count, layer] for part in labels))
            results = self.result(operators[:count, layer], *_operands(state.numbers, gold))
            states.append(grow(state, results, gold.real).first(following))
        return states

    def read_all(self, states: Sequence[DecoderState], denoising: Tensor | None = None) -> Tensor:
        """The queries [B, L, K + W, D] of all layers after reading, given the state before each layer.

        The ``denoising`` queries [B, L, W, D] and the model's own do not attend to each other.
        """
        queries, seen = self.first_queries(states[0].problem), None  # [B, K, D]
        queries = queries.unsqueeze(1).expand(-1, len(states), -1, -1)
        if denoising is not None:
            own_count = queries.shape[2]
            queries = torch.cat([queries, denoising], dim=2)
            # Integers: PyTorch's compiler may fail to compare truth values.
            kind = (torch.arange(queries.shape[2], device=queries.device) // own_count).clamp(max=1)  # 1 for denoising
            seen = kind.unsqueeze(1) == kind  # [K + W, K + W]: each kind attends to itself
        if states[-1].memory is None:
            return self._read_layer_by_layer(states, queries, seen)
        return self._read_in_one_pass(states[0], states[-1], queries, seen)

    def _read_layer_by_layer(self, states: Sequence[DecoderState], queries: Tensor, seen: Tensor | None) -> Tensor:
        """The general case: each step has decoder layers of its own, or problem states of its own."""
        rows, read = len(queries), []
        for step, state in enumerate(states):
            own = state._replace(queries=queries[: len(state.queries), step])
            read.append(padded(self.read(step, own, seen), rows))
        return torch.stack(read, dim=1)

    def _read_in_one_pass(
        self, first: DecoderState, last: DecoderState, queries: Tensor, seen: Tensor | None
    ) -> Tensor:
        """With a key/value cache, every step has the same decoder layers, and its cache is a part of the last one's.

        So the queries of all steps are read as those of one. They attend to those of their own step, and to the part of
        the cache that exists before it.
        """
        steps, count = queries.shape[1:3]
        step = torch.arange(steps * count, device=queries.device) // count  # [L·Q]
        same_step = step.unsqueeze(1) == step
        if seen is not None:
            same_step = same_step & seen.repeat(steps, steps)
        start, whole = first.problem_mask.shape[1], last.problem_mask.shape[1]
        cached = start + step * ((whole - start) // max(1, steps - 1))  # [L·Q]
        before = torch.arange(whole, device=queries.device) < cached.unsqueeze(1)  # [L·Q, T]
        mask = last.problem_mask.unsqueeze(1) & before  # [B, L·Q, T]
        read = self.read(0, last._replace(queries=queries.flatten(1, 2), problem_mask=mask), same_step)
        return read.unflatten(1, (steps, count))

    def _loss(self, read: Tensor, labels: Expressions, state: DecoderState) -> Tensor:
        """The losses [B, L] of the queries after reading [B, L, K + W, D]: the model's own and any denoising ones.

        ``state`` is what :func:`_known_before` made. Here a label of any layer is one of L·W labels of its problem.
        """
        layers, width = labels.operator.shape[1:]
        count = len(self.queries)
        own, denoising = self.query_norm(read).tensor_split([count], dim=2)
        has_denoising = denoising.shape[2] > 0
        # The model's own queries are scored on every label of their layer, each denoising query on its own label. One
        # call does both, since each is small.
        scored = own.transpose(1, 2).unsqueeze(3).expand(-1, -1, -1, width, -1)  # [B, K, L, W, D]
        if has_denoising:
            scored = torch.cat([scored, denoising.unsqueeze(1)], dim=1)
        flat = Expressions(*(part.flatten(1) for part in labels))  # [B, L·W]
        of_labels, of_queries = (
            state._replace(number_mask=state.number_mask.repeat_interleave(each, dim=1)) for each in (width, count)
        )
        operator, right = self.after_gold(scored.flatten(2, 3), flat, of_labels)  # [B, K or K + 1, L·W]
        # None is scored as in solving: its probability is that given the likeliest operands, not the gold ones.
        proposal = self._propose(own.flatten(1, 2), of_queries)
        lefts = proposal.left.unflatten(1, (layers, count)).flatten(0, 1)  # [B·L, K, S]
        scores = LabelScores(
            _by_layer(operator[:, :count], layers),
            scores_at(lefts, labels.left.flatten(0, 1)),
            _by_layer(right[:, :count], layers),
            proposal.none.unflatten(1, (layers, count)).flatten(0, 1),
        )
        loss = self.criterion(scores, labels.real.flatten(0, 1)).loss.unflatten(0, (-1, layers))
        if not has_denoising:
            return loss
        left = self.operand_distribution(self.left_head(denoising.flatten(1, 2)), of_labels)  # [B, L·W, S]
        left = left.gather(2, flat.left.unsqueeze(-1)).squeeze(-1)  # [B, L·W]
        restored = (operator[:, count] + left + right[:, count]).masked_fill(~flat.real, 0.0)
        return loss - restored.unflatten(1, (layers, width)).sum(dim=2)

    def after_gold(self, read: Tensor, labels: Expressions, state: DecoderState) -> tuple[Tensor, Tensor]:
        """Log-probabilities that queries [B, Q, W, D] give the labels [B, W], with teacher forcing.

        Two tensors [B, Q, W]: of the gold operator given both operands, and of the right operand given the left.
        """
        first, second = _operands(state.numbers, labels)  # [B, W, D]
        right_state = self.right_head(read + self.after_left(first).unsqueeze(1))  # [B, Q, W, D]
        if state.number_mask.dim() == 3:  # [B, W, S], a mask for each label
            state = state._replace(number_mask=state.number_mask.repeat(1, right_state.shape[1], 1))
        right = self.operand_distribution(right_state.flatten(1, 2), state).unflatten(1, right_state.shape[1:3])
        both = self.after_both(_pair(first, second)).unsqueeze(1)
        operator = self.operator_distribution(self.operator_head(read + both))  # [B, Q, W, O + 1]

        def at(scores: Tensor, gold: Tensor) -> Tensor:  # [B, Q, W, ·], [B, W] → [B, Q, W]
            return scores.gather(3, gold[:, None, :, None].expand(-1, scores.shape[1], -1, -1)).squeeze(-1)

        return at(operator, labels.operator), at(right, labels.right)

    def denoising_queries(self, state: DecoderState, labels: Expressions) -> Tensor:
        """Queries [B, W, D] made from gold expressions with random parts replaced, which they must restore.

        After DN-DETR (Li et al., 2022): the target of such a query is known without matching, so the decoder learns to
        read problems before the matching of its own queries is stable. The model's own queries do not attend to these.
        """
        assert self.denoising_mlp is not None, "a decoder made without denoising"
        gold = torch.stack(labels)  # [3, B, W]: operators, left and right operands
        replaced = torch.rand(gold.shape, device=gold.device) < self.denoising
        random = torch.rand(*gold[1:].shape, state.numbers.shape[1], device=gold.device)  # [2, B, W, S]
        slots = random.masked_fill(state.masked_slots, -1.0).argmax(dim=-1)  # never a masked one
        operators = torch.randint_like(gold[0], NONE + 1, len(self.operators))
        operator, left, right = torch.where(replaced, torch.cat([operators.unsqueeze(0), slots]), gold)
        parts = self.operator_at(operator), *_operands(state.numbers, Expressions(operator, left, right))
        queries: Tensor = self.denoising_mlp(torch.cat([part.to(state.problem.dtype) for part in parts], dim=-1))
        return queries


def _operands(numbers: Tensor, labels: Expressions) -> tuple[Tensor, Tensor]:
    """The embeddings [B, W, D] of the left and right operands of labels [B, W].

    Both at once: each time anything is picked, a gradient of all numbers is made and added to the others.
    """
    left, right = pick_all(numbers, torch.cat([labels.left, labels.right], dim=1)).chunk(2, dim=1)
    return left, right


def _pair(left: Tensor, right: Tensor) -> Tensor:
    """Two operands [..., D] and their product, concatenated as in equation 5: [..., 3·D]."""
    return torch.cat([left, right, left * right], dim=-1)


def _one_slot_per_label(labels: Tensor, first_result: int, queries: int, width: int) -> Tensor:
    """Renumbers gold results in the labels, from one slot per query in each layer to one slot per label."""
    layer, place = (labels - first_result) // queries, (labels - first_result) % queries
    return torch.where(labels >= first_result, first_result + layer * width + place, labels)


def _results_of(states: Sequence[DecoderState]) -> Tensor:
    """The gold results [B, (L − 1)·W, D] in the states before each layer; zero for rows that have no later layer."""
    rows, known = len(states[0].numbers), states[0].numbers[:, :0]
    added = [state.numbers[:, before.numbers.shape[1] :] for before, state in pairwise(states)]
    return torch.cat([known, *(padded(results, rows) for results in added)], dim=1)


def _known_before(state: DecoderState, results: Tensor, labels: Expressions) -> DecoderState:
    """The number vocabulary before each layer: all slots [B, S, D], and a mask for each layer [B, L, S]."""
    layers, width = labels.operator.shape[1:]
    layer = torch.arange(layers, device=results.device)
    earlier = layer[:-1].repeat_interleave(width) < layer.unsqueeze(1)  # [L, (L − 1)·W]
    valid = labels.real[:, :-1].flatten(1).unsqueeze(1) & earlier
    mask = torch.cat([state.number_mask.unsqueeze(1).expand(-1, layers, -1), valid], dim=2)
    return state._replace(numbers=torch.cat([state.numbers, results], dim=1), number_mask=mask)


def _by_layer(scores: Tensor, layers: int) -> Tensor:
    """Scores of labels [B, K, L·W] with the layers as rows: [B·L, K, W]."""
    return scores.unflatten(2, (layers, -1)).transpose(1, 2).flatten(0, 1)
