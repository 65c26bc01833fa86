"""Where the clauses of a problem begin and end, found on the device."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from treequation.data.batches import Batch


def clauses(batch: Batch, separators: Sequence[int]) -> tuple[Tensor, Tensor]:
    """The clause of each token [B, T], counted from 0, and the last clause of each problem [B], the question.

    A clause ends with a comma or a full stop, whose tokens are ``separators``. The token that ends the text is in
    the question, also where the question ends with a full stop.
    """
    ends = torch.zeros_like(batch.ids)
    for separator in separators:  # few, and known to the host: a tensor of them would have to be on the device
        ends = ends | (batch.ids == separator)
    clause = ends.cumsum(dim=1) - ends
    last = clause.gather(1, (batch.lengths - 2).clamp(min=0).unsqueeze(1))  # [B, 1]
    return torch.minimum(clause, last), last.squeeze(1)
