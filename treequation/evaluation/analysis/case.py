"""A single problem: how near each query is to each word at every step, and which query wrote what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treequation.evaluation.charts import Chart, HeatMap
from treequation.evaluation.findings import Finding
from treequation.evaluation.tables import Table
from treequation.expression.evaluation import format_value
from treequation.expression.graph import Constant, Number, Operand
from treequation.expression.slots import Proposed
from treequation.expression.trace import QueryTrace, Trace
from treequation.text.problem import Problem

TITLE = "A case: query and problem, layer by layer"


def measure(problem: Problem, trace: Trace, tree: Sequence[str]) -> dict[str, Any]:
    """The finding; ``tree`` is the equation, drawn."""
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


def tables(finding: Finding) -> list[Table]:
    """The tree, and what every query said. E2.1 is what query 1 wrote at step 2."""
    rows = [
        [str(step), str(place), query["operator"], f"{query['probability']:.2f}", query["wrote"] or ""]
        for step, queries in enumerate(finding.content["steps"], 1)
        for place, query in enumerate(queries, 1)
    ]
    columns = ["step", "query", "likeliest operator", "probability", "wrote"]
    tree = [[line] for line in finding.content["tree"]]
    return [
        Table.of(finding.content["text"], ["tree"], tree),
        Table.of("What each query said; E2.1 is what query 1 wrote at step 2", columns, rows),
    ]


def charts(finding: Finding) -> list[Chart]:
    """A heat map a step; the queries that wrote something are in bold."""
    found: list[Chart] = []
    for step, queries in enumerate(finding.content["steps"], 1):
        rows = [f"{place}: {query['wrote'] or 'None'}" for place, query in enumerate(queries, 1)]
        found.append(
            HeatMap(
                f"{finding.name}-step-{step}",
                f"step {step}: cosine of query and token",
                "",
                "query",
                tuple(finding.content["tokens"]),
                tuple(rows),
                tuple(tuple(query["similarity"]) for query in queries),
                marked=tuple(place for place, query in enumerate(queries) if query["wrote"]),
            )
        )
    return found
