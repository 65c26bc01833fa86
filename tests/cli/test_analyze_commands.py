"""``treequation analyze`` as a user runs it, on one taught run and, where it matters, on its light model."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from tests.cli.commands import found, run
from tests.cli.conftest import Taught
from treequation.data import jsonl
from treequation.errors import TreequationError
from treequation.evaluation.outcome_file import read_outcomes
from treequation.evaluation.scoring import Outcome
from treequation.expression.layers import layers
from treequation.reporting.charts import Bars, HeatMap, Lines
from treequation.reporting.findings import Finding, read_findings
from treequation.reporting.kinds import KINDS
from treequation.reporting.result_rows import rows_of
from treequation.training.run_folder import RunFolder


@pytest.fixture(scope="module")
def outcomes(taught: Taught) -> list[Outcome]:
    """What the run makes of its test problems, by the evaluator."""
    return RunFolder.read(taught.run).outcomes(device="cpu")


def only(folder: Path) -> Finding:
    (finding,) = read_findings(folder)
    return finding


def test_structure_of_two_runs(
    taught: Taught, outcomes: list[Outcome], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = taught.runs / "taught+model.queries=1"
    command = ("analyze", "structure", taught.run, alone, "--device", "cpu", "--results", tmp_path)
    content = found(capsys, *command)
    own, other = content["solvers"]
    for shape in ("single", "chain", "tree"):
        group = [outcome.literature_right for outcome in outcomes if outcome.shape == shape]
        assert own["groups"][shape]["count"] == other["groups"][shape]["count"] == len(group)
        assert own["groups"][shape]["accuracy"] == pytest.approx(sum(group) / len(group))
    assert own["p_value"] is None
    assert 0 < other["p_value"] <= 1
    (chart,) = KINDS["structure"].charts(only(tmp_path))
    assert isinstance(chart, Bars)
    assert [point.y for point in chart.series[0].points] == [100 * each["accuracy"] for each in own["groups"].values()]
    assert run(*command) == 0
    assert "taught+model.queries=1" in capsys.readouterr().out


def test_length(taught: Taught, outcomes: list[Outcome], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = found(capsys, "analyze", "length", taught.run, "--device", "cpu", "--results", tmp_path)
    (own,) = content["solvers"]
    counts = Counter(str(outcome.expressions) for outcome in outcomes)
    assert {name: group["count"] for name, group in own["groups"].items()} == dict(counts)
    (chart,) = KINDS["length"].charts(only(tmp_path))
    assert isinstance(chart, Lines)
    assert [point.x for point in chart.series[0].points] == sorted(float(name) for name in counts)


def test_steps(taught: Taught, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exam = taught.recipe.parent / "exam.jsonl"
    command = ("analyze", "steps", exam, "--run", taught.run, "--device", "cpu", "--results", tmp_path)
    content = found(capsys, *command)
    graphs = [problem.graph for problem in jsonl.read(exam).problems if problem.graph is not None]
    assert content["gold"]["layers"]["mean"] == pytest.approx(sum(len(layers(g)) for g in graphs) / len(graphs))
    assert content["gold"]["expressions"]["max"] == max(len(graph) for graph in graphs)
    assert content["taken"]["taught"]["max"] <= 4
    some = tmp_path / "some.jsonl"
    some.write_bytes(exam.read_bytes() + b'{"text": "3 cats"}\n')  # a problem without an equation does not count
    content = found(capsys, "analyze", "steps", some, "--results", tmp_path)
    assert content["problems"] == len(graphs)


def test_a_case(taught: Taught, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem = next(p for p in jsonl.read(taught.recipe.parent / "train.jsonl").problems if len(p.graph or ()) > 1)
    command = ("analyze", "case", taught.run, problem.text, "--name", "one", "--device", "cpu", "--results", tmp_path)
    content = found(capsys, *command)
    steps = content["steps"]
    assert all(len(step) == 3 for step in steps)
    wrote = [query["wrote"] for step in steps for query in step if query["wrote"]]
    assert len(wrote) == len(problem.graph or ())  # it knows this one by heart
    assert not any(query["wrote"] for query in steps[-1])  # the step that says stop
    charts = KINDS["case"].charts(only(tmp_path))
    assert len(charts) == len(steps)
    for chart, step in zip(charts, steps, strict=True):
        assert isinstance(chart, HeatMap)
        assert chart.values == tuple(tuple(query["similarity"]) for query in step)
        assert len(chart.columns) == len(chart.values[0])
        assert all(-1.001 <= value <= 1.001 for row in chart.values for value in row)
        assert chart.marked == tuple(place for place, query in enumerate(step) if query["wrote"])
    assert run(*command) == 0
    assert content["tree"][0] in capsys.readouterr().out
    assert run("analyze", "case", taught.run, "No number here.", "--results", tmp_path) == 1
    assert "no number in the text" in capsys.readouterr().err


def test_errors(taught: Taught, outcomes: list[Outcome], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # One annotation is spoilt: its equation no longer gives its answer.
    problems = list(jsonl.read(taught.recipe.parent / "exam.jsonl").problems)
    lines = (taught.recipe.parent / "exam.jsonl").read_text(encoding="utf-8").splitlines()
    right = next(place for place, outcome in enumerate(outcomes) if outcome.answer_right)
    row = json.loads(lines[right])
    row["answer"] = str(Fraction(row["answer"]) + 1000)
    spoilt = tmp_path / "spoilt.jsonl"
    spoilt.write_text("\n".join([*lines[:right], json.dumps(row), *lines[right + 1 :]]) + "\n", encoding="utf-8")
    command = ("analyze", "errors", taught.run, "--data", spoilt, "--device", "cpu", "--results", tmp_path)
    content = found(capsys, *command)
    wrong = sum(not outcome.answer_right for outcome in outcomes) + 1
    assert content["wrong"] == wrong == sum(each["count"] for each in content["causes"].values())
    assert content["causes"]["annotation contradicts itself"]["count"] == 1
    (example,) = content["examples"]["annotation contradicts itself"]
    assert example["id"] == problems[right].id
    listed = (tmp_path / "annotation-errors-spoilt.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in listed] == [problems[right].id]
    assert problems[right].text not in json.dumps(content, ensure_ascii=False) + "".join(listed)


def test_robustness(
    taught: Taught, outcomes: list[Outcome], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = found(capsys, "analyze", "robustness", taught.run, "--device", "cpu", "--results", tmp_path)
    assert content["all"]["accuracy"] == sum(outcome.literature_right for outcome in outcomes) / len(outcomes)
    changes = content["changes"]
    for each in changes.values():
        before, after = each["before"], each["after"]
        assert before["count"] == after["count"] > 0
        gain = (each["gained"] - each["lost"]) / before["count"]
        assert after["accuracy"] - before["accuracy"] == pytest.approx(gain)
    (chart,) = KINDS["robustness"].charts(only(tmp_path))
    assert isinstance(chart, Bars)
    assert [point.y for point in chart.series[1].points] == [100 * c["after"]["accuracy"] for c in changes.values()]


def test_roles_of_the_queries(
    taught: Taught, outcomes: list[Outcome], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = found(capsys, "analyze", "queries-roles", taught.run, "--device", "cpu", "--results", tmp_path)
    assert len(content["queries"]) == 3
    assert sum(each["expressions"] for each in content["queries"]) == content["expressions"] > len(outcomes)
    for each in content["queries"]:
        assert sum(each["operators"].values()) == sum(each["steps"].values()) == each["expressions"]
        assert sum(each["operands"].values()) == 2 * each["expressions"]
    operators, _ = KINDS["roles"].charts(only(tmp_path))
    assert isinstance(operators, HeatMap)
    assert sum(map(sum, operators.values)) == content["expressions"]


def test_the_recorded_result_is_the_evaluated_one(
    taught: Taught, outcomes: list[Outcome], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, exam, kept = tmp_path / "results.json", taught.recipe.parent / "exam.jsonl", tmp_path / "kept.jsonl"
    command = ("evaluate", taught.run, "--data", exam, "--output", kept, "--record", file, "--variant", "tiny")
    assert run(*command) == 0
    (row,) = json.loads(file.read_text(encoding="utf-8"))
    assert row["accuracy"] == sum(o.literature_right for o in read_outcomes(kept)) / len(outcomes)
    unseen = [o.literature_right for o in outcomes if o.seen is False]
    assert row["unseen_accuracy"] == pytest.approx(sum(unseen) / len(unseen))
    assert (row["variant"], row["encoder"], row["protocol"], row["runs"]) == ("tiny", "scratch", "test", 1)
    assert str(tmp_path) not in row["command"]


def test_runs_over_seeds_make_three_rows(taught: Taught, outcomes: list[Outcome]) -> None:
    lucky = {"literature_accuracy": {"mean": 0.9, "std": 0.0}}
    summary = {"runs": [{"folder": str(taught.run)}] * 2, "literature_selection": lucky, "vote": {"any": 0.9}}
    strict, best, voted = rows_of(summary, "test", command="treequation seeds …")
    assert strict.accuracy == sum(o.literature_right for o in outcomes) / len(outcomes)
    assert (strict.data, strict.variant, strict.encoder) == ("exam", "Standard", "scratch")
    assert (best.protocol, best.accuracy, best.unseen_accuracy) == ("test, best epoch", 0.9, None)
    assert (voted.variant, voted.protocol, voted.runs) == ("Standard, a vote of 2", "test", 1)
    assert (voted.accuracy, voted.unseen_accuracy) == (strict.accuracy, strict.unseen_accuracy)  # they are of one mind
    assert voted.encoder_parameters == 2 * strict.encoder_parameters
    with pytest.raises(TreequationError, match="no run is finished"):
        rows_of({"runs": [], "literature_selection": None, "vote": None}, "test", command="treequation seeds …")


@pytest.mark.parametrize("record", ["{torn", "[]", "{}", '{"recipe": 3, "data": {}, "hardware": {}}', None])
def test_a_damaged_record_of_a_run_is_named(
    taught: Taught, tmp_path: Path, capsys: pytest.CaptureFixture[str], record: str | None
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(taught.run, folder)
    file = folder / "run.json"
    file.unlink() if record is None else file.write_text(record)
    exam = taught.recipe.parent / "exam.jsonl"
    for command in (("evaluate", folder, "--data", exam), ("analyze", "length", folder, "--results", tmp_path)):
        assert run(*command) == 1
        assert f"{file} is damaged" in capsys.readouterr().err


def test_mistakes_are_named(taught: Taught, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    open_file = tmp_path / "open.jsonl"
    open_file.write_text('{"text": "3 cats"}\n')
    for arguments, message in (
        (("structure", tmp_path / "nothing"), "there is no folder"),
        (("structure", taught.run, taught.run), "two models are called taught"),
        (("errors", taught.run / "best"), "give --data"),
        (("steps", "nonsense:test"), "nonsense"),
        (("steps", open_file), "has no problem with an equation"),
    ):
        assert run("analyze", *arguments, "--results", tmp_path) == 1
        assert message in capsys.readouterr().err
