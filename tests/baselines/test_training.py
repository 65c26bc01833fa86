"""The peers go through the same loop and the same scorer as ours."""

import json
from pathlib import Path

import pytest

from tests.training.tiny_run import tiny_recipe
from treequation.baselines import DECODERS
from treequation.cli import main
from treequation.evaluation.evaluator import load_model
from treequation.training import train

SMALL = ("model.decoder_layers=1", "model.symbols=15", "model.expressions=5", "training.epochs=2")


@pytest.mark.parametrize("name", sorted(DECODERS))
def test_trains_resumes_and_is_evaluated(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = tiny_recipe(tmp_path, f"decoder={name}", *SMALL)
    result = train(recipe, tmp_path / "run", device="cpu")
    assert result.best_dev >= 0
    assert train(recipe, tmp_path / "run", device="cpu", resume=True).best_epoch == result.best_epoch
    assert name == load_model(tmp_path / "run").DECODER
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", str(tmp_path / "run"), "--data", str(tmp_path / "test.jsonl"), "--json"])
    assert ended.value.code == 0
    report = json.loads(capsys.readouterr().out)
    assert report["count"] == 20
    assert report["beam"] == {"ranking": 10, "seq2tree": 5, "copying": 5, "two-views": 5, "pointer": 3}.get(name, 1)


def test_only_ours_can_be_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(tiny_recipe(tmp_path, "decoder=seq2seq", *SMALL), tmp_path / "run", device="cpu")
    with pytest.raises(SystemExit) as ended:
        main(["export", str(tmp_path / "run"), str(tmp_path / "light")])
    assert ended.value.code == 1
    assert "has the decoder seq2seq" in capsys.readouterr().err
