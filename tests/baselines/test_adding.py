"""A decoder, a loss, a data set and a figure are added in one file each: those in CONTRIBUTING, word for word."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.training.tiny_run import tiny_recipe
from treequation.data import catalogue
from treequation.evaluation.evaluator import load_model
from treequation.model import parts, registry
from treequation.reporting import figures
from treequation.reporting.findings import Finding, write_finding
from treequation.reporting.kinds import KINDS, Kind
from treequation.reporting.sections import read_sections
from treequation.training import train

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


def shown(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", CONTRIBUTING.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def added(tmp_path: Path) -> Iterator[list[ModuleType]]:
    """The page's code, each piece a file that is imported; afterwards everything is as before."""
    pieces = shown("python")
    assert len(pieces) == 4
    modules = []
    known = [(each, dict(each)) for each in (registry.DECODERS, parts.ADDONS, parts.AUXILIARIES)]
    for number, piece in enumerate(pieces):
        assert len([line for line in piece.splitlines() if line]) <= 10
        path = tmp_path / f"added_{number}.py"
        path.write_text(piece, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        modules.append(importlib.util.module_from_spec(spec))
        spec.loader.exec_module(modules[-1])
    yield modules
    for each, before in known:
        each.clear()
        each.update(before)  # type: ignore[arg-type]


@pytest.mark.usefixtures("added")
def test_a_decoder_and_a_loss_of_ones_own_are_trained(tmp_path: Path) -> None:
    changes = ("decoder=mean-seq2tree", "model.symbols=15", "model.auxiliary=small+analogy", "training.epochs=2")
    result = train(tiny_recipe(tmp_path, *changes), tmp_path / "run", device="cpu")
    assert result.best_dev >= 0
    assert load_model(tmp_path / "run").DECODER == "mean-seq2tree"


def test_a_data_set_of_ones_own_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, added: list[ModuleType]
) -> None:
    (table,) = shown("toml")
    monkeypatch.setitem(catalogue.READERS, "school", added[2])
    school = catalogue._published("school", tomllib.loads(table)["school"])
    monkeypatch.setattr(catalogue, "CATALOGUE", {**catalogue.CATALOGUE, "school": school})
    row = {"question": "Mia has 7 boxes with 20% of 50 pens each. How many?", "equation": "7*0.2*50", "answer": 70}
    (tmp_path / "school").mkdir()
    (tmp_path / "school" / "train.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    reading = catalogue.load("school", root=tmp_path)
    (problem,) = reading.problems
    assert reading.findings == ()
    assert problem.answer == 70
    assert str(problem.values[1]) == "1/5"


def test_a_figure_of_ones_own_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, added: list[ModuleType]
) -> None:
    own = added[3]
    monkeypatch.setitem(KINDS, "lengths", Kind(own.TITLE, own.tables, own.charts))
    write_finding(
        Finding("lengths", "school", "a command", "a machine", {"lengths": {"1 to 20": 3, "more": 4}}), tmp_path
    )
    (section,) = read_sections(tmp_path)
    (table,), (chart,) = section.tables, section.charts
    assert table.rows == (("1 to 20", "3"), ("more", "4"))
    assert figures.draw(chart)


WALK = re.compile(r"^- \*(\w+)\*: (.*?)(?=^- |^$)", re.MULTILINE | re.DOTALL)


def test_the_two_paths_through_the_code_exist() -> None:
    package = CONTRIBUTING.parent / "treequation"
    walks = {
        name: re.findall(r"`([a-z_]+/[a-z_]+)`", walk) for name, walk in WALK.findall(CONTRIBUTING.read_text("utf-8"))
    }
    assert {"Solving", "Training"} <= set(walks)
    for modules in walks.values():
        assert len(modules) <= 15
        assert [module for module in modules if not (package / f"{module}.py").is_file()] == []
