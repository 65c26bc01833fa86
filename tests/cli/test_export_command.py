"""``treequation export --card``: a folder that can be uploaded to the hub as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from huggingface_hub import ModelCard

from tests.cli.conftest import Taught
from treequation import Solver
from treequation.cli import main
from treequation.evaluation.summary import Summary
from treequation.storage import MANIFEST, sha256_of
from treequation.training.run_folder import RunFolder


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_the_card_has_the_figures_of_the_run(taught: Taught, tmp_path: Path) -> None:
    tested = Summary.of(RunFolder.read(taught.run).outcomes())
    folder = tmp_path / "small"
    assert run("export", taught.run, folder, "--name", "small", "--card", "--licence", "mit") == 0
    card = ModelCard.load(folder / "README.md")
    dev, test = card.data.eval_results
    best = json.loads((taught.run / "result.json").read_text())["best_dev"]
    assert (dev.dataset_name, dev.dataset_split, dev.metric_value) == ("dev", "dev", round(100 * best, 2))
    solved = round(100 * tested.literature_accuracy, 2)
    assert (test.dataset_name, test.dataset_split, test.metric_value) == ("exam", "test", solved)
    assert f"| exam, test | {tested.count} | literature accuracy | {tested.literature_accuracy:.1%} |" in card.text
    assert card.data.license == "mit"
    assert sha256_of(folder / MANIFEST) in card.text
    assert Solver(folder).metadata.name == "small"  # the card is no part of what is sealed
    assert "README.md" not in (folder / MANIFEST).read_text()


def test_a_licence_needs_a_card(taught: Taught, tmp_path: Path) -> None:
    assert run("export", taught.run, tmp_path / "out", "--licence", "mit") == 2
    assert not (tmp_path / "out").exists()
