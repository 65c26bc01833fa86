"""Rows of results: what is refused, and that a result measured anew takes its old place."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.evaluation.cases import outcome
from treequation.errors import TreequationError
from treequation.experiments import paper
from treequation.reporting.results import Row, add_rows, brief_tables, read_rows, tables

ABOUT = {
    "data": "mathqa",
    "protocol": "test",
    "model": "expression-tree",
    "variant": "Standard",
    "encoder": "all-MiniLM-L6-v2",
    "encoder_parameters": 22_700_000,
    "command": "treequation seeds recipes/mathqa.toml -n 2",
    "date": "2025-01-31",
    "device": "a machine",
}


def test_a_row_from_the_outcomes_of_two_runs() -> None:
    first = [outcome(f"p{i}", right=i < 3, seen=i < 2) for i in range(4)]  # 3 of 4; of the unseen 1 of 2
    second = [outcome(f"p{i}", right=i < 1, seen=i < 2) for i in range(4)]  # 1 of 4; of the unseen none
    row = Row.of([first, second], **ABOUT)
    assert (row.accuracy, row.runs, row.unseen_accuracy) == (0.5, 2, 0.25)
    assert row.std == pytest.approx(0.3535534)
    alone = Row.of([first], **ABOUT)
    assert (alone.accuracy, alone.std) == (0.75, None)


def test_a_result_measured_anew_takes_its_old_place(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    row = Row(**ABOUT, accuracy=0.7, std=None, runs=1, unseen_accuracy=0.3)
    other = replace(row, variant="Layer-Shared(2)")
    add_rows(path, [row, other])
    add_rows(path, [replace(row, accuracy=0.8)])
    assert {found.variant: found.accuracy for found in read_rows(path)} == {"Standard": 0.8, "Layer-Shared(2)": 0.7}
    ours, *theirs = tables(read_rows(path))[0].rows[1:]
    assert ours == ("ours: expression-tree, Standard", "all-MiniLM-L6-v2", "22.7 M", "80.0", "1", "30.0")
    assert ("paper: Expression tree", "", "", "81.5 ± 0.13", "", "") in theirs


def test_the_page_has_ours_and_the_best_published_once() -> None:
    row = Row(**ABOUT, accuracy=0.7, std=None, runs=1, unseen_accuracy=None)
    better = replace(row, variant="Layer-Shared(2)", accuracy=0.8)
    chosen_on_test = replace(row, protocol="test, best epoch", accuracy=0.9)
    ours, published = brief_tables([row, better, chosen_on_test])
    assert [line[4] for line in ours.rows] == [
        "80.0",
        "70.0",
        "81.5 ± 0.13",
        "81.1 ± 0.23",
        "80.3",
        "79.6",
        "79.5",
        "90.0",
    ]
    assert {line[0] for line in published.rows} == {each.model for rows in paper.RESULTS.values() for each in rows}
    assert brief_tables([]) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"accuracy": 79.5}, "accuracy is 79.5; it must be at most 1"),
        ({"accuracy": "0.7"}, "accuracy is '0.7'; it must be of type float"),
        ({"protocol": "five folds"}, "it must be 'test', 'test, best epoch', 'folds' or"),
        ({"runs": 3}, "std is None for 3 runs"),
        ({"date": "31.1.2025"}, "write it as 2025-01-31"),
        ({"command": " "}, "command is empty"),
        ({"acuracy": 0.7}, "there is no acuracy; did you mean accuracy?"),
    ],
)
def test_a_wrong_row_is_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    row = asdict(Row(**ABOUT, accuracy=0.7, std=None, runs=1, unseen_accuracy=None))
    path = tmp_path / "results.json"
    path.write_text(json.dumps([{**row, **change}]), encoding="utf-8")
    with pytest.raises(TreequationError, match="row 1") as refused:
        read_rows(path)
    assert message in str(refused.value)


def test_a_row_that_is_no_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text("[3]", encoding="utf-8")
    with pytest.raises(TreequationError, match="row 1: it must be a table"):
        read_rows(path)
