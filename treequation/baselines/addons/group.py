"""Group attention: heads that see the token's own clause, the other clauses, the question, or everything.

After Li et al., "Modeling Intra-Relation in Math Word Problems with Different Functional Multi-Head Attentions"
(GroupAttn, ACL 2019): one Transformer layer after the encoder, with two heads of each kind. A problem with only one
clause has no question.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor, nn

from treequation.baselines.addons.clauses import Clauses
from treequation.data.batches import Batch
from treequation.model.config import TreequationConfig
from treequation.model.parts import Addon, register_part

KINDS, HEADS = 4, 8
FEED_FORWARD = 2048


def group_masks(clause: Tensor, question: Tensor, mask: Tensor) -> Tensor:
    """The attention masks of the four kinds of heads, [B, 4, T, T].

    The kinds are: everything; the own clause; the other clauses except the question; and the question. In the last
    kind, tokens of the question see all other tokens, and those see the question. A token always sees itself.
    """
    same = clause.unsqueeze(2) == clause.unsqueeze(1)  # [B, T, T]
    in_question = clause == question.unsqueeze(1)  # [B, T]
    in_question = in_question & (question > 0).unsqueeze(1)
    others = ~same & ~in_question.unsqueeze(1)
    crosses = in_question.unsqueeze(2) != in_question.unsqueeze(1)
    crosses = torch.where(in_question.unsqueeze(2), crosses, in_question.unsqueeze(1).expand_as(crosses))
    seen = torch.stack([torch.ones_like(same), same, others, crosses], dim=1) & mask[:, None, None, :]
    return seen | torch.eye(clause.shape[1], dtype=torch.bool, device=mask.device)


@register_part
class GroupAttention(Addon):
    """The Transformer layer with group attention."""

    NAME = "group"

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        if width % HEADS:
            raise ValueError(f"addon group has {HEADS} heads, which do not divide the width {width}")
        self.clauses = Clauses(config.separators)
        self.project = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.feed_forward = nn.Sequential(nn.Linear(width, FEED_FORWARD), nn.ReLU(), nn.Linear(FEED_FORWARD, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.drop = nn.Dropout(config.dropout)

    def learn_tokens(self, tokenizer: Tokenizer) -> None:
        """See :class:`Clauses`."""
        self.clauses.learn_tokens(tokenizer)

    def forward(self, problem: Tensor, mask: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """A post-norm layer: attention, then feed-forward, each with a residual connection."""
        clause, question = self.clauses(batch)
        seen = group_masks(clause, question, mask)
        seen = seen.repeat_interleave(HEADS // KINDS, dim=1)  # [B, 8, T, T]
        query, key, value = (
            part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.project(problem).chunk(3, dim=-1)
        )
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=seen).transpose(1, 2).flatten(2)
        problem = self.norms[0](problem + self.drop(self.output(attended)))
        return self.norms[1](problem + self.drop(self.feed_forward(problem))), mask
