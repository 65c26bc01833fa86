"""Copying: recurrent networks write the infix equation from left to right and copy the numbers of the text.

mBERT, after Tan et al., "Investigating Math Word Problems using Pretrained Multilingual Language Models" (2021). A
bidirectional LSTM of two layers reads the encoder's states; an LSTM with attention writes. As in CopyNet (Gu et al.,
2016), the operators, brackets and constants are generated and the numbers copied, with one softmax over both; and the
state of the token that was copied last is read beside the symbol that was written last.

The paper copies any token; here only numbers can be copied, since nothing else stands in an equation. Widths are the
decoder's, where the paper has 512.

``B`` is the batch, ``L`` the symbols, ``T`` the problem's tokens, ``N`` its numbers, ``D`` the width.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from treequation.baselines.seq2seq import InfixModel, surprise, written_before
from treequation.baselines.symbol_search import END, SymbolEngine, likeliest, unchanged
from treequation.baselines.triples import pick_all
from treequation.data.batches import Batch
from treequation.decoding.search import Floats, Ints
from treequation.model.base import Read
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.registry import register


class BothWays(nn.Module):
    """One layer of a bidirectional LSTM over problems of several lengths.

    The way back begins at each problem's own end: its tokens are turned round, and padding stays behind them. So no
    length has to be known to the host, as packed sequences need it.
    """

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.there = nn.LSTM(inputs, width, batch_first=True)
        self.back = nn.LSTM(inputs, width, batch_first=True)

    def forward(self, x: Tensor, turned: Tensor) -> Tensor:
        """States [B, T, 2·width] of ``x`` [B, T, ·], where ``turned`` [B, T] has the places from the end on."""
        back, _ = self.back(pick_all(x, turned))
        return torch.cat([self.there(x)[0], pick_all(back, turned)], dim=-1)


class Source(NamedTuple):
    """What the writer looks at and copies from."""

    problem: Tensor  # [B, T, D]
    keys: Tensor  # [B, T, D] what the attention compares with
    mask: Tensor  # [B, T]
    numbers: Tensor  # [B, N, D]
    copy_keys: Tensor  # [B, N, D] what copying compares with
    number_mask: Tensor  # [B, N]


class State(NamedTuple):
    """The LSTM's."""

    hidden: Tensor  # [B, D]
    cell: Tensor  # [B, D]


class CopyDecoder(nn.Module):
    """The reader and the writer."""

    def __init__(self, width: int, *, dropout: float, symbols: int, constants: int) -> None:
        super().__init__()
        both = 2 * (width // 2)
        self.first = BothWays(width, width // 2)
        self.second = BothWays(both, width // 2)
        self.symbols = nn.Parameter(torch.randn(symbols + 1, width))  # the last one: a number was copied
        self.constants = nn.Parameter(torch.randn(constants, width))
        self.attention = nn.Linear(both, both, bias=False)
        self.combine = nn.Linear(width + 2 * both, both)
        self.cell = nn.LSTMCell(both, both)
        self.generate = nn.Linear(both, width)
        self.copy = nn.Linear(both, both)
        self.drop = nn.Dropout(dropout)

    def read(self, states: Tensor, mask: Tensor, batch: Batch) -> tuple[Source, State]:
        """The problems [B, T, D] as the writer sees them, and how it begins: at their last tokens."""
        places = torch.arange(states.shape[1], device=states.device)
        length = batch.lengths.unsqueeze(1)
        turned = torch.where(mask, length - 1 - places, places)  # padding stays where it is
        problem = self.second(self.drop(self.first(states, turned)), turned)
        problem = problem.masked_fill(~mask.unsqueeze(-1), 0.0)
        last, first = pick_all(problem, length - 1).squeeze(1), problem[:, 0]
        half = problem.shape[-1] // 2
        hidden = torch.cat([last[:, :half], first[:, half:]], dim=-1)  # where each direction ended
        numbers = pick_all(problem, batch.positions)
        found = torch.arange(batch.positions.shape[1], device=states.device) < batch.numbers.unsqueeze(1)
        source = Source(problem, self.attention(problem), mask, numbers, torch.tanh(self.copy(numbers)), found)
        return source, State(hidden, torch.zeros_like(hidden))

    def step(self, state: State, last: Tensor, source: Source) -> State:
        """Goes on after the symbols [B] that were written last."""
        table = torch.cat([self.symbols[:-1], self.constants, self.symbols[-1:]])  # generated ones, then a copied one
        generated = len(table) - 1
        embedded = table[last.clamp(max=generated)]  # [B, D]
        copied = (last - generated).clamp(min=0)
        selected = pick_all(source.numbers, copied.unsqueeze(1)).squeeze(1)
        selected = selected.masked_fill((last < generated).unsqueeze(-1), 0.0)
        energy = (source.keys @ state.hidden.unsqueeze(-1)).squeeze(-1).float()  # [B, T]
        weights = energy.masked_fill(~source.mask, MASKED).softmax(dim=-1).to(selected.dtype)
        attended = (weights.unsqueeze(1) @ source.problem).squeeze(1)
        inputs = self.combine(self.drop(torch.cat([embedded, attended, selected], dim=-1)))
        return State(*self.cell(inputs, (state.hidden, state.cell)))

    def say(self, hidden: Tensor, source: Source) -> Tensor:
        """Log-probabilities of the next symbol, [B, L, V], of states [B, L, D]: what is generated, then the numbers."""
        table = torch.cat([self.symbols[:-1], self.constants])
        generated = self.generate(self.drop(hidden)) @ table.T
        copied = (hidden @ source.copy_keys.transpose(1, 2)).float()
        copied = copied.masked_fill(~source.number_mask.unsqueeze(1), MASKED)
        return torch.cat([generated.float(), copied], dim=-1).log_softmax(dim=-1)


@register
class Copying(InfixModel):
    """The copying peer."""

    DECODER = "copying"
    BEAM = 5

    def __init__(self, config: TreequationConfig, encoder: PreTrainedModel | None = None) -> None:
        super().__init__(config, encoder)
        self.decoder = CopyDecoder(
            self.width, dropout=config.dropout, symbols=self.notation.first_slot, constants=len(config.constants)
        )
        self.post_init()

    def forward(self, batch: Batch) -> Tensor:
        """The loss [B] of the gold symbols, each after the gold ones before it."""
        read = self.read(batch, self.constants)
        source, state = self.decoder.read(read.problem, read.problem_mask, batch)
        hidden = []
        for last in written_before(batch).unbind(dim=1):
            state = self.decoder.step(state, last, source)
            hidden.append(state.hidden)
        return surprise(self.decoder.say(torch.stack(hidden, dim=1), source), batch)

    def engine(self, read: Read, batch: Batch) -> SymbolEngine:
        """What searches the problems that were read."""
        return CopyEngine(self.decoder, *self.decoder.read(read.problem, read.problem_mask, batch))


class CopyEngine:
    """A copying decoder that is being searched."""

    def __init__(self, decoder: CopyDecoder, source: Source, state: State) -> None:
        self.decoder, self._source, self._state = decoder, source, state
        self._last = torch.full((len(state.hidden),), END, device=state.hidden.device)

    def propose(self, count: int) -> tuple[Floats, Ints]:
        """Reads the last symbol and says the next."""
        self._state = self.decoder.step(self._state, self._last, self._source)
        return likeliest(self.decoder.say(self._state.hidden.unsqueeze(1), self._source)[:, 0], count)

    def advance(self, rows: Ints, symbols: Ints) -> None:
        """Goes on with some rows."""
        device = self._last.device
        if not unchanged(rows, len(self._last)):
            chosen = torch.from_numpy(rows).to(device)
            self._source = Source(*(part[chosen] for part in self._source))
            self._state = State(*(part[chosen] for part in self._state))
        self._last = torch.from_numpy(np.ascontiguousarray(symbols)).to(device)
