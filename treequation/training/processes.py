"""Data-parallel training in several processes, started by ``torchrun`` or ``accelerate launch``.

Each process computes its share of every batch, and the gradients are summed. So the result is that of one process, up
to rounding and to what each process draws for itself: dropout, masked words, denoising, pairs of problems. Losses that
compare the problems of a batch, ``textual`` and ``analogy``, are an exception, since a process sees its own share only.
The first process reports, and writes the run folder, which all of them must be able to read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.distributed as dist

from treequation.errors import TreequationError


@contextmanager
def process_group(device: str | None = None) -> Iterator[None]:
    """Joins the process group that the environment describes, if any; on CUDA, each process takes its own device."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield
        return
    cuda = choose_device(device) == "cuda"
    if cuda:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        yield
    finally:
        dist.destroy_process_group()


def process_index() -> int:
    """The rank of this process, from 0.

    >>> process_index()
    0
    """
    return dist.get_rank() if dist.is_initialized() else 0


def process_count() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


def is_main() -> bool:
    """Whether this is the process that writes and reports."""
    return process_index() == 0


def choose_device(requested: str | None) -> str:
    """The requested device, or else the GPU if there is one.

    >>> choose_device("cpu")
    'cpu'
    """
    if requested == "cuda" and not torch.cuda.is_available():
        raise TreequationError("PyTorch finds no CUDA device here; train with --device cpu")
    return requested or ("cuda" if torch.cuda.is_available() else "cpu")
