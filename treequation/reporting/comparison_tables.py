"""The comparison of decoders (``results/comparison.json``, made by ``treequation compare``) as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from treequation.evaluation.summary import interval
from treequation.reporting.charts import Chart, Point, Scatter
from treequation.reporting.tables import Table, percent, probability, spread

_SCORES = ("answer", "equation", "literature")
PUBLISHED = ("rebuilt", "published %", "with the encoder")
DAGGER = "(† as the paper's authors measured it)"


def tables(found: Mapping[str, Any]) -> list[Table]:
    """Accuracy, then cost, then accuracy by shape and by length of the gold equation."""
    entries = found["entries"]
    hardware = ", ".join(f"{name} {value}" for name, value in found["hardware"].items())
    title = f"{', '.join(found['data'])}: {found['problems']:,} problems; {hardware}"
    return [
        _accuracy(title, entries),
        *_published_rows(found),
        _cost(entries),
        _parts("answer accuracy % by shape", "by_shape", entries),
        _parts("answer accuracy % by expressions", "by_expressions", entries),
    ]


def charts(found: Mapping[str, Any], name: str) -> list[Chart]:
    """Accuracy, with its interval, against decoding steps, problems per second and parameters."""
    costs: dict[str, Callable[[Mapping[str, Any]], float | None]] = {
        "mean decoding steps": lambda each: each["steps"] and each["steps"]["mean"],
        "problems a second": lambda each: each["speed"] and each["speed"]["problems_per_second"]["median"],
        "million parameters": lambda each: each["parameters"] and each["parameters"]["all"] / 1e6,
    }
    drawn: list[Chart] = []
    for cost, of in costs.items():
        points = []
        for each in found["entries"]:
            if (x := of(each)) is None:
                continue
            accuracy = each["answer_accuracy"]
            points.append((each["name"], Point.percent(x, accuracy, interval(accuracy, found["problems"]))))
        if len(points) > 1:
            slug = cost.replace(" ", "-")
            title = f"{', '.join(found['data'])}: accuracy against {cost}"
            drawn.append(Scatter(f"{name}-{slug}", title, cost, "answer accuracy %", tuple(points)))
    return drawn


def _accuracy(title: str, entries: Sequence[Mapping[str, Any]]) -> Table:
    columns = ["entry", "parameters", *(f"{score} %" for score in _SCORES), "unseen text %"]
    alone = any(each.get("unlike_text") for each in entries)  # older files do not have it
    columns += ["unlike text %", "p against ours"] if alone else ["p against ours"]
    rows = []
    for each in entries:
        unseen = each["by_text"].get("unseen")
        rows.append(
            [
                each["name"],
                "" if each["parameters"] is None else f"{each['parameters']['all'] / 1e6:.1f} M",
                *(_over_seeds(each, f"{score}_accuracy") for score in _SCORES),
                percent(None if unseen is None else unseen["answer_accuracy"]),
                *([percent((each.get("unlike_text") or {}).get("answer_accuracy"))] if alone else []),
                _p_value(each),
            ]
        )
    return Table.of(title, columns, rows)


def _published_rows(found: Mapping[str, Any]) -> list[Table]:
    """The rows of a published table, most accurate first, beside the figures in their papers."""
    rows = [(each["row"], each) for each in found["entries"] if each.get("row")]
    if not rows:
        return []
    rows.sort(key=lambda row: -row[1]["answer_accuracy"])
    measured = {row["name"]: each for row, each in rows}
    rows += [(same, measured.get(same["rebuilt"].removeprefix("same as "))) for same in found.get("same", [])]
    cells = []
    for row, each in rows:
        rebuilt, *figures = published(row)
        own = [""] * 3
        if each is not None:
            own = [each["name"], _over_seeds(each, "answer_accuracy"), _p_value(each)]
        cells.append([row["name"], rebuilt, *own, *figures])
    rebuilt, *figures = PUBLISHED
    columns = ["row", rebuilt, "entry", "answer %", "p against ours", *figures]
    return [Table.of(f"published rows {DAGGER}", columns, cells)]


def published(row: Mapping[str, Any]) -> list[str]:
    """The columns :data:`PUBLISHED` of a row of a published table, described by :meth:`PeerRow.about`."""
    figure = "" if row["figure"] is None else f"{row['figure']:.1f}{'†' if row['reproduced'] else ''}"
    return [row["rebuilt"], figure, row["encoder"]]


def _over_seeds(entry: Mapping[str, Any], score: str) -> str:
    own = entry["seeds"].get(score, {"mean": entry[score], "std": None})
    return spread(own["mean"], own["std"])


def _p_value(entry: Mapping[str, Any]) -> str:
    against = entry["against_ours"]
    return "" if against is None else probability(against["answer"]["p_value"])


def _cost(entries: Sequence[Mapping[str, Any]]) -> Table:
    columns = [
        "entry",
        "steps: mean",
        "std",
        "max",
        "training /s",
        "solving /s",
        "min",
        "max",
        "ms: p50",
        "p99",
    ]
    rows = []
    for each in entries:
        steps, training, speed = each["steps"], each["training"], each["speed"]
        cells = [""] * 3 if steps is None else [f"{steps['mean']:.2f}", f"{steps['std']:.2f}", f"{steps['max']}"]
        cells.append("" if training is None else f"{training['problems_per_second']:,.0f}")
        if speed is None:
            cells += [""] * 5
        else:
            rate, latency = speed["problems_per_second"], speed["latency_ms"]
            cells += [f"{rate[which]:,.0f}" for which in ("median", "min", "max")]
            cells += [f"{latency[which]:.1f}" for which in ("p50", "p99")]
        rows.append([each["name"], *cells])
    return Table.of("steps and speed", columns, rows)


def _parts(title: str, part: str, entries: Sequence[Mapping[str, Any]]) -> Table:
    groups = list(dict.fromkeys(group for each in entries for group in each[part]))
    rows = [
        [each["name"], *(percent(each[part].get(group, {}).get("answer_accuracy")) for group in groups)]
        for each in entries
    ]
    return Table.of(title, ["entry", *groups], rows)
