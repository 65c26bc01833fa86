"""Reasoning over words and clauses: each token is told what the clauses say together.

After Yu et al., "Improving Math Word Problems with Pre-trained Knowledge and Hierarchical Reasoning" (H-Reasoner, EMNLP
2021), whose code is not public; this is our reading of it. A clause is its tokens, pooled by attention; a Transformer
layer lets the clauses see each other; each token takes in its clause through a gate; the summary of the problem becomes
the clauses, pooled by attention.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from treequation.baselines.addons.clauses import clauses
from treequation.data.batches import Batch
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Addon, register_part
from treequation.model.transformer import Attention

MAX_CLAUSES = 16  # what comes later is in the last


class Pooling(nn.Module):
    """Attention weights vᵀ tanh(W h) over some states."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.score = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1, bias=False))

    def forward(self, states: Tensor, groups: Tensor) -> Tensor:
        """The states [B, T, D] pooled over each of the groups [B, C, T], [B, C, D]; an empty group is 0."""
        scores = self.score(states).float().transpose(1, 2).masked_fill(~groups, MASKED)  # [B, C, T]
        weights = scores.softmax(dim=-1) * groups
        return weights.to(states.dtype) @ states


@register_part
class Hierarchy(Addon):
    """The two levels."""

    NAME = "hierarchy"

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        self.separators = list(config.separators)
        heads = config.attention_heads or max(1, width // 64)
        self.words, self.sentences = Pooling(width), Pooling(width)
        self.attention = Attention(width, heads, config.dropout)
        self.feed_forward = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.gate = nn.Linear(2 * width, width)
        self.told = nn.Linear(width, width)

    def forward(self, problem: Tensor, mask: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """h′ = LN(h + σ(W_g [h; s′]) ∘ W_s s′); the first token becomes the summary of the clauses."""
        clause, question = clauses(batch, self.separators)
        number = torch.arange(MAX_CLAUSES, device=clause.device)
        clause, question = clause.clamp(max=MAX_CLAUSES - 1), question.clamp(max=MAX_CLAUSES - 1)
        groups = (clause.unsqueeze(1) == number.unsqueeze(1)) & mask.unsqueeze(1)  # [B, C, T]
        there = number <= question.unsqueeze(1)  # [B, C]
        said = self.words(problem, groups)  # [B, C, D]
        said = self.norms[0](said + self.attention(said, said, there))
        said = self.norms[1](said + self.feed_forward(said))
        own = said.gather(1, clause.unsqueeze(-1).expand_as(problem))  # [B, T, D]
        gate = torch.sigmoid(self.gate(torch.cat([problem, own], dim=-1)))
        tokens = self.norms[2](problem + gate * self.told(own))
        return torch.cat([self.sentences(said, there.unsqueeze(1)), tokens[:, 1:]], dim=1), mask
