"""Treequation's own format."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from treequation.data import jsonl
from treequation.data.reading import Code, Reading
from treequation.data.synthetic import generate
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, Number
from treequation.expression.parsing import parse_infix
from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat, Problem


def read(folder: Path, *rows: Any) -> Reading:
    path = folder / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return jsonl.read(path)


TEXT = "A pack of 5 pens costs $10."


def test_a_text_alone_is_a_problem(tmp_path: Path) -> None:
    (problem,) = read(tmp_path, {"text": TEXT}).problems
    assert (problem.id, problem.graph, problem.answer, problem.language) == ("1", None, None, "en")
    assert problem.values == (5, 10)


def test_literals_are_numbers_of_the_text_unless_the_equation_names_them(tmp_path: Path) -> None:
    by_value, by_name = read(
        tmp_path, {"text": TEXT, "equation": "10 / 5"}, {"text": TEXT, "equation": "n1 / 5"}
    ).problems
    assert by_value.graph == parse_infix("n1 / n0")
    assert by_name.graph is not None
    assert by_name.graph.leaves == (Number(1), Constant(Fraction(5)))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(2, "2"), (0.1, "1/10"), ("1/3", "1/3"), ("2.5", "5/2"), (-1.5, "-3/2"), (1e-07, "1/10000000")],
)
def test_answers_are_exact(tmp_path: Path, answer: Any, expected: str) -> None:
    (problem,) = read(tmp_path, {"text": TEXT, "answer": answer}).problems
    assert problem.answer == Fraction(expected)


@pytest.mark.parametrize(
    ("row", "code", "words"),
    [
        ({"equation": "1"}, Code.BROKEN_ROW, "text"),
        ({"text": 5}, Code.BROKEN_ROW, "string"),
        ({"text": " ", "equation": "1 + 1", "answer": 2}, Code.BROKEN_ROW, "the text is empty"),
        ({"text": TEXT, "anwser": 2}, Code.BROKEN_ROW, "anwser"),
        ({"text": TEXT, "language": "de"}, Code.BROKEN_ROW, "de"),
        ({"text": TEXT, "equation": "n0 + n2"}, Code.BAD_EQUATION, "n2"),
        ({"text": TEXT, "equation": "10 / / 5"}, Code.BAD_EQUATION, "10 / / 5"),
        ({"text": TEXT, "answer": "two"}, Code.BROKEN_ROW, "the answer 'two' is not a number, such as 12, "),
        ({"text": TEXT, "answer": [2]}, Code.BROKEN_ROW, "2"),
        ([TEXT], Code.BROKEN_ROW, "object"),
    ],
)
def test_a_row_that_is_wrong_says_why(tmp_path: Path, row: Any, code: Code, words: str) -> None:
    (finding,) = read(tmp_path, row).findings
    assert finding.code == code
    assert words in finding.message


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    problems = generate(200, seed=5, level="medium")
    path = tmp_path / "problems.jsonl"
    jsonl.write(problems, path)
    reading = jsonl.read(path)
    assert reading.findings == ()
    for written, read_back in zip(problems, reading.problems, strict=True):
        assert (read_back.id, read_back.text, read_back.numbers) == (written.id, written.text, written.numbers)
        assert (read_back.graph, read_back.answer) == (written.graph, written.answer)


def test_problems_of_another_number_format_keep_their_value(tmp_path: Path) -> None:
    text, whole = "20 % of the 50 pupils walk. How many walk?", NumberFormat(percent="whole", words=False)
    problem = Problem("1", text, find_numbers(text, whole), format=whole, graph=parse_infix("n0/100*n1"))
    jsonl.write([problem], tmp_path / "problems.jsonl")
    (read_back,) = jsonl.read(tmp_path / "problems.jsonl").problems
    assert read_back.graph is not None
    assert evaluate(read_back.graph, read_back.values).value.number == 10
