"""A single problem as tables and heat maps."""

from __future__ import annotations

from treequation.reporting.charts import Chart, HeatMap
from treequation.reporting.findings import Finding
from treequation.reporting.tables import Table

TITLE = "A case: query and problem, layer by layer"


def tables(finding: Finding) -> list[Table]:
    """The tree, and what every query proposed. E2.1 is what query 1 wrote at step 2."""
    rows = [
        [str(step), str(place), query["operator"], f"{query['probability']:.2f}", query["wrote"] or ""]
        for step, queries in enumerate(finding.content["steps"], 1)
        for place, query in enumerate(queries, 1)
    ]
    columns = ["step", "query", "likeliest operator", "probability", "wrote"]
    tree = [[line] for line in finding.content["tree"]]
    return [
        Table.of(finding.content["text"], ["tree"], tree),
        Table.of("What each query proposed; E2.1 is what query 1 wrote at step 2", columns, rows),
    ]


def charts(finding: Finding) -> list[Chart]:
    """A heat map per step; the queries that wrote something are in bold."""
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
