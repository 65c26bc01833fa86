"""The full-precision weights that are trained, and the model's copies of them.

In bf16, the model holds bf16 copies. Casting the weights once per step saves several hundred kernels compared with
autocast, and activations stay in bf16 from end to end. Losses and matching are in fp32 in either case.

Most of a multilingual encoder's weights are embeddings of tokens that no training problem has. They never change: their
gradient is zero, and nothing decays embeddings. So only the rows of the table that occur are trained.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import torch
from torch import Tensor, nn

ALL: Mapping[str, Tensor] = MappingProxyType({})


class Weights:
    """Full-precision weights; in fp32 they are the model's own parameters."""

    def __init__(self, model: nn.Module, *, bf16: bool, rows: Mapping[str, Tensor] = ALL) -> None:
        """``rows`` names tables of which, in bf16, only these rows are trained: all that ever get a gradient."""
        named = {name: p for name, p in model.named_parameters() if p.requires_grad}
        self.names = list(named)
        self.used: list[nn.Parameter] = list(named.values())  # what the model computes with
        self.full: list[nn.Parameter] = self.used
        self._rows = [rows.get(name) if bf16 else None for name in self.names]
        self._tables = {name: named[name].detach().clone() for name in rows if bf16}  # as they were, in full precision
        if bf16:
            self.full = [
                nn.Parameter(_at(p.detach().float(), own).clone()) for p, own in zip(self.used, self._rows, strict=True)
            ]
            model.to(torch.bfloat16)
        self.decaying = decaying(model)
        self._gradients = [torch.zeros_like(p) for p in self.full] if bf16 else []

    @property
    def bf16(self) -> bool:
        """Whether the model computes in bf16."""
        return self.full is not self.used

    def named(self) -> dict[str, nn.Parameter]:
        """The full-precision weights by name; of some tables, only the rows that are trained."""
        return dict(zip(self.names, self.full, strict=True))

    def take_gradients(self) -> None:
        """Copies the model's gradients to the full-precision weights; a weight without a gradient is left alone."""
        if self.bf16:
            has_gradient = [p.grad is not None for p in self.used]
            for full, gradient, given in zip(self.full, self._gradients, has_gradient, strict=True):
                full.grad = gradient if given else None
            torch._foreach_copy_(
                [g for g, given in zip(self._gradients, has_gradient, strict=True) if given],
                [_at(p.grad, own) for p, own in zip(self.used, self._rows, strict=True) if p.grad is not None],
            )

    def publish(self) -> None:
        """Copies the full-precision weights to the model."""
        if self.bf16:
            parts = list(zip(self.used, self.full, self._rows, strict=True))
            whole = [(used.detach(), full.detach()) for used, full, rows in parts if rows is None]
            torch._foreach_copy_([used for used, _ in whole], [full for _, full in whole])
            for used, full, rows in parts:
                if rows is not None:
                    used.detach().index_copy_(0, rows, full.detach().to(used.dtype))

    def state_dict(self) -> dict[str, Tensor]:
        """The full-precision weights by name, detached, to be saved."""
        weights = {name: weight.detach() for name, weight in self.named().items()}
        for name, rows in zip(self.names, self._rows, strict=True):
            if rows is not None:
                weights[name] = self._tables[name].index_copy(0, rows, weights[name])
        return weights


def _at(table: Tensor, rows: Tensor | None) -> Tensor:
    """These rows of a table; all if there are none."""
    return table if rows is None else table.index_select(0, rows)


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
