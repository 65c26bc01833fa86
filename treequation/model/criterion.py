"""The loss of one layer: match its labels with the queries, then sum the losses of the matched pairs.

Equations 8 to 10 of the paper. ``B`` is the batch, ``K`` the queries, ``W`` the labels of a layer.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from treequation.model.config import TreequationConfig
from treequation.model.matching import MATCHINGS


class LabelScores(NamedTuple):
    """The log-probabilities that each query gives each gold expression of the layer."""

    operator: Tensor  # [B, K, W]
    left: Tensor  # [B, K, W]
    right: Tensor  # [B, K, W]
    none: Tensor  # [B, K] for None


class Matched(NamedTuple):
    """The loss of a layer, and the matching that it was computed with."""

    loss: Tensor  # [B]
    assignment: Tensor  # [B, W] the query of each gold expression


class Criterion:
    """Equations 8 to 10, and the paper's ablations of them: ``matching`` and ``none_loss = "off"``."""

    def __init__(self, config: TreequationConfig) -> None:
        self.match = MATCHINGS[config.matching]  # equation 8: the query of each gold expression, [B, W]
        self.none_counts = config.none_loss != "off"

    def __call__(self, scores: LabelScores, real: Tensor) -> Matched:
        """``real`` [B, W] is False for the *None* labels that pad the label set."""
        assignment = self.match(self.cost(scores), real)
        return Matched(self.loss(scores, real, assignment), assignment)

    def cost(self, scores: LabelScores) -> Tensor:
        """Equation 9: the cost of matching gold expression w with query k, [B, W, K].

        Costs are probabilities, not log-probabilities, as in DETR: a query that is certain of something else must not
        dominate the matching through an unbounded term.
        """
        return -(scores.operator.exp() + scores.left.exp() + scores.right.exp()).transpose(1, 2)

    def loss(self, scores: LabelScores, real: Tensor, assignment: Tensor) -> Tensor:
        """Equation 10, [B]: each query is scored on the gold expression matched to it, the others on *None*."""
        matched = (scores.operator + scores.left + scores.right).transpose(1, 2)  # [B, W, K]
        matched = matched.gather(2, assignment.unsqueeze(-1)).squeeze(-1)  # [B, W]
        loss = -matched.masked_fill(~real, 0.0).sum(dim=1)
        if not self.none_counts:
            return loss
        is_matched = torch.zeros_like(scores.none, dtype=torch.bool).scatter(1, assignment, real)  # [B, K]
        return loss - scores.none.masked_fill(is_matched, 0.0).sum(dim=1)
