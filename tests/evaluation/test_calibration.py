"""A fitted confidence rises with the model's own, says what was right, and is never certain."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treequation.evaluation.calibration import fit


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=300))
def test_the_curve_rises_and_is_never_certain(answers: list[tuple[float, bool]]) -> None:
    curve = fit([probability for probability, _ in answers], [right for _, right in answers])
    assert all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(curve))
    assert all(0 < share < 1 for _, share in curve)


def test_it_says_what_share_was_right() -> None:
    random = Random(1)
    sure = [random.random() for _ in range(20_000)]
    right = [random.random() < probability**2 for probability in sure]  # a model that is too sure
    points, shares = zip(*fit(sure, right), strict=True)
    for probability in (0.2, 0.5, 0.8):
        assert abs(np.interp(probability, points, shares) - probability**2) < 0.05


def test_all_of_a_hundred_are_no_certainty() -> None:
    assert fit([0.5] * 100, [True] * 100) == ((0.5, 100.5 / 101),)
