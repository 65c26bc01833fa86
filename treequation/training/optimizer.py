"""AdamW with a learning rate for each part of the model, and the schedule.

The schedule is a table on the device, indexed by a step counter, so a captured step needs nothing from the host.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import torch
from torch import Tensor, nn

from treequation.training.recipe import Training
from treequation.training.weights import Weights

LAYER = re.compile(r"^encoder\..*?\blayers?\.(\d+)\.")


class Optimizer:
    """AdamW with learning rates that follow the schedule."""

    def __init__(self, weights: Weights, settings: Training, total_steps: int) -> None:
        self.weights = weights
        self.parameters = weights.full
        device = self.parameters[0].device
        groups = parameter_groups(weights.named(), weights.decaying, settings)
        self.clip = settings.clip
        self.step_count = torch.zeros(1, dtype=torch.long, device=device)
        self._schedule = torch.tensor(schedule(settings, total_steps), device=device)
        self._base_rates = torch.tensor([group["lr"] for group in groups], device=device)
        self._rates = self._base_rates.clone()
        cuda = device.type == "cuda"
        for group, rate in zip(groups, self._rates, strict=True):
            group["lr"] = rate  # a view, so a captured step sees the new rate
        self.adam = torch.optim.AdamW(groups, fused=True, capturable=cuda)
        for parameter in self.parameters:  # created now, so that it can be restored before the first step
            self.adam.state[parameter] = {
                "step": torch.zeros((), device=device if cuda else "cpu"),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }

    def step(self) -> None:
        """Clips the gradients and takes one step."""
        self.weights.take_gradients()
        torch.mul(self._base_rates, self._schedule.index_select(0, self.step_count), out=self._rates)
        if self.clip:
            torch.nn.utils.clip_grad_norm_(self.parameters, self.clip, foreach=True)
        self.adam.step()
        self.weights.publish()
        self.step_count += 1

    def tensors(self) -> dict[str, Tensor]:
        """The optimizer's state for a checkpoint, by name."""
        state = {"steps": self.step_count}
        for index, parameter in enumerate(self.parameters):
            state |= {f"{index}.{key}": value for key, value in self.adam.state[parameter].items()}
        return state

    def load(self, tensors: dict[str, Tensor]) -> None:
        """Restores the state that :meth:`tensors` returned."""
        for name, tensor in self.tensors().items():
            tensor.copy_(tensors[name])


def parameter_groups(
    weights: Mapping[str, nn.Parameter], decaying: Collection[str], settings: Training
) -> list[dict[str, object]]:
    """Groups parameters by learning rate and weight decay; only those named in ``decaying`` have any."""
    depth = 1 + max((int(m[1]) for name in weights if (m := LAYER.match(name))), default=0)
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in weights.items():
        if not name.startswith("encoder."):
            rate = settings.learning_rate
        else:
            layer = LAYER.match(name)
            below_top = depth - int(layer[1]) - 1 if layer else depth
            rate = settings.encoder_learning_rate * settings.layer_decay**below_top
        decay = settings.weight_decay if name in decaying else 0.0
        groups.setdefault((rate, decay), []).append(parameter)
    return [{"params": p, "lr": rate, "weight_decay": decay} for (rate, decay), p in sorted(groups.items(), key=str)]


def schedule(settings: Training, total_steps: int) -> list[float]:
    """The learning-rate factor of each step: linear warm-up, then linear decay to zero.

    >>> schedule(Training(warmup=0.5), 4)
    [0.5, 1.0, 1.0, 0.5]
    """
    rise = round(settings.warmup * total_steps)
    fall = max(1, total_steps - rise)
    return [(step + 1) / rise for step in range(rise)] + [1 - step / fall for step in range(fall)]
