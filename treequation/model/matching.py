"""Bipartite matching: which query is to predict which gold expression of its layer (the paper's equation 8).

*None* labels cost nothing, so only the placements of the real expressions matter. For few queries we
enumerate the placements on the device: a gather, a sum and an argmin, with no round trip to the host, which
would be paid at every layer of every step. For many queries it is enough to look at each expression's cheapest ones.
For very wide layers SciPy's Hungarian algorithm takes over.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations, permutations, product

import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

MOST_PLACEMENTS = 50_000  # 8 queries with 5 expressions have 6,720; beyond this the host is faster


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
    if math.perm(queries, width) <= MOST_PLACEMENTS:
        return match_by_enumeration(cost)
    if width**width <= MOST_PLACEMENTS:
        return match_among_cheapest(cost)
    return match_by_hungarian(cost)


def match_by_enumeration(cost: Tensor) -> Tensor:
    """Tries every placement of W expressions at K queries."""
    width, queries = cost.shape[1:]
    places, cells = _placements(width, queries, cost.device)  # [P, W], [W * P]
    # Not a product with one-hot placements: mixed precision would round it, and choose worse placements.
    total = cost.flatten(1).index_select(1, cells).unflatten(1, (width, -1)).sum(dim=1)  # [B, P]
    return places[total.argmin(dim=1)]  # [B, W]


def match_among_cheapest(cost: Tensor) -> Tensor:
    """Tries the placements of W expressions at the W cheapest queries of each, however many queries there are.

    That is enough: the others take W − 1 queries at most, so one of an expression's W cheapest is always left for it,
    and moving there costs nothing.
    """
    width = cost.shape[1]
    cheapest, queries = cost.topk(width, largest=False)  # [B, W, W] each
    ranks, cells = _choices(width, cost.device)  # [P, W], [W * P]
    total = cheapest.flatten(1).index_select(1, cells).unflatten(1, (width, -1)).sum(dim=1)  # [B, P]
    chosen = queries.flatten(1).index_select(1, cells).unflatten(1, (width, -1))  # [B, W, P]
    for one, other in combinations(range(width), 2):
        total = total.masked_fill(chosen[:, one] == chosen[:, other], torch.inf)
    best = ranks[total.argmin(dim=1)]  # [B, W]
    return queries.gather(2, best.unsqueeze(-1)).squeeze(-1)


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


@lru_cache(maxsize=64)
def _placements(width: int, queries: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """The placements, and where in a flattened [W, K] cost matrix their cells are, expression by expression."""
    places = torch.tensor(list(permutations(range(queries), width)), device=device)  # [P, W]
    cells = (places + queries * torch.arange(width, device=device)).T.flatten()  # [W * P]
    return places, cells


@lru_cache(maxsize=8)
def _choices(width: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Every choice of one out of W for each of W expressions, and its cells in a flattened [W, W] matrix."""
    ranks = torch.tensor(list(product(range(width), repeat=width)), device=device)  # [P, W]
    return ranks, (ranks + width * torch.arange(width, device=device)).T.flatten()
