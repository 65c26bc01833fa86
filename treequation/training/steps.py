"""How a training step is run: as a plain call, or on CUDA as one captured graph.

Eager training of so small a model is bound by kernel launches: the device idles at any batch size. Captured, the
host's share of a step (forward, matching, backward, optimizer) is one call.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from treequation.data.batches import Batch
from treequation.model.base import WordProblemModel
from treequation.training.examples import DeviceSet, PlannedStep, Planner
from treequation.training.optimizer import Optimizer

NEVER = -1
logger = logging.getLogger(__name__)


class Stepper:
    """Runs the steps of an epoch; everything a step reads or writes stays on the device.

    ``loss_sum`` adds up the losses of an epoch, and ``bad_step`` remembers the first step whose loss was not finite,
    so that nothing has to be asked of the device in between.
    """

    def __init__(
        self,
        model: WordProblemModel,
        data: DeviceSet,
        optimizer: Optimizer,
        *,
        planner: Planner,
        graphs: bool,
        compiled: bool = False,
        accumulate: int = 1,
    ) -> None:
        """``accumulate`` is the number of parts that an update is computed in, one after the other."""
        self.model, self.data, self.optimizer, self.accumulate = model, data, optimizer, accumulate
        self.divisor = len(data) / planner.steps  # the mean of an update's problems: each weighs the same in an epoch
        self.graphs = graphs and model.device.type == "cuda"
        if self.graphs:
            torch.backends.cuda.enable_cudnn_sdp(False)  # it compiles a kernel for every shape, for seconds
        self.processes = dist.get_world_size() if dist.is_initialized() else 1
        self.rank = dist.get_rank() if dist.is_initialized() else 0
        parts = self.processes * accumulate
        if planner.rows % parts:
            raise ValueError(f"{parts} parts cannot share {planner.rows} rows evenly")
        # This process computes every n-th row of an update, so it gets as many of each size as the others.
        self._layout = planner.layout(model.device)
        # An update always has the same shape, so it is compiled once. Evaluation does not use what is compiled.
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
        """All steps of an epoch."""
        self.model.train()
        share = slice(self.rank, None, self.processes)
        device = self.model.device
        rows = torch.from_numpy(np.stack([step.rows[share] for step in planned])).to(device)
        weight = torch.from_numpy(np.stack([step.weight[share] for step in planned])).to(device)
        if self.graphs and self._graph is None:
            self._capture()
        for index in range(len(planned)):
            self._rows.copy_(rows[index])
            self._weight.copy_(weight[index])
            if self._graph is not None:
                self._graph.replay()
            else:
                self.one_step()

    def one_step(self) -> None:
        """The step itself, with the rows and weights that :meth:`run` has set."""
        self.model.zero_grad(set_to_none=True)
        loss = torch.zeros_like(self.loss_sum)
        for part in range(self.accumulate):  # the parts' gradients add up by themselves
            rows, weight = (whole[part :: self.accumulate] for whole in (self._rows, self._weight))
            batch = self.data.rows(rows, weight, self._layout)
            of_part = self._loss(batch)
            of_part.backward()
            loss += of_part.detach()
        if self.processes > 1:
            self._add_up(loss)
        self.optimizer.step()
        self._remember(loss)

    def _loss_of(self, batch: Batch) -> Tensor:
        """The share of an update's loss that these problems have."""
        share: Tensor = (self.model(batch) * batch.weight).sum() / self.divisor
        return share

    def _remember(self, loss: Tensor) -> None:
        self.loss_sum += loss
        first_bad = ~torch.isfinite(loss) & (self.bad_step == NEVER)
        self.bad_step.copy_(torch.where(first_bad, self.optimizer.step_count - 1, self.bad_step))

    def _add_up(self, loss: Tensor) -> None:
        """Sums the gradients of all processes; each has seen its share of one batch."""
        gradients = [p.grad for p in self.optimizer.weights.used if p.grad is not None]
        flat = torch._utils._flatten_dense_tensors(gradients)
        dist.all_reduce(flat)
        for gradient, summed in zip(gradients, torch._utils._unflatten_dense_tensors(flat, gradients), strict=True):
            gradient.copy_(summed)
        dist.all_reduce(loss)

    def _capture(self) -> None:
        """Captures the step, after a rehearsal that wakes the libraries up, compiles, and is taken back.

        Some encoders make masks or positions without naming a device; within ``torch.device`` they are made on ours,
        where a captured step needs them. An encoder that still cannot be captured trains without a graph. The compiler
        cannot look through ``torch.device``.
        """
        ours = nullcontext() if self._compiled else torch.device(self.model.device)
        kept, chance = [tensor.clone() for tensor in self._everything()], torch.cuda.get_rng_state()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), ours:
            self.one_step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph), ours:
                self.one_step()
            self._graph = graph
        except RuntimeError as error:
            self.graphs = False
            logger.warning(
                "this encoder cannot be captured as a CUDA graph (%s); training goes on without, more slowly",
                str(error).splitlines()[0],
            )
        torch._foreach_copy_(self._everything(), kept)
        torch.cuda.set_rng_state(chance)

    def _everything(self) -> list[Tensor]:
        weights = self.optimizer.weights
        tensors = [*weights.used, *weights.full, *self.optimizer.tensors().values()]
        return [tensor.detach() for tensor in (*tensors, self.loss_sum, self.bad_step)]
