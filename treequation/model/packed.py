"""A BERT-like encoder that reads the rows of a batch packed, one after the other, instead of padded to one length.

It computes what the encoder's own ``forward`` does, with a third of the kernels: all rows are read at once, whatever
their lengths, and one product gives queries, keys and values. For training on CUDA in half precision, since it needs
flash attention; other encoders and devices read padded rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import BertModel, PreTrainedModel, RobertaModel, XLMRobertaModel

from treequation.data.batches import Packing

PACKABLE = (BertModel, RobertaModel, XLMRobertaModel)
Attend = Callable[[Tensor, Tensor, Tensor, Tensor, int, float], Tensor]
"""Attention of packed queries, keys and values [P, H, E/H], given bounds, the longest row, and dropout."""


def can_pack(encoder: PreTrainedModel) -> bool:
    """Whether :func:`encode` can train this encoder on its device, as flash attention allows."""
    if type(encoder) not in PACKABLE or encoder.device.type != "cuda" or encoder.dtype != torch.bfloat16:
        return False
    head = encoder.config.hidden_size // encoder.config.num_attention_heads
    fits = head % 8 == 0 and head <= 256
    newer = torch.cuda.get_device_capability(encoder.device) >= (8, 0)
    flash = torch.backends.cuda.is_flash_attention_available()
    return fits and newer and flash and is_right(_attend_by_flash, encoder.device, encoder.dtype)


def is_right(attend: Attend, device: torch.device, dtype: torch.dtype) -> bool:
    """Whether this attention and its gradients agree with :func:`_attend_by_mask`.

    Flash attention is called by a private name, which another release of PyTorch may change.
    """
    q, k, v = torch.randn(3, 12, 2, 32, device=device, dtype=dtype).requires_grad_().unbind()
    bounds = torch.tensor([0, 5, 5, 12], device=device, dtype=torch.int32)
    try:
        ways = [way(q, k, v, bounds, 7, 0.0) for way in (attend, _attend_by_mask)]
        gradients = [torch.stack(torch.autograd.grad(way.square().sum(), (q, k, v))) for way in ways]
    except (RuntimeError, TypeError, AttributeError):
        return False
    return all(torch.allclose(one.float(), other.float(), atol=0.1) for one, other in (ways, gradients))


def encode(encoder: Any, ids: Tensor, lengths: Tensor, packing: Packing) -> Tensor:
    """The encoder's states [P, E] for token ids [B, T] of rows of these ``lengths`` [B]."""
    embeddings = encoder.embeddings
    # Padding attends to itself: the part of a row's room that its problem does not fill counts as a row of its own.
    ends = torch.stack([packing.starts, packing.starts + lengths], dim=1).flatten()
    bounds = F.pad(ends, (0, 1), value=len(packing.rows)).int()  # [2 · B + 1]
    positions = packing.places
    if not isinstance(encoder, BertModel):  # RoBERTa and its relatives reserve the first positions for padding
        positions = positions + embeddings.padding_idx + 1
    x = embeddings.word_embeddings(ids[packing.rows, packing.places])
    x = x + embeddings.position_embeddings(positions) + embeddings.token_type_embeddings.weight[0]
    x = embeddings.dropout(embeddings.LayerNorm(x))
    for layer in encoder.encoder.layer:
        attended = _attention(layer.attention.self, x, bounds, packing.longest)
        x = layer.attention.output(attended, x)
        x = layer.output(layer.intermediate(x), x)
    return cast(Tensor, x)


def _attention(attention: Any, x: Tensor, bounds: Tensor, longest: int) -> Tensor:
    """Each of the packed states [P, E] attends to those between the same ``bounds``."""
    parts: list[nn.Linear] = [attention.query, attention.key, attention.value]
    weight, bias = torch.cat([part.weight for part in parts]), torch.cat([part.bias for part in parts])
    q, k, v = F.linear(x, weight, bias).unflatten(-1, (3, attention.num_attention_heads, -1)).unbind(1)
    dropout = attention.dropout.p if attention.training else 0.0
    attend = _attend_by_flash if x.is_cuda else _attend_by_mask
    return attend(q, k, v, bounds, longest, dropout).flatten(1)


def _attend_by_flash(q: Tensor, k: Tensor, v: Tensor, bounds: Tensor, longest: int, dropout: float) -> Tensor:
    # PyTorch's public functions for this have no dropout, or need nested tensors.
    attended: Tensor = torch.ops.aten._flash_attention_forward(
        q, k, v, bounds, bounds, longest, longest, dropout, False, False
    )[0]
    return attended


def _attend_by_mask(q: Tensor, k: Tensor, v: Tensor, bounds: Tensor, longest: int, dropout: float) -> Tensor:
    """The same, slowly, on any device: for tests."""
    row = torch.searchsorted(bounds, torch.arange(len(q), device=q.device, dtype=bounds.dtype), right=True)
    q, k, v = (part.transpose(0, 1) for part in (q, k, v))  # [H, P, E/H]
    same = row.unsqueeze(1) == row
    return F.scaled_dot_product_attention(q, k, v, attn_mask=same, dropout_p=dropout).transpose(0, 1)


class Unpacked(torch.autograd.Function):
    """Packed states [P, D] as padded ones [B, T, D]; beyond a row's room, its last state, without a gradient.

    The gradient of indexing is a slow scatter-add.
    """

    @staticmethod
    def forward(ctx: Any, packed: Tensor, padded: Tensor, rows: Tensor, places: Tensor) -> Tensor:
        ctx.save_for_backward(rows, places)
        return packed.index_select(0, padded.flatten()).unflatten(0, padded.shape)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        rows, places = ctx.saved_tensors
        return gradient.flatten(0, 1).index_select(0, rows * gradient.shape[1] + places), None, None, None
