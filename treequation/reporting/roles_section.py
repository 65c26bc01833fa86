"""What each query specialises in, as a table and heat maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treequation.evaluation.analysis.roles import OPERANDS
from treequation.reporting.charts import Chart, HeatMap
from treequation.reporting.findings import Finding
from treequation.reporting.tables import Table, percent

TITLE = "What each query does"


def tables(finding: Finding) -> list[Table]:
    """A row for each query."""
    content = finding.content
    operators = list(content["queries"][0]["operators"])
    steps = list(content["queries"][0]["steps"])
    columns = ["query", "expressions", *(f"{o} %" for o in operators), *(f"step {s} %" for s in steps)]
    columns += [f"{kind}s %" for kind in OPERANDS]
    rows = [_row(place, each) for place, each in enumerate(content["queries"], 1)]
    shared = content["shared"]
    title = (
        f"{finding.data}, {content['solver']}: {content['expressions']:,} expressions; "
        f"the query determines {percent(shared['operator'])} % of the operator "
        f"and {percent(shared['step'])} % of the step"
    )
    return [Table.of(title, columns, rows)]


def _row(place: int, each: Mapping[str, Any]) -> list[str]:
    shares = [_shares(each[part]) for part in ("operators", "steps", "operands")]
    return [str(place), f"{each['expressions']:,}", *(percent(share, 0) for part in shares for share in part)]


def _shares(counts: Mapping[str, int]) -> list[float | None]:
    total = sum(counts.values())
    return [count / total if total else None for count in counts.values()]


def charts(finding: Finding) -> list[Chart]:
    """Expressions by query and operator, and by query and step."""
    found: list[Chart] = []
    for part, label in (("operators", "operator"), ("steps", "step")):
        rows = [each[part] for each in finding.content["queries"]]
        found.append(
            HeatMap(
                f"{finding.name}-{part}",
                f"{finding.data}: expressions by query and {label}",
                label,
                "query",
                tuple(rows[0]),
                tuple(str(place) for place in range(1, len(rows) + 1)),
                tuple(tuple(float(count) for count in row.values()) for row in rows),
            )
        )
    return found
