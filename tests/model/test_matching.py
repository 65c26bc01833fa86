"""Bipartite matching: the enumeration against SciPy, and the cases at the edges."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from treequation.model.matching import (
    match,
    match_at_random,
    match_by_enumeration,
    match_by_hungarian,
    match_by_subsets,
)


def total(cost: torch.Tensor, assignment: torch.Tensor) -> torch.Tensor:
    return cost.gather(2, assignment.unsqueeze(-1)).sum(dim=(1, 2))


@st.composite
def random_costs(draw: st.DrawFn) -> tuple[torch.Tensor, torch.Tensor]:
    queries = draw(st.integers(1, 7))
    width = draw(st.integers(1, queries))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cost = -3 * rng.random((4, width, queries))
    if draw(st.booleans()):
        cost = cost.round(0)  # plenty of ties
    return torch.tensor(cost, dtype=torch.float32), torch.tensor(rng.random((4, width)) < 0.7)


@settings(deadline=None, max_examples=150)
@given(random_costs())
def test_enumeration_is_as_cheap_as_the_hungarian_algorithm(case: tuple[torch.Tensor, torch.Tensor]) -> None:
    cost, real = case
    free_none = cost.masked_fill(~real.unsqueeze(-1), 0.0)
    assignment = match(cost, real)
    for row in assignment.tolist():
        assert len(set(row)) == len(row)
    least = [matrix[linear_sum_assignment(matrix)].sum() for matrix in free_none.numpy()]
    torch.testing.assert_close(total(free_none, assignment), torch.tensor(least), atol=1e-5, rtol=0)
    torch.testing.assert_close(
        total(free_none, match_by_enumeration(free_none)), total(free_none, match_by_hungarian(free_none))
    )


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 8), st.integers(8, 30), st.booleans(), st.integers(0, 2**32 - 1))
def test_subsets_are_as_cheap_as_the_hungarian_algorithm(width: int, queries: int, ties: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cost = -3 * rng.random((4, width, queries))
    cost = torch.tensor(cost.round(0) if ties else cost, dtype=torch.float32)
    assignment = match_by_subsets(cost)
    assert all(len(set(row)) == width for row in assignment.tolist())
    torch.testing.assert_close(total(cost, assignment), total(cost, match_by_hungarian(cost)))


def test_as_many_queries_as_the_sweep_has_are_matched() -> None:
    cost = -torch.rand(3, 30, 30)
    assignment = match(cost, torch.ones(3, 30, dtype=torch.bool))
    assert assignment.sort(dim=1).values.tolist() == [list(range(30))] * 3
    assert (total(cost, assignment) < total(cost, torch.arange(30).expand(3, -1))).all()


def test_none_does_not_take_a_query_from_a_real_expression() -> None:
    # The first label is None; were its cost counted, it would take query 1 (−9) from the second.
    cost = torch.tensor([[[0.0, -9.0], [-1.0, -2.0]]])
    assert match(cost, torch.tensor([[False, True]])).tolist() == [[0, 1]]


def test_mixed_precision_does_not_change_the_choice() -> None:
    cost = -3 * torch.rand(500, 4, 6)
    real = torch.ones(500, 4, dtype=torch.bool)
    with torch.autocast("cpu", torch.bfloat16):
        rounded = match(cost, real)
    assert torch.equal(rounded, match(cost, real))


def test_random_matching_takes_every_placement() -> None:
    placements = {tuple(row) for row in match_at_random(torch.zeros(400, 2, 3), torch.ones(400, 2)).tolist()}
    assert placements == {(a, b) for a in range(3) for b in range(3) if a != b}


@pytest.mark.parametrize("width", [1, 6])
def test_a_layer_of_none_and_a_full_layer(width: int) -> None:
    cost = -torch.rand(2, width, 6)
    for real in (torch.zeros(2, width, dtype=torch.bool), torch.ones(2, width, dtype=torch.bool)):
        assert all(len(set(row)) == width for row in match(cost, real).tolist())
