"""Solving with PyTorch: problems in, equations out, in batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from treequation.data.batches import Batch, collate_texts, in_order_of_length, with_ranks
from treequation.data.parallel import collector_paused
from treequation.decoding.search import Equation, Reader
from treequation.decoding.trace import Trace, trace
from treequation.model import greedy
from treequation.model.base import WordProblemModel
from treequation.model.model import TreequationModel
from treequation.model.torch_engine import TorchEngine
from treequation.text.problem import Problem

_Input = TypeVar("_Input")
_Result = TypeVar("_Result")

# In training and solving alike: without cuDNN's attention, which takes seconds to compile a kernel for each new shape.
ATTENTION = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
_TOKEN_MULTIPLE, _NUMBER_MULTIPLE, _ROW_MULTIPLE = 16, 8, 64
_PREFETCH = 2  # batches prepared in advance; more would only take memory


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
    """The ``beam`` likeliest equations of each problem, the likeliest first; problems stay in order.

    Without ``beam``, the search uses the beam of the decoder's paper. On CUDA, a
    :class:`~treequation.model.captured.CapturedSearch` saves time if many batches have the same shape.
    """
    decoded: list[list[Equation]] = [[] for _ in problems]
    model.eval()

    def store(indices: list[int], finish: Callable[[], Sequence[list[Equation]]]) -> None:
        for index, hypotheses in zip(indices, finish(), strict=True):
            decoded[index] = hypotheses

    beam = beam or model.BEAM
    search = _device_search(model, captured) if beam == 1 else None
    begun = None
    filled = search is not None and search is captured
    with torch.inference_mode(), sdpa_kernel(ATTENTION), collector_paused():
        for indices, batch, reader in batches(model, problems, batch_size, truncate=truncate, filled=filled):
            finish: Callable[[], Sequence[list[Equation]]]
            if search is None:
                finish = partial(model.search, batch, reader, beam=beam, steps=steps)
            else:
                finish = greedy.begin(search, batch, reader, steps or model.max_steps)
            if begun:  # while the device works on the next batch
                store(*begun)
            begun = indices, finish
        if begun:
            store(*begun)
    return decoded


def _device_search(model: WordProblemModel, captured: greedy.Search | None) -> greedy.Search | None:
    """The search that stays on the device. None on a processor, where the search that drops finished rows is faster."""
    if not isinstance(model, TreequationModel):
        return None
    return captured or (None if model.device.type == "cpu" else partial(greedy.search, model, ends_early=True))


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
    """As :func:`decode`, with a trace for each equation: the ``best`` entries of every query's distributions."""
    encoder = model.problem_encoder
    traces: list[list[Trace]] = [[] for _ in problems]
    model.eval()
    for indices, batch, reader in batches(model, problems, batch_size, truncate=truncate):
        with torch.inference_mode():
            engine = TorchEngine(model, batch, record=True)
            equations = model.search_from(engine, reader, beam=beam, steps=steps)
        for index, hypotheses in zip(indices, equations, strict=True):
            (encoded,) = encoder.encode([problems[index]], truncate=truncate)
            tokens = encoder.tokens(encoded)
            traces[index] = [trace(d, engine.records or [], reader, tokens, best=best) for d in hypotheses]
    return traces


def batches(
    model: WordProblemModel, problems: Sequence[Problem], rows: int, *, truncate: bool = False, filled: bool = False
) -> Iterator[tuple[list[int], Batch, Reader]]:
    """Batches of problems of similar length, each with the problems' indices and its reader.

    On CUDA, sizes are padded to multiples that suit the kernels. With ``filled``, the number of rows is also padded, so
    that few shapes occur.
    """
    encoder, vocabulary, padding = model.problem_encoder, model.config.vocabulary, model.padding
    on_cuda = model.device.type == "cuda"

    def prepared(indices: list[int]) -> tuple[list[int], Batch, Reader]:
        chosen = [problems[index] for index in indices]
        texts = encoder.ids(chosen, truncate=truncate)
        tokens, numbers = max(map(len, texts)), max(1, *(len(problem.numbers) for problem in chosen))
        if on_cuda:
            tokens = min(_round_up(tokens, _TOKEN_MULTIPLE), encoder.max_tokens)
            numbers = _round_up(numbers, _NUMBER_MULTIPLE)
        count = _round_up(len(texts), _ROW_MULTIPLE) if filled else None
        batch = collate_texts(texts, tokens=tokens, numbers=numbers, marker=encoder.marker, padding=padding, rows=count)
        if model.reads_ranks:
            batch = with_ranks(batch, [problem.values for problem in chosen])
        return indices, batch, Reader.of(vocabulary, [problem.values for problem in chosen], numbers)

    groups = in_order_of_length([len(problem.text) for problem in problems], rows)
    for indices, batch, reader in _prefetched(prepared, groups):
        yield indices, to_device(batch, model.device), reader


def _prefetched(work: Callable[[_Input], _Result], given: Iterable[_Input]) -> Iterator[_Result]:
    """The results of ``work`` in order, computed ahead in a second thread.

    The tokenizer releases the interpreter lock, so both threads make progress.
    """
    waiting: deque[Future[_Result]] = deque()
    with ThreadPoolExecutor(1) as thread:
        for one in given:
            waiting.append(thread.submit(work, one))
            if len(waiting) > _PREFETCH:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _round_up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple


def to_device(batch: Batch, device: torch.device) -> Batch:
    """The same batch, with its arrays as tensors on the device."""
    parts: list[Any] = [greedy.to_device(part, device) if isinstance(part, np.ndarray) else part for part in batch]
    return Batch(*parts)
