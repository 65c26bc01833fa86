"""The Transformer decoder layer, shared by our decoders and the peers."""

from __future__ import annotations

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn


class Attention(nn.Module):
    """Multi-head attention of ``x`` to ``memory``."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        if width % heads:
            raise ValueError(f"attention_heads is {heads}, which does not divide the decoder's width, {width}")
        self.heads = heads
        self.dropout = dropout
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.output = nn.Linear(width, width)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.attend(x, *self.remember(memory), mask)

    def remember(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """The keys and values [B, H, T, D/H] of ``memory``, which callers may cache."""
        return self.split_memory(self.key_value(memory))

    def split_memory(self, key_value: Tensor) -> tuple[Tensor, Tensor]:
        """Splits the output [B, T, 2·D] of ``key_value`` into keys and values [B, H, T, D/H]."""
        key, value = key_value.chunk(2, dim=-1)
        return self._split(key), self._split(value)

    def attend(
        self,
        x: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        *,
        causal: bool = False,
        seen: Tensor | None = None,
    ) -> Tensor:
        """Attends from ``x`` [B, Q, D] to the places where ``mask`` [B, T] or [B, Q, T] is True.

        Without ``mask``, ``seen`` [Q, T] limits which places each query attends to; ``causal`` limits it to the places
        up to its own.
        """
        attended = F.scaled_dot_product_attention(
            self._split(self.query(x)),
            key,
            value,
            attn_mask=seen if mask is None else (mask if mask.dim() == 3 else mask.unsqueeze(1)).unsqueeze(1),
            dropout_p=self.dropout if self.training else 0.0,
            is_causal=causal,
        )
        return self.output(attended.transpose(1, 2).flatten(2))

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class DecoderLayer(nn.Module):
    """A pre-norm Transformer decoder layer: self-attention, cross-attention, feed-forward."""

    def __init__(self, width: int, heads: int, dropout: float, feed_forward: int = 4) -> None:
        super().__init__()
        self.self_attention = Attention(width, heads, dropout)
        self.cross_attention = Attention(width, heads, dropout)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, feed_forward * width),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(feed_forward * width, width),
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def forward(self, queries: Tensor, problem: Tensor, mask: Tensor, seen: Tensor | None = None) -> Tensor:
        return self.recall(queries, self.cross_attention.key_value(problem), mask, seen)

    def recall(self, queries: Tensor, memory: Tensor, mask: Tensor, seen: Tensor | None = None) -> Tensor:
        """As ``forward``, with cached keys and values of the problem, [B, T, 2·D].

        ``seen`` [Q, Q] limits which queries each query attends to.
        """
        return self.through(
            queries,
            lambda x: self.self_attention.attend(x, *self.self_attention.remember(x), seen=seen),
            lambda x: self.cross_attention.attend(x, *self.cross_attention.split_memory(memory), mask),
        )

    def through(self, x: Tensor, *attentions: Callable[[Tensor], Tensor]) -> Tensor:
        """Applies both attentions and the feed-forward layer, each with a norm before it and a residual connection."""
        parts: tuple[Callable[[Tensor], Tensor], ...] = (*attentions, self.feed_forward)
        for part, norm in zip(parts, self.norms, strict=True):
            x = x + self.drop(part(norm(x)))
        return x


def mlp(inputs: int, width: int) -> nn.Sequential:
    """The two-layer perceptron that the paper calls MLP."""
    return nn.Sequential(nn.Linear(inputs, width), nn.GELU(), nn.Linear(width, width))
