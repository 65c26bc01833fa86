"""Our models: an encoder that reads the problem and a decoder that writes its equation, layer by layer.

There are two decoders, the paper's (:mod:`treequation.model.decoder`) and ours (:mod:`treequation.model.chained`).
"""

from __future__ import annotations

from functools import cached_property

from transformers import AutoModel

from treequation.data.batches import Batch
from treequation.data.labels import Labeller, LabelSets
from treequation.decoding.beam_search import decode_with_beam
from treequation.decoding.greedy_search import decode_greedily
from treequation.decoding.search import Decoded, Equation, Reader
from treequation.expression.graph import ExpressionGraph
from treequation.model.base import Read, WordProblemModel, summed
from treequation.model.chained import ChainedDecoder
from treequation.model.config import TreequationConfig
from treequation.model.decoder import DecoderState, ExpressionDecoder
from treequation.model.parts import Traced
from treequation.model.registry import register
from treequation.model.torch_engine import TorchEngine


class TreequationModel(WordProblemModel):
    """The base of our two models, in which K queries predict an equation's expressions, layer by layer.

    ``TreequationModel.from_pretrained`` loads either of them.
    """

    decoder: ExpressionDecoder

    @property
    def max_steps(self) -> int:
        """The paper's L."""
        return self.config.steps

    @cached_property
    def _labeller(self) -> Labeller:
        # Cached: it indexes every constant, and a large training set uses it a hundred thousand times.
        return Labeller(self.config.vocabulary, queries=self.config.queries, steps=self.config.steps)

    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """The layers of the equation, with at most K expressions each."""
        return self._labeller.label(graph)

    def start(self, batch: Batch) -> DecoderState:
        """Encodes the problems and returns the state before the decoder's first step."""
        return self.decoder.start(*self.read(batch, self.decoder.constants))

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The loss of each problem [B], summed over its layers, with teacher forcing."""
        losses = self.decoder.losses(batch, self.decoder.start(*read))  # [B, L]
        return Traced(summed(losses, batch.layers), read.problem[:, 0])

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """Greedy search as in the paper, or beam search over layers."""
        return [list(each) for each in self.search_from(TorchEngine(self, batch), reader, beam=beam, steps=steps)]

    def search_from(
        self, engine: TorchEngine, reader: Reader, *, beam: int, steps: int | None = None
    ) -> list[list[Decoded]]:
        """As :meth:`search`, with an engine that has encoded the problems and may record its steps."""
        limit = steps or self.max_steps
        if beam == 1:
            return [[one] for one in decode_greedily(engine, reader, limit)]
        return decode_with_beam(engine, reader, limit, beam)


@register
class ExpressionTreeModel(TreequationModel):
    """The paper's model."""

    DECODER = "expression-tree"
    DECODER_CLASS = ExpressionDecoder


@register
class ChainedModel(TreequationModel):
    """Our model: a query predicts the left operand first, then the right one, then the operator."""

    DECODER = "chained"
    DECODER_CLASS = ChainedDecoder


AutoModel.register(TreequationConfig, TreequationModel)
