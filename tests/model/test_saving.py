"""A saved model is the same model, or is refused."""

import json
from pathlib import Path

import pytest
import torch
from transformers import AutoConfig, AutoModel

from tests.model.tiny import make_model
from treequation.decoding.search import Decoded
from treequation.model import ChainedModel, ExpressionTreeModel, TreequationConfig, TreequationModel, decode
from treequation.model.base import KIND, VERSION
from treequation.model.scratch import scratch_encoder
from treequation.storage import DamagedFolderError, seal
from treequation.text.problem import NumberFormat, Problem


@pytest.fixture
def saved(model: TreequationModel, tmp_path: Path) -> Path:
    model.config.number_format = {"percent": "whole", "fraction": "two", "words": False}
    model.config.trained_on = ["synthetic"]
    model.save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def decoded(model: TreequationModel, problems: list[Problem]) -> list[Decoded]:
    return [one for found in decode(model, problems, beam=2) for one in found]


def test_loaded_model_solves_as_the_saved_one(model: TreequationModel, saved: Path, problems: list[Problem]) -> None:
    loaded = TreequationModel.from_pretrained(saved)
    assert decoded(loaded, problems[:6]) == decoded(model, problems[:6])
    assert loaded.config.vocabulary == model.config.vocabulary
    assert loaded.config.format == NumberFormat("whole", "two", words=False)
    assert loaded.config.trained_on == ["synthetic"]


def test_auto_classes_know_the_model(model: TreequationModel, saved: Path, problems: list[Problem]) -> None:
    assert isinstance(AutoConfig.from_pretrained(saved), TreequationConfig)
    loaded = AutoModel.from_pretrained(saved)
    assert isinstance(loaded, TreequationModel)
    assert decoded(loaded, problems[:3]) == decoded(model, problems[:3])


OF_BEFORE = {"norm": "pre", "none_weight": 1.0, "swap_operands": False, "label_variants": 1, "label_smoothing": 0.0}


def test_chained_model_of_an_earlier_version_is_loaded(problems: list[Problem], tmp_path: Path) -> None:
    """It was an expression-tree decoder with switches."""
    model = make_model(problems, decoder="chained", denoising=0.3, shared_layers=1, update_problem=False).eval()
    model.save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    switches = {"decoder": "expression-tree", "teacher": "gold", "chained": True, "fresh_queries": True}

    def rewrite(**changes: object) -> None:
        (tmp_path / "config.json").write_text(json.dumps({**config, **OF_BEFORE, **switches, **changes}))
        seal(tmp_path, kind=KIND, version=VERSION)

    rewrite()
    loaded = TreequationModel.from_pretrained(tmp_path)
    assert isinstance(loaded, ChainedModel)
    assert loaded.config.decoder == "chained"
    assert decoded(loaded, problems[:6]) == decoded(model, problems[:6])
    for changes, named in (({"norm": "post"}, "norm is 'post'"), ({"fresh_queries": False}, "chained is True")):
        rewrite(**changes)
        with pytest.raises(ValueError, match=f"{named}, but it is no longer a setting"):
            TreequationModel.from_pretrained(tmp_path)


def test_saved_again_it_is_sealed_again(model: TreequationModel, saved: Path) -> None:
    with torch.no_grad():
        model.decoder.queries += 1
    model.save_pretrained(saved)
    assert torch.equal(TreequationModel.from_pretrained(saved).decoder.queries, model.decoder.queries)


def test_changed_byte_is_refused(saved: Path) -> None:
    weights = saved / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    with pytest.raises(DamagedFolderError, match=r"model\.safetensors has changed"):
        TreequationModel.from_pretrained(saved)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_missing_file_is_refused(saved: Path, name: str) -> None:
    (saved / name).unlink()
    with pytest.raises(DamagedFolderError, match=f"lacks {name}"):
        TreequationModel.from_pretrained(saved)


def test_other_version_is_refused(saved: Path) -> None:
    manifest = json.loads((saved / "manifest.json").read_text())
    (saved / "manifest.json").write_text(json.dumps(manifest | {"version": 99}))
    with pytest.raises(DamagedFolderError, match="version 99"):
        TreequationModel.from_pretrained(saved)


def test_encoder_with_weights_of_its_own_is_taken_in(problems: list[Problem], tmp_path: Path) -> None:
    """As a pretrained encoder is: a folder with weights, configuration and a fast tokenizer."""
    from transformers import PreTrainedTokenizerFast

    donor = make_model(problems)
    donor.encoder.save_pretrained(tmp_path)
    fast = PreTrainedTokenizerFast(tokenizer_object=donor._tokenizer(), pad_token="[PAD]", unk_token="[UNK]")
    fast.save_pretrained(tmp_path)
    model = ExpressionTreeModel.from_encoder(tmp_path, queries=3, steps=2)
    for name, weight in donor.encoder.state_dict().items():
        assert torch.equal(model.encoder.state_dict()[name], weight), name
    assert decode(model, problems[:2])


@pytest.mark.parametrize(("kind", "room"), [("bert", 20), ("roberta", 18), ("mpnet", 18)])
def test_longest_problem_fits_the_encoder(kind: str, room: int) -> None:
    """RoBERTa and MPNet lose the positions up to the padding's, which is number 1 here."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = AutoConfig.for_model(kind, vocab_size=300, max_position_embeddings=20, pad_token_id=1, **sizes)
    model = ExpressionTreeModel.around(AutoModel.from_config(config), scratch_encoder(["a b c"])[1])
    assert model.config.max_tokens == room
    assert torch.isfinite(model.encoder(input_ids=torch.full((1, room), 5)).last_hidden_state).all()
