"""What stops a run says why, and what to try."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._inductor.exc import InductorError, InvalidCxxCompiler

from tests.training.tiny_run import lines, tiny_recipe
from treequation.data.reading import DataError
from treequation.training import RecipeError, TrainingError, loop, train


def test_a_loss_that_is_not_finite(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path, "training.learning_rate=1e38", "training.clip=0")
    with pytest.raises(TrainingError, match="no longer finite at step") as error:
        train(recipe, tmp_path / "run", device="cpu")
    message = str(error.value)
    assert "training.learning_rate" in message
    ids = re.search(r"with problems (.*), …", message)
    assert ids is not None
    known = (tmp_path / "train.jsonl").read_text(encoding="utf-8")
    assert all(f'"{each}"' in known for each in ids[1].split(", "))
    assert not (tmp_path / "run" / "checkpoints").exists()  # nothing that is not finite is ever saved


def test_full_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(self: Any, planned: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    monkeypatch.setattr(loop.Stepper, "run", run)
    with pytest.raises(TrainingError, match=r"raise training\.accumulate"):
        train(tiny_recipe(tmp_path), tmp_path / "run", device="cpu")


def test_nothing_to_compile_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(self: Any, planned: Any) -> None:
        raise InductorError(InvalidCxxCompiler(), None)

    monkeypatch.setattr(loop.Stepper, "run", run)
    with pytest.raises(TrainingError, match=r"needs a C\+\+ compiler.* training\.compile=false"):
        train(tiny_recipe(tmp_path), tmp_path / "run", device="cpu")


def test_problems_with_more_numbers_than_tokens_are_left_out_and_counted(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path, "training.epochs=1", "model.max_tokens=5")
    folder = train(recipe, tmp_path / "run", device="cpu").folder
    left_out = json.loads((folder / "run.json").read_text(encoding="utf-8"))["left_out"]
    assert 0 < left_out["too many numbers"] < 44


def test_an_error_of_the_file_system_that_is_no_full_disk_keeps_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OSError, match="file"):
        train(tiny_recipe(tmp_path), tmp_path / "file", device="cpu")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("model.attention_heads=3", "attention_heads is 3, which does not divide the decoder's width, 16"),
        ("encoder.name=/nowhere/at/all", "cannot load the encoder"),
        ("encoder.name=empty", "cannot load the encoder empty"),
        ("data.train=[]", "names no training problems"),
        ("data.train=nowhere.jsonl", "there is no file nowhere.jsonl"),
        ('data.pool=["test.jsonl"]', "the pool has 5 folds: 0 to 4"),
        ("data.dev=empty.jsonl", "empty.jsonl has no usable problems (0 rows)"),
        ("data.test=empty.jsonl", "empty.jsonl has no usable problems (0 rows)"),
        ("data.dev_part=0.001", "data.dev_part is 0.001, which takes 0 of 20 different training texts"),
    ],
)
def test_recipes_that_cannot_be_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "empty").mkdir()
    with pytest.raises((RecipeError, DataError), match=re.escape(message)):
        train(tiny_recipe(tmp_path, change), tmp_path / "runs" / "run", device="cpu")
    assert not (tmp_path / "runs").exists()


def test_a_folder_that_was_there_before_a_run_that_cannot_begin_stays(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "disk")
    with pytest.raises(RecipeError, match="scratch"):
        train(tiny_recipe(tmp_path, "encoder.name=scratchy"), tmp_path / "run", device="cpu")
    assert list((tmp_path / "run").iterdir()) == []


def test_without_dev_problems_the_last_model_is_kept(tmp_path: Path) -> None:
    result = train(tiny_recipe(tmp_path, "data.dev=[]"), tmp_path / "run", device="cpu")
    assert (result.best_dev, result.best_epoch) == (-1.0, 3)
    assert (tmp_path / "run" / "best" / "model.safetensors").is_file()
    assert [line["dev"] for line in lines(tmp_path / "run")] == [None, None, None]
