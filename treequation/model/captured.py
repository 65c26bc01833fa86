"""The greedy search as CUDA graphs, for solving many batches of a few shapes.

The model is so small that the device idles while the host launches kernels one by one. Replaying a captured graph is a
single launch. Capturing takes as long as about a hundred batches, so it only pays off in bulk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from treequation.data.batches import Batch
from treequation.model import greedy
from treequation.model.greedy import SearchInput, SearchOutput

if TYPE_CHECKING:
    from treequation.model.model import TreequationModel

_Graph = tuple[torch.cuda.CUDAGraph, list[Tensor], SearchOutput]


class CapturedSearch:
    """The captured search of one model. Its weights may change in place, but must not be replaced by other tensors.

    The next call overwrites what this one returned: copy it on the same stream.
    """

    def __init__(self, model: TreequationModel) -> None:
        self.model = model
        self._graphs: dict[tuple[object, ...], _Graph] = {}
        self._pool = torch.cuda.graph_pool_handle()  # shared, since the graphs never run at the same time

    def __call__(self, search_input: SearchInput, steps: int, divisions: greedy.Divisions) -> SearchOutput:
        """Runs the graph for the batch's shape; captures it if it is new."""
        tensors = _inputs(search_input)
        key = (steps, divisions, *(part.shape for part in tensors))
        if key not in self._graphs:
            self._graphs[key] = self._capture(search_input, steps, divisions)
        graph, inputs, output = self._graphs[key]
        for part, new in zip(inputs, tensors, strict=True):
            part.copy_(new)
        graph.replay()
        return output

    def _capture(self, search_input: SearchInput, steps: int, divisions: greedy.Divisions) -> _Graph:
        inputs = [part.clone() for part in _inputs(search_input)]
        *parts, zero, several = inputs
        search_input = SearchInput(Batch(**dict(zip(_tensors(search_input.batch), parts, strict=True))), zero, several)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # a warm-up run, since libraries initialise on first use
            greedy.search(self.model, search_input, steps, divisions)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            output = greedy.search(self.model, search_input, steps, divisions)
        return graph, inputs, output


def _inputs(search_input: SearchInput) -> list[Tensor]:
    """All tensors that the search reads."""
    return [*_tensors(search_input.batch).values(), search_input.zero, search_input.several]


def _tensors(batch: Batch) -> dict[str, Tensor]:
    """The tensors of a batch; one to be solved has no labels."""
    return {name: part for name, part in batch._asdict().items() if isinstance(part, Tensor)}
