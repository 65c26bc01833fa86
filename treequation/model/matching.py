"""Bipartite matching: which query is to predict which gold expression of its layer (the paper's equation 8).

*None* labels cost nothing, so only the placements of the real expressions matter. For few queries we
enumerate the placements on the device: a gather, a sum and an argmin, with no round trip to the host, which
would be paid at every layer of every step. For many queries we go through them one by one and keep the cheapest way to
have placed each subset of the expressions, on the device as well. For layers of a width that no data set has, where the
subsets are too many, SciPy's Hungarian algorithm takes over.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import permutations

import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

MAX_PLACEMENTS = 1_000  # 6 queries with 6 expressions have 720; beyond this the subsets are fewer
MAX_SUBSETS = 1 << 12


def match(cost: Tensor, real: Tensor) -> Tensor:
    """The query for each gold expression, so that the total cost is least.

    ``cost`` [B, W, K] is the cost of gold expression w at query k, ``real`` [B, W] says which gold expressions are
    not *None*; those that are cost nothing wherever they stand. Returns [B, W], each row without a repetition.

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
    # Not a product with one-hot placements: mixed precision would round it, and choose worse placements.
    total = cost.flatten(1).index_select(1, cells).unflatten(1, (width, -1)).sum(dim=1)  # [B, P]
    return places[total.argmin(dim=1)]  # [B, W]


def match_by_subsets(cost: Tensor) -> Tensor:
    """Query by query, the cheapest way to have placed each of the 2^W subsets of the expressions."""
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
    assignment = torch.zeros(rows, width + 1, dtype=torch.long, device=cost.device)  # the last is thrown away
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


def match_in_sequence(cost: Tensor) -> Tensor:
    """The ablation: the first label belongs to the first query, and so on."""
    return torch.arange(cost.shape[1], device=cost.device).expand(cost.shape[0], -1)


def match_at_random(cost: Tensor) -> Tensor:
    """The ablation: any label to any query."""
    width, queries = cost.shape[1:]
    return torch.rand(cost.shape[0], queries, device=cost.device).argsort(dim=1)[:, :width]


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]  # not a part of every compiled step
def _placements(width: int, queries: int, device: torch.device) -> tuple[Tensor, Tensor]:
    return _placements_made(width, queries, device)


@lru_cache(maxsize=64)
def _placements_made(width: int, queries: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """The placements, and where in a flattened [W, K] cost matrix their cells are, expression by expression."""
    places = torch.tensor(list(permutations(range(queries), width)), device=device)  # [P, W]
    cells = (places + queries * torch.arange(width, device=device)).T.flatten()  # [W * P]
    return places, cells


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _subsets(width: int, device: torch.device) -> tuple[Tensor, Tensor]:
    return _subsets_made(width, device)


@lru_cache(maxsize=16)
def _subsets_made(width: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Of every subset of W expressions, a bit each: it without one of them (0 if it has not), and whether it has it."""
    subsets = torch.arange(1 << width, device=device)
    bits = 1 << torch.arange(width, device=device).unsqueeze(1)  # [W, 1]
    has = (subsets & bits) > 0
    return torch.where(has, subsets - bits, 0), has
