"""The search engine that runs a model in PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from treequation.data.batches import Batch
from treequation.decoding.search import Bools, Distributions, Ints, joining
from treequation.decoding.trace import StepRecord
from treequation.model.decoder import DecoderState, Expressions, Proposal

if TYPE_CHECKING:
    from treequation.model.model import TreequationModel


class TorchEngine:
    """Computes the steps of a search (an :class:`~treequation.decoding.search.Engine`)."""

    def __init__(self, model: TreequationModel, batch: Batch, *, record: bool = False) -> None:
        self.model = model
        self.records: list[StepRecord] | None = [] if record else None
        self._state: DecoderState = model.start(batch)
        self._proposal: Proposal | None = None
        self._step = 0

    def propose(self) -> Distributions:
        """Runs one step for all rows."""
        before = self._state
        self._state, self._proposal = self.model.decoder.step(self._step, before)
        predicted = Distributions(*(part.float().cpu().numpy() for part in self._proposal[:3]))
        if self.records is not None:
            similarity = F.normalize(self._state.queries.float(), dim=-1) @ F.normalize(
                before.problem.float(), dim=-1
            ).transpose(1, 2)
            self.records.append(StepRecord(predicted, similarity.cpu().numpy()))
        return predicted

    def advance(self, rows: Ints, operator: Ints, left: Ints, right: Ints, valid: Bools) -> None:
        """Continues with these rows, to which the valid expressions are added."""
        assert self._proposal is not None, "propose before you advance"
        device = self._state.queries.device

        def tensor(array: Ints | Bools) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(device)

        chosen = Expressions(tensor(operator), tensor(left), tensor(right))
        self._state = self.model.decoder.advance(
            self._state, self._proposal, tensor(rows), chosen, tensor(valid), tensor(joining(valid))
        )
        self._step += 1
