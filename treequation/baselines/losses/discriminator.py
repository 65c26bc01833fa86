"""A discriminator judges whether an equation solves the problem; the encoder learns to make it accept the gold one.

After Liang and Zhang, "Solving Math Word Problems with Teacher Supervision" (T-Dis, 2021), with the equations of the
later "Analogical Math Word Problems Solving" (Ana-CL, 2022), of which it is the second part. A bidirectional GRU reads
the prefix equation; the score is the dot product of the mean of its states, clamped to ±5, and the problem's summary.
One loss trains only the discriminator, to accept the gold equation and reject wrong ones. The other trains only the
encoder, so that the gold equation is accepted. Both are computed in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.baselines.losses.contrast import equations_of
from treequation.baselines.losses.disturb import exchange, has_value, wrong_equations
from treequation.baselines.seq2tree import PrefixNotation
from treequation.data.batches import Batch
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import ExpressionGraph
from treequation.expression.notations import MAX_TOKENS
from treequation.model.base import Read
from treequation.model.config import TreequationConfig
from treequation.model.parts import Auxiliary, Chosen, PartLoss, Traced, register_part
from treequation.text.encoding import EncodedProblem
from treequation.text.problem import Problem

MAX_NUMBERS = 32  # numbers of a text with symbols of their own; later ones share the last


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
        self.notation = PrefixNotation(self.vocabulary)
        leaves = len(self.vocabulary.constants) + MAX_NUMBERS
        self.reader = EquationReader(1 + self.notation.first_slot + leaves, width)

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem] = ()) -> Chosen:
        """The gold equation of each problem, then wrong ones."""
        random = Random(0)
        replaced = partial(wrong_equations, random=random, known=self.vocabulary, edits=[exchange])
        pairs = list(zip(equations_of(problems), [problem.values for problem in problems], strict=True))
        chosen = []
        for graph, values in pairs:
            right = evaluate(graph, values).value.number
            other, its_values = random.choice(pairs)
            others = [other, *replaced(other, its_values, self.OTHERS - 1)]
            # Another problem's equation may well solve this one, and so may what was altered to be wrong there.
            wrong = [each for each in others if not has_value(each, values, right)]
            wrong = [*replaced(graph, values, self.OWN), *wrong]
            chosen.append([self.symbols(each) for each in (graph, *wrong)])
        return Chosen(equations=chosen)

    def symbols(self, graph: ExpressionGraph) -> list[int]:
        """The equation's prefix symbols: 0 is padding, then the operators, the constants and the numbers of the text.

        >>> part = SolutionDiscriminator(TreequationConfig(operators=["+", "*"], constants=["2"]), 8)
        >>> from treequation.expression.parsing import parse_infix
        >>> part.symbols(parse_infix("n0*(2+n1)"))
        [2, 4, 1, 3, 5]
        """
        last = len(self.reader.symbols.weight) - 1
        return [min(1 + label.operator, last) for label in self.notation.write(graph, MAX_TOKENS)]

    def forward(self, traced: Traced, read: Read, batch: Batch) -> PartLoss:
        """For the encoder, the loss of the gold equation; for the discriminator, that of gold and wrong ones."""
        count = batch.own
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
