"""Finds the clauses of problems, on the device."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from treequation.data.batches import Batch


def clauses(batch: Batch, separators: Sequence[int]) -> tuple[Tensor, Tensor]:
    """The clause of each token [B, T], numbered from 0, and the last clause of each problem [B], the question.

    A clause ends with one of the ``separators``, such as a comma or a full stop. The token that ends the text belongs
    to the question, even if a full stop comes before it.
    """
    ends = torch.zeros_like(batch.ids)
    for separator in separators:  # a loop over a few: a tensor of them would have to be on the device
        ends = ends | (batch.ids == separator)
    clause = ends.cumsum(dim=1) - ends
    last = clause.gather(1, (batch.lengths - 2).clamp(min=0).unsqueeze(1))  # [B, 1]
    return torch.minimum(clause, last), last.squeeze(1)
