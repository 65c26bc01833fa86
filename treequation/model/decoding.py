"""Solving with PyTorch: problems in, equations out, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from treequation.data.batches import Batch, Example, Shape, collate, in_order_of_length
from treequation.expression.search import Equation, Reader
from treequation.expression.trace import Trace, trace
from treequation.model.base import WordProblemModel
from treequation.model.engine import TorchEngine
from treequation.model.model import TreequationModel
from treequation.text.problem import Problem


def decode(
    model: WordProblemModel,
    problems: Sequence[Problem],
    *,
    beam: int | None = None,
    batch_size: int = 256,
    steps: int | None = None,
    truncate: bool = False,
) -> list[list[Equation]]:
    """For each problem its ``beam`` likeliest equations, the likeliest first, in the problems' order.

    Without ``beam``, as many hypotheses are followed as in the paper of the model's decoder.
    """
    decoded: list[list[Equation]] = [[] for _ in problems]
    model.eval()
    for indices, batch, reader in batches(model, problems, batch_size, truncate=truncate):
        with torch.inference_mode():
            found = model.search(batch, reader, beam=beam or model.BEAM, steps=steps)
        for index, hypotheses in zip(indices, found, strict=True):
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
    model.eval()
    for indices, batch, reader in batches(model, problems, batch_size, truncate=truncate):
        with torch.inference_mode():
            engine = TorchEngine(model, batch, record=True)
            found = model.search_from(engine, reader, beam=beam, steps=steps)
        for index, hypotheses in zip(indices, found, strict=True):
            (encoded,) = encoder.encode([problems[index]], truncate=truncate)
            tokens = encoder.tokens(encoded)
            traces[index] = [trace(d, engine.records or [], reader, tokens, best=best) for d in hypotheses]
    return traces


def batches(
    model: WordProblemModel, problems: Sequence[Problem], rows: int, *, truncate: bool = False
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
