"""Solving with PyTorch: problems in, decoded equations out, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from treequation.data.batches import Batch, Example, Shape, collate, in_order_of_length
from treequation.expression.search import (
    Bools,
    Decoded,
    Distributions,
    Ints,
    Reader,
    decode_greedily,
    decode_with_beam,
    joining,
)
from treequation.expression.trace import StepRecord, Trace, trace
from treequation.model.decoder import DecoderState, Proposal
from treequation.model.model import TreequationModel
from treequation.text.problem import Problem


class TorchEngine:
    """The model's side of the search."""

    def __init__(self, model: TreequationModel, batch: Batch, *, record: bool = False) -> None:
        self.model = model
        self.records: list[StepRecord] | None = [] if record else None
        self._state: DecoderState = model.start(batch)
        self._proposal: Proposal | None = None
        self._step = 0

    def propose(self) -> Distributions:
        """Runs one step."""
        before = self._state
        self._state, self._proposal = self.model.decoder.step(self._step, before)
        slots = before.numbers.shape[1]  # an operand None, if the model has one, is no slot
        parts = (self._proposal.operator, self._proposal.left[..., :slots], self._proposal.right[..., :slots])
        said = Distributions(*(part.float().cpu().numpy() for part in parts))
        if self.records is not None:
            near = F.normalize(self._state.queries.float(), dim=-1) @ F.normalize(
                before.problem.float(), dim=-1
            ).transpose(1, 2)
            self.records.append(StepRecord(said, near.cpu().numpy()))
        return said

    def advance(self, rows: Ints, operator: Ints, left: Ints, right: Ints, valid: Bools) -> None:
        """Goes on with some rows."""
        assert self._proposal is not None, "propose before you advance"
        device = self._state.queries.device

        def tensor(array: Ints | Bools) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(device)

        said = tensor(operator), tensor(left), tensor(right)
        chosen = tensor(rows), said, tensor(valid), tensor(joining(valid))
        self._state = self.model.advance(self._state, self._proposal, *chosen)
        self._step += 1


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
    decoded: list[list[Decoded]] = [[] for _ in problems]
    for search in _searches(model, problems, beam, batch_size, steps, truncate, record=False):
        for index, hypotheses in zip(search.indices, search.found, strict=True):
            decoded[index] = hypotheses
    return decoded


def decode_with_trace(
    model: TreequationModel,
    problems: Sequence[Problem],
    *,
    beam: int = 1,
    batch_size: int = 256,
    steps: int | None = None,
    truncate: bool = False,
    best: int = 3,
) -> list[list[Trace]]:
    """As :func:`decode`, with the way to each equation: the ``best`` entries of every query's distributions."""
    encoder = model.problem_encoder
    traces: list[list[Trace]] = [[] for _ in problems]
    for search in _searches(model, problems, beam, batch_size, steps, truncate, record=True):
        for index, hypotheses in zip(search.indices, search.found, strict=True):
            (encoded,) = encoder.encode([problems[index]], truncate=truncate)
            tokens = encoder.tokens(encoded)
            traces[index] = [trace(d, search.records, search.reader, tokens, best=best) for d in hypotheses]
    return traces


class _Search(NamedTuple):
    """A batch that has been decoded."""

    indices: list[int]  # which problems
    reader: Reader
    found: list[list[Decoded]]
    records: list[StepRecord]


def _searches(
    model: TreequationModel,
    problems: Sequence[Problem],
    beam: int,
    batch_size: int,
    steps: int | None,
    truncate: bool,
    *,
    record: bool,
) -> Iterator[_Search]:
    model.eval()
    limit = steps or model.config.steps
    for indices, batch, reader in batches(model, problems, batch_size, truncate=truncate):
        with torch.inference_mode():
            engine = TorchEngine(model, batch, record=record)
            if beam == 1:
                found = [[one] for one in decode_greedily(engine, reader, limit)]
            else:
                found = decode_with_beam(engine, reader, limit, beam)
        yield _Search(indices, reader, found, engine.records or [])


def batches(
    model: TreequationModel, problems: Sequence[Problem], rows: int, *, truncate: bool = False
) -> Iterator[tuple[list[int], Batch, Reader]]:
    """Batches of like length, each with the problems' indices and what reads its slots."""
    examples = [Example(encoded) for encoded in model.problem_encoder.encode(problems, truncate=truncate)]
    constants = len(model.config.vocabulary.constants)
    for indices in in_order_of_length(examples, rows):
        chosen = [examples[index] for index in indices]
        shape = Shape(
            max(example.shape.tokens for example in chosen),
            max(example.shape.numbers for example in chosen),
            layers=1,
            width=1,
        )
        batch = collate(chosen, shape, constants=constants, padding=model.padding)
        reader = Reader.of(model.config.vocabulary, [problems[index].values for index in indices], shape.numbers)
        yield indices, to_device(batch, model.device), reader


def to_device(batch: Batch, device: torch.device) -> Batch:
    """The same batch as tensors."""
    return Batch(*(torch.as_tensor(part).to(device, non_blocking=True) for part in batch))
