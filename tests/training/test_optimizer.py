"""What the optimizer does with a recipe's rates: by part and layer, over the steps, and clipped."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import nn

from tests.model.tiny import make_model
from treequation.baselines import ADDONS, AUXILIARIES, DECODERS
from treequation.data.synthetic import generate
from treequation.training.optimizer import Optimizer, parameter_groups
from treequation.training.recipe import Training
from treequation.training.weights import Weights


def named(*names: str, shape: tuple[int, ...] = (2, 2)) -> dict[str, nn.Parameter]:
    return {name: nn.Parameter(torch.zeros(shape)) for name in names}


def test_each_layer_of_the_encoder_learns_slower_than_the_one_above() -> None:
    weights = named(
        "encoder.embeddings.word", *(f"encoder.encoder.layer.{i}.dense.weight" for i in range(3)), "decoder.x"
    )
    settings = Training(learning_rate=1.0, encoder_learning_rate=0.8, layer_decay=0.5)
    rates = {
        id(parameter): group["lr"]
        for group in parameter_groups(weights, (), settings)
        for parameter in group["params"]  # type: ignore[attr-defined]
    }
    assert [rates[id(weight)] for weight in weights.values()] == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.0])


PARTS: list[dict[str, Any]] = [
    *({"decoder": name} for name in DECODERS),
    {"decoder": "chained", "shared_layers": 1},
    *({"decoder": "seq2tree", "addon": name} for name in ADDONS),
    *({"decoder": "seq2tree", "auxiliary": name} for name in AUXILIARIES),
]
EMBEDDINGS = {"queries", "operators", "constants", "symbols", "codes", "kinds", "sources", "rules", "start"}
NORMS_AND_SCALES = {"norm_scale", "norm_shift", "operator_scale", "source_scale", "rarity"}


@pytest.mark.parametrize("settings", PARTS, ids=lambda each: "-".join(map(str, each.values())))
def test_matrices_decay_but_no_norms_biases_and_embeddings(settings: dict[str, Any]) -> None:
    sizes = {"width": 64} | settings
    model = make_model(generate(5, seed=0), **sizes)
    weights = Weights(model, bf16=True)
    groups = parameter_groups(weights.named(), weights.decaying, Training())
    names = {id(parameter): name for name, parameter in weights.named().items()}
    decayed = {names[id(p)] for group in groups if group["weight_decay"] for p in group["params"]}  # type: ignore[attr-defined]
    matrices = set()
    for path, module in model.named_modules():
        own = {name for name, _ in module.named_parameters(recurse=False)}
        if isinstance(module, nn.Linear | nn.RNNBase | nn.RNNCellBase):
            matrices |= {f"{path}.{name}" for name in own if name.startswith("weight")}
        elif not isinstance(module, nn.Embedding | nn.LayerNorm):
            assert own <= EMBEDDINGS | NORMS_AND_SCALES, f"is any of these in {path} a matrix? {own}"
    assert decayed == matrices


def test_steps_follow_the_schedule() -> None:
    model = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.fill_(1.0)
    settings = Training(learning_rate=0.1, warmup=0.5, weight_decay=0.0, clip=1.0)
    optimizer = Optimizer(Weights(model, bf16=False), settings, total_steps=4)
    seen = [1.0]
    for _ in range(4):
        model.weight.grad = torch.full((1, 1), 1e6)  # clipped; Adam's step is as long as the rate whatever its size
        optimizer.step()
        seen.append(model.weight.item())
    moved = [before - after for before, after in pairwise(seen)]
    assert moved == pytest.approx([0.05, 0.1, 0.1, 0.05], rel=1e-3)
