"""An encoder that reads packed rows does what it does with padded ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, PreTrainedModel, RobertaConfig, RobertaModel

from tests.model.tiny import make_model
from treequation.data.synthetic import generate
from treequation.model import packed
from treequation.model.base import first_places
from treequation.model.model import TreequationModel
from treequation.training.examples import DeviceSet, Planner, packed_rows, prepare

SIZES: dict[str, Any] = {
    "vocab_size": 50,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
}


@pytest.mark.parametrize("kind", [BertModel, RobertaModel])
def test_packed_states_are_the_padded_ones(kind: type[PreTrainedModel]) -> None:
    torch.manual_seed(0)
    config = {BertModel: BertConfig, RobertaModel: RobertaConfig}[kind](pad_token_id=1, **SIZES)
    encoder = kind(config, add_pooling_layer=False).eval()
    lengths = torch.tensor([5, 1, 7])
    mask = first_places(lengths, 9)
    ids = torch.randint(2, 50, mask.shape).masked_fill(~mask, 1)
    packing = packed_rows(np.array([6, 3, 7]), 9)  # some rows have more room than they need
    with torch.no_grad():
        states = packed.encode(encoder, ids, lengths, packing)
        unpacked = packed.Unpacked.apply(states, packing.padded, packing.rows, packing.places)
        expected = encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state
    assert len(states) == 16
    torch.testing.assert_close(unpacked[mask], expected[mask], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("decoder", ["expression-tree", "chained", "seq2tree"])
def test_what_is_learned_from_packed_rows_is_what_is_learned_from_padded_ones(decoder: str) -> None:
    problems = generate(24, seed=3, level="medium", language="both")
    settings = {"steps": 12, "queries": 2, "shared_layers": 1} if decoder != "seq2tree" else {}
    model = make_model(problems, decoder=decoder, **settings).train()
    data = DeviceSet(prepare(model, problems).examples, model)
    planner = Planner(data, 12)
    step = planner.epoch(np.random.default_rng(0))[0]
    found = []
    for packs in (False, True):
        layout = planner.layout(packs=packs)
        batch = data.rows(torch.from_numpy(step.rows), torch.from_numpy(step.weight), layout)
        model.zero_grad()
        loss = model(batch)
        loss.sum().backward()
        slopes = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
        found.append((loss.detach(), slopes))
    (padded, slopes), (packed_loss, packed_slopes) = found
    torch.testing.assert_close(packed_loss, padded, atol=1e-4, rtol=1e-5)
    assert slopes.keys() == packed_slopes.keys()
    for name, slope in slopes.items():
        torch.testing.assert_close(packed_slopes[name], slope, atol=1e-3, rtol=1e-4, msg=name)


def test_a_processor_reads_padded_rows() -> None:
    model: TreequationModel = make_model(generate(4, seed=3, level="easy", language="en"))
    assert not packed.can_pack(model.encoder)


def test_attention_is_trusted_only_if_it_is_right() -> None:
    def ignores_rows(*parts: Any) -> torch.Tensor:
        q, k, v = parts[:3]
        return packed._attend_by_mask(q, k, v, torch.tensor([0, 12], dtype=torch.int32), 12, 0.0)

    def is_gone(*_: Any) -> torch.Tensor:
        raise AttributeError("'_OpNamespace' 'aten' object has no attribute '_flash_attention_forward'")

    cpu = torch.device("cpu")
    assert packed.is_right(packed._attend_by_mask, cpu, torch.float32)
    assert packed.is_right(packed._attend_by_mask, cpu, torch.bfloat16)
    assert not packed.is_right(ignores_rows, cpu, torch.float32)
    assert not packed.is_right(is_gone, cpu, torch.float32)
