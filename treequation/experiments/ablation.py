"""The paper's ablations and our own: each changes one thing in a recipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treequation.errors import TreequationError
from treequation.experiments.variants import Tried, Variant, about, described

BASE = Variant("bipartite matching", (), "paper")
VARIANTS = (
    BASE,
    Variant("sequence matching", ("model.matching=sequence",), "paper"),
    Variant("random matching", ("model.matching=random",), "paper"),
    Variant("operand None loss", ("model.none_loss=operand",), "paper"),
    Variant("no operator None loss", ("model.none_loss=off",), "paper"),
    Variant("no parallel decoding", ("model.queries=1",), "paper"),
    Variant("one query, 16 steps", ("model.queries=1", "model.steps=16")),  # enough steps for one expression per step
    Variant("Layer-Shared(2)", ("model.shared_layers=2",)),
    Variant("results from embeddings", ("model.teacher=gold",)),
    Variant("our decoder", ("decoder=chained",)),
    Variant("our decoder, problem not updated", ("decoder=chained", "model.update_problem=false")),
    Variant("our decoder, denoising queries", ("decoder=chained", "model.denoising=0.3")),
    Variant("hidden words", ("model.token_dropout=0.1",)),
    Variant("numbers without their digits", ("model.keep_number_text=false",)),
)


def choose(only: Sequence[str]) -> list[Variant]:
    """The variants with these names, or all of them if there are no names.

    >>> [variant.name for variant in choose(["random matching"])]
    ['bipartite matching', 'random matching']
    """
    known = {variant.name: variant for variant in VARIANTS}
    groups = {origin: [v for v in VARIANTS if v.origin == origin] for origin in ("paper", "ours")}
    chosen = {BASE: None}
    for name in only or known:
        if name not in known and name not in groups:
            raise TreequationError(f"there is no variant {name!r}; choose from paper, ours, {', '.join(known)}")
        chosen |= dict.fromkeys(groups.get(name) or [known[name]])
    return list(chosen)


def ablation(tried: Sequence[Tried], failures: dict[str, str]) -> dict[str, Any]:
    """The finding; every variant is compared with the first, the unchanged recipe."""
    base = tried[0]
    if base.variant != BASE:
        raise TreequationError(
            "the run of the unchanged recipe is not finished, so there is nothing to compare with; train it first"
        )
    return {**about(tried), "variants": [described(each, base) for each in tried], "failed": failures}
