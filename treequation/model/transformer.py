"""The transformer decoder layer that our decoders and the sequence-to-sequence peer are made of."""

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
        """Keys and values [B, H, T, D/H]; what attends to the same memory again need not compute them again."""
        return self.split_memory(self.key_value(memory))

    def split_memory(self, key_value: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values [B, H, T, D/H] of what ``key_value`` gave, [B, T, 2·D]."""
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
        """What ``x`` [B, Q, D] finds at the places where ``mask`` [B, T] or [B, Q, T] is True.

        With ``causal``, each place sees only those up to its own; else it sees those ``seen`` [Q, T].
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
    """A standard transformer decoder layer, with a layer norm before each of its three parts."""

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
        """As ``forward``, where the problem's keys and values [B, T, 2·D] are known already.

        ``seen`` [Q, Q] says which query sees which; without it, all see all.
        """
        return self.through(
            queries,
            lambda x: self.self_attention.attend(x, *self.self_attention.remember(x), seen=seen),
            lambda x: self.cross_attention.attend(x, *self.cross_attention.split_memory(memory), mask),
            self.feed_forward,
        )

    def through(self, x: Tensor, *parts: Callable[[Tensor], Tensor]) -> Tensor:
        """One part after the other, each with its norm before it and a residual connection around both."""
        for part, norm in zip(parts, self.norms, strict=True):
            x = x + self.drop(part(norm(x)))
        return x


def mlp(inputs: int, width: int) -> nn.Sequential:
    """The two-layer perceptron that the paper calls MLP."""
    return nn.Sequential(nn.Linear(inputs, width), nn.GELU(), nn.Linear(width, width))
