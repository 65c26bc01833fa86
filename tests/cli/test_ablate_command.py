"""``treequation ablate`` and ``analyze queries``: finished runs are used, and others are trained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import found, run, train_here
from tests.cli.conftest import Taught
from treequation.experiments import variants
from treequation.reporting.charts import Bars, Lines
from treequation.reporting.findings import read_findings
from treequation.reporting.kinds import KINDS


def accuracy(folder: Path) -> float:
    rows = [json.loads(line) for line in (folder / "test-outcomes.jsonl").read_text(encoding="utf-8").splitlines()]
    return sum(row["literature_right"] for row in rows) / len(rows)


def test_ablation_of_finished_runs(taught: Taught, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("ablate", taught.recipe, "--only", "no parallel decoding", "--runs", taught.runs, "--results", tmp_path)
    content = found(capsys, *command, "--device", "cpu")
    assert content == json.loads((tmp_path / "ablation-exam.json").read_text(encoding="utf-8"))
    base, alone = content["variants"]
    assert (base["name"], alone["changes"]) == ("bipartite matching", ["model.queries=1"])
    assert base["literature_accuracy"] == {"mean": accuracy(taught.run), "std": None}
    assert base["literature_accuracy"]["mean"] > 0.7
    others = accuracy(taught.runs / "taught+model.queries=1")
    assert alone["against_base"]["difference"] == pytest.approx(others - accuracy(taught.run))
    assert base["against_base"] is None
    assert content["command"].startswith("treequation ablate taught.toml --only 'no parallel decoding' --runs runs")
    (finding,) = read_findings(tmp_path)
    (chart,) = KINDS["ablation"].charts(finding)
    assert isinstance(chart, Bars)
    (series,) = chart.series
    assert [point.y for point in series.points] == pytest.approx([100 * accuracy(taught.run), 100 * others])
    drawn = (tmp_path / "figures" / "ablation-exam.svg").read_text(encoding="utf-8")
    assert "no parallel decoding" in drawn
    assert (tmp_path / "figures" / "ablation-exam.png").read_bytes().startswith(b"\x89PNG")
    assert run(*command) == 0
    assert "already finished" in (printed := capsys.readouterr()).err
    assert f"{100 * accuracy(taught.run):.1f}" in printed.out


def test_what_is_not_trained_is_trained(
    taught: Taught, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("ablate", taught.recipe, "--set", "training.epochs=1", "--only", "sequence matching", "--runs", tmp_path)
    assert run(*command, "--finished", "--results", tmp_path / "results") == 1
    assert "no run is finished: taught: not finished" in capsys.readouterr().err
    with monkeypatch.context() as patched:
        patched.setattr(variants, "run_all", train_here)
        content = found(capsys, *command, "--parallel", "2", "--device", "cpu", "--results", tmp_path / "results")
    assert [each["name"] for each in content["variants"]] == ["bipartite matching", "sequence matching"]
    assert (content["epochs"], content["failed"]) == (1, {})
    # One that cannot be trained is named, and the others are reported.
    content = found(
        capsys, *command, "--only", "random matching", "--finished", "--device", "cpu", "--results", tmp_path
    )
    assert content["failed"] == {"taught+model.matching=random": "not finished"}
    assert len(content["variants"]) == 2


def test_queries(taught: Taught, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("analyze", "queries", taught.recipe, "--counts", "3,1", "--runs", taught.runs, "--results", tmp_path)
    content = found(capsys, *command, "--device", "cpu")
    one, three = content["counts"]
    assert (one["name"], three["name"]) == ("1", "3")
    assert one["against_base"] is None
    assert three["literature_accuracy"]["mean"] == accuracy(taught.run)
    # Without dropout two passes are the same, and of one query it is known which it is.
    assert three["matching"]["stability"] == 1.0
    assert one["matching"]["used_queries"] == 1.0
    assert 1.0 < three["matching"]["used_queries"] <= 3.0
    assert one["matching"]["expressions"] == three["matching"]["expressions"]
    assert one["matching"]["none_share"] < three["matching"]["none_share"] < 1
    (finding,) = read_findings(tmp_path)
    chart, reasons = KINDS["queries"].charts(finding)
    assert isinstance(chart, Lines)
    assert isinstance(reasons, Lines)
    assert [(point.x, point.y) for point in chart.series[0].points][1] == (3.0, 100 * accuracy(taught.run))
    assert [point.y for point in reasons.series[1].points] == [100.0, 100.0]


def test_mistakes_are_named(taught: Taught, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, code, message in (
        (("ablate", taught.recipe, "--only", "magic"), 1, "there is no variant 'magic'; choose from paper, ours"),
        (("analyze", "queries", taught.recipe, "--counts", "1;6"), 2, "not a list of numbers such as 1,6,30"),
        (("analyze", "queries", taught.recipe, "--counts", "0"), 1, "at least one query"),
        (("ablate", taught.recipe, "--runs", taught.runs, "--set", "training.epochs=3"), 1, "from another recipe"),
    ):
        assert run(*arguments, "--results", tmp_path) == code
        assert message in " ".join(capsys.readouterr().err.replace("│", " ").split())
