"""A single problem: how similar each query is to each token at every step, and which expression it wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treequation.decoding.assembly import Proposed
from treequation.decoding.trace import QueryTrace, Trace
from treequation.expression.evaluation import format_value
from treequation.expression.graph import Constant, Number, Operand
from treequation.text.problem import Problem


def measure(problem: Problem, trace: Trace, tree: Sequence[str]) -> dict[str, Any]:
    """The finding; ``tree`` is a drawing of the equation, line by line."""
    queries = len(trace.steps[0]) if trace.steps else 0
    return {
        "text": problem.text,
        "tokens": list(trace.tokens),
        "tree": list(tree),
        "steps": [[_query(query, problem, queries) for query in step] for step in trace.steps],
    }


def _query(query: QueryTrace, problem: Problem, queries: int) -> dict[str, Any]:
    best = query.operator[0]
    return {
        "wrote": None if query.kept is None else _written(query.kept, problem, queries),
        "operator": "None" if best.operator is None else best.operator.sign,
        "probability": best.probability,
        "similarity": [round(value, 4) for value in query.similarity],
    }


def _written(kept: Proposed, problem: Problem, queries: int) -> str:
    def name(operand: Operand) -> str:
        if isinstance(operand, Number):
            return format_value(problem.values[operand.index])
        if isinstance(operand, Constant):
            return format_value(operand.value)
        return f"E{operand.index // queries + 1}.{operand.index % queries + 1}"

    return kept.operator.between(name(kept.left), name(kept.right))
