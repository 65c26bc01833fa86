"""Bipartite matching: which query has to predict which gold expression of its layer (the paper's equation 8).

*None* labels cost nothing, so only the placements of real expressions matter. With few queries, we enumerate the
placements on the device: a gather, a sum and an argmin, without a round trip to the host at every layer of every step.
With many queries, a dynamic program on the device goes through them and keeps the cheapest placement of each subset of
the expressions. Layers with too many subsets, which no data set has, are left to SciPy's Hungarian algorithm.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import permutations

import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

MAX_PLACEMENTS = 1_000  # 6 queries with 6 expressions have 720; beyond this, there are fewer subsets than placements
MAX_SUBSETS = 1 << 12


def match(cost: Tensor, real: Tensor) -> Tensor:
    """The query of each gold expression [B, W], with the least total cost; no query is used twice.

    ``cost`` [B, W, K] is the cost of gold expression w at query k. ``real`` [B, W] is False for *None* labels, which
    cost nothing at any query.

    >>> cost = torch.tensor([[[-1.0, -2.0], [-0.5, -1.9]]])
    >>> match(cost, torch.tensor([[True, True]])).tolist()  # −1.0 − 1.9 is less than −2.0 − 0.5
    [[0, 1]]
    """
    cost = cost.detach().float().masked_fill(~real.unsqueeze(-1), 0.0)
    width, queries = cost.shape[1:]
    if math.perm(queries, width) <= MAX_PLACEMENTS:
        return match_by_enumeration(cost)
    if 1 << width <= MAX_SUBSETS:
        return match_by_subsets(cost)
    return match_by_hungarian(cost)


def match_by_enumeration(cost: Tensor) -> Tensor:
    """Tries every placement of W expressions at K queries."""
    width, queries = cost.shape[1:]
    places, cells = _placements(width, queries, cost.device)  # [P, W], [W * P]
    # Not a product with one-hot placements: mixed precision would round the costs and choose worse placements.
    total = cost.flatten(1).index_select(1, cells).unflatten(1, (width, -1)).sum(dim=1)  # [B, P]
    return places[total.argmin(dim=1)]  # [B, W]


def match_by_subsets(cost: Tensor) -> Tensor:
    """Query by query, the cheapest placement of each of the 2^W subsets of the expressions."""
    rows, width, queries = cost.shape
    without, has = _subsets(width, cost.device)  # [W, 2^W] each
    best = torch.full((rows, 1 << width), torch.inf, device=cost.device)
    best[:, 0] = 0.0
    placed = []  # which expression of each subset the query took; W where it took none
    for query in range(queries):
        taking = (best[:, without] + cost[:, :, query, None]).masked_fill(~has, torch.inf)  # [B, W, 2^W]
        least, expression = taking.min(dim=1)
        placed.append(torch.where(least < best, expression, width))
        best = torch.minimum(least, best)
    assignment = torch.zeros(rows, width + 1, dtype=torch.long, device=cost.device)  # the last column is discarded
    left = torch.full((rows, 1), (1 << width) - 1, device=cost.device)
    for query in reversed(range(queries)):
        expression = placed[query].gather(1, left)  # [B, 1]
        assignment.scatter_(1, expression, query)
        left = torch.where(expression < width, left - (1 << expression), left)
    return assignment[:, :width]


def match_by_hungarian(cost: Tensor) -> Tensor:
    """The Hungarian algorithm on the host, problem by problem."""
    assignments = [linear_sum_assignment(matrix)[1] for matrix in cost.cpu().numpy()]
    return torch.stack([torch.from_numpy(a) for a in assignments]).to(cost.device)  # [B, W]


def match_in_sequence(cost: Tensor, real: Tensor) -> Tensor:
    """The ablation that matches the first label with the first query, and so on."""
    return torch.arange(cost.shape[1], device=cost.device).expand(cost.shape[0], -1)


def match_at_random(cost: Tensor, real: Tensor) -> Tensor:
    """The ablation that matches labels with random queries."""
    width, queries = cost.shape[1:]
    return torch.rand(cost.shape[0], queries, device=cost.device).argsort(dim=1)[:, :width]


MATCHINGS = {"bipartite": match, "sequence": match_in_sequence, "random": match_at_random}
"""The matching for each value of ``model.matching``."""


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]  # keep it out of compiled steps
def _placements(width: int, queries: int, device: torch.device) -> tuple[Tensor, Tensor]:
    return _cached_placements(width, queries, device)


@lru_cache(maxsize=64)
def _cached_placements(width: int, queries: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """All placements, and the indices of their cells in a flattened [W, K] cost matrix."""
    places = torch.tensor(list(permutations(range(queries), width)), device=device)  # [P, W]
    cells = (places + queries * torch.arange(width, device=device)).T.flatten()  # [W * P]
    return places, cells


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _subsets(width: int, device: torch.device) -> tuple[Tensor, Tensor]:
    return _cached_subsets(width, device)


@lru_cache(maxsize=16)
def _cached_subsets(width: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """For each expression and subset (a bit mask): the subset without the expression, and whether it contains it."""
    subsets = torch.arange(1 << width, device=device)
    bits = 1 << torch.arange(width, device=device).unsqueeze(1)  # [W, 1]
    has = (subsets & bits) > 0
    return torch.where(has, subsets - bits, 0), has
