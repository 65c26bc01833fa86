"""What the optimizer does with a recipe's rates: by part and layer, over the steps, and clipped."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch
from torch import nn

from tests.model.tiny import make_model
from treequation.baselines import DECODERS
from treequation.data.synthetic import generate
from treequation.training.optimizer import Optimizer, parameter_groups, schedule
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
        for group in parameter_groups(weights, settings)
        for parameter in group["params"]  # type: ignore[attr-defined]
    }
    assert [rates[id(weight)] for weight in weights.values()] == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.0])


def test_norms_biases_and_embeddings_do_not_decay() -> None:
    weights = named("decoder.w.weight", "encoder.embeddings.word.weight") | named("decoder.norm.weight", shape=(2,))
    decayed = [group["params"] for group in parameter_groups(weights, Training()) if group["weight_decay"]]
    assert decayed == [[weights["decoder.w.weight"]]]


@pytest.mark.parametrize("decoder", DECODERS)
def test_learned_embeddings_of_every_decoder_do_not_decay(decoder: str) -> None:
    model = make_model(generate(5, seed=0), decoder=decoder)
    weights = dict(model.named_parameters())
    groups = parameter_groups(weights, Training())
    decayed = {id(p) for group in groups if group["weight_decay"] for p in group["params"]}  # type: ignore[attr-defined]
    linear = next(part.weight for part in model.decoder.modules() if isinstance(part, nn.Linear))
    assert id(linear) in decayed
    for name in ("queries", "operators", "constants", "symbols"):
        embedding = weights.get(f"decoder.{name}")
        assert embedding is None or id(embedding) not in decayed, name
    assert "decoder.constants" in weights


def test_the_cosine_falls_from_one_through_a_half_towards_zero() -> None:
    factors = schedule(Training(warmup=0.2, decay="cosine"), 10)
    assert factors[:3] == [0.5, 1.0, 1.0]
    assert factors[6] == pytest.approx(0.5)
    assert factors[-1] == pytest.approx(0.5 * (1 + math.cos(math.pi * 7 / 8)))


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
