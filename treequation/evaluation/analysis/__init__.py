"""The analyses, a file each: what to measure, and the finding as tables and charts.

A module of a kind of finding has ``TITLE``, ``tables`` and ``charts``; :data:`KINDS` has them in the report's order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treequation.evaluation.analysis import ablation, case, errors, groups, queries, robustness, roles, steps
from treequation.evaluation.charts import Chart
from treequation.evaluation.findings import Finding
from treequation.evaluation.tables import Table


class Kind(NamedTuple):
    """How a kind of finding is shown."""

    title: str
    tables: Callable[[Finding], list[Table]]
    charts: Callable[[Finding], list[Chart]]


KINDS: dict[str, Kind] = {
    "ablation": Kind(ablation.TITLE, ablation.tables, ablation.charts),
    "queries": Kind(queries.TITLE, queries.tables, queries.charts),
    "structure": Kind(groups.STRUCTURE_TITLE, groups.tables, groups.charts),
    "length": Kind(groups.LENGTH_TITLE, groups.tables, groups.charts),
    "steps": Kind(steps.TITLE, steps.tables, steps.charts),
    "case": Kind(case.TITLE, case.tables, case.charts),
    "errors": Kind(errors.TITLE, errors.tables, errors.charts),
    "robustness": Kind(robustness.TITLE, robustness.tables, robustness.charts),
    "roles": Kind(roles.TITLE, roles.tables, roles.charts),
}
"""By :attr:`Finding.kind`."""
