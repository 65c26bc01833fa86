import json

import numpy as np
import pytest

from tests.evaluation.cases import outcome
from treequation.evaluation.calibration import calibration
from treequation.evaluation.paired_comparison import compare
from treequation.evaluation.summary import Report, Summary, interval

TREE = {"shape": "tree", "confidence": 0.85, "seen": False}
FOUR = [
    outcome("a", True, steps=1, confidence=0.95, seen=True),
    outcome("b", True, equation_right=False, steps=3, expressions=9, operators="+*", **TREE),
    outcome("c", False, literature_right=True, steps=2, expressions=3, operators="*", **TREE),
    outcome("d", False, steps=0, confidence=0.0, seen=False, shape="number", expressions=0, operators="", value=""),
]


def test_figures_by_hand() -> None:
    report = Report.of(FOUR)
    assert report.overall == Summary(4, 2 / 4, 1 / 4, 3 / 4, mean_steps=6 / 4)
    assert report.no_answer == 1
    assert {name: (s.count, s.answer_accuracy) for name, s in report.by_shape.items()} == {
        "number": (1, 0.0),
        "single": (1, 1.0),
        "tree": (2, 0.5),
    }
    assert {name: s.count for name, s in report.by_expressions.items()} == {"0": 1, "1": 1, "3": 1, "8+": 1}
    assert {name: (s.count, s.literature_accuracy) for name, s in report.by_operator.items()} == {
        "+": (2, 1.0),
        "*": (2, 1.0),
    }
    assert report.by_text["seen"] == Summary(1, 1.0, 1.0, 1.0, mean_steps=1.0)
    assert report.by_text["unseen"] == Summary(3, 1 / 3, 0.0, 2 / 3, mean_steps=5 / 3)


def test_calibration_by_hand() -> None:
    measured = Report.of(FOUR).calibration
    # Bins: 0.95 with one of one right, 0.85 with one of two, 0 with none of one.
    assert measured.expected_error == pytest.approx((1 * 0.05 + 2 * 0.35 + 1 * 0.0) / 4)
    assert [(b.count, b.accuracy) for b in measured.bins] == [(1, 0.0), (2, 0.5), (1, 1.0)]
    # Surest first: right; then half a mistake for each of the two that are equally sure; then wrong.
    risks = [0 / 1, 0.5 / 2, 1 / 3, 2 / 4]
    assert measured.risk_coverage_area == pytest.approx(sum(risks) / 4)
    assert measured.risk_at_coverage[-1] == pytest.approx(2 / 4)


def test_equal_confidence_has_no_order() -> None:
    assert calibration([0.5] * 4, [True, True, False, False]) == calibration([0.5] * 4, [False, True, False, True])


def test_json_has_the_overall_figures_on_top() -> None:
    written = json.loads(json.dumps(Report.of(FOUR).to_dict(), allow_nan=False))
    assert written["count"] == 4
    assert (written["answer_accuracy"], written["equation_accuracy"], written["literature_accuracy"]) == (
        0.5,
        0.25,
        0.75,
    )
    assert written["mean_steps"] == 1.5
    assert written["by_shape"]["tree"]["count"] == 2


def test_seen_and_unseen_are_left_out_where_training_texts_are_not_known() -> None:
    assert Report.of([outcome(seen=None)]).by_text == {}


@pytest.mark.parametrize(("right", "count"), [(794, 1000), (17, 20), (397, 397), (0, 5)])
def test_the_interval_is_that_of_resampled_outcomes(right: int, count: int) -> None:
    outcomes = np.arange(count) < right
    drawn = np.random.default_rng(1).integers(0, count, (4000, count))
    expected = np.quantile(outcomes[drawn].mean(axis=1), (0.025, 0.975))
    assert interval(right / count, count) == pytest.approx(tuple(expected), abs=max(0.003, 1.01 / count))
    assert interval(right / count, count) == interval(right / count, count)


def test_no_outcomes_are_no_report() -> None:
    with pytest.raises(ValueError, match="no outcomes"):
        Report.of([])


def test_equations_count_among_the_problems_that_have_one() -> None:
    known = [outcome("a", True), outcome("b", False), outcome("c", True)]
    valued = [outcome(id, True, equation_right=None, shape="", expressions=None, operators="") for id in "de"]
    report = Report.of([*known, *valued])
    assert (report.overall.count, report.overall.answer_accuracy) == (5, 0.8)
    assert report.overall.equation_accuracy == pytest.approx(2 / 3)
    assert {name: group.count for name, group in report.by_shape.items()} == {"single": 3}
    assert report.by_expressions["1"].count == report.by_operator["+"].count == 3
    alone = Report.of(valued)
    assert alone.overall.equation_accuracy is None
    assert alone.intervals.keys() == {"answer_accuracy", "literature_accuracy"}
    assert (alone.by_shape, alone.by_expressions, alone.by_operator) == ({}, {}, {})
    against = compare(valued, valued, "equation")
    assert (against.difference, against.p_value, against.both_right) == (0.0, 1.0, 0)
