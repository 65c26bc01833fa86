"""Solving with PyTorch: problems in, equations out, in batches."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from treequation.data.batches import Batch, collate_texts, in_order_of_length, with_ranks
from treequation.decoding.search import Equation, Reader
from treequation.decoding.trace import Trace, trace
from treequation.model import greedy
from treequation.model.base import WordProblemModel
from treequation.model.model import TreequationModel
from treequation.model.torch_engine import TorchEngine
from treequation.text.problem import Problem

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")

# All but cuDNN's attention, which compiles a kernel for every shape, for seconds.
ATTENTION = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
_GRAIN_OF_TOKENS, _GRAIN_OF_NUMBERS, _GRAIN_OF_ROWS = 16, 8, 64
_AHEAD = 2  # batches that are ready before anybody asks; more would only take memory


def decode(
    model: WordProblemModel,
    problems: Sequence[Problem],
    *,
    beam: int | None = None,
    batch_size: int = 256,
    steps: int | None = None,
    truncate: bool = False,
    captured: greedy.Search | None = None,
) -> list[list[Equation]]:
    """For each problem its ``beam`` likeliest equations, the likeliest first, in the problems' order.

    Without ``beam``, as many hypotheses are followed as in the paper of the model's decoder. Where batches of the same
    sizes come again and again on CUDA, a :class:`~treequation.model.captured.CapturedSearch` of the model saves time.
    """
    decoded: list[list[Equation]] = [[] for _ in problems]
    model.eval()

    def settle(indices: list[int], found: Callable[[], Sequence[list[Equation]]]) -> None:
        for index, hypotheses in zip(indices, found(), strict=True):
            decoded[index] = hypotheses

    beam = beam or model.BEAM
    search = _device_search(model, captured) if beam == 1 else None
    begun = None
    filled = search is not None and search is captured
    with torch.inference_mode(), sdpa_kernel(ATTENTION), _no_collection():
        for indices, batch, reader in batches(model, problems, batch_size, truncate=truncate, filled=filled):
            found: Callable[[], Sequence[list[Equation]]]
            if search is None:
                found = partial(model.search, batch, reader, beam=beam, steps=steps)
            else:
                found = greedy.begin(search, batch, reader, steps or model.max_steps)
            if begun:  # read while the device is at work on the next
                settle(*begun)
            begun = indices, found
        if begun:
            settle(*begun)
    return decoded


def _device_search(model: WordProblemModel, captured: greedy.Search | None) -> greedy.Search | None:
    """The search that stays on the device, where there is one; a processor waits for nobody, and its rows may leave."""
    if not isinstance(model, TreequationModel):
        return None
    return captured or (None if model.device.type == "cpu" else partial(greedy.search, model, ends_early=True))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Nothing made here refers to itself, and looking for such garbage over and over takes longer than all the rest."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


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
    model: WordProblemModel, problems: Sequence[Problem], rows: int, *, truncate: bool = False, filled: bool = False
) -> Iterator[tuple[list[int], Batch, Reader]]:
    """Batches of like length, each with the problems' indices and what reads its slots.

    Sizes are rounded up on CUDA, whose kernels like it so; ``filled``, the rows are, too, so that few shapes occur.
    """
    encoder, vocabulary, padding = model.problem_encoder, model.config.vocabulary, model.padding
    on_cuda = model.device.type == "cuda"

    def prepared(indices: list[int]) -> tuple[list[int], Batch, Reader]:
        chosen = [problems[index] for index in indices]
        texts = encoder.ids(chosen, truncate=truncate)
        tokens, numbers = max(map(len, texts)), max(1, *(len(problem.numbers) for problem in chosen))
        if on_cuda:
            tokens = min(_rounded(tokens, _GRAIN_OF_TOKENS), encoder.max_tokens)
            numbers = _rounded(numbers, _GRAIN_OF_NUMBERS)
        count = _rounded(len(texts), _GRAIN_OF_ROWS) if filled else None
        batch = collate_texts(texts, tokens=tokens, numbers=numbers, marker=encoder.marker, padding=padding, rows=count)
        if model.reads_ranks:
            batch = with_ranks(batch, [problem.values for problem in chosen])
        return indices, batch, Reader.of(vocabulary, [problem.values for problem in chosen], numbers)

    groups = in_order_of_length([len(problem.text) for problem in problems], rows)
    for indices, batch, reader in _ahead(prepared, groups):
        yield indices, to_device(batch, model.device), reader


def _ahead(work: Callable[[_Given], _Made], given: Iterable[_Given]) -> Iterator[_Made]:
    """What ``work`` makes of each, by a thread that is a little ahead of who asks.

    The tokenizer works outside of Python, so that this thread can do something else meanwhile.
    """
    waiting: deque[Future[_Made]] = deque()
    with ThreadPoolExecutor(1) as thread:
        for one in given:
            waiting.append(thread.submit(work, one))
            if len(waiting) > _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _rounded(size: int, grain: int) -> int:
    return -(-size // grain) * grain


def to_device(batch: Batch, device: torch.device) -> Batch:
    """The same batch as tensors."""
    parts: list[Any] = [greedy.to_device(part, device) if isinstance(part, np.ndarray) else part for part in batch]
    return Batch(*parts)
