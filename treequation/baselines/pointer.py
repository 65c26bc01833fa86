"""Sequence to expression: a Transformer decoder predicts an operator and two pointers at each step.

E-Pointer, or EPT, after Kim, Ki, Lee and Gweon, "Point to the Expression: Solving Algebraic Word Problems using the
Expression-Pointer Transformer Model" (EMNLP 2020). One decoder layer is applied several times. A step reads the
previous expression, as an operator and two operands, and predicts the next: an operator, and for each operand a pointer
to a constant, a number or an earlier step.

It differs from the paper in two ways: layers are pre-norm, as in all our Transformer decoders, and no operator begins a
new unknown or equation, since our equations have only one side.

``B`` is the batch, ``L`` the steps, ``S`` the slots (constants, numbers, then one result per step), ``D`` the width.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from treequation.baselines.seq2seq import Memory, SequenceLayer, sinusoids
from treequation.baselines.symbol_search import END, Hypothesis, Written, likeliest, search, unchanged
from treequation.baselines.triples import Gold, Triple, TripleModel, pick_all
from treequation.data.batches import Batch
from treequation.decoding.search import IMPOSSIBLE, Equation, Floats, Ints, Reader
from treequation.model.base import Read, summed
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Traced
from treequation.model.registry import register

SMOOTHING = 0.1  # the paper's, in training only
CONSTANT, NUMBER, RESULT = range(3)  # where an operand comes from


class Pointed(NamedTuple):
    """The predictions of the steps: three distributions each, as log-probabilities."""

    operator: Tensor  # [B, L, O + 1]; index 0 is stop
    left: Tensor  # [B, L, S]; slots that a step cannot see are masked
    right: Tensor  # [B, L, S]


class PointerDecoder(nn.Module):
    """The parts of EPT."""

    def __init__(
        self,
        width: int,
        *,
        layers: int,
        heads: int,
        dropout: float,
        feed_forward: int,
        operators: int,
        constants: int,
    ) -> None:
        super().__init__()
        self.repetitions = layers
        self.constants = nn.Parameter(torch.randn(constants, width))  # same scale as the numbers' states
        self.operators = nn.Parameter(torch.randn(operators + 1, width))
        self.sources = nn.Parameter(torch.randn(3, width) * width**-0.5)
        self.operator_scale = nn.Parameter(torch.tensor(width**0.5))
        self.source_scale = nn.Parameter(torch.tensor(width**0.5))
        self.operator_norm = nn.LayerNorm(width)
        self.operand_norm = nn.LayerNorm(width)
        self.start = nn.Parameter(torch.randn(width))
        self.combine = nn.Linear(3 * width, width)
        self.layer = SequenceLayer(width, heads, dropout, feed_forward)
        self.norm = nn.LayerNorm(width)
        self.operator_score = nn.Linear(width, operators + 1)
        self.queries = nn.Linear(width, 2 * width)  # of the left operand, then of the right one
        self.keys = nn.Linear(width, 2 * width)

    def operands(self, read: Read, steps: int) -> Tensor:
        """The input embeddings of all operands, [B, S, D]; that of a result encodes the position of its step."""
        numbers, width = read.numbers, read.numbers.shape[-1]
        places = sinusoids(1, steps, width, numbers).expand(len(numbers), -1, -1)
        known, found = len(self.constants), numbers.shape[1] - len(self.constants)
        sizes = ((CONSTANT, known), (NUMBER, found), (RESULT, steps))
        sources = torch.cat([self.sources[kind].expand(size, -1) for kind, size in sizes])  # [S, D]
        return self.operand_norm(self.source_scale * sources + torch.cat([numbers, places], dim=1))

    def embed(self, operands: Tensor, gold: Gold, place: int = 0) -> Tensor:
        """The input embeddings [B, L, D] of expressions [B, L], the first of them at ``place``."""
        width, steps = operands.shape[-1], gold.operator.shape[1]
        operator = self.operator_scale * self.operators[gold.operator] + sinusoids(place, steps, width, operands)
        parts = self.operator_norm(operator), pick_all(operands, gold.left), pick_all(operands, gold.right)
        return self.combine(torch.cat(parts, dim=-1))

    def predict(self, states: Tensor, keys: Tensor, visible: Tensor) -> Pointed:
        """The distributions of steps with these states [B, L, D] over operands with these keys [B, S, 2 · D]."""
        operator = self.operator_score(states).float().log_softmax(dim=-1)
        left, right = (
            ((query @ key.transpose(1, 2)).float() * query.shape[-1] ** -0.5)
            .masked_fill(~visible, MASKED)
            .log_softmax(dim=-1)
            for query, key in zip(self.queries(states).chunk(2, dim=-1), keys.chunk(2, dim=-1), strict=True)
        )
        return Pointed(operator, left, right)

    def forward(self, read: Read, gold: Gold) -> Pointed:
        """The predictions of all steps, with teacher forcing."""
        rows, steps = gold.operator.shape
        before = Gold(*(part[:, :-1] for part in gold))
        embedded = self.embed(self.operands(read, steps), before, place=1)
        x = torch.cat([self.start.to(embedded.dtype).expand(rows, 1, -1), embedded], dim=1)
        problem = self.layer.cross_attention.remember(read.problem)
        for _ in range(self.repetitions):
            x = self.layer.all_recalling(x, problem, read.problem_mask)
        states = self.norm(x)
        earlier = torch.ones(steps, steps, dtype=torch.bool, device=x.device).tril(-1)  # a step sees those before it
        seen = [part.expand(rows, steps, -1) for part in (read.number_mask.unsqueeze(1), earlier)]
        return self.predict(states, self.keys(torch.cat([read.numbers, states], dim=1)), torch.cat(seen, dim=-1))


@register
class Pointer(TripleModel):
    """The expression-pointer peer."""

    DECODER = "pointer"
    BEAM = 3

    def __init__(self, config: TreequationConfig, encoder: PreTrainedModel | None = None) -> None:
        super().__init__(config, encoder)
        self.decoder = PointerDecoder(
            self.width,
            layers=config.decoder_layers,
            heads=self.attention_heads,
            dropout=config.dropout,
            feed_forward=config.feed_forward,
            operators=len(config.operators),
            constants=len(config.constants),
        )
        self.post_init()

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The loss [B] of the gold expressions and of stopping after them."""
        gold = Gold.of(batch)
        pointed = self.decoder(read, gold)
        smoothing = SMOOTHING if self.training else 0.0
        loss, left, right = (smoothed_loss(scores, part, smoothing) for scores, part in zip(pointed, gold, strict=True))
        loss = loss + (left + right).masked_fill(gold.operator == END, 0.0)
        return Traced(summed(loss, batch.layers), read.problem[:, 0])

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """Predicts expressions one by one until the model stops."""
        longest = steps or self.max_steps
        engine = PointerEngine(self.decoder, self.read(batch, self.decoder.constants), longest)
        found = search(
            engine, len(batch.ids), steps=longest, beam=beam, opens=lambda symbol: -1 if symbol == END else 0
        )
        return [[self._written(one, engine, reader.numbers) for one in hypotheses] for hypotheses in found]

    def _written(self, found: Hypothesis, engine: PointerEngine, numbers: int) -> Written:
        triples = [engine.triple(symbol) for symbol in found.symbols if symbol != END]
        return Written(self.notation.read(triples, numbers), found.score, len(triples))


def smoothed_loss(predicted: Tensor, gold: Tensor, smoothing: float) -> Tensor:
    """The cross-entropy [B, L] of gold classes [B, L], given log-probabilities [B, L, C].

    ``smoothing`` is the label smoothing, over the classes that are not masked.
    """
    loss = -predicted.gather(-1, gold.unsqueeze(-1)).squeeze(-1)
    if not smoothing:
        return loss
    possible = predicted > IMPOSSIBLE
    mean = -predicted.masked_fill(~possible, 0.0).sum(dim=-1) / possible.sum(dim=-1).clamp(min=1)
    return (1 - smoothing) * loss + smoothing * mean


class PointerEngine:
    """Runs a pointer decoder for the search. A symbol is a whole expression, packed into one integer.

    The keys and values of the problem and of earlier steps are cached.
    """

    def __init__(self, decoder: PointerDecoder, read: Read, steps: int) -> None:
        self.decoder = decoder
        self.stride = read.numbers.shape[1] + steps  # more than any slot
        self._operands = decoder.operands(read, steps)
        self._mask = read.problem_mask
        self._problem = decoder.layer.cross_attention.remember(read.problem)
        self._keys, self._visible = decoder.keys(read.numbers), read.number_mask
        self._before: list[Memory | None] = [None] * decoder.repetitions
        self._next = decoder.start.to(read.numbers.dtype).expand(len(read.numbers), 1, -1)
        self._place = 0

    def triple(self, symbol: int) -> Triple:
        """The expression that a symbol stands for."""
        rest, right = divmod(symbol, self.stride)
        return (*divmod(rest, self.stride), right)

    def propose(self, count: int) -> tuple[Floats, Ints]:
        """Reads the last expression and predicts the next, from all combinations of the likeliest parts."""
        decoder, x = self.decoder, self._next
        for index in range(decoder.repetitions):
            x, self._before[index] = decoder.layer.one_more(x, self._problem, self._mask, self._before[index])
        state = decoder.norm(x)
        predicted = decoder.predict(state, self._keys, self._visible.unsqueeze(1))
        self._keys = torch.cat([self._keys, decoder.keys(state)], dim=1)
        self._visible = torch.cat([self._visible, self._visible.new_ones(len(x), 1)], dim=1)
        parts = predicted.operator[:, 0, END + 1 :], predicted.left[:, 0], predicted.right[:, 0]
        best = [part.topk(min(count, part.shape[1]), dim=1) for part in parts]
        scores = _combined(*(part.values for part in best))
        operator, left, right = (part.indices for part in best)
        symbols = _combined((operator + END + 1) * self.stride**2, left * self.stride, right)
        stop = predicted.operator[:, :, END]
        values, places = likeliest(torch.cat([stop, scores], dim=1), count)
        symbols = torch.cat([torch.full_like(symbols[:, :1], END), symbols], dim=1)
        return values, np.take_along_axis(symbols.cpu().numpy(), places, axis=1)

    def advance(self, rows: Ints, symbols: Ints) -> None:
        """Continues with these rows, each with its symbol."""
        device = self._mask.device
        if not unchanged(rows, len(self._mask)):
            chosen = torch.from_numpy(rows).to(device)
            self._operands, self._mask, self._keys, self._visible = (
                part[chosen] for part in (self._operands, self._mask, self._keys, self._visible)
            )
            self._problem = self._problem[0][chosen], self._problem[1][chosen]
            self._before = [None if m is None else (m[0][chosen], m[1][chosen]) for m in self._before]
        triples = torch.from_numpy(np.array([self.triple(symbol) for symbol in symbols.tolist()])).to(device)
        self._place += 1
        self._next = self.decoder.embed(self._operands, Gold(*triples.unsqueeze(2).unbind(1)), self._place)


def _combined(operator: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """The sums of all combinations of one entry of each, [R, ·] → [R, · · ·]."""
    return (operator[:, :, None, None] + left[:, None, :, None] + right[:, None, None, :]).flatten(1)
