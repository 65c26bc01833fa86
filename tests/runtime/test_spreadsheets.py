"""Spreadsheets: all that people save are read, and nothing in those that are written runs as a formula."""

import csv
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from treequation.runtime import spreadsheets
from treequation.runtime.bulk import read_rows
from treequation.runtime.rows import BulkError
from treequation.runtime.spreadsheets import COLUMNS, note_of, write_table

TEXT = "Tom has 3 cats, and 4; how many?"


def texts(path: Path, column: str | None = None) -> list[str]:
    rows = list(read_rows(path, column))
    assert [row.error for row in rows] == [None] * len(rows)
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    return [row.text for row in rows]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_delimiters_and_encodings(tmp_path: Path, encoding: str, delimiter: str, ending: str) -> None:
    path = tmp_path / "class.csv"
    with path.open("w", encoding=encoding, newline="") as file:
        table = csv.writer(file, delimiter=delimiter, lineterminator=ending)
        table.writerows([["ID", "Question", "Grade"], [1, TEXT, "a"], [2, "小明有3个苹果", "b"]])
    assert texts(path) == [TEXT, "小明有3个苹果"]
    assert [row.id for row in read_rows(path)] == ["1", "2"]


@pytest.mark.parametrize(
    ("head", "column"),
    [
        ("Problem", None),
        ("PROBLEM", None),
        (" Question ", None),
        ("Word_Problem", None),
        ("题目", None),
        ("应用题", None),
        ("Aufgabe", "aufgabe"),
        ("Problem,Aufgabe", "Aufgabe"),
    ],
)
def test_headers(tmp_path: Path, head: str, column: str | None) -> None:
    path = tmp_path / "class.csv"
    path.write_text(f"{head}\n{'other,' * head.count(',')}3 and 4\n", encoding="utf-8")
    assert texts(path, column) == ["3 and 4"]


def test_a_tsv_and_the_line_that_excel_writes(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("problem\tn\n3 and 4, or 5;6\t1\n")
    assert texts(tmp_path / "a.tsv") == ["3 and 4, or 5;6"]
    (tmp_path / "b.csv").write_text("sep=;\nid;problem\n1;3, 4\n")
    assert texts(tmp_path / "b.csv") == ["3, 4"]
    (tmp_path / "c.csv").write_text("sep=|\nid|problem\n1|3 or 4\n2|3|4\n")
    good, bad = read_rows(tmp_path / "c.csv")
    assert (good.text, good.error) == ("3 or 4", None)
    assert "more cells (3) than the first row has columns (2); put quotes around" in str(bad.error)


def test_quotes_in_a_header_and_a_header_of_two_lines(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"Id";"Word\nproblem"\n"1";"3; 4"\n')
    assert texts(tmp_path / "a.csv") == ["3; 4"]
    (tmp_path / "a.jsonl").write_text('{"Question": "3, 4"}\n{"body": "2", "QUESTION": "5"}\n')
    assert texts(tmp_path / "a.jsonl") == ["3, 4", "5"]
    assert [row.text for row in read_rows(tmp_path / "a.jsonl", "Body")] == ["", "2"]


def test_the_error_names_the_missing_column_and_the_existing_ones(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Nr;Aufgabe\n1;3 and 4\n")
    with pytest.raises(BulkError, match=r"no column problem, text or question; .* has: Nr, Aufgabe; name yours with"):
        texts(tmp_path / "a.csv")
    with pytest.raises(BulkError, match="has no column Frage; its first row has: Nr, Aufgabe"):
        texts(tmp_path / "a.csv", "Frage")
    (tmp_path / "a.xls").write_bytes(b"old")
    with pytest.raises(BulkError, match=r"save it as \.xlsx"):
        texts(tmp_path / "a.xls")


def solved(**more: Any) -> dict[str, Any]:
    row = {"row": 1, "problem": TEXT, "answer": "-7/3", "shown": "-7/3", "value": -2.5, "equation": "-3 + 1"}
    row |= {"steps": ["1. One.", "2. Two."], "confidence": 0.4, "unsure": True}
    return row | {"alternatives": [{"answer": "12", "equation": "3 × 4"}]} | more


def test_nothing_written_runs_as_a_formula(tmp_path: Path) -> None:
    evil = ["=1+1", "+1", "-1 apple", "@SUM(A1)", "\t=1", "＝1+1", '=HYPERLINK("http://x","3 and 4")']
    rows = [solved(row=place, problem=text, id=text) for place, text in enumerate(evil, start=1)]
    for ending in ("csv", "tsv"):
        write_table(rows, tmp_path / f"out.{ending}")
        with (tmp_path / f"out.{ending}").open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t" if ending == "tsv" else ","):
                assert all(cell[:1] not in tuple("=+@\t＝") for cell in row.values())
                assert [row["value"], row["answer"], row["equation"]] == ["-2.5", "'-7/3", "'-3 + 1"]
        assert texts(tmp_path / f"out.{ending}") == evil  # what was put before them is taken away again
    write_table(rows, tmp_path / "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert sheet is not None
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "n", "b"}
    by_text = {cell.value: cell for cell in cells}
    assert all(by_text[text].quotePrefix for text in evil)
    assert texts(tmp_path / "out.xlsx") == evil


def test_the_output_has_steps_and_a_note(tmp_path: Path) -> None:
    failed = {"row": 2, "problem": "", "error": {"code": "empty-text", "message": "no text", "hint": "write it"}}
    write_table([solved(), failed, solved(row=3, unsure=False, problem="题\x01")], tmp_path / "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert sheet is not None
    head, *rows = sheet.iter_rows(values_only=True)
    assert head == COLUMNS
    first, second, third = (dict(zip(COLUMNS, row, strict=True)) for row in rows)
    assert first["steps"] == "1. One.\n2. Two."
    assert first["note"] == "unsure: check the equation; or 12: 3 × 4"
    assert (second["note"], second["error"], second["answer"]) == ("no text; write it", "no text", None)
    chinese = {"row": 4, "problem": "多少？", "error": {"code": "no-number", "message": "no number", "hint": "say it"}}
    assert note_of(chinese).startswith("题目中没有数")
    assert (third["problem"], third["note"]) == ("题\ufffd", None)


def test_a_workbook_as_a_teacher_has_it(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in ([None, None], ["Class 5b", "May"], ["No.", "Question"], [1.0, TEXT], [None, None], [2, 34], [3, None]):
        sheet.append(row)
    book.save(tmp_path / "class.xlsx")
    rows = list(read_rows(tmp_path / "class.xlsx"))
    assert [row.text for row in rows] == [TEXT, "34", ""]
    assert rows[-1].error is not None
    assert [row.text for row in read_rows(tmp_path / "class.xlsx", "no.")] == ["1", "2", "3"]
    with pytest.raises(BulkError, match=r"has no column Grade; its first row has: Class 5b, May"):
        list(read_rows(tmp_path / "class.xlsx", "Grade"))


def test_damaged_workbooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "class.xlsx"
    path.write_text("problem\n3 and 4\n")
    with pytest.raises(BulkError, match=r"is not an \.xlsx workbook, or is damaged"):
        list(read_rows(path))
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("xl/workbook.xml", "<broken")
    with pytest.raises(BulkError, match=r"is not an \.xlsx workbook, or is damaged"):
        list(read_rows(path))
    openpyxl.Workbook().save(path)
    with pytest.raises(BulkError, match="no column"):
        list(read_rows(path))
    monkeypatch.setattr(spreadsheets, "_MAX_UNPACKED", 1_000)
    with pytest.raises(BulkError, match=r"unpacks to .* save it as \.csv"):
        list(read_rows(path))


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(BulkError, match=r"pip install 'treequation\[xlsx\]'"):
        read_rows(tmp_path / "class.xlsx")
    with pytest.raises(BulkError, match=r"pip install 'treequation\[xlsx\]'"):
        write_table([], tmp_path / "out.xlsx")
