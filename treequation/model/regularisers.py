"""Additions to the loss that the paper does not have; each is off unless the configuration asks for it."""

from __future__ import annotations

import torch
from torch import Tensor

from treequation.expression.slots import NONE
from treequation.model.criterion import Aligned, Targets
from treequation.model.decoder import DecoderState, ExpressionDecoder, Proposal, number_at


def spoilt_queries(decoder: ExpressionDecoder, state: DecoderState, targets: Targets, amount: float) -> Tensor:
    """Queries [B, W, D] that are given the gold expressions with parts replaced, and must restore them.

    After DN-DETR (Li et al., 2022): what such a query is to say is known without matching, so that the decoder learns
    to read a problem before its own queries have settled who says what. They are guests that the model's queries do
    not see.
    """
    assert decoder.denoising_mlp is not None, "a decoder made without denoising"

    def noised(gold: Tensor, choices: Tensor) -> Tensor:
        """Gold labels [B, W], some replaced by one of the choices, whose mask is [B, ·]."""
        drawn = torch.multinomial(choices.float() + 1e-9, gold.shape[1], replacement=True)
        return torch.where(torch.rand(gold.shape, device=gold.device) < amount, drawn, gold)

    operators = torch.ones(len(targets.operator), len(decoder.operators), device=state.problem.device)
    operators[:, NONE] = 0
    given = (
        decoder.operator_at(noised(targets.operator, operators)),
        number_at(state, noised(targets.left, state.number_mask)),
        number_at(state, noised(targets.right, state.number_mask)),
    )
    spoilt: Tensor = decoder.denoising_mlp(torch.cat([part.to(state.problem.dtype) for part in given], dim=-1))
    return spoilt


def restoring_loss(proposal: Proposal, targets: Targets, after_gold: tuple[Tensor, Tensor] | None = None) -> Tensor:
    """The loss [B] of such queries, one for each label.

    ``after_gold`` is what they say after the gold operands, of a chained decoder: log-probabilities of the right
    operand [B, W] and of the operators [B, W, O + 1].
    """

    def of(said: Tensor, gold: Tensor) -> Tensor:  # [B, W, ·], [B, W] → [B, W]
        return said.gather(2, gold.unsqueeze(-1)).squeeze(-1)

    right, operators = after_gold or (of(proposal.right, targets.right), proposal.operator)
    said = of(operators, targets.operator) + of(proposal.left, targets.left) + right
    return -said.masked_fill(targets.operator == NONE, 0.0).sum(dim=1)


def disagreement(proposal: Proposal, aligned: Aligned, targets: Targets, slots: int) -> Tensor:
    """How far the two halves of a batch, which are the same problems, are apart on the gold expressions, [B].

    R-Drop (Liang et al., 2021): the symmetric divergence of their distributions. The queries that say an expression may
    differ between the halves, and so do the places of results; so distributions are compared expression by expression,
    over operators and over the first ``slots``, which are the constants and numbers.
    """
    real = targets.operator != NONE  # [B, W]

    def apart(log_probabilities: Tensor) -> Tensor:  # [B, K, ·] → [B / 2, W]
        index = aligned.assignment.unsqueeze(-1).expand(-1, -1, log_probabilities.shape[-1])
        first, second = log_probabilities.gather(1, index).chunk(2)
        return ((first.exp() - second.exp()) * (first - second)).sum(dim=-1) / 2

    total = apart(proposal.operator) + apart(proposal.left[..., :slots]) + apart(proposal.right[..., :slots])
    both = total.masked_fill(~real.chunk(2)[0], 0.0).sum(dim=1)  # [B / 2]
    return torch.cat([both, both])
