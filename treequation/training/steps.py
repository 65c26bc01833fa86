"""Runs training steps: eagerly, or on CUDA as one captured graph.

In eager mode, kernel launches limit so small a model: the device idles at any batch size. A captured step (forward,
matching, backward, optimizer) is a single launch.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from treequation.data.batches import Batch
from treequation.model.base import WordProblemModel
from treequation.model.batch_decoding import ATTENTION
from treequation.model.packed import can_pack
from treequation.training.examples import DeviceSet, PlannedStep, Planner
from treequation.training.optimizer import Optimizer
from treequation.training.processes import process_count, process_index

NEVER = -1
logger = logging.getLogger(__name__)


class Stepper:
    """Runs the steps of an epoch; everything that a step reads or writes stays on the device.

    ``loss_sum`` accumulates the losses of an epoch, and ``bad_step`` records the first step whose loss was not finite,
    so the host need not synchronise within an epoch.
    """

    def __init__(
        self,
        model: WordProblemModel,
        data: DeviceSet,
        optimizer: Optimizer,
        *,
        planner: Planner,
        compiled: bool = False,
        accumulate: int = 1,
    ) -> None:
        """``accumulate`` is the number of parts whose gradients are accumulated for one update."""
        self.model, self.data, self.optimizer, self.accumulate = model, data, optimizer, accumulate
        self.divisor = len(data) / planner.steps  # mean problems per update, so that all weigh the same in an epoch
        self.captures = model.device.type == "cuda"  # until it turns out that a step cannot be captured
        # The processor's flash attention is slow at bf16 gradients.
        self._attention = [SDPBackend.MATH] if model.device.type == "cpu" and optimizer.weights.bf16 else ATTENTION
        self.processes = process_count()
        # Each of n processes computes every n-th row of an update, so all get rows of the same sizes.
        self._layout = planner.layout(model.device, packs=can_pack(model.encoder))
        # Every update has the same shape, so it is compiled once. Evaluation runs eagerly.
        self._loss = torch.compile(self._loss_of, dynamic=False) if compiled else self._loss_of
        self._compiled = compiled
        device = model.device
        share = planner.rows // self.processes
        self._rows = torch.zeros(share, dtype=torch.long, device=device)
        self._weight = torch.zeros(share, device=device)
        self.loss_sum = torch.zeros((), device=device)
        self.bad_step = torch.full((1,), NEVER, dtype=torch.long, device=device)
        self._graph: torch.cuda.CUDAGraph | None = None

    def run(self, planned: Sequence[PlannedStep]) -> None:
        """Runs these steps."""
        self.model.train()
        share = slice(process_index(), None, self.processes)
        device = self.model.device
        rows = torch.from_numpy(np.stack([step.rows[share] for step in planned])).to(device)
        weight = torch.from_numpy(np.stack([step.weight[share] for step in planned])).to(device)
        if self.captures and self._graph is None:
            self._capture()
        for index in range(len(planned)):
            self._rows.copy_(rows[index])
            self._weight.copy_(weight[index])
            if self._graph is not None:
                self._graph.replay()
            else:
                self.one_step()

    def one_step(self) -> None:
        """One step, on the rows and weights that :meth:`run` has set."""
        self.model.zero_grad(set_to_none=True)
        loss = torch.zeros_like(self.loss_sum)
        for part in range(self.accumulate):  # backward accumulates the gradients of the parts
            rows, weight = (whole[part :: self.accumulate] for whole in (self._rows, self._weight))
            batch = self.data.rows(rows, weight, self._layout)
            with sdpa_kernel(self._attention):
                part_loss = self._loss(batch)
                part_loss.backward()
            loss += part_loss.detach()
        if self.processes > 1:
            self._all_reduce(loss)
        self.optimizer.step()
        self._record(loss)

    def _loss_of(self, batch: Batch) -> Tensor:
        """The contribution of these problems to the loss of an update."""
        share: Tensor = (self.model(batch) * batch.weight).sum() / self.divisor
        return share

    def _record(self, loss: Tensor) -> None:
        self.loss_sum += loss
        first_bad = ~torch.isfinite(loss) & (self.bad_step == NEVER)
        self.bad_step.copy_(torch.where(first_bad, self.optimizer.step_count - 1, self.bad_step))

    def _all_reduce(self, loss: Tensor) -> None:
        """Sums the gradients and the loss over all processes."""
        gradients = [p.grad for p in self.optimizer.weights.used if p.grad is not None]
        flat = torch._utils._flatten_dense_tensors(gradients)
        dist.all_reduce(flat)
        for gradient, summed in zip(gradients, torch._utils._unflatten_dense_tensors(flat, gradients), strict=True):
            gradient.copy_(summed)
        dist.all_reduce(loss)

    def _capture(self) -> None:
        """Captures a step. A warm-up step initialises libraries and compiles; its changes are undone.

        Some encoders create masks or positions without naming a device. ``torch.device`` makes them on ours, as a
        captured step requires, but the compiler does not support it. An encoder that cannot be captured trains eagerly.
        """
        on_device = nullcontext() if self._compiled else torch.device(self.model.device)
        saved, random_state = [tensor.clone() for tensor in self._state()], torch.cuda.get_rng_state()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), on_device:
            self.one_step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph), on_device:
                self.one_step()
            self._graph = graph
        except RuntimeError as error:
            self.captures = False
            logger.warning(
                "this encoder cannot be captured as a CUDA graph (%s); training continues without one, more slowly",
                str(error).splitlines()[0],
            )
        torch._foreach_copy_(self._state(), saved)
        torch.cuda.set_rng_state(random_state)

    def _state(self) -> list[Tensor]:
        weights = self.optimizer.weights
        tensors = [*weights.used, *weights.full, *self.optimizer.tensors().values()]
        return [tensor.detach() for tensor in (*tensors, self.loss_sum, self.bad_step)]
