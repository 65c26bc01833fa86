"""The second look: only unsure problems are searched again, however they are solved."""

import itertools
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import treequation.decoding.answer
from tests.runtime.light import changed_copy, known_problems, taught_folder
from tests.server.running import running
from treequation import Solution, Solver
from treequation.cli import main
from treequation.data.synthetic import generate
from treequation.distributed.folders import solve_folder
from treequation.expression.evaluation import evaluate
from treequation.runtime import SECOND_LOOK
from treequation.runtime.folder import FORMAT, KIND
from treequation.runtime.light_engine import State
from treequation.storage import seal

TEXTS = [problem.text for problem in known_problems()]


@pytest.fixture(scope="module")
def doubtful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The taught model with a threshold that leaves it unsure of about half of what it knows."""
    confidences = sorted(Solver(taught_folder(), threads=1).solve(text, beam=1).confidence for text in TEXTS)
    middle = len(confidences) // 2
    threshold = (confidences[middle - 1] + confidences[middle]) / 2  # rounding, which batches differ in, is far off
    folder = changed_copy(tmp_path_factory.mktemp("light") / "doubtful", unsure_below=threshold)
    seal(folder, kind=KIND, version=FORMAT)
    return folder


@pytest.fixture
def solver(doubtful: Path) -> Solver:
    return Solver(doubtful, threads=1)


class Counted:
    """An encoder that notes how many problems it is given at a time."""

    def __init__(self, solver: Solver) -> None:
        self.start, self.rows = solver.model.start, list[int]()
        solver.model.start = self  # type: ignore[assignment]

    def __call__(self, arrays: State) -> dict[str, Any]:
        self.rows.append(len(arrays["ids"]))
        return self.start(arrays)


def plain(solution: object) -> dict[str, Any]:
    """The JSON without what rounding errors may change: the last digits of the confidence, and the trace."""
    assert isinstance(solution, Solution)
    return rounded(solution.to_dict())


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    row = json.loads(json.dumps(row))
    for each in (row, *row["alternatives"]):
        each["confidence"] = pytest.approx(each["confidence"], abs=2e-4)
    return {key: value for key, value in row.items() if key not in ("row", "file", "trace")}


def test_only_unsure_problems_are_searched_again_and_none_is_encoded_again(solver: Solver) -> None:
    encoder = Counted(solver)
    first = [solver.solve(text, beam=1) for text in TEXTS]
    assert encoder.rows == [1] * len(TEXTS)
    encoder.rows.clear()
    found = [solver.solve(text) for text in TEXTS]
    assert encoder.rows == [1] * len(TEXTS)
    assert {one.unsure for one in first} == {True, False}
    for text, before, now in zip(TEXTS, first, found, strict=True):
        assert plain(now) == plain(solver.solve(text, beam=SECOND_LOOK) if before.unsure else before)
        assert bool(now.alternatives) == before.unsure


def test_a_batch_gives_the_same_solutions_as_single_problems(solver: Solver) -> None:
    encoder = Counted(solver)
    found = list(solver.solve_many(TEXTS, batch_size=8, with_trace=True))
    assert sum(encoder.rows) == len(TEXTS)
    assert len(encoder.rows) < len(TEXTS) / 4  # a batch may end early, where padding would cost more than another
    assert max(encoder.rows) == 8
    for text, one in zip(TEXTS, found, strict=True):
        alone = solver.solve(text, with_trace=True)
        assert plain(one) == plain(alone)
        for each in (one, alone):  # the trace is that of the answer: it kept each expression, at the step of its layer
            assert isinstance(each, Solution)
            content = each.to_dict()
            kept = [{query["kept"] for query in step} - {None} for step in content["trace"]["steps"]]
            needed = {step["id"] for layer in content["layers"] for step in layer}
            assert needed <= set(itertools.chain(*kept))


def test_the_trace_is_that_of_the_second_look(solver: Solver) -> None:
    """It shows another equation than greedy search if the second look changes the answer."""
    changed = 0
    texts = [problem.text for problem in generate(100, seed=1, level="medium", language="both")]
    first = solver.solve_many(texts, beam=1)
    for before, now in zip(first, solver.solve_many(texts, with_trace=True), strict=True):
        if not isinstance(before, Solution):
            continue
        assert isinstance(now, Solution)
        changed += before.graph != now.graph
        assert now.trace is not None
        places = {each.place for layer in now.trace.decoded.layers for each in layer}
        queries = len(now.trace.steps[0])
        kept = {
            step * queries + place
            for step, each in enumerate(now.trace.steps)
            for place, query in enumerate(each)
            if query.kept is not None
        }
        assert kept == places
        if now.trace.decoded.layers:  # else the answer is a number of the text, as it stands
            assert now.trace.decoded.graph == now.graph
    assert changed


def test_every_way_gives_the_same_answer(
    doubtful: Path, solver: Solver, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = TEXTS[:8]
    expected = [plain(solver.solve(text)) for text in texts]
    assert any(one["alternatives"] for one in expected)
    assert [plain(one) for one in solver.solve_many(texts)] == expected

    def printed(*options: str) -> Iterator[dict[str, Any]]:
        with pytest.raises(SystemExit) as ended:
            main(["solve", "--model", str(doubtful), "--threads", "1", *options])
        assert ended.value.code == 0
        return (rounded(json.loads(line)) for line in capsys.readouterr().out.splitlines())

    assert [one for text in texts for one in printed("--json", text)] == expected
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps({"problem": text}) + "\n" for text in texts), encoding="utf-8")
    assert list(printed("--input", str(source))) == expected
    assert list(printed("--input", str(source), "--output", str(target))) == []
    assert [rounded(json.loads(line)) for line in target.read_text(encoding="utf-8").splitlines()] == expected
    solve_folder(str(source), str(tmp_path / "answers"), model=doubtful, workers=1, format="jsonl")
    (part,) = (tmp_path / "answers").glob("part-*")
    assert [rounded(json.loads(line)) for line in part.read_text(encoding="utf-8").splitlines()] == expected
    with running(tmp_path, "--model", str(doubtful)) as service:
        assert [rounded(service.solve(text).json()) for text in texts] == expected
        batch = service.client.post("/v1/solve/batch", json={"problems": texts, "beam": None}).json()
        assert [rounded(one) for one in batch["results"]] == expected
    once = [plain(solver.solve(text, beam=1)) for text in texts]
    assert once != expected
    with running(tmp_path, "--model", str(doubtful), "--max-beam", "3") as narrow:  # an operator may refuse wide beams
        assert [rounded(narrow.solve(text).json()) for text in texts] == once


def test_the_first_answer_stays_if_the_second_look_finds_none(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    unsure = next(text for text in TEXTS if solver.solve(text, beam=1).unsure)
    monkeypatch.setattr("treequation.runtime.solver.decode_with_beam", lambda engine, reader, steps, beam: [[]])
    assert plain(solver.solve(unsure)) == plain(solver.solve(unsure, beam=1))


def test_an_equation_is_evaluated_once(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated = []

    def counted(graph: Any, numbers: Any) -> Any:
        evaluated.append(graph)
        return evaluate(graph, numbers)

    for place in ("decoding.answer", "runtime.solver", "runtime.drawing", "expression.words"):
        monkeypatch.setattr(f"treequation.{place}.evaluate", counted)
    assert treequation.decoding.answer.evaluate is counted  # type: ignore[attr-defined, comparison-overlap]
    assert not solver.metadata.amounts
    for text in (TEXTS[0], "2 * (3 + 4)"):
        evaluated.clear()
        solution = solver.solve(text, beam=1)
        assert solution.to_dict()["steps"]
        assert solution._repr_html_()
        assert str(solution)
        assert evaluated == [solution.graph]


def test_loading_a_model_is_logged_without_warnings(doubtful: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "treequation"):
        list(Solver(doubtful, threads=1).solve_many(TEXTS[:4]))
    (record,) = caplog.records  # batches are for those who look closely
    with caplog.at_level(logging.DEBUG, "treequation"):
        list(Solver(doubtful, threads=1).solve_many(TEXTS[:4]))
    batches = [each.getMessage() for each in caplog.records if each.levelno == logging.DEBUG]
    assert all(re.match(r"\d problems in \d+ ms, \d of them unsure$", message) for message in batches)
    assert sum(int(message.split()[0]) for message in batches) == 4
    assert (record.name, record.levelno) == ("treequation", logging.INFO)
    assert record.getMessage().startswith(f"model taught loaded from {doubtful} in ")
    assert record.getMessage().endswith(" ms")
