"""Our model: an encoder that reads the problem and a decoder that writes its equation, layer by layer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property

import torch
from torch import Tensor
from transformers import AutoModel, PreTrainedModel

from treequation.data.batches import Batch
from treequation.data.labels import LabelError, Labeller, LabelSets
from treequation.decoding.beam_search import decode_with_beam
from treequation.decoding.greedy_search import decode_greedily
from treequation.decoding.search import Decoded, Equation, Reader
from treequation.expression.equivalents import variants
from treequation.expression.graph import ExpressionGraph
from treequation.model.base import WordProblemModel
from treequation.model.config import TreequationConfig
from treequation.model.criterion import Aligned, Criterion, Targets
from treequation.model.decoder import DecoderState, ExpressionDecoder, Proposal, number_at
from treequation.model.registry import register
from treequation.model.regularisers import disagreement, restoring_loss, spoilt_queries
from treequation.model.torch_engine import TorchEngine
from treequation.text.number_vocabulary import NONE


@register
class TreequationModel(WordProblemModel):
    """Solves word problems: K queries write an equation's expressions, layer by layer."""

    DECODER = "expression-tree"

    def __init__(self, config: TreequationConfig, encoder: PreTrainedModel | None = None) -> None:
        super().__init__(config, encoder)
        self.decoder = ExpressionDecoder(
            self.width,
            queries=config.queries,
            steps=config.steps,
            shared_layers=config.shared_layers,
            layers_per_step=config.layers_per_step,
            heads=self.attention_heads,
            dropout=config.dropout,
            norm=config.norm,
            feed_forward=config.feed_forward,
            operators=len(config.operators),
            constants=len(config.constants),
            none_operand=config.none_loss == "operand",
            update_problem=config.update_problem,
            denoising=config.denoising > 0,
            chained=config.chained,
            fresh_queries=config.fresh_queries,
        )
        self.criterion = Criterion(config)
        self.post_init()

    @property
    def most_steps(self) -> int:
        """The paper's L."""
        return self.config.steps

    @cached_property
    def _labeller(self) -> Labeller:
        # Made once: it names every constant, and a training set asks for it a hundred thousand times.
        return Labeller(self.config.vocabulary, queries=self.config.queries, steps=self.config.steps)

    def labellings(self, graph: ExpressionGraph) -> tuple[LabelSets, ...]:
        """Its label sets, and those of equations that differ by re-association, if the configuration asks for them."""
        found = [self._labeller.label(graph)]
        for variant in variants(graph, self.config.label_variants)[1:]:
            with suppress(LabelError):
                found.append(self._labeller.label(variant))
        return tuple(found)

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """Greedily as in the paper, or with a beam over layers."""
        return [list(found) for found in self.search_from(TorchEngine(self, batch), reader, beam=beam, steps=steps)]

    def search_from(
        self, engine: TorchEngine, reader: Reader, *, beam: int, steps: int | None = None
    ) -> list[list[Decoded]]:
        """As :meth:`search`, from an engine that has read the problems and may keep records."""
        limit = steps or self.most_steps
        if beam == 1:
            return [[one] for one in decode_greedily(engine, reader, limit)]
        return decode_with_beam(engine, reader, limit, beam)

    # --- computing ---------------------------------------------------------------------------------------------

    def start(self, batch: Batch) -> DecoderState:
        """Reads the problems: the state before the decoder's first step."""
        return self.decoder.start(*self.read(batch, self.decoder.constants))

    def results(
        self, state: DecoderState, proposal: Proposal, choose: Callable[[], tuple[Tensor, Tensor, Tensor]]
    ) -> Tensor:
        """The K expressions' embeddings: of the queries' own states, or of the ``choose``-n operator and operands."""
        if self.config.teacher == "query":
            return self.decoder.results(*proposal.states)
        operator, left, right = choose()  # [B, K] each
        return self.decoder.results(self.decoder.operator_at(operator), number_at(state, left), number_at(state, right))

    def advance(
        self,
        state: DecoderState,
        proposal: Proposal,
        rows: Tensor,
        said: tuple[Tensor, Tensor, Tensor],
        valid: Tensor,
        joining: Tensor,
    ) -> DecoderState:
        """Goes on with some ``rows`` [R], whose valid expressions, of operator, left and right [R, K], join.

        ``joining`` [R, V] has the queries of the valid ones; a row with fewer than V is filled up with others. Only
        they are computed and join the problem. In the number vocabulary every query has its slot all the same.
        """
        chosen = state.each(lambda part: part[rows])
        wide = joining.unsqueeze(-1).expand(-1, -1, state.queries.shape[-1])  # [R, V, D]
        operator, left, right = (part[rows].gather(1, wide) for part in proposal.states)
        results = self.results(
            chosen,
            proposal._replace(states=(operator, left, right)),
            lambda: (said[0].gather(1, joining), said[1].gather(1, joining), said[2].gather(1, joining)),
        )
        grown = self.decoder.grow(chosen, results, valid.gather(1, joining))
        slots = torch.zeros_like(chosen.queries).scatter(1, wide, results)  # [R, K, D]
        return grown._replace(
            numbers=torch.cat([chosen.numbers, slots], dim=1),
            number_mask=torch.cat([chosen.number_mask, valid], dim=1),
        )

    def forward(self, batch: Batch) -> Tensor:
        """The loss of each problem [B], summed over its layers, with gold expressions for the next layer.

        Where a problem has several right equations, it is the loss of the one that the model finds likeliest.
        """
        config = self.config
        twice = config.r_drop > 0 and self.training
        if twice:
            batch = Batch(*(torch.cat([part, part]) for part in batch))
        state = self.start(batch)
        variants = len(batch.operators) // len(batch.ids)
        if variants > 1:
            state = state.each(lambda part: part.repeat_interleave(variants, dim=0))
        sampled = config.sampled_results and self.training
        # Operands that may be swapped are in the order that their query found likelier, so a result waits for it.
        waits = config.teacher == "query" or not config.fresh_queries or twice or sampled or config.swap_operands
        losses = self._losses_in_turn(batch, state) if waits else self._losses_at_once(batch, state)
        counted = torch.arange(losses.shape[1], device=losses.device) < batch.layers.unsqueeze(1)
        loss = losses.masked_fill(~counted, 0.0).sum(dim=1)
        if variants > 1:
            loss = loss.masked_fill(batch.layers == 0, torch.inf).unflatten(0, (-1, variants)).amin(dim=1)
        return loss.unflatten(0, (2, -1)).mean(dim=0) if twice else loss

    def _losses_in_turn(self, batch: Batch, state: DecoderState) -> Tensor:
        """The losses of the layers [B, L], one after the other: each needs what the queries before it were given."""
        config = self.config
        rows, layers, width = batch.operators.shape
        first_result = state.numbers.shape[1]
        slots = batch.left.new_zeros(rows, layers * config.queries)  # where each gold result came to stand
        losses = []
        for layer in range(layers):
            targets = Targets(
                batch.operators[:, layer],
                *(_settled(labels[:, layer], slots, first_result) for labels in (batch.left, batch.right)),
            )
            guests = self._guests(state, targets)
            state, said = self.decoder.step(layer, state, guests)
            loss, proposal, aligned = self._loss(said, guests, targets, state)
            if config.r_drop > 0 and self.training:
                loss = loss + config.r_drop * disagreement(proposal, aligned, targets, first_result)
            losses.append(loss)
            if layer + 1 == layers:
                break
            place = layer * config.queries
            slots[:, place : place + width] = first_result + place + aligned.assignment
            chosen = aligned.operator, aligned.left, aligned.right  # [B, K] each
            if config.sampled_results and self.training:
                chosen = self._with_surplus(chosen, proposal, state.numbers.shape[1])
            results = self.results(state, proposal, lambda chosen=chosen: chosen)  # type: ignore[misc]
            state = self.decoder.grow(state, results, chosen[0] != NONE)
        return torch.stack(losses, dim=1)

    def _losses_at_once(self, batch: Batch, state: DecoderState) -> Tensor:
        """The losses of the layers [B, L], all at once, where none needs what the queries before it said.

        Fresh queries forget, and results of gold embeddings are known beforehand, so that a layer is to the one before
        it what a row of a batch is to another. A result stands where its label does: no matching moves it.
        """
        layers, width = batch.operators.shape[1:]
        first_result = state.numbers.shape[1]
        operators = batch.operators
        left, right = (_in_place(part, first_result, self.config.queries, width) for part in (batch.left, batch.right))
        states = [state]
        for layer in range(layers - 1):
            named = self.decoder.operator_at(operators[:, layer])
            operands = (number_at(state, part[:, layer]) for part in (left, right))
            results = self.decoder.results(named, *operands)
            state = self.decoder.grow(state, results, operators[:, layer] != NONE)
            states.append(state)
        known = torch.arange(layers, device=operators.device) * width + first_result  # slots before each layer, [L]
        there = torch.arange(state.numbers.shape[1], device=operators.device) < known.unsqueeze(1)  # [L, S]
        every = state._replace(  # as if the layers were problems, B·L of them
            numbers=state.numbers.unsqueeze(1).expand(-1, layers, -1, -1).flatten(0, 1),
            number_mask=(state.number_mask.unsqueeze(1) & there).flatten(0, 1),
        )
        targets = Targets(*(part.flatten(0, 1) for part in (operators, left, right)))
        guests = self._guests(every, targets)
        read = self.decoder.read_all(states, None if guests is None else guests.unflatten(0, (-1, layers)))
        said = self.decoder.propose(every._replace(queries=read.flatten(0, 1)))
        loss, _, _ = self._loss(said, guests, targets, every)
        return loss.unflatten(0, (-1, layers))

    def _guests(self, state: DecoderState, targets: Targets) -> Tensor | None:
        """Queries that are to restore what is spoilt, where the configuration asks for them."""
        if not self.config.denoising or not self.training:
            return None
        return spoilt_queries(self.decoder, state, targets, self.config.denoising)

    def _loss(
        self, said: Proposal, guests: Tensor | None, targets: Targets, state: DecoderState
    ) -> tuple[Tensor, Proposal, Aligned]:
        """The loss [B] of what the queries and their guests said; what the former said, and what each should have."""
        proposal, restored = (said, None) if guests is None else said.split(self.config.queries)
        after_gold, after_restored = self._after_gold(proposal, restored, targets, state)
        aligned = self.criterion(proposal, targets, after_gold)
        if restored is None:
            return aligned.loss, proposal, aligned
        return aligned.loss + restoring_loss(restored, targets, after_restored), proposal, aligned

    def _after_gold(
        self, proposal: Proposal, restored: Proposal | None, targets: Targets, state: DecoderState
    ) -> tuple[tuple[Tensor, Tensor] | None, tuple[Tensor, Tensor] | None]:
        """What the queries of a chained decoder say after the gold operands, its own and those that restore a label.

        Each of its own is asked about each label, the others about the label that is theirs; all at once, since each is
        little by itself.
        """
        if proposal.read is None:
            return None, None
        read = proposal.read.unsqueeze(2)  # [B, K, 1, D]
        if restored is None:
            return self.decoder.after_gold(read, targets.left, targets.right, state), None
        assert restored.read is not None
        guests = restored.read.unsqueeze(1)  # [B, 1, W, D]
        read = torch.cat([read.expand(-1, -1, guests.shape[2], -1), guests], dim=1)  # [B, K + 1, W, D]
        right, operators = self.decoder.after_gold(read, targets.left, targets.right, state)
        return (right[:, :-1], operators[:, :-1]), (right[:, -1], operators[:, -1])

    def _with_surplus(
        self, gold: tuple[Tensor, Tensor, Tensor], proposal: Proposal, slots: int
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Gold expressions and, in some problems, what the other queries propose where they should say *None*."""
        sampled = torch.rand(len(gold[0]), 1, device=gold[0].device) < self.config.sampled_results  # [B, 1]
        surplus = (gold[0] == NONE) & sampled  # [B, K]; a query that does say None adds nothing
        parts = (proposal.operator, proposal.left[..., :slots], proposal.right[..., :slots])
        operator, left, right = (
            torch.where(surplus, part.argmax(dim=-1), known) for part, known in zip(parts, gold, strict=True)
        )
        return operator, left, right


def _settled(labels: Tensor, slots: Tensor, first_result: int) -> Tensor:
    """Labels [B, W] with gold results replaced by the slots of the queries that they were matched to."""
    is_result = labels >= first_result
    return torch.where(is_result, slots.gather(1, (labels - first_result).clamp(min=0)), labels)


def _in_place(labels: Tensor, first_result: int, queries: int, width: int) -> Tensor:
    """Labels with gold results, which are counted with a slot for every query, counted with one for every label."""
    layer, place = (labels - first_result) // queries, (labels - first_result) % queries
    return torch.where(labels >= first_result, first_result + layer * width + place, labels)


AutoModel.register(TreequationConfig, TreequationModel)
