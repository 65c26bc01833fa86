"""The decoder: K queries read the problem; at each step every query proposes one expression or *None*.

The names and equation numbers are the paper's. ``B`` is the batch, ``K`` the queries, ``T`` the problem's states
(tokens, then results), ``S`` the slots of the number vocabulary (constants, numbers, results), ``D`` the width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

MASKED = torch.finfo(torch.float32).min  # finite, so that a row with no slot at all gives no NaN


class DecoderState(NamedTuple):
    """What passes from one step to the next."""

    queries: Tensor  # [B, K, D]
    problem: Tensor  # [B, T, D]
    problem_mask: Tensor  # [B, T] True where there is something; [B, Q, T] where each query sees something else
    numbers: Tensor  # [B, S, D]
    number_mask: Tensor  # [B, S]
    memory: Tensor | None = None  # [B, T, 2·N·D] keys and values of the problem for N layers, where they never change

    def each(self, change: Callable[[Tensor], Tensor]) -> DecoderState:
        """The same change made to every part."""
        return DecoderState(*(None if part is None else change(part) for part in self))  # type: ignore[arg-type]


class Proposal(NamedTuple):
    """What the K queries propose at one step: three distributions each, as log-probabilities."""

    operator: Tensor  # [B, K, O + 1]; index 0 is None
    left: Tensor  # [B, K, S]; masked slots have exactly zero probability; [B, K, S + 1] if operands may be None
    right: Tensor  # [B, K, S]
    states: tuple[Tensor, Tensor, Tensor]  # s^op, s^l, s^r of equation 2, [B, K, D] each
    read: Tensor | None = None  # [B, K, D] what the queries have read, of a decoder that says one part after the other

    def split(self, first: int) -> tuple[Proposal, Proposal]:
        """What the ``first`` queries propose, and what the others do."""

        def part(places: slice) -> Proposal:
            read = None if self.read is None else self.read[:, places]
            operator, left, right = (state[:, places] for state in self.states)
            said = (self.operator[:, places], self.left[:, places], self.right[:, places])
            return Proposal(*said, (operator, left, right), read)

        return part(slice(first)), part(slice(first, None))


class Attention(nn.Module):
    """Multi-head attention of ``x`` to ``memory``."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        if width % heads:
            raise ValueError(f"attention_heads is {heads}, which does not divide the decoder's width, {width}")
        self.heads = heads
        self.dropout = dropout
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.output = nn.Linear(width, width)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.attend(x, *self.remember(memory), mask)

    def remember(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values [B, H, T, D/H]; what attends to the same memory again need not compute them again."""
        return self.split_memory(self.key_value(memory))

    def split_memory(self, key_value: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values [B, H, T, D/H] of what ``key_value`` gave, [B, T, 2·D]."""
        key, value = key_value.chunk(2, dim=-1)
        return self._split(key), self._split(value)

    def attend(
        self,
        x: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        *,
        causal: bool = False,
        seen: Tensor | None = None,
    ) -> Tensor:
        """What ``x`` [B, Q, D] finds, each place where ``mask`` [B, T] or [B, Q, T] has something.

        With ``causal``, each place sees only those up to its own, else those ``seen`` [Q, T].
        """
        attended = F.scaled_dot_product_attention(
            self._split(self.query(x)),
            key,
            value,
            attn_mask=seen if mask is None else (mask if mask.dim() == 3 else mask.unsqueeze(1)).unsqueeze(1),
            dropout_p=self.dropout if self.training else 0.0,
            is_causal=causal,
        )
        return self.output(attended.transpose(1, 2).flatten(2))

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class DecoderLayer(nn.Module):
    """A standard transformer decoder layer, with the norms before or after each part (equation 1)."""

    def __init__(self, width: int, heads: int, dropout: float, norm: str, feed_forward: int = 4) -> None:
        super().__init__()
        self.norm_first = norm == "pre"
        self.self_attention = Attention(width, heads, dropout)
        self.cross_attention = Attention(width, heads, dropout)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, feed_forward * width),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(feed_forward * width, width),
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def forward(self, queries: Tensor, problem: Tensor, mask: Tensor, seen: Tensor | None = None) -> Tensor:
        return self.recall(queries, self.cross_attention.key_value(problem), mask, seen)

    def recall(self, queries: Tensor, memory: Tensor, mask: Tensor, seen: Tensor | None = None) -> Tensor:
        """As ``forward``, where the problem's keys and values [B, T, 2·D] are known already.

        ``seen`` [Q, Q] says which query sees which; without it, all see all.
        """
        return self.through(
            queries,
            lambda x: self.self_attention.attend(x, *self.self_attention.remember(x), seen=seen),
            lambda x: self.cross_attention.attend(x, *self.cross_attention.split_memory(memory), mask),
            self.feed_forward,
        )

    def through(self, queries: Tensor, *parts: Callable[[Tensor], Tensor]) -> Tensor:
        """One part after the other, each with its norm and a residual connection around it."""
        for part, norm in zip(parts, self.norms, strict=True):
            if self.norm_first:
                queries = queries + self.drop(part(norm(queries)))
            else:
                queries = norm(queries + self.drop(part(queries)))
        return queries


def mlp(inputs: int, width: int) -> nn.Sequential:
    """The two-layer perceptron that the paper calls MLP."""
    return nn.Sequential(nn.Linear(inputs, width), nn.GELU(), nn.Linear(width, width))


class ProblemUpdate(nn.Module):
    """MLPᵘ of equation 6, token by token, with a residual connection around it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mlp = mlp(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, problem: Tensor) -> Tensor:
        return self.norm(problem + self.mlp(problem))


def number_at(state: DecoderState, slots: Tensor) -> Tensor:
    """The embeddings [B, ·, D] of the numbers in some slots [B, ·]."""
    return state.numbers.gather(1, slots.unsqueeze(-1).expand(-1, -1, state.numbers.shape[-1]))


def _apart(own: int, every: int, device: torch.device) -> Tensor:
    """Which query sees which, [Q, Q]: the model's ``own``, which come first, see each other, and so do their guests."""
    hosts = torch.arange(every, device=device) < own
    return hosts.unsqueeze(1) == hosts


def _pair(left: Tensor, right: Tensor) -> Tensor:
    """Two operands [..., D] as equation 5 takes them, [..., 3·D]."""
    return torch.cat([left, right, left * right], dim=-1)


class ExpressionDecoder(nn.Module):
    """Layer-wise parallel decoding. Standard: a layer of its own for each step. Layer-Shared: the same N for all."""

    def __init__(
        self,
        width: int,
        *,
        queries: int,
        steps: int,
        shared_layers: int,
        layers_per_step: int = 1,
        heads: int,
        dropout: float,
        norm: str,
        feed_forward: int,
        operators: int,
        constants: int,
        none_operand: bool = False,
        update_problem: bool = True,
        denoising: bool = False,
        chained: bool = False,
        fresh_queries: bool = False,
    ) -> None:
        super().__init__()
        self.steps = steps
        self.fresh_queries = fresh_queries
        self.shared = shared_layers > 0
        self.layers_per_step = layers_per_step
        # The same layers read the same states again and again: their keys and values are computed once.
        self.keeps_memory = self.shared and not update_problem
        # Standard deviation 1: they are compared with layer-normed states. With the usual 0.02 training
        # takes three to four times as long.
        self.queries = nn.Parameter(torch.randn(queries, width))
        self.operators = nn.Parameter(torch.randn(operators + 1, width))
        self.constants = nn.Parameter(torch.randn(constants, width))
        self.none_operand = nn.Parameter(torch.randn(width)) if none_operand else None
        self.layers = nn.ModuleList(
            DecoderLayer(width, heads, dropout, norm, feed_forward)
            for _ in range(shared_layers or steps * layers_per_step)
        )
        self.query_norm = nn.LayerNorm(width) if norm == "pre" else nn.Identity()
        self.operator_head = mlp(width, width)  # equation 2
        self.left_head = mlp(width, width)
        self.right_head = mlp(width, width)
        self.result_mlp = mlp(4 * width, width)  # MLPⁿ of equation 5
        self.result_norm = nn.LayerNorm(width)  # a result is compared with s^l and s^r as any number is
        self.update = ProblemUpdate(width) if update_problem else nn.Identity()
        self.denoising_mlp = mlp(3 * width, width) if denoising else None
        self.after_left = nn.Linear(width, width) if chained else None
        self.after_both = mlp(3 * width, width) if chained else None

    def start(self, problem: Tensor, mask: Tensor, numbers: Tensor, number_mask: Tensor) -> DecoderState:
        """The state before the first step: the problem [B, T, D] and the number vocabulary [B, S, D]."""
        memory = self._remember(problem) if self.keeps_memory else None
        return DecoderState(self._learned(problem), problem, mask, numbers, number_mask, memory)

    def _learned(self, problem: Tensor) -> Tensor:
        return self.queries.to(problem.dtype).expand(len(problem), -1, -1)  # [B, K, D]

    def _remember(self, states: Tensor) -> Tensor:
        return torch.cat([layer.cross_attention.key_value(states) for layer in self._stack()], dim=-1)  # [B, ·, 2·N·D]

    def _stack(self) -> list[DecoderLayer]:
        return cast("list[DecoderLayer]", list(self.layers))

    def step(self, step: int, state: DecoderState, guests: Tensor | None = None) -> tuple[DecoderState, Proposal]:
        """Equations 1 to 4: the queries read the problem and propose.

        ``guests`` [B, W, D] are other queries that do the same beside them; neither see the others. What they propose
        stands behind what the model's own propose.
        """
        if guests is None:
            state = state._replace(queries=self.read(step, state))
            return state, self.propose(state)
        own = state.queries.shape[1]
        all_of_them = torch.cat([state.queries, guests], dim=1)
        read = self.read(
            step, state._replace(queries=all_of_them), seen=_apart(own, all_of_them.shape[1], guests.device)
        )
        return state._replace(queries=read[:, :own]), self.propose(state._replace(queries=read))

    def read_all(self, states: Sequence[DecoderState], guests: Tensor | None = None) -> Tensor:
        """What the queries read at several steps, whose states before them are known: [B, L, K + W, D].

        ``guests`` [B, L, W, D] are other queries, as in :meth:`step`. Only for fresh queries, which owe nothing to the
        step before.
        """
        last, count = states[-1], len(states)
        queries = last.queries.unsqueeze(1).expand(-1, count, -1, -1)  # [B, L, K, D]
        own = queries.shape[2]
        if guests is not None:
            queries = torch.cat([queries, guests], dim=2)
        every = queries.shape[2]
        seen = None if guests is None else _apart(own, every, queries.device)  # [K + W, K + W]
        if last.memory is None:
            return torch.stack(
                [self.read(step, state._replace(queries=queries[:, step]), seen) for step, state in enumerate(states)],
                dim=1,
            )
        # The same layers read the same memory at every step, so one reading does: each step's queries see their like,
        # and of the memory what was there before their step.
        step = torch.arange(count * every, device=queries.device) // every  # [L·Q]
        together = step.unsqueeze(1) == step
        if seen is not None:
            together = together & seen.repeat(count, count)
        first, whole = states[0].problem_mask.shape[1], last.problem_mask.shape[1]
        there = first + step * ((whole - first) // max(1, count - 1))  # [L·Q]
        before = torch.arange(whole, device=queries.device) < there.unsqueeze(1)  # [L·Q, T]
        mask = last.problem_mask.unsqueeze(1) & before  # [B, L·Q, T]
        read = self.read(0, last._replace(queries=queries.flatten(1, 2), problem_mask=mask), together)
        return read.unflatten(1, (count, every))

    def read(self, step: int, state: DecoderState, seen: Tensor | None = None) -> Tensor:
        """Equation 1: the queries [B, K, D] after reading the problem and what the others found, if they are seen."""
        if not self.shared and step >= self.steps:
            raise ValueError(
                f"this model has a decoder layer for each of {self.steps} steps and none for step {step + 1}"
            )
        queries, layers = state.queries, self._stack()
        if state.memory is not None:
            for layer, memory in zip(layers, state.memory.chunk(len(layers), dim=-1), strict=True):
                queries = layer.recall(queries, memory, state.problem_mask, seen)
            return queries
        own = slice(step * self.layers_per_step, (step + 1) * self.layers_per_step)
        for layer in layers if self.shared else layers[own]:
            queries = layer(queries, state.problem, state.problem_mask, seen)
        return queries

    def propose(self, state: DecoderState) -> Proposal:
        """Equations 2 to 4: what the queries make of what they have read.

        The paper's three parts do not see each other. Chained, the likeliest left operand tells which right one goes
        with it, and both tell the operator: the two factors of a product are not the same number twice.
        """
        read = self.query_norm(state.queries)
        left_state = self.left_head(read)
        left = self._operand(left_state, state)
        if self.after_left is None or self.after_both is None:
            right_state, operator_state = self.right_head(read), self.operator_head(read)
            states = operator_state, left_state, right_state
            return Proposal(self._operator(operator_state), left, self._operand(right_state, state), states)
        first = number_at(state, left.argmax(dim=-1))  # [B, K, D]
        right_state = self.right_head(read + self.after_left(first))
        right = self._operand(right_state, state)
        second = number_at(state, right.argmax(dim=-1))
        operator_state = self.operator_head(read + self.after_both(_pair(first, second)))
        return Proposal(self._operator(operator_state), left, right, (operator_state, left_state, right_state), read)

    def after_gold(self, read: Tensor, left: Tensor, right: Tensor, state: DecoderState) -> tuple[Tensor, Tensor]:
        """What queries [B, Q, W, D], chained, say after the gold operands [B, W] of each label.

        The log-probabilities of the right operand [B, Q, W], after the left one, and of the operators [B, Q, W, O + 1].
        """
        assert self.after_left is not None, "a decoder that is not chained"
        assert self.after_both is not None
        first, second = number_at(state, left), number_at(state, right)  # [B, W, D]
        states = self.right_head(read + self.after_left(first).unsqueeze(1))  # [B, Q, W, D]
        slots = self._operand(states.flatten(1, 2), state).unflatten(1, states.shape[1:3])  # [B, Q, W, S]
        both = self.after_both(_pair(first, second)).unsqueeze(1)
        index = right[:, None, :, None].expand(-1, states.shape[1], -1, -1)
        return slots.gather(3, index).squeeze(-1), self._operator(self.operator_head(read + both))

    def operator_at(self, index: Tensor) -> Tensor:
        """The embeddings [..., D] of the operators with these numbers."""
        if not self.training:
            return self.operators[index]
        # The gradient of an index adds up row by row, and a handful of operators have thousands of rows each.
        chosen = index.unsqueeze(-1) == torch.arange(len(self.operators), device=index.device)
        return chosen.to(self.operators.dtype) @ self.operators

    def _operator(self, states: Tensor) -> Tensor:
        """Log-probabilities of the operators [..., O + 1]."""
        return ((states @ self.operators.to(states.dtype).T).float() * states.shape[-1] ** -0.5).log_softmax(dim=-1)

    def _operand(self, states: Tensor, state: DecoderState) -> Tensor:
        """Log-probabilities of the slots [B, ·, S] for states [B, ·, D]."""
        scale = states.shape[-1] ** -0.5
        masked = ~state.number_mask.unsqueeze(1)  # [B, 1, S]
        scores = (states @ state.numbers.transpose(1, 2)).float() * scale
        scores = scores.masked_fill(masked, MASKED)
        if self.none_operand is not None:
            none = (states @ self.none_operand.to(states.dtype)).float() * scale  # [B, ·]
            scores = torch.cat([scores, none.unsqueeze(-1)], dim=-1)  # [B, ·, S + 1]
            return scores.log_softmax(dim=-1)
        # Masked again: where a problem has no slot at all, the softmax would share itself out among the masked.
        return scores.log_softmax(dim=-1).masked_fill(masked, MASKED)

    def results(self, operator: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """Equation 5: the embedding of an expression from those of its parts, [B, K, D] each."""
        return self.result_norm(self.result_mlp(torch.cat([operator, _pair(left, right)], dim=-1)))

    def grow(self, state: DecoderState, results: Tensor, valid: Tensor) -> DecoderState:
        """Equation 6: valid results join the problem, which is updated, and the number vocabulary."""
        grown = state._replace(
            queries=self._learned(state.problem) if self.fresh_queries else state.queries,
            problem_mask=torch.cat([state.problem_mask, valid], dim=1),
            numbers=torch.cat([state.numbers, results], dim=1),
            number_mask=torch.cat([state.number_mask, valid], dim=1),
        )
        if state.memory is not None:  # what is remembered of the results is all that will be read of them
            return grown._replace(memory=torch.cat([state.memory, self._remember(results)], dim=1))
        return grown._replace(problem=self.update(torch.cat([state.problem, results], dim=1)))  # [B, T + K, D]
