"""The full-precision weights that are trained, and the model's copies of them.

In bf16, the model holds bf16 copies. Casting the weights once per step saves several hundred kernels compared with
autocast, and activations stay in bf16 from end to end. Losses and matching are in fp32 in either case.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Weights:
    """Full-precision weights; in fp32 they are the model's own parameters."""

    def __init__(self, model: nn.Module, *, bf16: bool) -> None:
        named = {name: p for name, p in model.named_parameters() if p.requires_grad}
        self.names = list(named)
        self.used: list[nn.Parameter] = list(named.values())  # what the model computes with
        self.full: list[nn.Parameter] = self.used
        if bf16:
            self.full = [nn.Parameter(p.detach().float().clone()) for p in self.used]
            model.to(torch.bfloat16)
        self.decaying = decaying(model)
        self._gradients = [torch.zeros_like(p) for p in self.full] if bf16 else []

    @property
    def bf16(self) -> bool:
        """Whether the model computes in bf16."""
        return self.full is not self.used

    def named(self) -> dict[str, nn.Parameter]:
        """The full-precision weights by name."""
        return dict(zip(self.names, self.full, strict=True))

    def take_gradients(self) -> None:
        """Copies the model's gradients to the full-precision weights; a weight without a gradient is left alone."""
        if self.bf16:
            has_gradient = [p.grad is not None for p in self.used]
            for full, gradient, given in zip(self.full, self._gradients, has_gradient, strict=True):
                full.grad = gradient if given else None
            torch._foreach_copy_(
                [g for g, given in zip(self._gradients, has_gradient, strict=True) if given],
                [p.grad for p in self.used if p.grad is not None],
            )

    def publish(self) -> None:
        """Copies the full-precision weights to the model."""
        if self.bf16:
            torch._foreach_copy_([p.detach() for p in self.used], [p.detach() for p in self.full])

    def state_dict(self) -> dict[str, Tensor]:
        """The full-precision weights by name, detached, to be saved."""
        return {name: weight.detach() for name, weight in self.named().items()}


def decaying(model: nn.Module) -> frozenset[str]:
    """The names of the weights that weight decay may shrink: all matrices, but no norms, biases and embeddings.

    Our learned embeddings (queries, operators, constants) are bare parameters, which are not named ``weight…``.
    """
    return frozenset(
        f"{path}.{name}" if path else name
        for path, module in model.named_modules()
        if not isinstance(module, nn.Embedding)
        for name, parameter in module.named_parameters(recurse=False)
        if name.startswith("weight") and parameter.ndim >= 2  # a recurrent layer's are called weight_ih_l0 and so on
    )
