"""The solver in Python, with a tiny model that knows a few problems."""

import itertools
import json
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.light import changed_copy, known_problems, taught_folder
from treequation import Solution, SolveError, Solver
from treequation.expression.evaluation import evaluate
from treequation.expression.parsing import parse_infix
from treequation.runtime.folder import FORMAT, KIND
from treequation.storage import DamagedFolderError, seal
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(taught_folder(), threads=1)


def test_known_problems_get_their_answer(solver: Solver) -> None:
    for problem in known_problems():
        solution = solver.solve(problem.text)
        assert solution.answer.number == problem.answer
        assert not solution.unsure
        assert solution.numbers == problem.numbers
        assert len(solution.steps) == sum(len(layer) for layer in solution.layers)


def test_a_solution_explains_itself(solver: Solver) -> None:
    problem = max(known_problems(), key=lambda p: len(p.graph or ()))
    solution = solver.solve(problem.text, with_trace=True)
    content = json.loads(json.dumps(solution.to_dict()))
    assert content["problem"] == problem.text
    assert Fraction(content["answer"]) == Fraction(content["value"]) == problem.answer
    # The layers alone lead to the answer: each expression uses what stands before it.
    known = {number["id"]: Fraction(number["value"]) for number in content["numbers"]}
    for expression in itertools.chain(*content["layers"]):
        left, right = (known.get(expression[side]) or Fraction(expression[side]) for side in ("left", "right"))
        known[expression["id"]] = {"+": left + right, "-": left - right, "*": left * right, "/": left / right}[
            expression["operator"]
        ]
        assert known[expression["id"]] == expression["value"]
    assert known[content["layers"][-1][0]["id"]] == problem.answer
    assert len(parse_infix(content["equation"])) == len(solution.graph)
    for number in content["numbers"]:
        assert problem.text[number["start"] : number["end"]] == number["text"]
    assert len(content["trace"]["steps"]) == len(content["layers"]) + 1  # and one in which every query predicts None
    assert content["trace"]["tokens"].count("<number>") == len(problem.numbers)
    # Every expression of the answer was somebody's, at the step of its layer.
    kept = [{query["kept"] for query in step} - {None} for step in content["trace"]["steps"]]
    assert kept == [*({step["id"] for step in layer} for layer in content["layers"]), set()]
    words = [problem.text[slice(*span)] for span in content["trace"]["spans"] if span is not None]
    assert all(number["text"] in words for number in content["numbers"])
    assert {len(q["similarity"]) for step in content["trace"]["steps"] for q in step} == {
        len(content["trace"]["spans"])
    }
    assert content["latex"] == solution.to_latex()
    assert solution.to_latex().endswith(f"= {solution.answer}")


def test_the_drawing_is_an_image_of_the_tree(solver: Solver) -> None:
    problem = max(known_problems(), key=lambda p: len(p.graph or ()))
    solution = solver.solve(problem.text)
    image = ElementTree.fromstring(solution.to_svg())
    texts = [element.text for element in image.iter("{http://www.w3.org/2000/svg}text")]
    lines = list(image.iter("{http://www.w3.org/2000/svg}line"))
    assert len(lines) == 2 * len(solution.graph)
    assert any(text and text.endswith(f"= {solution.answer}") for text in texts)
    assert f"第 {len(solution.layers)} 层" in texts  # in the problem's language
    assert image.findtext("{http://www.w3.org/2000/svg}title") == str(solution)  # a screen reader says it
    assert solution.to_svg() in solution._repr_html_()


def test_a_beam_gives_other_answers(solver: Solver) -> None:
    solution = solver.solve(known_problems()[0].text, beam=4)
    assert solution.answer.number == known_problems()[0].answer
    likelihoods = [solution.confidence, *(other.confidence for other in solution.alternatives)]
    assert len(likelihoods) > 1
    assert likelihoods == sorted(likelihoods, reverse=True)
    answers = [solution.answer, *(other.answer for other in solution.alternatives)]
    assert len({answer.number for answer in answers}) == len(answers)


def test_an_answer_is_as_likely_as_all_equations_that_have_it(solver: Solver) -> None:
    more = 0
    for problem in known_problems():
        wide, narrow = solver.solve(problem.text, beam=16), solver.solve(problem.text)
        assert wide.confidence + sum(other.confidence for other in wide.alternatives) <= 1 + 1e-6
        if wide.answer == narrow.answer:
            assert wide.confidence >= narrow.confidence - 1e-6
            more += wide.confidence > narrow.confidence + 1e-6
    assert more  # such as 3 + 4 and 4 + 3


def test_many_are_solved_in_order_and_lazily(solver: Solver) -> None:
    texts = [problem.text for problem in known_problems()] + ["no number", ""]
    read = 0

    def endless() -> Iterator[str]:
        nonlocal read
        for text in itertools.cycle(texts):
            read += 1
            yield text

    found = list(itertools.islice(solver.solve_many(endless(), batch_size=5), 3 * len(texts)))
    assert read <= 3 * len(texts) + 256
    for text, one in zip(itertools.cycle(texts), found, strict=False):
        if isinstance(one, Solution):
            assert one.problem.text == text
            assert one.answer == solver.solve(text).answer
        else:
            assert one.code == ("no-number" if text else "empty-text")


def test_several_processors_solve_several_batches_at_a_time(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [problem.text for problem in known_problems()] * 3 + ["no number"]
    monkeypatch.setattr(solver, "_processors", 1)
    expected = list(solver.solve_many(texts))
    monkeypatch.setattr(solver, "_processors", 2)
    threads, both = set[int](), threading.Barrier(2)
    decode = solver._decode

    def noting(*arguments: Any) -> Any:
        if threading.get_ident() not in threads:
            threads.add(threading.get_ident())
            both.wait(60)  # else one that is quick might have solved all before the other begins
        return decode(*arguments)

    monkeypatch.setattr(solver, "_decode", noting)
    found = list(solver.solve_many(texts))
    assert [str(each) for each in found] == [str(each) for each in expected]
    assert len(threads) == 2
    assert solver.model.precision == solver._model_for_one.precision


def test_invalid_settings_are_refused_at_once(solver: Solver) -> None:
    for beam in (0, -1, 65, 1.5):
        with pytest.raises(ValueError, match=f"beam is {beam}; it must be a whole number from 1 to 64"):
            solver.solve("Tom has 3 apples and 4 pears. How many?", beam=beam)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=f"beam is {beam}"):
            solver.solve_many([], beam=beam)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batch_size is 0; it must be a whole number above 0"):
        solver.solve_many(["Tom has 3 apples and 4 pears. How many?"], batch_size=0)
    with pytest.raises(ValueError, match="threads is -1"):
        Solver(taught_folder(), threads=-1)
    with pytest.raises(TypeError, match="put it into a list"):
        solver.solve_many("Tom has 3 apples and 4 pears. How many?")


def test_what_is_no_text_is_named_by_its_type(solver: Solver) -> None:
    (error,) = solver.solve_many([7.5])  # type: ignore[list-item]
    assert isinstance(error, SolveError)
    assert (error.code, error.message) == ("empty-text", "the problem is of type float")


def test_an_error_can_be_sent_to_another_process(solver: Solver) -> None:
    (error,) = solver.solve_many([""])
    assert isinstance(error, SolveError)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.to_dict()) == (SolveError, str(error), error.to_dict())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty-text"),
        (" \n\t ", "empty-text"),
        ("Tom has some apples. How many?", "no-number"),
        ("7" * 1_000_000, "too-long"),
        ("7" * 10_000, "too-long"),
        ("What is sin(30)?", "bad-calculation"),
        ("10 % 3", "bad-calculation"),
        ("Tom has 3 \x00 apples and 4 pears.", "bad-character"),
        ("Tom has 3 \ud83d apples and 4 pears.", "bad-character"),
        ("Tom has Ⅳ apples and 3 pears. How many?", "bad-character"),
        ("What is (3 + 4)² ?", "bad-character"),
        ("What is 3⁹⁹ plus 2?", "bad-character"),
        ("What is ½² plus 3?", "bad-character"),
        ("לדני 3 תפוחים ולרותי 4 תפוחים. כמה ביחד?", "unknown-language"),
        ("У Маши 3 яблока и 4 груши.", "unknown-language"),
        ("A bag costs €3,50. How much do 4 bags cost?", "decimal-comma"),
        ("A bag costs 3,50 €. How much do 4 bags cost?", "decimal-comma"),
        ("A bottle holds 1,5 litres. How many litres do 6 bottles hold?", "decimal-comma"),
        ("A lorry carries 1,25 t in each of 4 trips. How much is that?", "decimal-comma"),
        ("The temperature is 3,5 °C and rises by 2 °C. What is it now?", "decimal-comma"),
        ("How much is 12,5 % of 200?", "decimal-comma"),
        ("A bike costs 1.000,50 €. How much do 2 bikes cost?", "decimal-comma"),
        ("A city has 2,5 million people and 40 schools.", "decimal-comma"),
        ("一根绳子长3,5米，用去1米，还剩多少米？", "decimal-comma"),
        ("一本书3,50元，买4本要多少元？", "decimal-comma"),
        ("2,5 + 1", "decimal-comma"),
        ("2 × 12,5", "decimal-comma"),
        ("3 + 4 +", "bad-calculation"),
        ("5 divided by 0", "undefined-value"),
        ("A city has 1 234 567 people. 567 move away. How many are left?", "grouped-digits"),
        ("A city has 1.234.567 people. 567 move away. How many are left?", "grouped-digits"),
        ("A city has 12.500 people. 567 move away. How many are left?", "grouped-digits"),
        ("A city has 12 500 people. 567 move away. How many are left?", "grouped-digits"),
        ("She earns 5.000 € a month and spends half of it. What is left?", "grouped-digits"),
        ("She earns € 3 200 a month and spends half of it. What is left?", "grouped-digits"),
        ("Add " + ", ".join(str(n) for n in range(100)), "too-many-numbers"),
        ("Tom has 3 apples and 4 pears. " + "They are red. " * 200, "too-long"),
    ],
)
def test_bad_input_is_explained(solver: Solver, text: str, code: str) -> None:
    with pytest.raises(SolveError) as caught:
        solver.solve(text)
    error = caught.value
    assert error.code == code
    assert error.message
    assert error.hint
    assert len(str(error)) < 300


def test_what_nobody_sees_is_left_out(solver: Solver) -> None:
    copied = "\ufeffTom has twenty-\nthree ap\u00adples \r\nand 1\u200b2 pears\u200e. How many fruits has he?"
    solution = solver.solve(copied)
    assert solution.problem.text == "Tom has twenty-three apples\nand 12 pears. How many fruits has he?"
    assert solution.problem.values == (23, 12)


def test_powers_of_numbers_are_read_and_those_of_units_are_ignored(solver: Solver) -> None:
    solution = solver.solve("A square of 3² cm² and one of 4² cm ², seen after 5 m·s⁻². How large are both?")
    assert solution.problem.values == (9, 16, 5)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("A triangle has sides of 3,4,5 cm. What is its perimeter?", (3, 4, 5)),
        ("Some pipes need 5 , 10,15 days. How many days is that in all?", (5, 10, 15)),
        ("A car costs $1,000 and a bike $25. How much do both cost?", (1000, 25)),
        ("I add 3,4 and 6. What do I get?", (3, 4, 6)),
        ("A city has 1'234'567 people, and 12’567 move away. How many are left?", (1234567, 12567)),
        ("Petrol costs €1.459 a litre. How much do 10 litres cost?", (Fraction(1459, 1000), 10)),
        ("A shop sells 12 500 ml bottles. How much is that?", (12, 500)),
    ],
)
def test_other_commas_are_read(solver: Solver, text: str, values: tuple[int, ...]) -> None:
    assert solver.solve(text).problem.values == values


def test_an_emoji_is_allowed(solver: Solver) -> None:
    assert solver.solve("Tom has 3 🍎 and 4 🍐. How many has he?").answer.defined


def test_a_calculation_needs_no_model(solver: Solver) -> None:
    solution = solver.solve("What is 2^10 − 3 × (4 + 5)?", beam=3, with_trace=True)
    assert (solution.answer.number, solution.equation) == (997, "2^10 − 3 × (4 + 5)")
    assert (solution.confidence, solution.unsure, solution.model, solution.trace) == (1, False, None, None)
    assert [len(layer) for layer in solution.layers] == [2, 1, 1]
    buses = solver.solve("ceil(95/14)")
    assert (buses.answer.number, buses.equation, buses.to_dict()["layers"][0][0]["operator"]) == (
        7,
        "⌈95 ÷ 14⌉",
        "ceil",
    )
    assert "⌈÷⌉ = 7" in buses.to_svg()
    texts = ["7 * 6", known_problems()[0].text, "1 / 0", "9^9^9"]
    right, by_model, by_zero, too_large = solver.solve_many(texts)
    assert isinstance(right, Solution)
    assert isinstance(by_model, Solution)
    assert (right.answer.number, right.model, by_model.model) == (42, None, solver.metadata.name)
    assert str(by_zero).startswith("the calculation has no value: 1 ÷ 0 divides by zero")
    assert "too large" in str(too_large)


@settings(max_examples=150)
@given(
    st.one_of(
        st.text(max_size=300),
        st.text("0123456789+-*/^() =x", max_size=300),
        st.text("0123456789 /%.,()个x半dozen", max_size=300),
    )
)
def test_any_text_is_answered_or_refused_in_time(solver: Solver, text: str) -> None:
    started = time.process_time()
    (found,) = solver.solve_many([text], beam=2)
    assert time.process_time() - started < 1
    assert found.answer.defined if isinstance(found, Solution) else found.code in str(SolveError.__doc__)


def test_undefined_value_is_an_error_with_the_reason(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = parse_infix("n0/(n0-n0)")
    monkeypatch.setattr("treequation.decoding.answer.answer_to", lambda problem, decoded, amounts: graph)
    with pytest.raises(SolveError, match="3 ÷ 0 divides by zero") as caught:
        solver.solve("Tom has 3 apples and 4 pears.")
    assert caught.value.code == "undefined-value"
    monkeypatch.setattr("treequation.decoding.answer.answer_to", lambda problem, decoded, amounts: None)
    with pytest.raises(SolveError) as caught:
        solver.solve("Tom has 3 apples and 4 pears.")
    assert caught.value.code == "no-equation"


def test_confidence_follows_the_model_s_calibration(tmp_path: Path) -> None:
    folder = changed_copy(
        tmp_path / "calibrated", calibration=[[0.0, 0.0], [1.0, 0.6]], unsure_below=0.7, languages=["en"]
    )
    with pytest.raises(DamagedFolderError, match="has changed"):
        Solver(folder)
    seal(folder, kind=KIND, version=FORMAT)
    problem = next(p for p in known_problems() if p.language == "en")
    plain, calibrated = (Solver(each).solve(problem.text, beam=1) for each in (taught_folder(), folder))
    assert calibrated.confidence == pytest.approx(0.6 * plain.confidence)
    assert calibrated.unsure
    with pytest.raises(SolveError, match="write it in English") as caught:
        Solver(folder).solve("小明有3个苹果和4个梨，一共有几个？")
    assert caught.value.code == "unknown-language"


def test_solving_needs_no_pytorch_and_starts_at_once() -> None:
    program = f"""
import sys, time
started = time.process_time()
import numpy, onnxruntime
needed = time.process_time() - started
from treequation import Solver
imported = time.process_time() - started
Solver({str(taught_folder())!r}).solve({known_problems()[0].text!r})
assert not {{"torch", "transformers", "safetensors", "onnx"}} & set(sys.modules), sorted(sys.modules)
print(imported, needed)
"""

    def seconds() -> list[float]:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        return [float(each) for each in done.stdout.split()]

    imported, needed = (min(each) for each in zip(*(seconds() for _ in range(3)), strict=True))
    assert imported < max(0.5, 5 * needed)  # on a slow machine what it cannot do without takes long


def test_solving_leaves_nothing_behind(tmp_path: Path) -> None:
    """No file in the user's folders, such as an identifier for telemetry."""
    command = [sys.executable, "-m", "treequation", "solve", "--model", str(taught_folder()), known_problems()[0].text]
    environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
    done = subprocess.run(command, env=environment | {"HOME": str(tmp_path)}, capture_output=True, text=True)
    assert done.stdout.startswith(f"{known_problems()[0].answer} 元\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "equation", "shown", "fraction"),
    [
        ("3 pizzas for 4 children. How much does each get?", "n0/n1", "0.75", "3/4"),
        ("7 cakes for 3 children. How many does each get?", "n0/n1", "7/3", "2 1/3"),
        ("1 cake for 3 children. How much does each get?", "n0/n1", "1/3", None),  # which it is already
        ("5 m of rope for 2 swings. How many metres each?", "n0/n1", "2.5 m", "2 1/2"),
        ("2 pens cost $5. How much does one cost?", "n1/n0", "$2.50", None),  # money has cents
        ("3 of 4 pupils walk. What percent is that?", "n0/n1", "75 %", None),
        ("343 litres for 100 days. How much a day?", "n0/n1", "3.43", None),  # nobody writes 3 43/100
        ("6 cakes for 3 children. How many does each get?", "n0/n1", "2", None),
        ("2001 cakes for 2 schools. How many does each get?", "n0/n1", "1000.5", None),
    ],
)
def test_an_answer_as_people_write_it(text: str, equation: str, shown: str, fraction: str | None) -> None:
    problem = Problem("", text, find_numbers(text))
    graph = parse_infix(equation)
    solution = Solution(problem, graph, evaluate(graph, problem.values), 1.0, False, (), "model")
    assert (solution.shown, solution.fraction) == (shown, fraction)
    assert (solution.to_dict()["shown"], solution.to_dict()["fraction"]) == (shown, fraction)


@pytest.mark.parametrize(
    ("text", "equation", "shown"),
    [
        ("12 of 36 pupils walk. What percent of the pupils walk?", "n0/n1", "33.3 %"),
        ("12 of 36 pupils walk. What percentage is that?", "n0/n1*100", "33.3 %"),  # counts in percent by itself
        ("What percentage is 10 to the power of 400?", "n0^n1", "1" + 400 * "0"),  # no float is as large
        ("一件大衣原价80元，现在60元，降价了百分之几？", "(n0-n1)/n0", "25 %"),
        ("What is 15 percent of 80?", "n0*n1", "12"),
        ("What is fifty percent of 80?", "n0*n1", "40"),
        ("How many passed if ninety percent of 200 students passed?", "n0*n1", "180"),
        ("What is a price of $20 after a twenty percent discount?", "n0*(1-n1)", "16"),
        ("How many of 40 are boys if the percentage of girls is 60%?", "n0*(1-n1)", "16"),
        ("How many percent of 400 is 49?", "n1/n0", "12.25 %"),
        ("What percent of 5000 is 2?", "n1/n0", "0.04 %"),
        ("What percent of 30000 is 1?", "n1/n0", "0.003 %"),
        ("What percent of 3000 are 2999?", "n1/n0", "99.97 %"),
        ("12 of 36 pupils walk. What fraction is that?", "n0/n1", "1/3"),
    ],
)
def test_a_percentage_is_shown_if_the_question_asks_for_one(text: str, equation: str, shown: str) -> None:
    problem = Problem("", text, find_numbers(text))
    graph = parse_infix(equation)
    solution = Solution(problem, graph, evaluate(graph, problem.values), 1.0, False, (), "")
    assert solution.shown == shown
    assert solution.to_dict()["percentage"] == (shown if "%" in shown else None)
