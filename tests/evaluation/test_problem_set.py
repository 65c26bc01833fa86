import json
from pathlib import Path

import pytest

from tests.evaluation.cases import problem
from treequation.data import jsonl
from treequation.data.catalogue import MissingDataError
from treequation.evaluation.problem_set import problem_set, training_texts
from treequation.expression.evaluation import evaluate

HALF = problem("He ate 1/2 of 8 pies.", "n0*n1", "4", id="half")
BARE = problem("He ate 1/2. How much?", "n0", "1/2", id="bare")


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "mine.jsonl"
    jsonl.write([HALF, BARE], path)
    with path.open("a") as file:
        file.write('{"text": "3 cats and", "equation": "3 +"}\n')
    return str(path)


def test_rows_that_cannot_be_read_are_counted(source: str) -> None:
    test_set = problem_set(source, {})
    assert [each.id for each in test_set.problems] == ["half", "bare"]
    assert (test_set.name, len(test_set.given), test_set.unreadable) == ("mine", 2, 1)


def test_problems_come_in_the_models_number_format(source: str) -> None:
    half, bare = problem_set(source, {"fraction": "two"}).problems
    assert [str(value) for value in half.values] == ["1", "2", "8"]
    assert [str(evaluate(each.graph, each.values).value) for each in (half, bare) if each.graph] == ["4", "0.5"]


def test_problems_that_the_models_format_cannot_say_are_kept_in_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        _mathqa("there are 2 cats and 3 dogs", "add(n0,n1)|", "5"),
        _mathqa("how much more is 3 than 2 in 2 / 3 ?", "subtract(n3,n2)|", "1"),  # one number alone says no 2 and 3
        _mathqa("there are 4 cats and 3 dogs", "add(n0,n1)|", "7"),
    ]
    (tmp_path / "mathqa").mkdir()
    (tmp_path / "mathqa" / "mathqa_test_nodup_our_filtered.json").write_text(json.dumps(rows))
    monkeypatch.setenv("TREEQUATION_DATA", str(tmp_path))
    test_set = problem_set("mathqa", {"fraction": "one"})
    assert [str(each.answer) for each in test_set.problems] == ["5", "1", "7"]
    assert [bool(each.refused) for each in test_set.problems] == [False, True, False]
    assert test_set.given == [test_set.problems[0], test_set.problems[2]]
    assert test_set.unreadable == 0


def _mathqa(text: str, formula: str, answer: str) -> dict[str, str]:
    return {"Problem": text, "linear_formula": formula, "options": f"a ) {answer} , b ) 99", "correct": "a"}


def test_training_texts_are_masked_and_from_every_source(source: str) -> None:
    assert training_texts([source], {}) == {"he ate # of # pies.", "he ate #. how much?"}
    assert training_texts(["nowhere.jsonl", source], {}) == frozenset()


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="did you mean"):
        problem_set("mathsqa:test", {})
    with pytest.raises(MissingDataError, match="has no folds"):
        problem_set("synthetic", {}, fold=3)
