from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tests.evaluation.cases import outcome, outcomes
from treequation.data.reading import DataError
from treequation.evaluation.outcome_file import OutcomeFileError, read_outcomes, write_outcomes
from treequation.evaluation.paired_comparison import compare, mcnemar


def test_what_changed() -> None:
    comparison = compare(outcomes(True, True, True, False, False), outcomes(True, False, False, True, False))
    assert (comparison.both_right, comparison.both_wrong) == (1, 1)
    assert (comparison.gained, comparison.lost) == (("p1", "p2"), ("p3",))
    assert comparison.difference == pytest.approx(1 / 5)
    assert comparison.p_value == 1.0  # 2 × (1 + 3) / 2³


def test_each_score_is_compared_by_itself() -> None:
    ours, theirs = [outcome(equation_right=False)], [outcome()]
    assert compare(ours, theirs).lost == ()
    assert compare(ours, theirs, "equation").lost == ("p",)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_a_binomial_test_of_the_changes(gained: int, lost: int) -> None:
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar(gained, lost) == pytest.approx(expected)


@pytest.mark.parametrize(
    "others",
    [outcomes(True), [outcome("p0"), outcome("other")], [outcome("p0"), outcome("p1", gold_value="4")]],
    ids=["fewer", "another id", "another answer"],
)
def test_other_problems_are_refused(others: list) -> None:
    with pytest.raises(DataError, match="the same data"):
        compare(outcomes(True, True), others)


def test_outcomes_come_back_from_their_file(tmp_path: Path) -> None:
    written = [outcome("甲", seen=True), outcome("b", right=False, value="", reason="5 ÷ 0 divides by zero")]
    write_outcomes(written, tmp_path / "outcomes.jsonl")
    assert read_outcomes(tmp_path / "outcomes.jsonl") == written
    assert len((tmp_path / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "a"}'])
def test_a_file_of_something_else_is_refused_by_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "outcomes.jsonl"
    write_outcomes([outcome()], path)
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(OutcomeFileError, match="line 2"):
        read_outcomes(path)
