"""Additions to the loss that the paper does not have; each is off unless the configuration asks for it."""

from __future__ import annotations

import torch
from torch import Tensor

from treequation.model.criterion import Aligned, Targets
from treequation.model.decoder import DecoderState, ExpressionDecoder, Proposal, number_at
from treequation.text.number_vocabulary import NONE


def spoilt_queries(decoder: ExpressionDecoder, state: DecoderState, targets: Targets, amount: float) -> Tensor:
    """Queries [B, W, D] that are given the gold expressions with parts replaced, and must restore them.

    After DN-DETR (Li et al., 2022): what such a query is to say is known without matching, so that the decoder learns
    to read a problem before its own queries have settled who says what. They are guests that the model's queries do
    not see.
    """
    assert decoder.denoising_mlp is not None, "a decoder made without denoising"

    gold = torch.stack(targets)  # [3, B, W]: operators, left and right operands
    replaced = torch.rand(gold.shape, device=gold.device) < amount
    tickets = torch.rand(*gold[1:].shape, state.numbers.shape[1], device=gold.device)  # [2, B, W, S]
    tickets = tickets.masked_fill(~state.number_mask.unsqueeze(1), -1.0)  # only what is there takes part, with one each
    slots = tickets.argmax(dim=-1)
    operators = torch.randint_like(gold[0], NONE + 1, len(decoder.operators))
    drawn = torch.cat([operators.unsqueeze(0), slots])
    operator, left, right = torch.where(replaced, drawn, gold)
    given = decoder.operator_at(operator), number_at(state, left), number_at(state, right)
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
