"""Predicts the rules that a problem needs, and lets the decoder read them with it.

A proxy for Yang et al., "LogicSolver" (Logic-Dec, EMNLP Findings 2022), which retrieves formulas that annotators
assigned to operators; most data sets have none. Here a rule is one of the most frequent operations of the training
equations: an operator with two operands, each a number of the text, a result or a certain constant, such as
result ÷ 100. A head on the summary predicts which of them a problem needs; the embeddings of the three likeliest are
appended to the problem's tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from treequation.data.batches import Batch
from treequation.expression.graph import Constant, ExpressionGraph, Operand, Result
from treequation.model.base import Read
from treequation.model.config import TreequationConfig
from treequation.model.parts import Addon, Chosen, register_part
from treequation.text.encoding import EncodedProblem
from treequation.text.problem import Problem

RULES, READ = 64, 3


def operations(graph: ExpressionGraph) -> set[str]:
    """The operations of an equation; operands are numbers (n), results (r) or certain constants.

    >>> from treequation.expression.parsing import parse_infix
    >>> sorted(operations(parse_infix("n0*(n1/100)+n0*n2")))
    ['n * n', 'n * r', 'n / 100', 'r + r']
    """

    def kind(operand: Operand) -> str:
        if isinstance(operand, Constant):
            return str(operand.value)
        return "r" if isinstance(operand, Result) else "n"

    return {f"{kind(each.left)} {each.operator.value} {kind(each.right)}" for each in graph.expressions}


@register_part
class Rules(Addon):
    """The head that predicts rules, and their embeddings."""

    NAME = "rules"
    CHOOSES = ("tags",)

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        self.rules = nn.Parameter(torch.randn(RULES, width))  # same scale as the tokens' states
        self.head = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, RULES))

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem] = ()) -> Chosen:
        """For each problem, a 1 for each rule that its equation needs."""
        found = [operations(problem.graph) if problem.graph is not None else set() for problem in problems]
        counts = Counter(each for needed in found for each in sorted(needed))
        rules = [rule for rule, _ in counts.most_common(RULES)]
        rows = [[int(rule in needed) for rule in rules] for needed in found]
        return Chosen(tags=[row + [0] * (RULES - len(rules)) for row in rows])

    def forward(self, problem: Tensor, mask: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Appends the likeliest rules, each weighted by its probability, so that the head gets a gradient."""
        scores, places = self.head(problem[:, 0]).topk(READ, dim=-1)  # [B, 3]
        read = torch.sigmoid(scores).unsqueeze(-1) * self.rules[places]
        return torch.cat([problem, read.to(problem.dtype)], dim=1), torch.cat([mask, mask.new_ones(len(mask), READ)], 1)

    def loss(self, read: Read, batch: Batch) -> Tensor | None:
        """log(1 + Σ eˢ) over rules that are not needed, and log(1 + Σ e⁻ˢ) over those that are, [B]."""
        if batch.tags is None:
            return None
        scores = self.head(read.problem[:, 0]).float()  # the add-on does not change the summary
        signed = torch.where(batch.tags > 0, -scores, scores)
        needed = (batch.tags > 0).unsqueeze(1)
        both = torch.cat([needed, ~needed], dim=1)  # [B, 2, 64]
        terms = signed.unsqueeze(1).masked_fill(~both, -torch.inf)
        nothing = torch.zeros_like(terms[..., :1])
        return torch.cat([nothing, terms], dim=-1).logsumexp(dim=-1).sum(dim=1)
