"""Solving with PyTorch: problems in, decoded equations out, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from treequation.data.batches import Batch, Example, Shape, collate, in_order_of_length
from treequation.expression.search import (
    Bools,
    Decoded,
    Distributions,
    Floats,
    Ints,
    Reader,
    decode_greedily,
    decode_with_beam,
)
from treequation.model.decoder import DecoderState, Proposal
from treequation.model.model import TreequationModel
from treequation.text.problem import Problem


@dataclass(frozen=True, slots=True)
class StepTrace:
    """What happened at one step: distributions, and how near each query is to each token (the paper's case study)."""

    said: Distributions  # [R, K, ·]
    similarity: Floats  # [R, K, T] cosine of query and problem state
    rows: Ints  # [R] which rows of the batch


class TorchEngine:
    """The model's side of the search."""

    def __init__(self, model: TreequationModel, batch: Batch, *, trace: bool = False) -> None:
        self.model = model
        self.trace: list[StepTrace] | None = [] if trace else None
        self._state: DecoderState = model.start(batch)
        self._proposal: Proposal | None = None
        self._rows = np.arange(len(batch.ids))
        self._step = 0

    def propose(self) -> Distributions:
        """Runs one step."""
        before = self._state
        self._state, self._proposal = self.model.decoder.step(self._step, before)
        slots = before.numbers.shape[1]  # an operand None, if the model has one, is no slot
        parts = (self._proposal.operator, self._proposal.left[..., :slots], self._proposal.right[..., :slots])
        said = Distributions(*(part.float().cpu().numpy() for part in parts))
        if self.trace is not None:
            near = F.normalize(self._state.queries.float(), dim=-1) @ F.normalize(
                before.problem.float(), dim=-1
            ).transpose(1, 2)
            self.trace.append(StepTrace(said, near.cpu().numpy(), self._rows))
        return said

    def advance(self, rows: Ints, operator: Ints, left: Ints, right: Ints, valid: Bools) -> None:
        """Goes on with some rows."""
        assert self._proposal is not None, "propose before you advance"
        device = self._state.queries.device

        def tensor(array: Ints | Bools) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(device)

        index = tensor(rows)
        state = DecoderState(*(part[index] for part in self._state))
        operator_state, left_state, right_state = (part[index] for part in self._proposal.states)
        proposal = self._proposal._replace(states=(operator_state, left_state, right_state))
        results = self.model.results(state, proposal, lambda: (tensor(operator), tensor(left), tensor(right)))
        self._state = self.model.decoder.grow(state, results, tensor(valid))
        self._rows = self._rows[rows]
        self._step += 1


@torch.inference_mode()
def decode(
    model: TreequationModel,
    problems: Sequence[Problem],
    *,
    beam: int = 1,
    batch_size: int = 256,
    steps: int | None = None,
    truncate: bool = False,
) -> list[list[Decoded]]:
    """For each problem its likeliest equations (one for ``beam`` 1), the likeliest first, in the problems' order."""
    model.eval()
    decoded: list[list[Decoded]] = [[] for _ in problems]
    for indices, batch, reader in batches(model, problems, batch_size, truncate=truncate):
        engine = TorchEngine(model, batch)
        limit = steps or model.config.steps
        if beam == 1:
            found = [[one] for one in decode_greedily(engine, reader, limit)]
        else:
            found = decode_with_beam(engine, reader, limit, beam)
        for index, hypotheses in zip(indices, found, strict=True):
            decoded[index] = hypotheses
    return decoded


def batches(
    model: TreequationModel, problems: Sequence[Problem], rows: int, *, truncate: bool = False
) -> Iterator[tuple[list[int], Batch, Reader]]:
    """Batches of like length, each with the problems' indices and what reads its slots."""
    examples = [Example(encoded) for encoded in model.problem_encoder.encode(problems, truncate=truncate)]
    constants = np.array([value == 0 for value in model.config.vocabulary.constants], np.bool_)
    for indices in in_order_of_length(examples, rows):
        chosen = [examples[index] for index in indices]
        shape = Shape(
            max(example.shape.tokens for example in chosen),
            max(example.shape.numbers for example in chosen),
            layers=1,
            width=1,
        )
        zero = np.zeros((len(chosen), len(constants) + shape.numbers), np.bool_)
        zero[:, : len(constants)] = constants
        for row, index in enumerate(indices):
            for place, value in enumerate(problems[index].values):
                zero[row, len(constants) + place] = value == 0
        batch = collate(chosen, shape, constants=len(constants), padding=model.padding)
        yield indices, to_device(batch, model.device), Reader(model.config.vocabulary, shape.numbers, zero)


def to_device(batch: Batch, device: torch.device) -> Batch:
    """The same batch as tensors."""
    return Batch(*(torch.as_tensor(part).to(device, non_blocking=True) for part in batch))
