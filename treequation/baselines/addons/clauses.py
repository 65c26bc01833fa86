"""Finds the clauses of problems, on the device."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor, nn

from treequation.baselines.addons.number_tokens import DIGITS, tokens_of
from treequation.data.batches import Batch


class Clauses(nn.Module):
    """Cuts problems after each of the ``separators``, such as a comma or a full stop, but not within a number."""

    def __init__(self, separators: Sequence[int]) -> None:
        super().__init__()
        self.separators = list(separators)
        self.register_buffer("digits", torch.zeros(0, dtype=torch.bool), persistent=False)

    def learn_tokens(self, tokenizer: Tokenizer) -> None:
        """Notes which tokens are digits: a separator between two of them is part of a number, as in 3.5 or 1,200."""
        self.digits = tokens_of(tokenizer, DIGITS)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The clause of each token [B, T], numbered from 0, and the last clause of each problem [B], the question.

        The token that ends the text belongs to the question, even if a full stop comes before it.
        """
        ends = torch.zeros_like(batch.ids)
        for separator in self.separators:  # a loop over a few: a tensor of them would have to be on the device
            ends = ends | (batch.ids == separator)
        if len(self.digits):
            digit = self.digits[batch.ids]
            ends = ends * ~(F.pad(digit[:, :-1], (1, 0)) & F.pad(digit[:, 1:], (0, 1)))
        clause = ends.cumsum(dim=1) - ends
        last = clause.gather(1, (batch.lengths - 2).clamp(min=0).unsqueeze(1))  # [B, 1]
        return torch.minimum(clause, last), last.squeeze(1)
