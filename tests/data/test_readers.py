"""Each reader on rows made by hand in its data set's format, and on the data sets themselves."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from treequation.data import ape210k, asdiv, gsm8k, math23k, mathqa, mawps, svamp
from treequation.data.catalogue import load
from treequation.data.reading import BrokenRowError, Code, DataError, Reading, in_format
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, Number
from treequation.expression.parsing import parse_infix
from treequation.text.problem import NumberFormat, Problem


def read_json(read: Callable[[Path], Reading], folder: Path, rows: Any) -> Reading:
    path = folder / "rows.json"
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return read(path)


def read_lines(read: Callable[..., Reading], folder: Path, rows: list[Any]) -> Reading:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return read(path)


def only(reading: Reading) -> Problem:
    assert [str(finding) for finding in reading.findings if "left out" in finding.code.meaning] == []
    (problem,) = reading.problems
    return problem


def value(problem: Problem) -> Fraction:
    assert problem.graph is not None
    number = evaluate(problem.graph, problem.values).value.number
    assert isinstance(number, Fraction)
    return number


MATHQA_ROW = {
    "id": 7,
    "Problem": "a shop takes 20 % off the price of 2 / 5 of its 350 lamps . how many lamps are not reduced ?",
    "text": "a shop takes  temp_a  % off the price of  temp_b  /  temp_c  of its  temp_d  lamps . "
    "how many lamps are not reduced ?",
    "num_list": [20.0, 2.0, 5.0, 350.0],
    "equation_layer": [["b", "c", "/"], ["m_1", "1.0", "-_rev"], ["m_2", "d", "*"]],
    "answer": 210,
    "linear_formula": "divide(n1,n2)|subtract(const_1,#0)|multiply(#1,n3)|",
    "options": "a ) 140 , b ) 210 , c ) 1,050 , d ) 1 / 2 , e ) none of these",
    "correct": "b",
}


def test_mathqa_triples_speak_of_the_numbers_found(tmp_path: Path) -> None:
    problem = only(read_json(mathqa.read, tmp_path, [MATHQA_ROW]))
    assert problem.id == "7"
    assert problem.graph == parse_infix("(1 - n1/n2) * n3")
    assert [problem.text[number.start : number.end] for number in problem.numbers] == ["20", "2", "5", "350"]
    assert value(problem) == problem.answer == 210


def test_mathqa_in_its_own_form_gives_the_same_problem(tmp_path: Path) -> None:
    published = only(read_json(mathqa.read, tmp_path, [MATHQA_ROW]))
    fields = ("id", "Problem", "linear_formula", "options", "correct")
    assert only(read_json(mathqa.read, tmp_path, [{field: MATHQA_ROW[field] for field in fields}])) == published


def test_another_number_format_keeps_the_value(tmp_path: Path) -> None:
    format = NumberFormat(percent="fraction", fraction="one")
    problem = only(in_format(read_json(mathqa.read, tmp_path, [MATHQA_ROW]), format))
    assert problem.values == (Fraction(1, 5), Fraction(2, 5), Fraction(350))
    assert value(problem) == 210


def math23k_row(text: str, equation: str, answer: str) -> dict[str, str]:
    return {"id": "1", "original_text": text, "equation": equation, "ans": answer}


@pytest.mark.parametrize(
    ("text", "equation", "answer", "expected"),
    [
        ("小路一边每隔2米种一棵树，种了11棵，路长多少米？", "x=(11-1)*2", "20", "(n1-1)*n0"),
        ("一件衣服200元，降价20%，降价多少元？", "x=200*20%", "40", "n0*n1"),
        ("一堆煤用去(2/5)，还剩几分之几？", "x=1-(2/5)", "((3)/(5))", "1-n0"),
        ("甲要20天，乙要30天，合做几天？", "x=1/((1/20)+(1/30))", "12", "1/(1/n0+1/n1)"),
        ("每天看3(1/2)页，4天看几页？", "x=3(1/2)*4", "14", "n0*n1"),
    ],
)
def test_math23k_literals_become_numbers_of_the_text(
    tmp_path: Path, text: str, equation: str, answer: str, expected: str
) -> None:
    problem = only(read_json(math23k.read, tmp_path, [math23k_row(text, equation, answer)]))
    assert problem.language == "zh"
    assert problem.graph == parse_infix(expected)
    assert value(problem) == problem.answer


def test_ape210k_has_one_record_a_line(tmp_path: Path) -> None:
    rows = [math23k_row("135本书分给3个班，每班多少本？", "x=135/3", "45")]
    problem = only(read_lines(ape210k.read, tmp_path, rows))
    assert problem.graph == parse_infix("n0/n1")


def test_mawps_keeps_the_text_as_people_write(tmp_path: Path) -> None:
    row = {
        "iIndex": 12,
        "sQuestion": " Ann had $3.50, then spent $2. How much is left? ",
        "text": "Ann had $ temp_a , then spent $ temp_b . How much is left ?",
        "equation_layer": [["b", "a", "-_rev"]],
        "answer": 1.5,
    }
    problem = only(read_json(mawps.read, tmp_path, [row]))
    assert problem.text == "Ann had $3.50, then spent $2. How much is left?"
    assert problem.graph == parse_infix("n0-n1")
    assert value(problem) == problem.answer == Fraction(3, 2)


def test_svamp_gets_its_numbers_back_into_the_text(tmp_path: Path) -> None:
    path = tmp_path / "dev.csv"
    path.write_text(
        "Question,Numbers,Equation,Answer\n"
        '"Bob has number0 red , and number1 blue pens . How many more blue ?",2.0 5.5,- number1 number0,3.5\n'
    )
    problem = only(svamp.read(path))
    assert problem.text == "Bob has 2 red , and 5.5 blue pens . How many more blue ?"
    assert problem.graph == parse_infix("n1-n0")


def write_asdiv(folder: Path, *problems: tuple[str, str, str, str]) -> Path:
    path = folder / "ASDiv.xml"
    items = "".join(
        f'<Problem ID="{id}"><Body>{body}</Body><Question>How many?</Question>'
        f"<Answer>{answer}</Answer><Formula>{formula}</Formula></Problem>"
        for id, body, formula, answer in problems
    )
    path.write_text(f"<Corpus><ProblemSet>{items}</ProblemSet></Corpus>", encoding="utf-8")
    return path


def test_asdiv_reads_words_units_and_steps(tmp_path: Path) -> None:
    path = write_asdiv(
        tmp_path,
        ("a", "Seven apples and two pears.", "7+2=9", "9 (fruits)"),
        ("b", "He has 6 pennies and 3 nickels.", "6 (penny) + 3 (nickel)*5 (cent/nickel) = 21 (cent)", "21 (cents)"),
        ("c", "It took 2 hours and 30 minutes.", "2*60=120; 120+30=150", "150 (minutes)"),
    )
    words, units, steps = asdiv.read(path).problems
    assert words.graph == parse_infix("n0+n1")
    assert units.graph == parse_infix("n0+n1*5")
    assert steps.graph == parse_infix("n0*60+n1")


def test_asdiv_leaves_out_what_is_no_expression(tmp_path: Path) -> None:
    path = write_asdiv(
        tmp_path,
        ("a", "47 cookies in bags of 6.", "47/6=7 r5", "5 (cookies)"),
        ("b", "15 boys and 18 girls.", "15:18=5:6", "5:6"),
        ("c", "4 and 5.", "4+5=9", "9"),
    )
    reading = asdiv.read(path)
    assert [finding.code for finding in reading.findings] == [Code.NO_EQUATION, Code.NO_EQUATION]
    assert (reading.rows, reading.skipped, [problem.id for problem in reading.problems]) == (3, 2, ["c"])


def test_asdiv_folds_share_nothing_and_miss_nothing(tmp_path: Path) -> None:
    write_asdiv(tmp_path, *((id, "1 and 2.", "1+2=3", "3") for id in "abcd"))
    folds = tmp_path / "nfolds" / "asdiv-a"
    folds.mkdir(parents=True)
    for fold, ids in enumerate(("a\n", "b\n", "c\n")):
        (folds / f"fold{fold}.txt").write_text(ids)
    assert [problem.id for problem in asdiv.read_fold(folds / "fold1.txt").problems] == ["b"]
    assert [problem.id for problem in asdiv.read_other_folds(folds / "fold1.txt").problems] == ["a", "c"]


def gsm8k_row(question: str, *steps: str, answer: str) -> dict[str, str]:
    return {"question": question, "answer": "".join(f"<<{step}>>\n" for step in steps) + f"#### {answer}"}


def test_gsm8k_steps_become_one_graph(tmp_path: Path) -> None:
    row = gsm8k_row("Sold 48 clips in April, 2 boxes of 6 in May.", "2*6=12", "48+12=60", "60+12=72", answer="72")
    (problem,) = read_lines(gsm8k.read, tmp_path, [row]).problems
    assert problem.graph == parse_infix("n0 + n1*n2 + n1*n2")
    assert problem.graph is not None
    assert len(problem.graph) == 3  # the box's clips are one expression, used twice


def test_gsm8k_writes_a_percentage_out(tmp_path: Path) -> None:
    row = gsm8k_row("A lamp of $50 is 20% off.", ".2*50=10", "50-10=40", answer="40")
    (problem,) = read_lines(gsm8k.read, tmp_path, [row]).problems
    assert problem.graph == parse_infix("n0 - n1/100*n0")


@pytest.mark.parametrize(
    "row",
    [
        gsm8k_row("There are 4 and 5 and 6.", "4+5=9", "5+6=11", answer="11"),  # nothing uses 9
        gsm8k_row("There are 4 and 5.", "4+5=9", answer="10"),
        gsm8k_row("There are 4 and 5.", answer="9"),
    ],
)
def test_gsm8k_leaves_out_steps_that_are_no_chain(tmp_path: Path, row: dict[str, str]) -> None:
    reading = read_lines(gsm8k.read, tmp_path, [row])
    assert [finding.code for finding in reading.findings] == [Code.NO_EQUATION]


def test_a_number_that_is_not_found_becomes_a_constant_and_a_finding(tmp_path: Path) -> None:
    row = math23k_row("共行驶l4小时，每小时5千米", "x=5*4", "20")  # the digit 1 is a letter here
    reading = read_json(math23k.read, tmp_path, [row])
    assert [(finding.row, finding.code) for finding in reading.findings] == [(1, Code.NUMBER_NOT_FOUND)]
    (problem,) = reading.problems
    assert problem.graph is not None
    assert set(problem.graph.leaves) == {Number(0), Constant(Fraction(4))}
    assert (reading.gold_numbers, reading.numbers_found) == (2, 1)


BROKEN: list[tuple[Any, Code, str]] = [
    ({**MATHQA_ROW, "equation_layer": [["b", "zz", "/"]]}, Code.BAD_EQUATION, "zz"),
    ({**MATHQA_ROW, "equation_layer": None}, Code.BROKEN_ROW, ""),
    ({**MATHQA_ROW, "equation_layer": [["a", "k", "+"]]}, Code.BROKEN_ROW, "4"),
    ({**MATHQA_ROW, "text": "another text"}, Code.BROKEN_ROW, "differ"),
    ({**MATHQA_ROW, "answer": "many"}, Code.BROKEN_ROW, "many"),
    ({"id": 1}, Code.BROKEN_ROW, "Problem"),
    ("no object", Code.BROKEN_ROW, ""),
    (None, Code.BROKEN_ROW, ""),
]


@pytest.mark.parametrize(("row", "code", "words"), BROKEN)
def test_a_broken_row_is_reported_and_the_rest_read(tmp_path: Path, row: Any, code: Code, words: str) -> None:
    reading = read_json(mathqa.read, tmp_path, [MATHQA_ROW, row, MATHQA_ROW])
    (finding,) = reading.findings
    assert (finding.row, finding.code) == (2, code)
    assert words in finding.message
    assert (reading.rows, len(reading.problems), reading.skipped) == (3, 2, 1)
    assert reading.row_of == (1, 3)


def test_a_broken_row_is_fatal_where_the_caller_says_so(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "2 cats", "equation": "2"}\n{"id": 1}\n')
    assert load(str(path)).skipped == 1
    with pytest.raises(BrokenRowError, match=r"rows.jsonl, row 2 \(id 1\): broken-row"):
        load(str(path), on_error="raise")


@pytest.mark.parametrize("content", ["{}", "[1, 2", "\x00"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "rows.json"
    path.write_text(content)
    with pytest.raises(DataError, match=r"rows\.json"):
        mathqa.read(path)


def test_a_line_that_is_no_json_costs_that_line_only(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    good = json.dumps(gsm8k_row("There are 4 and 5.", "4+5=9", answer="9")).encode()
    path.write_bytes(b'{"question": \n' + b"\xff\xfe\n" + good + b"\n")
    reading = gsm8k.read(path)
    assert [(finding.row, finding.code) for finding in reading.findings] == [
        (1, Code.BROKEN_ROW),
        (2, Code.BROKEN_ROW),
    ]
    assert reading.row_of == (3,)


@pytest.mark.parametrize(
    ("name", "split", "fold", "problems"),
    [
        ("mathqa", "test", None, 1605),
        ("math23k", "test", None, 1000),
        ("mawps", "train", 0, 1590),
        ("mawps", "test", 0, 397),
        ("svamp", "train", None, 3138),
        ("svamp", "test", None, 1000),
    ],
)
def test_the_data_sets_are_read_whole_and_their_numbers_found(
    data_folder: Path, name: str, split: str, fold: int | None, problems: int
) -> None:
    reading = load(name, split, fold=fold, root=data_folder)
    assert len(reading.problems) == problems
    assert reading.skipped == 0
    assert reading.numbers_found >= 0.995 * reading.gold_numbers > 1.5 * problems


@pytest.mark.parametrize(
    ("name", "split", "rows", "converted"), [("gsm8k", "train", 7473, 0.85), ("asdiv", "all", 2305, 0.65)]
)
def test_most_solutions_in_steps_convert(data_folder: Path, name: str, split: str, rows: int, converted: float) -> None:
    reading = load(name, split, root=data_folder)
    assert reading.rows == rows == len(reading.problems) + reading.skipped
    assert len(reading.problems) > converted * rows
    assert reading.numbers_found >= 0.995 * reading.gold_numbers
