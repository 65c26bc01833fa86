"""A discriminator reads an equation and says whether it solves the problem; the encoder learns to please it.

After Liang and Zhang, "Solving Math Word Problems with Teacher Supervision" (T-Dis, 2021), with the equations of the
later "Analogical Math Word Problems Solving" (Ana-CL, 2022), of which it is the second part. A recurrent network reads
the prefix equation both ways; the mean of its states, held within ±5, is multiplied with the summary of the problem.
The discriminator learns from the gold equation and from wrong ones and leaves the encoder alone; the encoder learns
that the gold equation be found right and leaves the discriminator alone. Both happen in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.baselines.losses.contrast import equations_of
from treequation.baselines.losses.disturb import exchange, wrong_equations
from treequation.data.batches import Batch
from treequation.expression.graph import Constant, ExpressionGraph, Number, Operator
from treequation.expression.notations import prefix_symbols
from treequation.model.base import Read
from treequation.model.config import TreequationConfig
from treequation.model.parts import Auxiliary, Chosen, PartLoss, Traced, register_part
from treequation.text.encoding import EncodedProblem
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.problem import Problem

Values = Sequence[Fraction]
MAX_NUMBERS = 32  # numbers of a text that have symbols of their own; later ones share the last


class PrefixSymbols:
    """Prefix symbols as numbers: 0 fills up; then come the operators, the constants and the numbers of the text.

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
        """The equation's symbols, all of which the vocabulary must know."""

        def symbol(each: Operator | Number | Constant) -> int:
            if isinstance(each, Operator):
                return self._operators[each]
            if isinstance(each, Constant):
                return self._constants[each.value]
            return self._first_number + min(each.index, MAX_NUMBERS - 1)

        return [symbol(each) for each in prefix_symbols(graph)]


class EquationReader(nn.Module):
    """Two layers of recurrent networks that read a row of symbols forwards and backwards."""

    def __init__(self, symbols: int, width: int, *, embedding: int = 128) -> None:
        super().__init__()
        self.symbols = nn.Embedding(symbols, embedding)
        sizes = ((embedding, width), (width, width))
        self.forwards = nn.ModuleList(nn.GRU(*size, batch_first=True) for size in sizes)
        self.backwards = nn.ModuleList(nn.GRU(*size, batch_first=True) for size in sizes)

    def forward(self, symbols: Tensor) -> Tensor:
        """What the rows [R, S] say, [R, D]; 0 fills up."""
        length = (symbols > 0).sum(dim=1, keepdim=True)  # [R, 1]
        place = torch.arange(symbols.shape[1], device=symbols.device)
        there = place < length
        turned = torch.where(there, length - 1 - place, place).unsqueeze(-1)  # its own inverse
        x = self.symbols(symbols)
        for onwards, back in zip(self.forwards, self.backwards, strict=True):
            ahead, _ = onwards(x)
            behind, _ = back(x.gather(1, turned.expand_as(x)))
            x = ahead + behind.gather(1, turned.expand_as(behind))
        total = x.clamp(-5.0, 5.0).masked_fill(~there.unsqueeze(-1), 0.0).sum(dim=1)
        return total / length.clamp(min=1)


@register_part
class SolutionDiscriminator(Auxiliary):
    """The discriminator and both losses."""

    NAME = "discriminator"
    CHOOSES = ("equations",)
    WEIGHT = 0.001
    PER_SYMBOL = True
    BEGINS = (0.12, 0.12)  # after epoch 10 of 80; until then the discriminator learns alone
    OWN, OTHERS = 3, 2  # wrong equations: replacements in one's own, and another problem's with a replacement in it

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        self.vocabulary = config.vocabulary
        self.notation = PrefixSymbols(self.vocabulary)
        self.reader = EquationReader(self.notation.count, width)

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem] = ()) -> Chosen:
        """The gold equation of each problem and wrong ones."""
        random = Random(0)
        pairs = list(zip(equations_of(problems), [problem.values for problem in problems], strict=True))
        chosen = []
        for graph, values in pairs:
            wrong = self._replaced(graph, values, self.OWN, random)
            other, its_values = random.choice(pairs)
            if other != graph:
                wrong += [other, *self._replaced(other, its_values, self.OTHERS - 1, random)]
            chosen.append([self.notation.write(each) for each in (graph, *wrong)])
        return Chosen(equations=chosen)

    def _replaced(self, graph: ExpressionGraph, values: Values, count: int, random: Random) -> list[ExpressionGraph]:
        """The equation with one symbol replaced by another of its kind, and so with another value."""
        known = self.vocabulary
        return wrong_equations(
            graph, values, count, random, constants=known.constants, operators=known.operators, edits=[exchange]
        )

    def forward(self, traced: Traced, read: Read, batch: Batch) -> PartLoss:
        """For the encoder, how unlikely the gold equation is found right; for the discriminator, its mistakes."""
        count = len(batch.ids if batch.mates is None else batch.mates)
        if batch.equations is None:
            return PartLoss(torch.zeros_like(traced.loss[:count]))
        equations = batch.equations[:count]  # [A, E, S]
        said = self.reader(equations.flatten(0, 1)).unflatten(0, equations.shape[:2])  # [A, E, D]
        summary = read.problem[:count, :1]  # [A, 1, D]
        pleased = F.softplus(-(said[:, 0].detach() * summary[:, 0]).float().sum(dim=-1))
        scores = (said * summary.detach()).float().sum(dim=-1)  # [A, E]
        there = (equations > 0).any(dim=2)[:, 1:]
        wrong = F.softplus(scores[:, 1:]).masked_fill(~there, 0.0).sum(dim=1) / there.sum(dim=1).clamp(min=1)
        return PartLoss(pleased, F.softplus(-scores[:, 0]) + wrong)
