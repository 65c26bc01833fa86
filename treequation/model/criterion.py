"""The loss of one layer: align its label set with the queries, then equation 10.

Costs are probabilities and not their logarithms, as in DETR: a query that is certain of something else must
not dominate the choice through an unbounded term.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from treequation.model.config import TreequationConfig
from treequation.model.decoder import Proposal
from treequation.model.matching import match, match_at_random, match_in_sequence
from treequation.text.number_vocabulary import NONE


class Targets(NamedTuple):
    """A layer's label set: W gold expressions; those whose operator is *None* only fill up."""

    operator: Tensor  # [B, W]
    left: Tensor  # [B, W] slots
    right: Tensor  # [B, W]


class Aligned(NamedTuple):
    """What each of the K queries is to predict, and how it was found."""

    loss: Tensor  # [B]
    assignment: Tensor  # [B, W] the query of each gold expression
    operator: Tensor  # [B, K]
    left: Tensor  # [B, K]; 0 where the operator is None
    right: Tensor  # [B, K]


class Criterion:
    """Equations 8 to 10 with the paper's ablations and our additions, each a value of the configuration."""

    def __init__(self, config: TreequationConfig) -> None:
        self.config = config
        self.commuting = [i for i, o in enumerate(config.vocabulary.operators, start=1) if o.commutes]

    def __call__(
        self, proposal: Proposal, targets: Targets, after_gold: tuple[Tensor, Tensor] | None = None
    ) -> Aligned:
        """``after_gold`` is what :meth:`ExpressionDecoder.after_gold` says of a chained decoder."""
        config = self.config
        queries = proposal.operator.shape[1]
        real = targets.operator != NONE  # [B, W]

        def of(log_probabilities: Tensor, labels: Tensor) -> Tensor:  # [B, K, ·], [B, W] → [B, K, W]
            return log_probabilities.gather(2, labels.unsqueeze(1).expand(-1, queries, -1))

        left = of(proposal.left, targets.left)
        if after_gold is None:
            operator, right = of(proposal.operator, targets.operator), of(proposal.right, targets.right)
        else:
            right, operators = after_gold
            operator = operators.gather(3, targets.operator[:, None, :, None].expand(-1, queries, -1, -1)).squeeze(-1)
        target_left, target_right = (
            labels.unsqueeze(1).expand(-1, queries, -1) for labels in (targets.left, targets.right)
        )
        if config.swap_operands:
            # 3 + 5 and 5 + 3 are the same step: each query is held to the order it finds more likely.
            crossed = of(proposal.left, targets.right), of(proposal.right, targets.left)
            commutes = sum(targets.operator == o for o in self.commuting).bool().unsqueeze(1)  # type: ignore[union-attr]
            swap = commutes & (crossed[0] + crossed[1] > left + right)  # [B, K, W]
            left, right = torch.where(swap, crossed[0], left), torch.where(swap, crossed[1], right)
            target_left, target_right = (
                torch.where(swap, target_right, target_left),
                torch.where(swap, target_left, target_right),
            )

        cost = -(operator.exp() + left.exp() + right.exp()).transpose(1, 2)  # [B, W, K]
        if config.matching == "prefix":  # G expressions belong to the first G queries, in the cheapest order
            speakers = torch.arange(queries, device=cost.device) < real.sum(dim=1, keepdim=True)  # [B, K]
            cost = cost + 10.0 * ~speakers.unsqueeze(1)
        if config.matching in ("bipartite", "prefix"):
            assignment = match(cost, real)
        else:
            assignment = match_in_sequence(cost) if config.matching == "sequence" else match_at_random(cost)

        def at_match(t: Tensor) -> Tensor:  # [B, K, W] → [B, W]
            return t.transpose(1, 2).gather(2, assignment.unsqueeze(-1)).squeeze(-1)

        def to_queries(labels: Tensor) -> Tensor:  # [B, W] → [B, K]
            empty = labels.new_zeros(labels.shape[0], queries)
            return empty.scatter(1, assignment, labels.masked_fill(~real, 0))

        aligned_operator = to_queries(targets.operator)  # what no label was given to is to say None
        aligned_left, aligned_right = to_queries(at_match(target_left)), to_queries(at_match(target_right))
        silence = -proposal.operator[..., NONE]  # [B, K]
        speech = torch.where(real, -at_match(operator), silence.gather(1, assignment))  # [B, W]
        operator_loss = silence.scatter(1, assignment, speech)  # [B, K]
        operand_loss = -(at_match(left) + at_match(right))  # [B, W]
        if config.label_smoothing:
            amount = config.label_smoothing
            operator_loss = torch.lerp(operator_loss, -proposal.operator.mean(dim=-1), amount)
            spread = _spread(proposal.left) + _spread(proposal.right)  # [B, K]
            operand_loss = torch.lerp(operand_loss, spread.gather(1, assignment), amount)

        is_none = aligned_operator == NONE
        if config.none_loss == "operand":
            none = -(proposal.left[..., -1] + proposal.right[..., -1])  # [B, K]
            operator_loss = operator_loss + none.masked_fill(~is_none, 0.0)
        none_weight = 0.0 if config.none_loss == "off" else config.none_weight
        operator_loss = torch.where(is_none, operator_loss * none_weight, operator_loss)
        loss = operator_loss.sum(dim=1) + operand_loss.masked_fill(~real, 0.0).sum(dim=1)
        return Aligned(loss, assignment, aligned_operator, aligned_left, aligned_right)


def _spread(log_probabilities: Tensor) -> Tensor:
    """The loss against an even distribution over the slots that are not masked, [B, K]."""
    valid = log_probabilities > torch.finfo(torch.float32).min / 2
    return -(log_probabilities.masked_fill(~valid, 0.0).sum(dim=-1) / valid.sum(dim=-1).clamp(min=1))
