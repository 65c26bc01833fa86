"""How each kind of finding is shown: a module a kind, with ``TITLE``, ``tables`` and ``charts``.

:data:`KINDS` has them in the report's order; a new kind is a module and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treequation.reporting import (
    ablation_section,
    case_section,
    decoding_steps_section,
    groups_section,
    language_models_section,
    queries_section,
    robustness_section,
    roles_section,
    wrong_answers_section,
)
from treequation.reporting.charts import Chart
from treequation.reporting.findings import Finding
from treequation.reporting.tables import Table


class Kind(NamedTuple):
    """How a kind of finding is shown."""

    title: str
    tables: Callable[[Finding], list[Table]]
    charts: Callable[[Finding], list[Chart]]


KINDS: dict[str, Kind] = {
    "ablation": Kind(ablation_section.TITLE, ablation_section.tables, ablation_section.charts),
    "queries": Kind(queries_section.TITLE, queries_section.tables, queries_section.charts),
    "structure": Kind(groups_section.STRUCTURE_TITLE, groups_section.tables, groups_section.charts),
    "length": Kind(groups_section.LENGTH_TITLE, groups_section.tables, groups_section.charts),
    "steps": Kind(decoding_steps_section.TITLE, decoding_steps_section.tables, decoding_steps_section.charts),
    "case": Kind(case_section.TITLE, case_section.tables, case_section.charts),
    "errors": Kind(wrong_answers_section.TITLE, wrong_answers_section.tables, wrong_answers_section.charts),
    "robustness": Kind(robustness_section.TITLE, robustness_section.tables, robustness_section.charts),
    "roles": Kind(roles_section.TITLE, roles_section.tables, roles_section.charts),
    "language-models": Kind(
        language_models_section.TITLE, language_models_section.tables, language_models_section.charts
    ),
}
"""By :attr:`Finding.kind`."""
