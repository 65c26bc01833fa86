"""Copying: an LSTM writes the infix equation from left to right and copies the numbers from the text.

mBERT, after Tan et al., "Investigating Math Word Problems using Pretrained Multilingual Language Models" (2021). A
two-layer bidirectional LSTM reads the encoder's states; an LSTM with attention writes. As in CopyNet (Gu et al., 2016),
operators, brackets and constants are generated and numbers are copied, with one softmax over both. The input of a step
is the last symbol and, if that was copied, the state of its token.

The paper copies any token; here only numbers can be copied, since an equation contains no other tokens. The width is
the decoder's; the paper's is 512.

``B`` is the batch, ``L`` the symbols, ``T`` the problem's tokens, ``N`` its numbers, ``D`` the width.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from treequation.baselines.seq2seq import InfixModel, InfixNotation, sequence_loss, shifted_right
from treequation.baselines.symbol_search import END, likeliest
from treequation.data.batches import Batch
from treequation.decoding.search import Floats, Ints
from treequation.model.base import Read, first_places, pick, pick_all
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Traced
from treequation.model.registry import register


class BidirectionalLayer(nn.Module):
    """One layer of a bidirectional LSTM over padded problems.

    For the backward direction, the tokens of each problem are reversed, and padding stays at the end. So the host need
    not know the lengths, as it would for packed sequences.
    """

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.there = nn.LSTM(inputs, width, batch_first=True)
        self.back = nn.LSTM(inputs, width, batch_first=True)

    def forward(self, x: Tensor, reverse: Tensor) -> Tensor:
        """States [B, T, 2·width] of ``x`` [B, T, ·]; ``reverse`` [B, T] has the reversed places of each problem."""
        back, _ = self.back(pick_all(x, reverse))
        return torch.cat([self.there(x)[0], pick_all(back, reverse)], dim=-1)


class Source(NamedTuple):
    """What the decoder attends to and copies from."""

    problem: Tensor  # [B, T, D]
    keys: Tensor  # [B, T, D] for attention
    mask: Tensor  # [B, T]
    numbers: Tensor  # [B, N, D]
    copy_keys: Tensor  # [B, N, D] for copying
    number_mask: Tensor  # [B, N]


class State(NamedTuple):
    """The state of the LSTM that writes."""

    hidden: Tensor  # [B, D]
    cell: Tensor  # [B, D]


class CopyState(NamedTuple):
    """The state of the search."""

    source: Source
    writer: State
    last: Tensor  # [R] the symbol written last


class CopyDecoder(nn.Module):
    """The bidirectional LSTM that reads and the LSTM that writes."""

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__()
        symbols = InfixNotation(config.vocabulary).first_slot
        both = 2 * (width // 2)
        self.first = BidirectionalLayer(width, width // 2)
        self.second = BidirectionalLayer(both, width // 2)
        self.symbols = nn.Parameter(torch.randn(symbols + 1, width))  # the last one stands for any copied number
        self.constants = nn.Parameter(torch.randn(len(config.constants), width))
        self.attention = nn.Linear(both, both, bias=False)
        self.combine = nn.Linear(width + 2 * both, both)
        self.cell = nn.LSTMCell(both, both)
        self.generate = nn.Linear(both, width)
        self.copy = nn.Linear(both, both)
        self.drop = nn.Dropout(config.dropout)

    def read(self, states: Tensor, mask: Tensor, batch: Batch) -> tuple[Source, State]:
        """Reads the problems [B, T, D]; returns the source and the first state, from where each direction ended.

        States that an add-on appended are no part of the text: they are attended to, but not read in order.
        """
        tokens = batch.ids.shape[1]
        places = torch.arange(tokens, device=states.device)
        there = mask[:, :tokens]
        reverse = torch.where(there, batch.lengths.unsqueeze(1) - 1 - places, places)  # padding stays where it is
        problem = self.second(self.drop(self.first(states[:, :tokens], reverse)), reverse)
        problem = problem.masked_fill(~there.unsqueeze(-1), 0.0)
        last, first = pick(problem, batch.lengths - 1), problem[:, 0]
        half = problem.shape[-1] // 2
        hidden = torch.cat([last[:, :half], first[:, half:]], dim=-1)  # where each direction ended
        numbers = pick_all(problem, batch.positions)
        problem = torch.cat([problem, states[:, tokens:, : problem.shape[-1]]], dim=1)
        found = first_places(batch.numbers, batch.positions.shape[1])
        source = Source(problem, self.attention(problem), mask, numbers, torch.tanh(self.copy(numbers)), found)
        return source, State(hidden, torch.zeros_like(hidden))

    def step(self, state: State, last: Tensor, source: Source) -> State:
        """The next state, after reading the symbols [B] that were written last."""
        table = torch.cat([self.symbols[:-1], self.constants, self.symbols[-1:]])  # generated symbols, then copied
        generated = len(table) - 1
        embedded = table[last.clamp(max=generated)]  # [B, D]
        copied = (last - generated).clamp(min=0)
        selected = pick(source.numbers, copied).masked_fill((last < generated).unsqueeze(-1), 0.0)
        energy = (source.keys @ state.hidden.unsqueeze(-1)).squeeze(-1).float()  # [B, T]
        weights = energy.masked_fill(~source.mask, MASKED).softmax(dim=-1).to(selected.dtype)
        attended = (weights.unsqueeze(1) @ source.problem).squeeze(1)
        inputs = self.combine(self.drop(torch.cat([embedded, attended, selected], dim=-1)))
        return State(*self.cell(inputs, (state.hidden, state.cell)))

    def predict(self, hidden: Tensor, source: Source) -> Tensor:
        """Log-probabilities of the next symbol [B, L, V] from states [B, L, D]: generated symbols, then numbers."""
        table = torch.cat([self.symbols[:-1], self.constants])
        generated = self.generate(self.drop(hidden)) @ table.T
        copied = (hidden @ source.copy_keys.transpose(1, 2)).float()
        copied = copied.masked_fill(~source.number_mask.unsqueeze(1), MASKED)
        return torch.cat([generated.float(), copied], dim=-1).log_softmax(dim=-1)


@register
class Copying(InfixModel[CopyState]):
    """The copying peer."""

    DECODER = "copying"
    DECODER_CLASS = CopyDecoder
    BEAM = 5
    decoder: CopyDecoder

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The loss [B] of the gold symbols, with teacher forcing."""
        source, state = self.decoder.read(read.problem, read.problem_mask, batch)
        hidden = []
        for last in shifted_right(batch).unbind(dim=1):
            state = self.decoder.step(state, last, source)
            hidden.append(state.hidden)
        predicted = self.decoder.predict(torch.stack(hidden, dim=1), source)
        return Traced(sequence_loss(predicted, batch), read.problem[:, 0], log_probabilities=predicted.unbind(dim=1))

    def begin(self, read: Read, batch: Batch, steps: int) -> CopyState:
        """The state before the first symbol; stop also means start."""
        source, state = self.decoder.read(read.problem, read.problem_mask, batch)
        return CopyState(source, state, torch.full((len(state.hidden),), END, device=state.hidden.device))

    def propose(self, state: CopyState, count: int) -> tuple[Floats, Ints, CopyState]:
        """Reads the last symbol and predicts the next."""
        writer = self.decoder.step(state.writer, state.last, state.source)
        predicted = self.decoder.predict(writer.hidden.unsqueeze(1), state.source)[:, 0]
        return *likeliest(predicted, count), state._replace(writer=writer)

    def write(self, state: CopyState, symbols: Ints) -> CopyState:
        """The symbols are read when the next ones are predicted."""
        return state._replace(last=torch.from_numpy(symbols).to(state.last.device))
