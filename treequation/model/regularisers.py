"""Additions to the loss that the paper does not have; each is off unless the configuration asks for it."""

from __future__ import annotations

import torch
from torch import Tensor

from treequation.expression.slots import NONE
from treequation.model.criterion import Aligned, Targets
from treequation.model.decoder import DecoderState, ExpressionDecoder, Proposal, number_at


def denoising_loss(
    decoder: ExpressionDecoder, step: int, state: DecoderState, targets: Targets, amount: float
) -> Tensor:
    """The loss [B] of queries that are given the gold expressions with parts replaced, and must restore them.

    After DN-DETR (Li et al., 2022): what such a query is to say is known without matching, so that the decoder learns
    to read a problem before its own queries have settled who says what. They are a group of their own that the model's
    queries do not see.
    """
    assert decoder.denoising_mlp is not None, "a decoder made without denoising"
    real = targets.operator != NONE  # [B, W]

    def noised(gold: Tensor, choices: Tensor) -> Tensor:
        """Gold labels [B, W], some replaced by one of the choices, whose mask is [B, ·]."""
        drawn = torch.multinomial(choices.float() + 1e-9, gold.shape[1], replacement=True)
        return torch.where(torch.rand(gold.shape, device=gold.device) < amount, drawn, gold)

    operators = torch.ones(len(real), len(decoder.operators), device=real.device)
    operators[:, NONE] = 0
    given = (
        decoder.operators[noised(targets.operator, operators)],
        number_at(state, noised(targets.left, state.number_mask)),
        number_at(state, noised(targets.right, state.number_mask)),
    )
    queries = decoder.denoising_mlp(torch.cat([part.to(state.problem.dtype) for part in given], dim=-1))  # [B, W, D]
    _, proposal = decoder.step(step, state._replace(queries=queries))

    def of(said: Tensor, gold: Tensor) -> Tensor:  # [B, W, ·], [B, W] → [B, W]
        return said.gather(2, gold.unsqueeze(-1)).squeeze(-1)

    if proposal.read is None:
        right, operators = of(proposal.right, targets.right), proposal.operator
    else:  # one query for each label
        right, operators = (
            part.squeeze(1)
            for part in decoder.after_gold(proposal.read.unsqueeze(1), targets.left, targets.right, state)
        )
    said = of(operators, targets.operator) + of(proposal.left, targets.left) + right
    return -said.masked_fill(~real, 0.0).sum(dim=1)


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
