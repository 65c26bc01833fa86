"""The weights that are trained, in full precision, and the model that computes with them.

In bf16 the model itself holds bf16 copies: casting once a step what is used many times in it saves several hundred
kernels against autocast, and activations stay in bf16 from end to end. Losses and matching are in fp32 either way.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Weights:
    """Full-precision weights by name; the model's own parameters if it computes in fp32."""

    def __init__(self, model: nn.Module, *, bf16: bool) -> None:
        named = {name: p for name, p in model.named_parameters() if p.requires_grad}
        self.names = list(named)
        self.used: list[nn.Parameter] = list(named.values())  # what the model computes with
        self.full: list[nn.Parameter] = self.used
        if bf16:
            self.full = [nn.Parameter(p.detach().float().clone()) for p in self.used]
            model.to(torch.bfloat16)
        self._gradients = [torch.zeros_like(p) for p in self.full] if bf16 else []

    @property
    def bf16(self) -> bool:
        """Whether the model computes in bf16."""
        return self.full is not self.used

    def named(self) -> dict[str, nn.Parameter]:
        """The full-precision weights by name."""
        return dict(zip(self.names, self.full, strict=True))

    def take_gradients(self) -> None:
        """Brings the model's gradients to the full-precision weights; what got none this time stays as it is."""
        if self.bf16:
            there = [p.grad is not None for p in self.used]
            for full, gradient, given in zip(self.full, self._gradients, there, strict=True):
                full.grad = gradient if given else None
            torch._foreach_copy_(
                [g for g, given in zip(self._gradients, there, strict=True) if given],
                [p.grad for p in self.used if p.grad is not None],
            )

    def publish(self) -> None:
        """Gives the model the weights as they are now."""
        if self.bf16:
            torch._foreach_copy_([p.detach() for p in self.used], [p.detach() for p in self.full])

    def state_dict(self) -> dict[str, Tensor]:
        """What is worth keeping of them, in full precision."""
        return {name: weight.detach() for name, weight in self.named().items()}
