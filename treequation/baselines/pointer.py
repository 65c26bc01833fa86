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

from typing import NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from treequation.baselines.seq2seq import Memory, SequenceLayer, sinusoids
from treequation.baselines.symbol_search import END, Hypothesis, SymbolModel, Written, likeliest
from treequation.baselines.triples import Gold, TripleModel
from treequation.data.batches import Batch
from treequation.decoding.search import IMPOSSIBLE, Floats, Ints, Reader
from treequation.model.base import Read, pick_all, summed
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Traced
from treequation.model.registry import register

SMOOTHING = 0.1  # the paper's, in training only
CONSTANT, NUMBER, RESULT = range(3)  # where an operand comes from
STRIDE = 1 << 16  # more than any slot: an expression is packed into one integer, for the search
N = TypeVar("N", int, Ints)


class Pointed(NamedTuple):
    """The predictions of the steps: three distributions each, as log-probabilities."""

    operator: Tensor  # [B, L, O + 1]; index 0 is stop
    left: Tensor  # [B, L, S]; slots that a step cannot see are masked
    right: Tensor  # [B, L, S]


class PointerDecoder(nn.Module):
    """The parts of EPT."""

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__()
        self.repetitions = config.decoder_layers
        self.constants = nn.Parameter(torch.randn(len(config.constants), width))  # same scale as the numbers' states
        # The scales below bring these two to the size of the positions and numbers that are added to them.
        self.operators = nn.Parameter(torch.randn(len(config.operators) + 1, width) * width**-0.5)
        self.sources = nn.Parameter(torch.randn(3, width) * width**-0.5)
        self.operator_scale = nn.Parameter(torch.tensor(width**0.5))
        self.source_scale = nn.Parameter(torch.tensor(width**0.5))
        self.operator_norm = nn.LayerNorm(width)
        self.operand_norm = nn.LayerNorm(width)
        self.start = nn.Parameter(torch.randn(width))
        self.combine = nn.Linear(3 * width, width)
        self.layer = SequenceLayer(width, config.heads(width), config.dropout, config.feed_forward)
        self.norm = nn.LayerNorm(width)
        self.operator_score = nn.Linear(width, len(config.operators) + 1)
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
            x = self.layer.all_at_once(x, problem, read.problem_mask)
        states = self.norm(x)
        earlier = torch.ones(steps, steps, dtype=torch.bool, device=x.device).tril(-1)  # a step sees those before it
        seen = [part.expand(rows, steps, -1) for part in (read.number_mask.unsqueeze(1), earlier)]
        return self.predict(states, self.keys(torch.cat([read.numbers, states], dim=1)), torch.cat(seen, dim=-1))


class PointerState(NamedTuple):
    """The state of the search, with the keys and values of the problem and of earlier steps."""

    operands: Tensor  # [R, S, D] input embeddings
    problem: Memory
    problem_mask: Tensor  # [R, T]
    keys: Tensor  # [R, S, 2 · D] of constants, numbers and earlier steps
    visible: Tensor  # [R, S]
    before: tuple[Memory | None, ...]  # for each application of the layer
    given: Tensor  # [R, 1, D] the embedding of the last expression
    place: int


@register
class Pointer(TripleModel, SymbolModel[PointerState]):
    """The expression-pointer peer."""

    DECODER = "pointer"
    DECODER_CLASS = PointerDecoder
    BEAM = 3
    decoder: PointerDecoder

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The loss [B] of the gold expressions and of stopping after them."""
        gold = Gold.of(batch)
        pointed = self.decoder(read, gold)
        smoothing = SMOOTHING if self.training else 0.0
        loss, left, right = (smoothed_loss(scores, part, smoothing) for scores, part in zip(pointed, gold, strict=True))
        loss = loss + (left + right).masked_fill(gold.operator == END, 0.0)
        return Traced(summed(loss, batch.layers), read.problem[:, 0])

    def begin(self, read: Read, batch: Batch, steps: int) -> PointerState:
        """The state before the first step."""
        decoder = self.decoder
        return PointerState(
            operands=decoder.operands(read, steps),
            problem=decoder.layer.cross_attention.remember(read.problem),
            problem_mask=read.problem_mask,
            keys=decoder.keys(read.numbers),
            visible=read.number_mask,
            before=(None,) * decoder.repetitions,
            given=decoder.start.to(read.numbers.dtype).expand(len(read.numbers), 1, -1),
            place=0,
        )

    def propose(self, state: PointerState, count: int) -> tuple[Floats, Ints, PointerState]:
        """Reads the last expression and predicts the next, from all combinations of the likeliest parts."""
        decoder, x = self.decoder, state.given
        memories = []
        for before in state.before:
            x, memory = decoder.layer.one_more(x, state.problem, state.problem_mask, before)
            memories.append(memory)
        x = decoder.norm(x)
        predicted = decoder.predict(x, state.keys, state.visible.unsqueeze(1))
        state = state._replace(
            keys=torch.cat([state.keys, decoder.keys(x)], dim=1),
            visible=torch.cat([state.visible, state.visible.new_ones(len(x), 1)], dim=1),
            before=tuple(memories),
        )
        parts = predicted.operator[:, 0, END + 1 :], predicted.left[:, 0], predicted.right[:, 0]
        best = [part.topk(min(count, part.shape[1]), dim=1) for part in parts]
        scores = _combined(*(part.values for part in best))
        operator, left, right = (part.indices for part in best)
        symbols = _combined((operator + END + 1) * STRIDE**2, left * STRIDE, right)
        stop = predicted.operator[:, :, END]
        values, places = likeliest(torch.cat([stop, scores], dim=1), count)
        symbols = torch.cat([torch.full_like(symbols[:, :1], END), symbols], dim=1)
        return values, np.take_along_axis(symbols.cpu().numpy(), places, axis=1), state

    def write(self, state: PointerState, symbols: Ints) -> PointerState:
        """Embeds the expressions, which the next step reads."""
        triples = torch.from_numpy(np.stack(unpacked(symbols))).to(state.operands.device)  # [3, R]
        place = state.place + 1
        given = self.decoder.embed(state.operands, Gold(*triples.unsqueeze(2)), place)
        return state._replace(given=given, place=place)

    def written(self, found: Hypothesis, reader: Reader) -> Written:
        """The equation that ends with the last expression."""
        triples = [unpacked(symbol) for symbol in found.symbols if symbol != END]
        return Written(self.notation.read(triples, reader.numbers), found.score, len(triples))


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


def unpacked(symbol: N) -> tuple[N, N, N]:
    """The operator and operands that a symbol stands for, or those of an array of symbols.

    >>> unpacked((2 * STRIDE + 7) * STRIDE + 9)
    (2, 7, 9)
    """
    return symbol // STRIDE**2, symbol // STRIDE % STRIDE, symbol % STRIDE


def _combined(operator: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """The sums of all combinations of one entry of each, [R, ·] → [R, · · ·]."""
    return (operator[:, :, None, None] + left[:, None, :, None] + right[:, None, None, :]).flatten(1)
