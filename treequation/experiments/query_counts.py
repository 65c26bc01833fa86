"""A recipe with different numbers of queries, and why too many hurt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treequation.errors import TreequationError
from treequation.evaluation.analysis.matching_stability import matching_figures
from treequation.experiments.variants import Tried, Variant, about, described
from treequation.model import TreequationModel
from treequation.model.config import TreequationConfig
from treequation.training.recipe import Recipe


def query_variants(recipe: Recipe, counts: Sequence[int]) -> list[Variant]:
    """A variant for each number of queries; the recipe's own number needs no change.

    >>> [variant.changes for variant in query_variants(Recipe(), [6, 1])]
    [('model.queries=1',), ()]
    """
    if not counts or min(counts) < 1:
        raise TreequationError("a model needs at least one query")
    inherited = 0 if recipe.start else TreequationConfig().queries  # not known before the model is read
    own = recipe.model.get("queries", inherited)
    return [Variant(str(n), () if n == own else (f"model.queries={n}",), "paper") for n in sorted(set(counts))]


def queries(tried: Sequence[Tried], failures: dict[str, str], *, device: str | None = None) -> dict[str, Any]:
    """The finding. Each number is compared with the smallest; the matching is measured on the first seed's model."""
    base = min(tried, key=lambda each: int(each.variant.name))
    found = []
    for each in sorted(tried, key=lambda each: int(each.variant.name)):
        run = each.runs[0]
        model = run.model(device)
        if not isinstance(model, TreequationModel):
            raise TreequationError(f"{run.folder} has the decoder {model.DECODER}, which has no queries")
        matching = matching_figures(model, each.problems.dev or each.problems.test)
        found.append({**described(each, base), "matching": matching})
    return {**about(tried), "counts": found, "failed": failures}
