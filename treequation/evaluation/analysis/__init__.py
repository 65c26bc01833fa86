"""The analyses, a file each: what to measure, and the finding as tables and charts.

A module of a kind of finding has ``TITLE``, ``tables`` and ``charts``; :data:`KINDS` has them in the report's order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treequation.evaluation.analysis import ablation, queries
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
}
"""By :attr:`Finding.kind`."""
