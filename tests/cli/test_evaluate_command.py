"""``treequation evaluate`` as a user runs it, with a tiny untrained model."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.runtime.light import changed_copy, known_problems
from treequation.cli import main
from treequation.data import jsonl
from treequation.data.synthetic import generate
from treequation.expression.printing import to_infix
from treequation.model import ExpressionTreeModel
from treequation.model.scratch import scratch_encoder
from treequation.runtime import SECOND_LOOK
from treequation.runtime.folder import FORMAT, KIND
from treequation.runtime.solver import Solver
from treequation.storage import seal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with its best model, and problems in ``test.jsonl``, two of which it was trained on."""
    folder = tmp_path_factory.mktemp("evaluate")
    problems = generate(12, seed=5, level="easy", language="en")
    jsonl.write(problems, folder / "test.jsonl")
    jsonl.write(problems[:2], folder / "train.jsonl")
    torch.manual_seed(0)
    encoder, tokenizer = scratch_encoder([p.text for p in problems], layers=1, width=16, heads=2)
    trained_on = [str(folder / "train.jsonl")]
    model = ExpressionTreeModel.around(encoder, tokenizer, steps=2, attention_heads=2, trained_on=trained_on)
    model.save_pretrained(folder / "run" / "best")
    return folder


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_json_output_and_comparison(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = folder / "outcomes.jsonl"
    command = ("evaluate", folder / "run", "--data", folder / "test.jsonl")
    assert run(*command, "--json", "--output", outcomes) == 0
    report = json.loads(capsys.readouterr().out)
    rows = [json.loads(line) for line in outcomes.read_text(encoding="utf-8").splitlines()]
    assert report["count"] == len(rows) == 12
    for score in ("answer", "equation", "literature"):
        assert report[f"{score}_accuracy"] == pytest.approx(sum(row[f"{score}_right"] for row in rows) / 12)
    assert report["mean_steps"] == pytest.approx(sum(row["steps"] for row in rows) / 12)
    assert report["by_text"]["seen"]["count"] >= 2

    # A model is compared with itself, but for one problem, whose outcome is turned round.
    rows[4]["answer_right"] = not rows[4]["answer_right"]
    outcomes.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run(*command, "--json", "--against", outcomes) == 0
    against = json.loads(capsys.readouterr().out)["against"]
    assert [*against["answer"]["gained"], *against["answer"]["lost"]] == [rows[4]["id"]]
    assert against["equation"]["p_value"] == 1.0

    # Outcomes of other problems are refused before anything is solved.
    outcomes.write_text("".join(json.dumps(row) + "\n" for row in rows[1:]), encoding="utf-8")
    assert run(*command, "--against", outcomes) == 1
    message = capsys.readouterr().err
    assert "on 12 problems and the other on 11" in message
    assert "solving" not in message


def test_the_table_names_every_part(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("evaluate", folder / "run" / "best", "--data", folder / "test.jsonl", "--beam", "2") == 0
    printed = capsys.readouterr().out
    for part in ("literature", "95 % interval", "shape: single", "with operator: +", "text in training: unseen"):
        assert part in printed


def test_failures_say_what_to_do(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = folder / "test.jsonl"
    assert run("evaluate", tmp_path / "nowhere", "--data", data) == 1
    assert "there is no folder" in capsys.readouterr().err
    assert run("evaluate", tmp_path, "--data", data) == 1
    assert "manifest.json" in capsys.readouterr().err
    assert run("evaluate", folder / "run", "--data", "mathsqa") == 1
    assert "did you mean" in capsys.readouterr().err
    assert run("evaluate", folder / "run", "--data", data, "--against", data) == 1
    assert "is not an outcome" in capsys.readouterr().err
    (tmp_path / "open.jsonl").write_text('{"text": "3 cats"}\n')
    assert run("evaluate", folder / "run", "--data", tmp_path / "open.jsonl") == 1
    assert "each needs an equation or an answer" in capsys.readouterr().err
    assert run("evaluate", folder / "run") == 2
    for command in (("evaluate", folder / "run", "--data", data), ("bench", "decode", folder / "run")):
        assert run(*command, "--beam", "65") == 2
        assert "--beam" in capsys.readouterr().err
    (tmp_path / "table.parquet").write_bytes(b"PAR1\xff\n")
    assert run("evaluate", folder / "run", "--data", data, "--against", tmp_path / "table.parquet") == 1
    assert "line 1 is not JSON" in capsys.readouterr().err


def test_what_cannot_be_written_fails_before_the_work(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treequation.evaluation.evaluator.evaluate_model", lambda *_, **__: pytest.fail("it solves"))
    kept = tmp_path / "kept.jsonl"
    kept.write_text("kept")
    for option, path, message in (
        ("--output", kept, "exists already"),
        ("--output", tmp_path, "exists already"),
        ("--output", tmp_path / "missing" / ".." / "kept.jsonl", "exists already"),
        ("--record", kept, "is not JSON"),
        ("--record", tmp_path / "new.json", "holds no finished run"),
    ):
        assert run("evaluate", folder / "run", "--data", folder / "test.jsonl", option, path) == 1
        assert message in capsys.readouterr().err
    assert kept.read_text() == "kept"


def test_without_pytorch_the_message_names_what_to_install(folder: Path) -> None:
    command = ["evaluate", str(folder / "run"), "--data", str(folder / "test.jsonl")]
    program = f"import sys; sys.modules['torch'] = None\nfrom treequation.cli import main\nmain({command!r})"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert result.returncode == 1
    assert "treequation[train]" in result.stderr
    assert "Traceback" not in result.stderr


def test_problems_with_an_answer_and_no_equation_are_scored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in (folder / "test.jsonl").read_text(encoding="utf-8").splitlines()]
    valued = folder / "valued.jsonl"
    own = [{key: value for key, value in row.items() if key != "equation"} for row in rows]
    del own[-1]["answer"]  # nobody knows it, so it does not count
    valued.write_text("".join(json.dumps(row) + "\n" for row in own), encoding="utf-8")
    reports = []
    for data in (folder / "test.jsonl", valued):
        output = folder / f"{data.stem}-outcomes.jsonl"
        assert run("evaluate", folder / "run", "--data", data, "--json", "--output", output) == 0
        printed = capsys.readouterr()
        reports.append([json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()])
    assert "1 rows of" in printed.err
    assert "11 problems have an answer but no equation; they are scored by the answer alone" in printed.err
    report = json.loads(printed.out, parse_constant=pytest.fail)
    assert (report["count"], report["equation_accuracy"], report["by_shape"]) == (11, None, {})
    for known, value in zip(reports[0], reports[1], strict=False):
        assert [value[key] for key in ("id", "answer_right", "value")] == [
            known[key] for key in ("id", "answer_right", "value")
        ]
        assert value["equation_right"] is None
    assert run("evaluate", folder / "run", "--data", valued) == 0
    assert "no equations" in capsys.readouterr().out
    unknown = folder / "unknown.jsonl"
    unknown.write_text('{"text": "3 cats and 4 dogs"}\n')
    assert run("evaluate", folder / "run", "--data", unknown) == 1
    assert "each needs an equation or an answer" in capsys.readouterr().err


def test_a_light_folder_is_evaluated_as_it_solves_and_without_pytorch(tmp_path: Path) -> None:
    problem = known_problems()[0]
    assert problem.graph is not None
    jsonl.write([problem], tmp_path / "known.jsonl")  # the bundled model's training texts take long to read
    folder = changed_copy(tmp_path / "light", trained_on=[str(tmp_path / "known.jsonl")])
    seal(folder, kind=KIND, version=FORMAT)
    solution = Solver(folder).solve(problem.text)
    rows = [
        {"text": problem.text, "equation": to_infix(problem.graph), "answer": str(problem.answer)},
        {"text": problem.text, "answer": str(problem.answer + 1)},
        {"text": "no number here", "answer": 1},
    ]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    program = "import sys; sys.modules['torch'] = None; from treequation.cli import main; main()"
    command = ["evaluate", str(folder), "--data", "mine.jsonl", "--json", "--output", "outcomes.jsonl"]
    done = subprocess.run([sys.executable, "-c", program, *command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["count"], report["no_answer"]) == (3, 1)
    assert (report["beam"], report["second_look"]) == (1, SECOND_LOOK)
    assert (report["answer_accuracy"], report["equation_accuracy"]) == (pytest.approx(1 / 3), 1.0)
    outcomes = [json.loads(line) for line in (tmp_path / "outcomes.jsonl").read_text().splitlines()]
    assert [(each["answer_right"], each["equation_right"]) for each in outcomes] == [
        (True, True),
        (False, None),
        (False, None),
    ]
    assert outcomes[0]["confidence"] == pytest.approx(solution.confidence, abs=1e-4)
    assert outcomes[0]["steps"] == len(solution.layers)
    assert [each["seen"] for each in outcomes] == [True, True, False]
    assert outcomes[2]["reason"] == "there is no number in the text"
