"""The greedy search as CUDA graphs, for anyone who solves batches of the same few shapes over and over.

So small a model leaves the device idle between kernels that the host launches one by one. Captured, the host's share of
a batch is one call. Capturing takes about as long as a hundred batches, so that it pays in bulk only.
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
    """The search of one model, whose weights may change in place but not move.

    What it returns is overwritten by the next call: copy it on the same stream.
    """

    def __init__(self, model: TreequationModel) -> None:
        self.model = model
        self._graphs: dict[tuple[object, ...], _Graph] = {}
        self._pool = torch.cuda.graph_pool_handle()  # graphs never run at the same time

    def __call__(self, asked: SearchInput, steps: int, divisions: greedy.Divisions) -> SearchOutput:
        """Runs the graph of the batch's shape."""
        given = _inputs(asked)
        key = (steps, divisions, *(part.shape for part in given))
        if key not in self._graphs:
            self._graphs[key] = self._capture(asked, steps, divisions)
        graph, inputs, found = self._graphs[key]
        for part, new in zip(inputs, given, strict=True):
            part.copy_(new)
        graph.replay()
        return found

    def _capture(self, asked: SearchInput, steps: int, divisions: greedy.Divisions) -> _Graph:
        inputs = [part.clone() for part in _inputs(asked)]
        *parts, zero, several = inputs
        asked = SearchInput(Batch(**dict(zip(_given(asked.batch), parts, strict=True))), zero, several)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # a rehearsal wakes the libraries up
            greedy.search(self.model, asked, steps, divisions)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            found = greedy.search(self.model, asked, steps, divisions)
        return graph, inputs, found


def _inputs(asked: SearchInput) -> list[Tensor]:
    """All that the search reads."""
    return [*_given(asked.batch).values(), asked.zero, asked.several]


def _given(batch: Batch) -> dict[str, Tensor]:
    """The parts that a batch has; what is to be solved has no labels."""
    return {name: part for name, part in batch._asdict().items() if isinstance(part, Tensor)}
