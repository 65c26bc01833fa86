"""``treequation check``, and a class's file as a teacher has it solved."""

import csv
import sys
from pathlib import Path

import openpyxl
import pytest

from tests.cli.commands import found, run
from tests.runtime.light import known_problems, taught_folder
from treequation import Solver
from treequation.expression.printing import to_infix

PROBLEM = max((p for p in known_problems() if p.language == "en"), key=lambda p: len(p.graph or ()))


@pytest.fixture
def model() -> tuple[str, Path]:
    return "--model", taught_folder()


def gold() -> str:
    assert PROBLEM.graph is not None
    return to_infix(PROBLEM.graph, lambda index: str(PROBLEM.values[index]))


def test_check(model: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", PROBLEM.text, gold(), *model) == 0
    assert capsys.readouterr().out.startswith("Right")
    assert run("check", PROBLEM.text, f"{gold()} + 1 = {(PROBLEM.answer or 0) + 1}", *model) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "Wrong."
    assert printed[1].endswith(f"differs: {PROBLEM.answer} + 1 = {(PROBLEM.answer or 0) + 1}.")
    assert run("check", PROBLEM.text, f"-1 + {gold()} + 1", *model) == 0  # which is not an option
    assert capsys.readouterr().out.startswith("Right, but written differently")
    checked = found(capsys, "check", PROBLEM.text, f"{PROBLEM.answer}", *model)
    assert checked["verdict"] == "another-way"
    assert checked["model_answer"] == Solver(taught_folder()).solve(PROBLEM.text).shown
    assert checked["unsure"] is False


def test_check_of_what_cannot_be_read(model: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", PROBLEM.text, "3 +", *model) == 1
    assert capsys.readouterr().err.startswith("treequation: the equation cannot be read at its end")
    assert run("check", "How many?", "3 + 4", *model) == 1
    assert "there is no number in the text" in capsys.readouterr().err
    assert run("check", PROBLEM.text, *model) == 2
    assert run("check", PROBLEM.text, "3", "--modle", "x") == 2


def test_a_class_goes_from_one_workbook_into_another(tmp_path: Path, model: tuple[str, Path]) -> None:
    known = known_problems()[:4]
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Pupil", "Aufgabe"], *(["Ann", problem.text] for problem in known)):
        sheet.append(row)
    book.save(tmp_path / "class.xlsx")
    given = ("solve", "--input", tmp_path / "class.xlsx", "--column", "aufgabe", *model)
    assert run(*given, "--output", tmp_path / "answers.xlsx") == 0
    answers = openpyxl.load_workbook(tmp_path / "answers.xlsx").active
    assert answers is not None
    head, *rows = answers.iter_rows(values_only=True)
    assert [str(row[head.index("answer")]) for row in rows] == [str(problem.answer) for problem in known]
    assert all(str(row[head.index("steps")]).startswith("1. ") for row in rows)
    assert run(*given, "--output", tmp_path / "sheet.html") == 0
    assert (tmp_path / "sheet.html").read_text(encoding="utf-8").count("<article") == len(known)
    assert run(*given, "--output", tmp_path / "answers.tsv") == 0
    with (tmp_path / "answers.tsv").open(encoding="utf-8-sig", newline="") as file:
        shown = [row["shown"] for row in csv.DictReader(file, delimiter="\t")]
    assert shown == [Solver(taught_folder()).solve(problem.text).shown for problem in known]
    assert any(each.endswith(" 元") for each in shown)


def test_what_cannot_be_is_said_before_the_work(
    tmp_path: Path, model: tuple[str, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "class.csv").write_text("problem\n3 and 4\n")
    assert run("solve", "3 and 4", "--column", "x", *model) == 2
    assert run("solve", "--input", tmp_path / "class.csv", "--output", tmp_path / "sheet.pdf", *model) == 2
    assert "for a PDF, print an .html answer sheet" in " ".join(capsys.readouterr().err.split())
    assert (
        run("solve", "--input", tmp_path / "class.csv", "--column", "x", "--output", tmp_path / "folder", *model) == 2
    )
    capsys.readouterr()
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert run("solve", "--input", tmp_path / "class.csv", "--output", tmp_path / "out.xlsx", *model) == 1
    assert "pip install 'treequation[xlsx]'" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["class.csv"]
