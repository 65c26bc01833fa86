"""Sequence to expression: two recurrent generators take turns, one for operators and one for operands.

After Zhang and Moshfeghi, "ELASTIC: Numerical Reasoning with Adaptive Symbolic Compiler" (NeurIPS 2022). The operator
generator reads the previous operator. The operand generator starts from the operator and the state that predicted it,
then reads the previous operand. Its state after the last operand becomes the register of the result, to which later
operands can point. Neither generator is reset between expressions.

The paper's operators take any number of operands; ours take two. The paper's operator generator attends to the
question only; our problems have no separate question, so it attends to the whole problem.

``B`` is the batch, ``L`` the expressions, ``T`` the problem's tokens, ``S`` the slots (constants, numbers, then one
register per expression), ``D`` the width.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.baselines.symbol_search import END, Hypothesis, SymbolModel, Written, likeliest
from treequation.baselines.triples import Gold, TripleModel
from treequation.data.batches import Batch
from treequation.decoding.search import Floats, Ints, Reader
from treequation.model.base import Read, padded, pick, summed
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Traced
from treequation.model.registry import register

LAYERS = 4  # of each generator, as in the paper
Memory = tuple[Tensor, ...]
"""The state of a generator: a tensor [B, D] for each layer. The last one predicts the next symbol."""


class Generator(nn.Module):
    """A recurrent generator that attends to the problem before each step."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.look = nn.Linear(width, width)
        self.mix = nn.Sequential(nn.Linear(2 * width, width), nn.LayerNorm(width), nn.ReLU(), nn.Dropout(dropout))
        self.cells = nn.ModuleList(nn.GRUCell(width, width) for _ in range(LAYERS))
        self.say = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, width))

    def forward(self, given: Tensor, memory: Memory, problem: Tensor, mask: Tensor) -> Memory:
        """One step, with the input ``given`` [B, D]."""
        energy = (problem @ self.look(given).unsqueeze(-1)).squeeze(-1).float() * given.shape[-1] ** -0.5  # [B, T]
        weights = energy.masked_fill(~mask, MASKED).softmax(dim=-1).to(given.dtype)
        x = self.mix(torch.cat([given, (weights.unsqueeze(1) @ problem).squeeze(1)], dim=-1))
        after = []
        for cell, state in zip(self.cells, memory, strict=True):
            x = cell(x, state)
            after.append(x)
        return tuple(after)

    def score(self, memory: Memory, embeddings: Tensor, visible: Tensor | None = None) -> Tensor:
        """Log-probabilities of the symbols with these embeddings [·, D] or [B, ·, D], of which some are ``visible``."""
        query = self.say(memory[-1]).unsqueeze(-1)
        scores = (embeddings.to(query.dtype) @ query).squeeze(-1).float() * query.shape[1] ** -0.5
        return (scores if visible is None else scores.masked_fill(~visible, MASKED)).log_softmax(dim=-1)


class ElasticDecoder(nn.Module):
    """The two generators and the layers between them."""

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__()
        self.constants = nn.Parameter(torch.randn(len(config.constants), width))  # same scale as the numbers' states
        # The first one means both start and stop.
        self.operators = nn.Parameter(torch.randn(len(config.operators) + 1, width))
        self.operator_generator = Generator(width, config.dropout)
        self.operand_generator = Generator(width, config.dropout)
        self.from_operator = nn.Linear(width, width)
        self.from_state = nn.Linear(width, width)
        self.handover = nn.Sequential(nn.Linear(2 * width, width), nn.LayerNorm(width))
        self.register_norm = nn.LayerNorm(width)

    def start(self, read: Read) -> Memory:
        """The first state of both generators: the encoder's summary of the problem."""
        return (read.problem[:, 0].tanh(),) * LAYERS

    def first_input(self, operator: Tensor, memory: Memory) -> Tensor:
        """The first input [B, D] of the operand generator: the operator [B] and the state that predicted it."""
        parts = F.relu(self.from_operator(self.operators[operator])), F.relu(self.from_state(memory[-1]))
        return self.handover(torch.cat(parts, dim=-1))

    def result(self, memory: Memory) -> Tensor:
        """The register of a result [B, 1, D], after its last operand."""
        return self.register_norm(memory[-1]).unsqueeze(1)


class ElasticState(NamedTuple):
    """The state of the search. Finished rows are removed, so all are always at the same part of an expression."""

    problem: tuple[Tensor, Tensor]  # states [R, T, D] and mask [R, T]
    slots: Tensor  # [R, S, D]
    visible: Tensor  # [R, S]
    operator_memory: Memory
    operand_memory: Memory
    operator: Tensor  # [R] the last one predicted
    given: Tensor  # [R, D] what the next generator reads
    part: int  # operator, left, right


@register
class Elastic(TripleModel, SymbolModel[ElasticState]):
    """The peer with two generators. Symbols are numbered: stop, the operators, then the slots."""

    DECODER = "elastic"
    DECODER_CLASS = ElasticDecoder
    decoder: ElasticDecoder

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The loss [B] of the gold expressions and of stopping after them."""
        decoder, gold = self.decoder, Gold.of(batch)
        problem: Memory = read.problem, read.problem_mask
        slots, visible = read.numbers, read.number_mask
        operator_memory = operand_memory = decoder.start(read)
        before = torch.full_like(gold.operator[:, 0], END)
        losses = []
        for step in range(gold.operator.shape[1]):
            count = batch.active(step)  # the rows that may have this step
            problem, operator_memory, operand_memory = (
                tuple(part[:count] for part in parts) for parts in (problem, operator_memory, operand_memory)
            )
            slots, visible, before = slots[:count], visible[:count], before[:count]
            operator = gold.operator[:count, step]
            operator_memory = decoder.operator_generator(decoder.operators[before], operator_memory, *problem)
            scores = decoder.operator_generator.score(operator_memory, decoder.operators)
            step_loss = -pick(scores.unsqueeze(-1), operator).squeeze(-1)
            if step + 1 < gold.operator.shape[1]:  # at the last step, every equation has ended
                given = decoder.first_input(operator, operator_memory)
                for operand in (gold.left[:count, step], gold.right[:count, step]):
                    operand_memory = decoder.operand_generator(given, operand_memory, *problem)
                    scores = decoder.operand_generator.score(operand_memory, slots, visible)
                    operand_loss = -pick(scores.unsqueeze(-1), operand).squeeze(-1)
                    step_loss = step_loss + operand_loss.masked_fill(operator == END, 0.0)
                    given = pick(slots, operand)
                slots = torch.cat([slots, decoder.result(operand_memory)], dim=1)
                visible = torch.cat([visible, visible.new_ones(len(visible), 1)], dim=1)
            losses.append(padded(step_loss, len(read.problem)))
            before = operator
        return Traced(summed(torch.stack(losses, dim=1), batch.layers), read.problem[:, 0])

    @property
    def first_slot(self) -> int:
        """The symbol of the first slot; stop and the operators come before."""
        return len(self.decoder.operators)

    def longest(self, steps: int | None) -> int:
        """Three symbols for each expression, and stop."""
        return 3 * (steps or self.config.expressions) + 1

    def begin(self, read: Read, batch: Batch, steps: int) -> ElasticState:
        """The state before the first operator; stop also means start."""
        operator = torch.full_like(read.problem_mask[:, 0], END, dtype=torch.long)
        memory = self.decoder.start(read)
        problem = read.problem, read.problem_mask
        slots = read.numbers, read.number_mask
        return ElasticState(problem, *slots, memory, memory, operator, self.decoder.operators[operator], 0)

    def propose(self, state: ElasticState, count: int) -> tuple[Floats, Ints, ElasticState]:
        """The next operator or operand of each row."""
        if state.part == 0:
            generator = self.decoder.operator_generator
            memory = generator(state.given, state.operator_memory, *state.problem)
            predicted = generator.score(memory, self.decoder.operators)
            return *likeliest(predicted, count), state._replace(operator_memory=memory)
        generator = self.decoder.operand_generator
        memory = generator(state.given, state.operand_memory, *state.problem)
        scores, slots = likeliest(generator.score(memory, state.slots, state.visible), count)
        return scores, slots + self.first_slot, state._replace(operand_memory=memory)

    def write(self, state: ElasticState, symbols: Ints) -> ElasticState:
        """Chooses what the next generator reads; after a right operand, the result gets its register."""
        decoder, chosen = self.decoder, torch.from_numpy(symbols).to(state.slots.device)
        if state.part == 0:
            given = decoder.first_input(chosen, state.operator_memory)
            return state._replace(operator=chosen, given=given, part=1)
        if state.part == 1:
            return state._replace(given=pick(state.slots, chosen - self.first_slot), part=2)
        return state._replace(
            slots=torch.cat([state.slots, decoder.result(state.operand_memory)], dim=1),
            visible=torch.cat([state.visible, state.visible.new_ones(len(state.visible), 1)], dim=1),
            given=decoder.operators[state.operator],
            part=0,
        )

    def written(self, found: Hypothesis, reader: Reader) -> Written:
        """The equation that ends with the last whole expression."""
        symbols, first_slot = found.symbols, self.first_slot
        whole = range(0, len(symbols) - 2, 3)
        triples = [(symbols[at], symbols[at + 1] - first_slot, symbols[at + 2] - first_slot) for at in whole]
        return Written(self.notation.read(triples, reader.numbers), found.score, len(triples))
