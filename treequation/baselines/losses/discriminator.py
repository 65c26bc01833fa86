"""A discriminator judges whether an equation solves the problem; the encoder learns to make it accept the gold one.

After Liang and Zhang, "Solving Math Word Problems with Teacher Supervision" (T-Dis, 2021), with the equations of the
later "Analogical Math Word Problems Solving" (Ana-CL, 2022), of which it is the second part. A bidirectional GRU reads
the prefix equation; the score is the dot product of the mean of its states, clamped to ±5, and the problem's summary.
One loss trains only the discriminator, to accept the gold equation and reject wrong ones. The other trains only the
encoder, so that the gold equation is accepted. Both are computed in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.baselines.losses.contrast import equations_of
from treequation.baselines.losses.disturb import exchange, has_value, wrong_equations
from treequation.data.batches import Batch
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, ExpressionGraph, Number, Operator
from treequation.expression.notations import prefix_symbols
from treequation.model.base import Read
from treequation.model.config import TreequationConfig
from treequation.model.parts import Auxiliary, Chosen, PartLoss, Traced, register_part
from treequation.text.encoding import EncodedProblem
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.problem import Problem

Values = Sequence[Fraction]
MAX_NUMBERS = 32  # numbers of a text with symbols of their own; later ones share the last


class PrefixSymbols:
    """Prefix symbols as ids: 0 is padding, then the operators, the constants and the numbers of the text.

    >>> from treequation.expression import parse_infix
    >>> PrefixSymbols(Vocabulary(())).write(parse_infix("n0*(n1+n0)"))
    [3, 6, 1, 7, 6]
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._operators = {operator: i for i, operator in enumerate(vocabulary.operators, start=1)}
        first = len(self._operators) + 1
        self._constants = {value: i for i, value in enumerate(vocabulary.constants, start=first)}
        self._first_number = first + len(self._constants)
        self.count = self._first_number + MAX_NUMBERS

    def write(self, graph: ExpressionGraph) -> list[int]:
        """The ids of the equation's symbols, all of which must be in the vocabulary."""

        def symbol(each: Operator | Number | Constant) -> int:
            if isinstance(each, Operator):
                return self._operators[each]
            if isinstance(each, Constant):
                return self._constants[each.value]
            return self._first_number + min(each.index, MAX_NUMBERS - 1)

        return [symbol(each) for each in prefix_symbols(graph)]


class EquationReader(nn.Module):
    """A two-layer bidirectional GRU over sequences of symbols."""

    def __init__(self, symbols: int, width: int, *, embedding: int = 128) -> None:
        super().__init__()
        self.symbols = nn.Embedding(symbols, embedding)
        sizes = ((embedding, width), (width, width))
        self.forwards = nn.ModuleList(nn.GRU(*size, batch_first=True) for size in sizes)
        self.backwards = nn.ModuleList(nn.GRU(*size, batch_first=True) for size in sizes)

    def forward(self, symbols: Tensor) -> Tensor:
        """The mean states [R, D] of sequences [R, S], in which 0 is padding."""
        length = (symbols > 0).sum(dim=1, keepdim=True)  # [R, 1]
        place = torch.arange(symbols.shape[1], device=symbols.device)
        there = place < length
        reverse = torch.where(there, length - 1 - place, place).unsqueeze(-1)  # its own inverse
        x = self.symbols(symbols)
        for forth, back in zip(self.forwards, self.backwards, strict=True):
            ahead, _ = forth(x)
            behind, _ = back(x.gather(1, reverse.expand_as(x)))
            x = ahead + behind.gather(1, reverse.expand_as(behind))
        total = x.clamp(-5.0, 5.0).masked_fill(~there.unsqueeze(-1), 0.0).sum(dim=1)
        return total / length.clamp(min=1)


@register_part
class SolutionDiscriminator(Auxiliary):
    """The discriminator and its two losses."""

    NAME = "discriminator"
    CHOOSES = ("equations",)
    WEIGHT = 0.001
    PER_SYMBOL = True
    BEGINS = (0.12, 0.12)  # after epoch 10 of 80; until then the discriminator learns alone
    OWN, OTHERS = 3, 2  # wrong equations: altered gold ones; another problem's, as it is and altered

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        self.vocabulary = config.vocabulary
        self.notation = PrefixSymbols(self.vocabulary)
        self.reader = EquationReader(self.notation.count, width)

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem] = ()) -> Chosen:
        """The gold equation of each problem, then wrong ones."""
        random = Random(0)
        pairs = list(zip(equations_of(problems), [problem.values for problem in problems], strict=True))
        chosen = []
        for graph, values in pairs:
            right = evaluate(graph, values).value.number
            other, its_values = random.choice(pairs)
            others = [other, *self._replaced(other, its_values, self.OTHERS - 1, random)]
            # Another problem's equation may well solve this one, and so may what was altered to be wrong there.
            wrong = [each for each in others if not has_value(each, values, right)]
            wrong = [*self._replaced(graph, values, self.OWN, random), *wrong]
            chosen.append([self.notation.write(each) for each in (graph, *wrong)])
        return Chosen(equations=chosen)

    def _replaced(self, graph: ExpressionGraph, values: Values, count: int, random: Random) -> list[ExpressionGraph]:
        """Equations with another value, made by replacing one symbol by another of its kind."""
        known = self.vocabulary
        return wrong_equations(
            graph, values, count, random, constants=known.constants, operators=known.operators, edits=[exchange]
        )

    def forward(self, traced: Traced, read: Read, batch: Batch) -> PartLoss:
        """For the encoder, the loss of the gold equation; for the discriminator, that of gold and wrong ones."""
        count = len(batch.ids if batch.mates is None else batch.mates)
        if batch.equations is None:
            return PartLoss(torch.zeros_like(traced.loss[:count]))
        equations = batch.equations[:count]  # [A, E, S]
        states = self.reader(equations.flatten(0, 1)).unflatten(0, equations.shape[:2])  # [A, E, D]
        summary = read.problem[:count, :1]  # [A, 1, D]
        accepted = F.softplus(-(states[:, 0].detach() * summary[:, 0]).float().sum(dim=-1))
        scores = (states * summary.detach()).float().sum(dim=-1)  # [A, E]
        there = (equations > 0).any(dim=2)[:, 1:]
        wrong = F.softplus(scores[:, 1:]).masked_fill(~there, 0.0).sum(dim=1) / there.sum(dim=1).clamp(min=1)
        return PartLoss(accepted, F.softplus(-scores[:, 0]) + wrong)
