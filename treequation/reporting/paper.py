"""The figures of the paper, each once, to stand beside ours; accuracies in per cent, as printed there.

Zhang et al., "An Expression Tree Decoding Strategy for Mathematical Equation Generation", EMNLP 2023. Its encoders are
RoBERTa-base and Chinese-BERT; an accuracy is the mean over five seeds, or over five folds.
"""

from __future__ import annotations

from typing import NamedTuple

CITATION = "Zhang et al., EMNLP 2023"


class Published(NamedTuple):
    """A row of a results table of the paper."""

    model: str
    accuracy: float
    std: float | None = None


RESULTS: dict[tuple[str, str], tuple[Published, ...]] = {
    ("mathqa", "test"): (
        Published("GroupAttn", 70.4),
        Published("GTS", 71.3),
        Published("G2T", 72.0),
        Published("BERT-T", 73.8),
        Published("mBERT", 77.1),
        Published("T-Dis", 73.1),
        Published("Prototype", 76.3),
        Published("Textual-CL", 78.0),
        Published("Ana-CL", 79.6),
        Published("E-Pointer", 73.5),
        Published("M-Tree", 76.5),
        Published("RE-Ext", 78.6),
        Published("M-View", 79.5),
        Published("Elastic", 80.3),
        Published("MWP-NAS", 79.2),
        Published("gpt-3.5-turbo", 42.6),
        Published("Self-Consistency", 50.7),
        Published("Expression tree", 81.5, 0.13),
        Published("Expression tree, Layer-Shared", 81.1, 0.23),
    ),
    ("math23k", "test"): (
        Published("GroupAttn", 69.5),
        Published("GTS", 75.6),
        Published("G2T", 77.4),
        Published("mBERT", 75.1),
        Published("BERTGen", 76.6),
        Published("PLM-Gen", 76.9),
        Published("H-Reasoner", 83.9),
        Published("BERT-T", 84.4),
        Published("Rank", 85.4),
        Published("Logic-Dec", 83.4),
        Published("T-Dis", 79.1),
        Published("Prototype", 83.2),
        Published("Textual-CL", 85.0),
        Published("Ana-CL", 85.6),
        Published("E-Pointer", 78.7),
        Published("DAG", 77.5),
        Published("M-Tree", 82.5),
        Published("RE-Ext", 85.4),
        Published("M-View", 85.6),
        Published("Elastic", 84.8),
        Published("MWP-NAS", 84.4),
        Published("gpt-3.5-turbo", 54.8),
        Published("Self-Consistency", 66.1),
        Published("Expression tree", 86.2, 0.30),
        Published("Expression tree, Layer-Shared", 85.6, 0.25),
    ),
    ("math23k", "folds"): (
        Published("GroupAttn", 66.9),
        Published("GTS", 74.3),
        Published("G2T", 75.5),
        Published("Symbol-Dec", 75.7),
        Published("H-Reasoner", 82.2),
        Published("BERT-T", 82.3),
        Published("T-Dis", 77.2),
        Published("Textual-CL", 82.6),
        Published("Ana-CL", 83.2),
        Published("E-Pointer", 76.5),
        Published("DAG", 75.1),
        Published("M-Tree", 80.8),
        Published("RE-Ext", 83.3),
        Published("M-View", 83.1),
        Published("Elastic", 82.9),
        Published("Expression tree", 84.1, 0.65),
        Published("Expression tree, Layer-Shared", 83.4, 0.38),
    ),
    ("mawps", "folds"): (
        Published("GroupAttn", 76.1),
        Published("GTS", 82.6),
        Published("G2T", 85.6),
        Published("Rank", 84.0),
        Published("BERTGen", 86.9),
        Published("PLM-Gen", 88.4),
        Published("PLM-GTS", 88.5),
        Published("PLM-G2T", 88.7),
        Published("H-Reasoner", 89.8),
        Published("T-Dis", 84.2),
        Published("Prototype", 89.6),
        Published("Textual-CL", 91.3),
        Published("Ana-CL", 91.8),
        Published("E-Pointer", 83.4),
        Published("M-Tree", 82.0),
        Published("RE-Ext", 92.2),
        Published("M-View", 92.1),
        Published("Elastic", 91.8),
        Published("MWP-NAS", 88.0),
        Published("gpt-3.5-turbo", 91.5),
        Published("Self-Consistency", 92.5),
        Published("Expression tree", 92.3, 0.41),
        Published("Expression tree, Layer-Shared", 92.2, 0.28),
    ),
}
"""By data set and protocol: ``test`` is the official test split, ``folds`` five-fold cross-validation."""

ABLATION: dict[str, Published] = {
    "bipartite matching": Published("bipartite matching", 81.5, 0.13),
    "sequence matching": Published("sequence matching", 78.8, 0.27),
    "random matching": Published("random matching", 20.1, 1.55),
    "operand None loss": Published("operand None loss", 80.7, 0.36),
    "no operator None loss": Published("no operator None loss", 79.6, 0.21),
    "no parallel decoding": Published("no parallel decoding", 79.9, 0.31),
}
"""On MathQA."""

QUERIES: dict[str, dict[int, float]] = {
    "mathqa": {
        1: 79.9, 2: 80.6, 4: 81.4, 5: 81.4, 6: 81.5, 7: 81.3, 8: 81.1, 10: 80.8, 15: 80.2, 20: 79.8, 30: 79.1,
    },
    "math23k": {
        1: 85.2, 2: 85.8, 4: 86.2, 5: 86.0, 6: 86.2, 7: 85.9, 8: 85.6, 10: 85.2, 15: 84.8, 20: 83.5, 30: 83.3,
    },
}  # fmt: skip
"""Accuracy by the number of queries."""

STRUCTURE: dict[str, dict[str, float]] = {
    "M-View": {"single": 79.7, "chain": 82.7, "tree": 65.7, "all": 79.5},
    "RE-Ext": {"single": 77.4, "chain": 82.5, "tree": 64.7, "all": 78.6},
    "M-Tree": {"single": 75.2, "chain": 80.2, "tree": 64.5, "all": 76.5},
    "Ana-CL": {"single": 79.9, "chain": 82.8, "tree": 67.8, "all": 79.6},
    "Expression tree": {"single": 80.1, "chain": 82.0, "tree": 75.2, "all": 81.5},
}
"""On MathQA, by the shape of the gold equation."""


class Steps(NamedTuple):
    """A family's decoding steps over a data set."""

    mean: float
    std: float
    most: int


STEPS: dict[str, dict[str, Steps]] = {
    "math23k": {
        "infix": Steps(7.01, 3.4, 27),
        "prefix": Steps(5.62, 2.1, 19),
        "expressions": Steps(2.4, 1.22, 9),
        "layers": Steps(1.92, 0.8, 8),
    },
    "mathqa": {
        "infix": Steps(16.74, 11.03, 109),
        "prefix": Steps(9.87, 5.51, 55),
        "expressions": Steps(4.33, 2.26, 11),
        "layers": Steps(3.2, 1.6, 8),
    },
}
"""By family, named as :class:`~treequation.expression.layers.DecodingSteps` does: sequence to sequence, to tree, to
expression, and expression tree."""
