"""Hierarchical reasoning over words and clauses: each token is updated from the states of the clauses.

After Yu et al., "Improving Math Word Problems with Pre-trained Knowledge and Hierarchical Reasoning" (H-Reasoner, EMNLP
2021), whose code is not public; this is our reading of it. Attention pools the tokens of each clause; a Transformer
layer lets the clauses attend to each other; a gate adds its clause to each token; and the summary of the problem is
pooled from the clauses by attention.
"""

from __future__ import annotations

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from treequation.baselines.addons.clauses import Clauses
from treequation.data.batches import Batch
from treequation.model.base import pick_all
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Addon, register_part
from treequation.model.transformer import Attention

MAX_CLAUSES = 16  # later ones are merged into the last


class Pooling(nn.Module):
    """Attention pooling with weights from vᵀ tanh(W h)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.score = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1, bias=False))

    def forward(self, states: Tensor, groups: Tensor) -> Tensor:
        """Pools states [B, T, D] over each of the groups [B, C, T] to [B, C, D]; an empty group gives 0."""
        scores = self.score(states).float().transpose(1, 2).masked_fill(~groups, MASKED)  # [B, C, T]
        weights = scores.softmax(dim=-1) * groups
        return weights.to(states.dtype) @ states


@register_part
class Hierarchy(Addon):
    """The levels of words and clauses."""

    NAME = "hierarchy"

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        self.clauses = Clauses(config.separators)
        self.words, self.sentences = Pooling(width), Pooling(width)
        self.attention = Attention(width, config.heads(width), config.dropout)
        self.feed_forward = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.gate = nn.Linear(2 * width, width)
        self.told = nn.Linear(width, width)

    def learn_tokens(self, tokenizer: Tokenizer) -> None:
        """See :class:`Clauses`."""
        self.clauses.learn_tokens(tokenizer)

    def forward(self, problem: Tensor, mask: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """h′ = LN(h + σ(W_g [h; s′]) ∘ W_s s′); the first token becomes the summary of the clauses."""
        clause, question = self.clauses(batch)
        number = torch.arange(MAX_CLAUSES, device=clause.device)
        clause, question = clause.clamp(max=MAX_CLAUSES - 1), question.clamp(max=MAX_CLAUSES - 1)
        groups = (clause.unsqueeze(1) == number.unsqueeze(1)) & mask.unsqueeze(1)  # [B, C, T]
        there = number <= question.unsqueeze(1)  # [B, C]
        clause_states = self.words(problem, groups)  # [B, C, D]
        clause_states = self.norms[0](clause_states + self.attention(clause_states, clause_states, there))
        clause_states = self.norms[1](clause_states + self.feed_forward(clause_states))
        own = pick_all(clause_states, clause)  # [B, T, D]
        gate = torch.sigmoid(self.gate(torch.cat([problem, own], dim=-1)))
        tokens = self.norms[2](problem + gate * self.told(own))
        return torch.cat([self.sentences(clause_states, there.unsqueeze(1)), tokens[:, 1:]], dim=1), mask
