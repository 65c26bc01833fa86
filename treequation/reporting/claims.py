"""The paper's claims: the variants that each compares, and the paper's figures.

The variants are those of ``recipes/paper/claims.toml``. Every claim says that its first variant is better than its
second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from treequation.experiments import paper
from treequation.experiments.neighbour_entry import NEAREST_NEIGHBOUR

BASE = "six queries"  # the paper's decoder
LEVEL = 0.01  # "comparable" means less than a point behind


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim. ``paper`` has the paper's figures for both variants by data set; the claim is tested on these only."""

    text: str
    second: str
    paper: Mapping[str, str]
    first: str = BASE
    part: str = ""  # only the problems of this shape, or with this number of expressions
    margin: float = 0.0  # how far the first may be behind
    steps: bool = False  # it compares decoding steps; fewer are better


_TABLES = {"mathqa": ("mathqa", "test"), "math23k": ("math23k", "test"), "mawps-fold-0": ("mawps", "folds")}


def _results(*, first: str = "Expression tree", **second: str) -> dict[str, str]:
    """Figures from the paper's results tables, by data set; ``second`` names the row to compare with."""
    found = {}
    for data, key in _TABLES.items():
        figures = {row.model: row.accuracy for row in paper.RESULTS[key]}
        if name := second.get(key[0]):
            found[data] = f"{figures[first]} and {figures[name]} ({name})"
    return found


def _ablation(name: str) -> dict[str, str]:
    return {"mathqa": f"{paper.ABLATION['bipartite matching'].accuracy} and {paper.ABLATION[name].accuracy}"}


def _structure(part: str, name: str) -> dict[str, str]:
    figures = paper.STRUCTURE
    return {"mathqa": f"{figures['Expression tree'][part]} and {figures[name][part]} ({name})"}


def _steps(family: str) -> dict[str, str]:
    return {data: f"{found['layers'].mean} and {found[family].mean}" for data, found in paper.STEPS.items()}


def _queries(first: int, second: int) -> dict[str, str]:
    return {data: f"{found[first]} and {found[second]}" for data, found in paper.QUERIES.items()}


def _sweep(count: int) -> Claim:
    """Up to eight queries are better than one; from ten on they are too many."""
    if count <= 8:
        return Claim(f"{count} queries are better than one", "one query", _queries(count, 1), f"{count} queries")
    return Claim(f"six queries are better than {count}", f"{count} queries", _queries(6, count))


_SIX_AND_ONE = _queries(6, 1)
_NOT_THERE = {"mathqa": "", "math23k": "", "mawps-fold-0": ""}

CLAIMS = (
    Claim("six queries are better than one, with the same number of layers and weights", "one query", _SIX_AND_ONE),
    Claim(
        "the same with 12 layers, which are enough for one query",
        "one query, 12 layers",
        _SIX_AND_ONE,
        f"{BASE}, 12 layers",
    ),
    Claim(
        "our decoder: six queries with 8 layers are better than one query with 12",
        "ours, one query, 12 layers",
        _NOT_THERE,
        "ours",
    ),
    Claim(
        "better than a Transformer decoder",
        "Transformer decoder",
        _results(mathqa="mBERT", math23k="mBERT", mawps="BERTGen"),
    ),
    Claim("better than GTS", "GTS", _results(mathqa="GTS", math23k="GTS", mawps="GTS")),
    Claim("better than RE-Ext", "RE-Ext", _results(mathqa="RE-Ext", math23k="RE-Ext", mawps="RE-Ext")),
    Claim("better than copying the nearest training text", NEAREST_NEIGHBOUR, _NOT_THERE),
    Claim("single expressions: level with RE-Ext", "RE-Ext", _structure("single", "RE-Ext"), BASE, "single", LEVEL),
    Claim("chains: level with RE-Ext", "RE-Ext", _structure("chain", "RE-Ext"), BASE, "chain", LEVEL),
    Claim("trees: better than RE-Ext", "RE-Ext", _structure("tree", "RE-Ext"), BASE, "tree"),
    Claim("trees: better than sequence to tree", "GTS", _structure("tree", "Ana-CL"), BASE, "tree"),
    Claim("2 expressions: better than RE-Ext", "RE-Ext", {"mathqa": "+1.0"}, BASE, "2"),
    Claim("5 expressions: better than RE-Ext", "RE-Ext", {"mathqa": "+6.4"}, BASE, "5"),
    Claim("8 and more expressions: better than RE-Ext", "RE-Ext", {"mathqa": "nearly +6"}, BASE, "8+"),
    Claim("fewer steps than sequence to expression", "RE-Ext", _steps("expressions"), steps=True),
    Claim("fewer steps than sequence to tree", "GTS", _steps("prefix"), steps=True),
    Claim("fewer steps than sequence to sequence", "Transformer decoder", _steps("infix"), steps=True),
    Claim("bipartite matching is better than sequence matching", "sequence matching", _ablation("sequence matching")),
    Claim("random matching collapses", "random matching", _ablation("random matching")),
    Claim("no None loss for operands is better", "operand None loss", _ablation("operand None loss")),
    Claim("a None loss for operators is better", "no operator None loss", _ablation("no operator None loss")),
    Claim(
        "Layer-Shared is comparable to a layer a step",
        BASE,
        _results(
            first="Expression tree, Layer-Shared", **dict.fromkeys(("mathqa", "math23k", "mawps"), "Expression tree")
        ),
        "Layer-Shared(2)",
        margin=LEVEL,
    ),
    *(_sweep(count) for count in paper.QUERIES["mathqa"] if count not in (1, 6)),
)
"""All claims, in the order of the page."""
