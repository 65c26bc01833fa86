"""A vote of several models."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.cases import outcome
from treequation.data.reading import DataError
from treequation.experiments.voting import vote


def test_the_value_with_the_most_confidence_is_chosen_and_brings_its_surest_equation() -> None:
    sure = outcome("p", False, value="7", equation="n0*n1", confidence=0.8)
    unsure = outcome("p", True, value="5", equation="n0+n1", confidence=0.4)
    surer = outcome("p", True, value="5", equation="n1+n0", confidence=0.5)
    silent = outcome("p", False, value="", equation="", confidence=0.99)
    (chosen,) = vote([[sure], [unsure], [surer], [silent]])
    assert (chosen.value, chosen.equation, chosen.literature_right) == ("5", "n1+n0", True)
    assert chosen.confidence == pytest.approx(0.9 / 4)
    (chosen,) = vote([[silent], [silent]])
    assert chosen == silent


@given(st.lists(st.tuples(st.sampled_from(["1", "2", "3", ""]), st.floats(0, 1)), min_size=1, max_size=7))
def test_no_other_value_has_more_confidence(said: list[tuple[str, float]]) -> None:
    (chosen,) = vote([[outcome("p", value=value, confidence=confidence)] for value, confidence in said])
    totals = {value: sum(c for v, c in said if v == value) for value, _ in said if value}
    assert totals.get(chosen.value, 0) == pytest.approx(max(totals.values(), default=0))
    assert 0 <= chosen.confidence <= 1


def test_a_text_that_one_of_them_has_seen_counts_as_seen() -> None:
    for flags, expected in (((True, False), True), ((False, False), False), ((True, None), None)):
        for value in ("3", ""):
            (chosen,) = vote([[outcome("p", value=value, seen=flag)] for flag in flags])
            assert chosen.seen is expected


def test_models_that_were_asked_other_problems_cannot_vote() -> None:
    with pytest.raises(DataError, match="the same problems"):
        vote([[outcome("p")], [outcome("q")]])
