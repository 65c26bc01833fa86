"""How a training step is run: as a plain call, or on CUDA as one captured graph for each shape.

Eager training of so small a model is bound by kernel launches: the device idles at any batch size. Captured, the
host's share of a step (forward, matching, backward, optimizer, averages) is one call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from treequation.model.base import WordProblemModel
from treequation.training.examples import DeviceSet, PlannedStep
from treequation.training.optimizer import Optimizer

NEVER = -1


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
        batch_size: int,
        graphs: bool,
        compiled: bool = False,
        accumulate: int = 1,
    ) -> None:
        self.model, self.data, self.optimizer = model, data, optimizer
        # One divisor for all steps, so that each problem weighs the same in an epoch, also in a batch that is not full.
        self.divisor = min(batch_size, len(data))
        self.graphs = graphs and model.device.type == "cuda"
        if self.graphs:
            torch.backends.cuda.enable_cudnn_sdp(False)  # it compiles a kernel for every shape, for seconds
        self.processes = dist.get_world_size() if dist.is_initialized() else 1
        self.rank = dist.get_rank() if dist.is_initialized() else 0
        self.accumulate = accumulate
        if batch_size % (self.processes * accumulate):
            raise ValueError(
                f"a batch of {batch_size} cannot be shared by {self.processes} processes, each in {accumulate} pieces"
            )
        # Only training uses what is compiled: evaluation meets other shapes, and compiling takes seconds for each.
        parts = model.costly_parts() if compiled else []
        self._compiled = [(part, torch.compile(part.forward, dynamic=many)) for part, many in parts]
        device = model.device
        share = batch_size // self.processes
        self._rows = torch.zeros(share, dtype=torch.long, device=device)
        self._weight = torch.zeros(share, device=device)
        self.loss_sum = torch.zeros((), device=device)
        self.bad_step = torch.full((1,), NEVER, dtype=torch.long, device=device)
        self._captured: dict[tuple[int, int], torch.cuda.CUDAGraph] = {}
        self._pool = torch.cuda.graph_pool_handle() if self.graphs else None  # graphs never run at the same time

    def run(self, planned: list[PlannedStep]) -> None:
        """All steps of an epoch."""
        self.model.train()
        share = slice(self.rank, None, self.processes)
        device = self.model.device
        rows = torch.from_numpy(np.stack([step.rows[share] for step in planned])).to(device)
        weight = torch.from_numpy(np.stack([step.weight[share] for step in planned])).to(device)
        for index, step in enumerate(planned):
            self._rows.copy_(rows[index])
            self._weight.copy_(weight[index])
            if self.graphs:
                self._graph(step.tokens, step.layers).replay()
            else:
                self.one_step(step.tokens, step.layers)

    def run_eagerly(self, step: PlannedStep) -> None:
        """One step, without a graph."""
        share = slice(self.rank, None, self.processes)
        self._rows.copy_(torch.from_numpy(step.rows[share]))
        self._weight.copy_(torch.from_numpy(step.weight[share]))
        self.one_step(step.tokens, step.layers)

    def one_step(self, tokens: int, layers: int) -> None:
        """The step itself, with the rows and weights that :meth:`run` has set."""
        self.model.zero_grad(set_to_none=True)
        loss = torch.zeros_like(self.loss_sum)
        # The pieces' gradients add up by themselves, and their losses are parts of the whole batch's.
        for rows, weight in zip(self._rows.chunk(self.accumulate), self._weight.chunk(self.accumulate), strict=True):
            batch = self.data.rows(rows, weight, tokens, layers)
            with self._compiled_parts():
                piece = (self.model(batch) * batch.weight).sum() / self.divisor
            piece.backward()
            loss += piece.detach()
        if self.processes > 1:
            self._add_up(loss)
        self.optimizer.step()
        self._remember(loss)

    @contextmanager
    def _compiled_parts(self) -> Iterator[None]:
        """Within it the model's costly parts run as compiled, if they are."""
        for part, compiled in self._compiled:
            part.forward = compiled
        try:
            yield
        finally:
            for part, _ in self._compiled:
                del part.forward

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

    def _graph(self, tokens: int, layers: int) -> torch.cuda.CUDAGraph:
        if (tokens, layers) not in self._captured:
            self._captured[tokens, layers] = self._capture(tokens, layers)
        return self._captured[tokens, layers]

    def _capture(self, tokens: int, layers: int) -> torch.cuda.CUDAGraph:
        """Captures the step of one shape. Before the first, a rehearsal wakes the libraries up, and is taken back.

        What is to be compiled is compiled in a rehearsal, too, so that every shape has one.
        """
        if not self._captured or self._compiled:
            kept, chance = [tensor.clone() for tensor in self._everything()], torch.cuda.get_rng_state()
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                self.one_step(tokens, layers)
            torch.cuda.current_stream().wait_stream(side)
            torch._foreach_copy_(self._everything(), kept)
            torch.cuda.set_rng_state(chance)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            self.one_step(tokens, layers)
        return graph

    def _everything(self) -> list[Tensor]:
        weights = self.optimizer.weights
        tensors = [*weights.used, *weights.full, *weights.average, *self.optimizer.tensors().values()]
        return [tensor.detach() for tensor in (*tensors, self.loss_sum, self.bad_step)]
