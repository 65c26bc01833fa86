"""The systems that the paper compares with, from the runs under ``results/runs``: a table and a figure per data set."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from treequation.evaluation.paired_comparison import compare_runs
from treequation.experiments.claim_variants import ClaimVariants, settings
from treequation.experiments.neighbour_entry import NEAREST_NEIGHBOUR
from treequation.experiments.peers import PeerRow
from treequation.experiments.run_store import StoredRun
from treequation.reporting.charts import Chart, Point, Scatter
from treequation.reporting.comparison_tables import DAGGER, PUBLISHED, published
from treequation.reporting.run_groups import RunGroup
from treequation.reporting.tables import Table, probability, spread
from treequation.reporting.verdicts import Bools, accuracy, bits, solved
from treequation.training.recipe import read_recipe

TITLE = "The systems that the paper compares with"
CLAIMS = Path("paper/claims")
OURS = "ours, one order, two layers a step"  # the entry that the others are compared with
# Besides the rows of the paper's table: its own decoder, ours, and a Transformer decoder of a modern size.
_OWN = {
    "six queries": "the paper's decoder",
    "Layer-Shared(2)": "the paper's, Layer-Shared",
    OURS: "ours",
    "Transformer decoder": "Transformer decoder, 6 layers",
}


class _Measured(NamedTuple):
    """A trained system."""

    name: str
    runs: Sequence[StoredRun]
    row: PeerRow | None


class Systems(NamedTuple):
    """The systems on one data set and encoder, the most accurate first, and the rows that have no run."""

    group: RunGroup
    measured: Sequence[_Measured]
    missing: Sequence[str]


def tables(found: Sequence[Systems]) -> list[Table]:
    """A table for each data set and encoder; its title names the systems that are not trained yet."""
    return [_table(systems) for systems in found]


def charts(found: Sequence[Systems]) -> list[Chart]:
    """Accuracy against decoding steps."""
    drawn: list[Chart] = []
    for group, measured, _ in found:
        points = []
        for each in measured:
            mean, std = accuracy(solved(each.runs))
            whiskers = None if std is None else (mean - std, mean + std)
            points.append((each.name, Point.percent(_steps(each.runs), mean, whiskers)))
        title = f"{group.title}: accuracy against decoding steps"
        labels = "mean decoding steps", "accuracy %"
        name = re.sub(r"[^\w.-]+", "-", f"peers-{group.data}-{group.encoder}")  # part of a file's name and of a link
        drawn.append(Scatter(name, title, *labels, tuple(points)))
    return drawn


def systems_in(groups: Sequence[RunGroup]) -> list[Systems]:
    """The systems of each group that has several."""
    if not groups:
        return []
    claims = ClaimVariants.read(CLAIMS)
    found = []
    for group in groups:
        data, chosen = group.data, group.chosen
        rows = [(row, _variant(row, data, claims)) for row in claims.peers if row.changes and data in claims.recipes]
        measured = [_Measured(row.name, chosen[name], row) for row, name in rows if name in chosen]
        measured += [_Measured(name, chosen[key], None) for key, name in _OWN.items() if key in chosen]
        if len(measured) > 1:
            measured.sort(key=lambda each: -accuracy(solved(each.runs))[0])
            found.append(Systems(group, measured, [row.name for row, name in rows if name not in chosen]))
    return found


def _variant(row: PeerRow, data: str, claims: ClaimVariants) -> str:
    """The variant under which a row's runs are stored: rows with the same parts share one."""
    return claims.variant_of(settings(read_recipe(claims.recipes[data], row.changes)), data)


def _steps(runs: Sequence[StoredRun]) -> float:
    return fmean(run.steps["mean"] for run in runs)


def _table(systems: Systems) -> Table:
    group, measured, rest = systems
    ours = next((solved(each.runs) for each in measured if each.name == _OWN[OURS]), None)
    unseen = None if group.test_set.seen is None else ~bits(group.test_set.seen)

    def accuracies(right: Bools) -> list[str]:
        return [spread(*accuracy(right)), "" if unseen is None else spread(*accuracy(right[:, unseen]))]

    lines = []
    for each in measured:
        right, row = solved(each.runs), each.row
        p = None if ours is None or each.name == _OWN[OURS] else compare_runs(ours, right).p_problems
        about = [""] * len(PUBLISHED) if row is None else published(row.about([f"{group.data}:test"]))
        cells = [*accuracies(right), probability(p), f"{_steps(each.runs):.1f}", *about]
        lines.append([each.name, str(len(each.runs)), *cells])
    if group.test_set.nearest_neighbour is not None:
        right = bits(group.test_set.nearest_neighbour)[None]
        lines.append([NEAREST_NEIGHBOUR, "", *accuracies(right), *[""] * 5])
    columns = ["system", "seeds", "accuracy %", "unseen text %", "p against ours", "steps", *PUBLISHED]
    missing = f"; not trained yet: {', '.join(rest)}" if rest else ""
    return Table.of(f"{group.title} {DAGGER}{missing}", columns, lines)
