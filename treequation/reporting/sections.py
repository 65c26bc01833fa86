"""Everything under ``results/`` and ``benchmarks/results/`` in sections; each names the file it comes from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treequation.errors import TreequationError
from treequation.experiments.run_store import STORE
from treequation.reporting import benchmarks_section, claims_section, comparison_tables, peers_section, results
from treequation.reporting.charts import Chart
from treequation.reporting.findings import read_findings
from treequation.reporting.kinds import KINDS
from treequation.reporting.run_groups import run_groups
from treequation.reporting.tables import Table
from treequation.training.run_folder import device_name

RESULTS = "results.json"
BENCHMARKS = "benchmarks/results"


@dataclass(frozen=True, slots=True)
class Section:
    """The content of a file of results. ``name`` is the file's, without its ending."""

    name: str
    title: str
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...] = ()
    command: str = ""
    date: str = ""
    device: str = ""
    versions: str = ""  # of the software
    brief: tuple[Table, ...] = ()  # short tables for a page, if all of them would be too many
    source: str = ""  # where it comes from, if not from the file of its name

    @property
    def made(self) -> str:
        """Where its figures come from, in a line."""
        parts = [f"From {self.source or f'{self.name}.json'}", self.date, self.device, self.versions, self.command]
        return " · ".join(part for part in parts if part)


def read_sections(folder: Path) -> list[Section]:
    """The results, the claims, the comparisons, the benchmarks, then the findings in the order of :data:`KINDS`."""
    found = []
    if rows := results.read_rows(folder / RESULTS):
        all_of_them, brief = tuple(results.tables(rows)), tuple(results.brief_tables(rows))
        found.append(Section(Path(RESULTS).stem, "Results, beside the paper's", all_of_them, brief=brief))
    groups = run_groups(folder)
    if claims := claims_section.tables(groups):
        found.append(Section("claims", claims_section.TITLE, tuple(claims), source=f"{STORE}/"))
    if systems := peers_section.systems_in(groups):
        shown = tuple(peers_section.tables(systems)), tuple(peers_section.charts(systems))
        found.append(Section("peers", peers_section.TITLE, *shown, source=f"{STORE}/"))
    found += [_comparison(path) for path in sorted(folder.glob("comparison*.json"))]
    for name, title, tables in benchmarks_section.sections(folder.absolute().parent / BENCHMARKS):
        found.append(Section(name, title, tuple(tables), source=f"{BENCHMARKS}/"))
    order = list(KINDS)
    for finding in sorted(read_findings(folder), key=lambda each: (order.index(_known(each.kind)), each.data)):
        kind = KINDS[finding.kind]
        title = f"{kind.title}: {finding.data}" if finding.data else kind.title
        shown = tuple(kind.tables(finding)), tuple(kind.charts(finding))
        versions = ", ".join(f"{name} {version}" for name, version in finding.versions.items())
        found.append(Section(finding.name, title, *shown, finding.command, finding.date, finding.device, versions))
    return found


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise TreequationError(f"a finding has the unknown kind {kind}; it must be one of {', '.join(KINDS)}")
    return kind


def _comparison(path: Path) -> Section:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    device = device_name(found["hardware"])
    decoders = ", ".join(dict.fromkeys(entry["decoder"] for entry in found["entries"]))
    title = f"Decoders side by side: {decoders}; {', '.join(found['data'])}, timed on {device}"
    shown = tuple(comparison_tables.tables(found)), tuple(comparison_tables.charts(found, path.stem))
    return Section(path.stem, title, *shown, found.get("command", ""), found["date"][:10], device)
