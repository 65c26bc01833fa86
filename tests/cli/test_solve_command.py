"""``treequation solve`` and ``treequation export`` as a user runs them, with a tiny model."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.light import changed_copy, known_problems, taught_folder, taught_model
from treequation import Solver
from treequation.cli import main
from treequation.data import jsonl
from treequation.expression.parsing import parse_infix
from treequation.runtime import bulk
from treequation.runtime.bulk import solve_file
from treequation.runtime.folder import FORMAT, KIND
from treequation.runtime.rows import Row
from treequation.storage import seal
from treequation.text.problem import Problem


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture
def model() -> tuple[str, Path]:
    return "--model", taught_folder()


@pytest.fixture
def problem() -> Problem:
    return max((p for p in known_problems() if p.language == "en"), key=lambda p: len(p.graph or ()))


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_readable_answer(model: tuple[str, Path], problem: Problem, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", problem.text, *model) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == str(problem.answer)
    assert any(line.endswith(f"= {problem.answer}") for line in printed)
    assert any("├── " in line or "└── " in line for line in printed)
    assert any(line.startswith("1. ") for line in printed)
    assert any(line.startswith("confidence: ") for line in printed)


def test_unsure_answer_is_shown_as_unsure(tmp_path: Path, problem: Problem, capsys: pytest.CaptureFixture[str]) -> None:
    folder = changed_copy(tmp_path / "doubtful", unsure_below=1.0)
    seal(folder, kind=KIND, version=FORMAT)
    assert run("solve", problem.text, "--model", folder) == 0
    printed = capsys.readouterr().out
    assert "unsure: " in printed
    assert "  or " in printed  # the other answers of a second look


def test_json_is_one_object_a_problem(
    model: tuple[str, Path], problem: Problem, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{problem.text}\n\nno number here\n"))
    assert run("solve", "--json", *model) == 1
    good, bad = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert {"problem", "answer", "value", "equation", "confidence", "layers", "numbers", "model"} <= good.keys()
    assert good["value"] == problem.answer
    assert good["model"] == "taught"
    assert set(good["layers"][0][0]) == {"id", "left", "operator", "right", "answer", "value"}
    assert bad["error"]["code"] == "no-number"


def test_words_without_quotes_are_one_problem(
    model: tuple[str, Path], problem: Problem, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("solve", *problem.text.split(), *model) == 0
    assert capsys.readouterr().out.splitlines()[0] == str(problem.answer)


def test_a_calculation_may_begin_with_a_minus_sign(model: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", "-3 + 4", *model) == 0
    assert capsys.readouterr().out.startswith("1\n")
    assert run("solve", "3 + 4", "--bem", "2", *model) == 2
    assert "there is no option --bem" in capsys.readouterr().err


def test_trace_shows_every_query(model: tuple[str, Path], problem: Problem, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", problem.text, "--trace", *model) == 0
    printed = capsys.readouterr().out
    assert "step 1" in printed
    assert printed.count("query 0") == printed.count("step ")
    assert "kept" in printed


def test_wrong_usage(tmp_path: Path, model: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", "3 and 4", "--input", tmp_path / "a.jsonl", *model) == 2
    assert run("solve", "3 and 4", "--output", tmp_path / "a.jsonl", *model) == 2
    assert run("solve", "3 and 4", "--model", tmp_path / "nowhere") == 1
    assert "there is no folder" in capsys.readouterr().err
    assert run("solve", "3 and 4", "--model", tmp_path) == 1
    assert "manifest.json" in capsys.readouterr().err
    assert run("solve", "--input", tmp_path / "a.jsonl", "--output", tmp_path / "b.jsonl", *model) == 1
    assert "a.jsonl" in capsys.readouterr().err
    assert run("solve", "--input", tmp_path / "a.jsonl", "--trace", *model) == 2
    assert "--trace goes with a problem" in capsys.readouterr().err
    assert run("solve", "--input", tmp_path / "a.csv", "--output", tmp_path / "answers") == 2
    assert "--output must end in one of .jsonl" in capsys.readouterr().err
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    assert run("solve", "3 and 4", "--model", tmp_path / "run") == 1
    assert "treequation export" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_terminal_will_do(model: tuple[str, Path], encoding: str) -> None:
    chinese = next(problem for problem in known_problems() if problem.language == "zh")
    for options in ((), ("--json",)):
        done = subprocess.run(
            [sys.executable, "-m", "treequation", "solve", *options, *map(str, model), chinese.text],
            env={**os.environ, "PYTHONIOENCODING": encoding},
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
        if options:
            assert json.loads(done.stdout.decode(encoding))["problem"] == chinese.text
        else:
            assert done.stdout.decode(encoding).splitlines()[0].split()[0] == str(chinese.answer)


def test_blank_lines_are_no_rows_and_endings_may_be_large(tmp_path: Path, model: tuple[str, Path]) -> None:
    rows = [json.dumps({"problem": p.text}) for p in known_problems()[:2]]
    source, target = tmp_path / "IN.JSONL", tmp_path / "out.JSONL"
    source.write_text("\n".join(["", rows[0], "  ", rows[1], "", ""]), encoding="utf-8")
    assert run("solve", "--input", source, "--output", target, *model) == 0
    assert [(row["row"], row["value"]) for row in rows_of(target)] == [
        (place, problem.answer) for place, problem in enumerate(known_problems()[:2], start=1)
    ]


def write_problems(path: Path) -> None:
    """Thirty-two good rows and three that are bad in different ways."""
    rows = [json.dumps({"id": p.id, "problem": p.text}, ensure_ascii=False) for p in known_problems()]
    rows[3:3] = ["{not json", '{"id": 7}', '{"text": "nothing to count"}']
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def test_a_file_in_bulk(tmp_path: Path, model: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    write_problems(source)
    assert run("solve", "--input", source, "--output", target, "--batch-size", "4", *model) == 1
    assert "35 rows, of which 3" in capsys.readouterr().err
    rows = rows_of(target)
    assert [row["row"] for row in rows] == list(range(1, 36))
    assert [row["error"]["code"] for row in rows[3:6]] == ["bad-row", "bad-row", "no-number"]
    answers = {row["id"]: row["value"] for row in rows if "value" in row}
    assert answers == {p.id: p.answer for p in known_problems()}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]
    assert run("solve", "--input", source, "--output", target, *model) == 1
    assert "exists already" in capsys.readouterr().err


def test_csv_in_and_out(tmp_path: Path, model: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    with source.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "text"])
        table.writerows((p.id, p.text.replace(". ", ".\n")) for p in known_problems())
        table.writerow(["last", ""])
    assert run("solve", "--input", source, "--output", target, *model) == 1
    with target.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [*(p.id for p in known_problems()), "last"]
    assert [row["answer"] for row in rows[:-1]] == [str(p.answer) for p in known_problems()]
    assert rows[-1]["error"] == "there is no text"
    (tmp_path / "bare.csv").write_text("3 and 4\n")
    assert run("solve", "--input", tmp_path / "bare.csv", *model) == 1
    assert "no column" in capsys.readouterr().err
    assert run("solve", "--input", tmp_path / "gone.csv", *model) == 1
    assert capsys.readouterr().err == f"treequation: {tmp_path / 'gone.csv'}: No such file or directory\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"problem\nTom has 3 apples, and buys 4. How many?\n", "more cells (2) than the first row has columns (1)"),
        (b'problem\n"Tom has 3 apples and buys 4.\nAnn has 5 and 6.\n', "is every quote closed?"),
        (b'problem\n"A pen is \xa35 and a book is \xa33. How much are both?"\n', "the row is not UTF-8"),
        (b"\xff\xfep\x00\x00\xd8", "is neither UTF-8 nor UTF-16; save it as UTF-8"),
        (b'"problem\n3 and 4\n', "the first line of"),
    ],
)
def test_csv_that_would_be_misread_is_an_error(
    tmp_path: Path, model: tuple[str, Path], capsys: pytest.CaptureFixture[str], content: bytes, message: str
) -> None:
    (tmp_path / "in.csv").write_bytes(content)
    assert run("solve", "--input", tmp_path / "in.csv", *model) == 1
    printed = capsys.readouterr()
    assert message in printed.out + printed.err
    assert '"answer"' not in printed.out


HELD = """
import os, time
from treequation.runtime.rows import Row
answered = Row.answered
def held(self, answer):
    if self.number > int(os.environ["HELD_AFTER"]):
        time.sleep(3_600)
    return answered(self, answer)
Row.answered = held
"""


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path, model: tuple[str, Path]) -> None:
    """Kills the command again and again, at any moment; none can end before, however late the kill comes."""
    (tmp_path / "sitecustomize.py").write_text(HELD)  # which every Python process reads when it starts
    path = os.pathsep.join([str(tmp_path), str(Path(bulk.__file__).parents[2])])
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    texts = [p.text for p in known_problems()]
    rows = [json.dumps({"id": n, "problem": texts[n % len(texts)]}) for n in range(3_000)]
    source.write_text("\n".join(rows) + "\n", encoding="utf-8")
    part = Path(f"{target}.part")
    arguments = ["solve", "--input", str(source), "--output", str(target), "--batch-size", "8", "--threads", "1"]
    command = [sys.executable, "-m", "treequation", *arguments, *map(str, model)]
    for run in range(1, 4):
        before = part.stat().st_size if part.exists() else 0
        environment = {**os.environ, "PYTHONPATH": path, "HELD_AFTER": str(900 * run)}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        while process.poll() is None and (part.stat().st_size if part.exists() else 0) <= before:
            time.sleep(0.002)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        with part.open("ab") as file:
            file.write(b'{"row": 1, "torn')  # as if the kill had struck in the middle of a row
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert [row["id"] for row in rows_of(target)] == list(range(3_000))


def test_another_input_is_not_mixed_in(
    tmp_path: Path, model: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    write_problems(source)
    Path(f"{target}.part").write_text('{"row": 1}\n')
    Path(f"{target}.part.json").write_text('{"input": "other"}')
    assert run("solve", "--input", source, "--output", target, *model) == 1
    assert "another input" in capsys.readouterr().err
    Path(f"{target}.part").write_text("")  # nothing was answered, so there is nothing to mix
    assert run("solve", "--input", source, "--output", target, *model) == 1
    assert "35 rows, of which 3" in capsys.readouterr().err


def test_two_calls_at_once_do_not_write_the_same_rows(
    tmp_path: Path, model: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    write_problems(source)

    def second(row: Row) -> None:
        if row.number == 9:
            assert run("solve", "--input", source, "--output", target, *model) == 1

    summary = solve_file(Solver(taught_folder()), source, target, batch_size=4, progress=second)
    assert f"another process is writing {target}.part;" in capsys.readouterr().err
    assert [row["row"] for row in rows_of(target)] == list(range(1, summary.rows + 1)) == list(range(1, 36))


@pytest.mark.parametrize(
    ("ending", "content", "message"),
    [
        (".part", b"{torn}\n", "line 1 is not row 1"),
        (".part", b'{"row": 1}\n{"row": 3}\n', "line 2 is not row 2"),
        (".part", b"5\n", "line 1 is not row 1"),
        (".part", b"\xff\xfe\n", "line 1 is not row 1"),
        (".part.json", b"{torn", "is missing or damaged"),
        (".part.json", b"\xff", "is missing or damaged"),
        (".part.json", None, "is missing or damaged"),
    ],
)
def test_damaged_halves_are_named(
    tmp_path: Path,
    model: tuple[str, Path],
    capsys: pytest.CaptureFixture[str],
    ending: str,
    content: bytes | None,
    message: str,
) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    write_problems(source)

    def killed(row: Row) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_file(Solver(taught_folder()), source, target, progress=killed)
    file = Path(f"{target}{ending}")
    file.unlink() if content is None else file.write_bytes(content)
    assert run("solve", "--input", source, "--output", target, *model) == 1
    printed = capsys.readouterr().err
    assert str(file) in printed
    assert message in printed
    assert "to start over" in printed
    Path(f"{target}.part").unlink()  # as the message says
    assert run("solve", "--input", source, "--output", target, *model) == 1
    assert "35 rows, of which 3" in capsys.readouterr().err


def test_a_way_through_a_missing_folder_does_not_lead_past_what_is_there(
    tmp_path: Path, model: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    write_problems(source)
    target.write_text("precious")
    assert run("solve", "--input", source, "--output", tmp_path / "missing" / ".." / "out.jsonl", *model) == 1
    assert "exists already" in capsys.readouterr().err
    assert target.read_text() == "precious"


def test_ids_that_json_cannot_say_become_text(
    tmp_path: Path, model: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    deep = ["[" * depth + "]" * depth for depth in range(850, 1050)]
    rows = [f'{{"id": {id}, "text": "3 and 4"}}\n' for id in ("NaN", "[-Infinity]", *deep)]
    (tmp_path / "in.jsonl").write_text("".join(rows))
    run("solve", "--input", tmp_path / "in.jsonl", *model)
    printed = [json.loads(line, parse_constant=pytest.fail) for line in capsys.readouterr().out.splitlines()]
    assert [row["id"] for row in printed[:3]] == ["nan", "[-inf]", deep[0]]
    assert len(printed) == len(rows)
    assert printed[-1]["error"]["message"] == "the row is not JSON"


def test_export_command(tmp_path: Path, problem: Problem, capsys: pytest.CaptureFixture[str]) -> None:
    taught_model().save_pretrained(tmp_path / "run" / "best")
    assert run("export", tmp_path / "run", tmp_path / "light") == 0
    capsys.readouterr()
    assert run("solve", problem.text, "--json", "--model", tmp_path / "light") == 0
    solved = json.loads(capsys.readouterr().out)
    assert solved["value"] == problem.answer
    assert solved["model"] == "run"
    assert run("export", tmp_path / "run", tmp_path / "light") == 1
    assert "exists already" in capsys.readouterr().err


def test_average_command(tmp_path: Path, problem: Problem, capsys: pytest.CaptureFixture[str]) -> None:
    taught_model().save_pretrained(tmp_path / "run" / "best")
    taught_model().save_pretrained(tmp_path / "model")
    both = [tmp_path / "run", tmp_path / "model"]
    assert run("average", *both, "--output", tmp_path / "mean") == 0
    assert "the mean of 2 models" in capsys.readouterr().err
    assert run("export", tmp_path / "mean", tmp_path / "light") == 0
    assert run("solve", problem.text, "--json", "--model", tmp_path / "light") == 0
    assert json.loads(capsys.readouterr().out)["value"] == problem.answer
    assert run("average", *both, "--output", tmp_path / "mean") == 1
    assert "exists already" in capsys.readouterr().err
    assert run("average", both[0], "--output", tmp_path / "alone") == 1
    assert "name at least two" in capsys.readouterr().err
    assert not (tmp_path / "alone").exists()


@pytest.mark.parametrize("content", ["", '{"text": "3 cats", "equation": "3 +"}\n'])
def test_export_needs_something_to_calibrate_by(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    taught_model().save_pretrained(tmp_path / "run" / "best")
    (tmp_path / "none.jsonl").write_text(content)
    assert run("export", tmp_path / "run", tmp_path / "light", "--calibrate", tmp_path / "none.jsonl") == 1
    assert "none.jsonl has no problem that can be scored" in capsys.readouterr().err
    assert not (tmp_path / "light").exists()


def test_export_learns_how_sure_to_be(tmp_path: Path, problem: Problem) -> None:
    """The model gets its problems right, and here every second one has another equation."""
    others = (replace(known, graph=parse_infix("n0*n0*n0*7"), answer=None) for known in known_problems())
    jsonl.write([*known_problems(), *others], tmp_path / "half.jsonl")
    model = taught_model()
    model.save_pretrained(tmp_path / "run" / "best")
    assert run("export", tmp_path / "run", tmp_path / "own") == 0
    model.config.amounts = True
    model.save_pretrained(tmp_path / "run" / "best")
    assert run("export", tmp_path / "run", tmp_path / "sure", "--calibrate", tmp_path / "half.jsonl") == 0
    own, fitted = Solver(tmp_path / "own"), Solver(tmp_path / "sure")
    assert own.solve(problem.text).confidence > 0.9
    assert fitted.solve(problem.text).confidence == pytest.approx(0.5, abs=0.2)
    assert (own.metadata.amounts, fitted.metadata.amounts) == (False, True)


def test_export_learns_how_sure_to_be_by_texts_that_are_new(
    tmp_path: Path, problem: Problem, capsys: pytest.CaptureFixture[str]
) -> None:
    """The model gets what it was trained on right, and the same in other words wrong, for it has another equation."""
    known = known_problems()
    new = [replace(one, text=f"{one.text} Well?", graph=parse_infix("n0*n0*n0*7"), answer=None) for one in known]
    jsonl.write(known, tmp_path / "known.jsonl")
    jsonl.write([*known, *new], tmp_path / "both.jsonl")
    model = taught_model()
    model.config.trained_on = [str(tmp_path / "known.jsonl")]
    model.save_pretrained(tmp_path / "model")
    assert run("export", tmp_path / "model", tmp_path / "light", "--calibrate", tmp_path / "both.jsonl") == 0
    assert f"{len(known)} answers to texts that, numbers aside, were trained on" in capsys.readouterr().err
    assert Solver(tmp_path / "light").solve(problem.text).confidence < 0.2
    assert run("export", tmp_path / "model", tmp_path / "again", "--calibrate", tmp_path / "known.jsonl") == 0
    assert "every text, numbers aside, was trained on" in capsys.readouterr().err
    assert Solver(tmp_path / "again").solve(problem.text).confidence > 0.8


def test_solving_works_where_only_the_base_install_is(model: tuple[str, Path], problem: Problem) -> None:
    extras = ["torch", "transformers", "safetensors", "scipy", "onnx", "matplotlib"]
    arguments = ["solve", problem.text, *map(str, model)]
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({extras!r}))\n"
        f"from treequation.cli import main\nmain({arguments!r})"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[0] == str(problem.answer)
