"""How each kind of finding is shown: by a module with ``tables`` and ``charts``, which similar kinds share.

:data:`KINDS` has them in the report's order; a new kind needs a module and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

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


_SECTIONS: dict[str, Any] = {
    "ablation": ablation_section,
    "queries": queries_section,
    "structure": groups_section,
    "length": groups_section,
    "steps": decoding_steps_section,
    "case": case_section,
    "errors": wrong_answers_section,
    "robustness": robustness_section,
    "roles": roles_section,
    "language-models": language_models_section,
}
_TITLES = {"structure": groups_section.STRUCTURE_TITLE, "length": groups_section.LENGTH_TITLE}
KINDS = {
    name: Kind(_TITLES.get(name) or section.TITLE, section.tables, section.charts)
    for name, section in _SECTIONS.items()
}
"""By :attr:`Finding.kind`."""
