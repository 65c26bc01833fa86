"""The paper's figures, to compare ours with. ``paper.toml`` has each once: accuracies in percent, as printed.

Zhang et al., "An Expression Tree Decoding Strategy for Mathematical Equation Generation", EMNLP 2023. Its encoders are
RoBERTa-base and Chinese-BERT; an accuracy is the mean over five seeds, or over five folds.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

CITATION = "Zhang et al., EMNLP 2023"


class Published(NamedTuple):
    """A row of a results table of the paper."""

    model: str
    accuracy: float
    std: float | None = None


class Steps(NamedTuple):
    """A family's decoding steps over a data set."""

    mean: float
    std: float
    max: int


def _published(rows: dict[str, Any]) -> tuple[Published, ...]:
    return tuple(Published(model, *(row if isinstance(row, list) else [row])) for model, row in rows.items())


_TABLES = tomllib.loads(Path(__file__).with_name("paper.toml").read_text(encoding="utf-8"))

RESULTS: dict[tuple[str, str], tuple[Published, ...]] = {
    (data, protocol): _published(rows)
    for data, protocols in _TABLES["results"].items()
    for protocol, rows in protocols.items()
}
"""By data set and protocol: ``test`` is the official test split, ``folds`` five-fold cross-validation."""

ABLATION: dict[str, Published] = {row.model: row for row in _published(_TABLES["ablation"])}
"""On MathQA."""

QUERIES: dict[str, dict[int, float]] = {
    data: {int(queries): accuracy for queries, accuracy in row.items()} for data, row in _TABLES["queries"].items()
}
"""Accuracy by the number of queries."""

STRUCTURE: dict[str, dict[str, float]] = _TABLES["structure"]
"""On MathQA, by the shape of the gold equation."""

STEPS: dict[str, dict[str, Steps]] = {
    data: {family: Steps(*row) for family, row in families.items()} for data, families in _TABLES["steps"].items()
}
"""By family, named as :class:`~treequation.expression.layers.DecodingSteps` does: sequence to sequence, to tree, to
expression, and expression tree."""
