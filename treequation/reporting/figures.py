"""Draws charts as SVG and PNG, all in one style: grey and labelled, without decoration.

Matplotlib is imported only to draw, so that the rest of an analysis runs without it.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treequation.reporting.charts import Bars, Chart, HeatMap, Lines, Scatter, Series
from treequation.storage import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLE: Any = {  # the newest Matplotlib types every key; older versions accept any
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: files are small and searchable
    "svg.hashsalt": "treequation",  # the same chart always gives the same file
}
_CHINESE = ("Noto Sans CJK SC", "WenQuanYi Zen Hei", "Source Han Sans SC", "PingFang SC", "Microsoft YaHei", "SimHei")
_GREYS = ("0.25", "0.55", "0.75", "0.88")
_LINES = ("-", "--", ":", "-.")
_MARKS = ("o", "s", "^", "v")
_HATCHES = ("", "///", "...", "xx")


def draw(chart: Chart) -> Figure:
    """The chart as a Matplotlib figure."""
    with _style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=_size(chart), layout="constrained")
        axes = figure.add_subplot()
        if isinstance(chart, Bars):
            _bars(axes, chart)
        elif isinstance(chart, Lines):
            _lines(axes, chart)
        elif isinstance(chart, Scatter):
            _scatter(axes, chart)
        else:
            _heat_map(figure, axes, chart)
        axes.set_title(chart.title)
        axes.set_xlabel(chart.x_label)
        axes.set_ylabel(chart.y_label)
        if isinstance(chart, Lines) and len(chart.series) > 1:
            axes.legend(loc="best")
        if isinstance(chart, Bars) and len(chart.series) > 1:
            drawn = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
            handles = [drawn[series.name] for series in chart.series]
            figure.legend(handles=handles, loc="outside lower center", ncols=4)  # bars leave no space inside
    return figure


def save_panels(charts: Sequence[Lines], path: Path, *, title: str = "") -> None:
    """Writes line charts as one SVG, two per row, all with the same y scale."""
    with _style():
        from matplotlib.figure import Figure

        rows = -(-len(charts) // 2)
        figure = Figure(figsize=(7.2, 2.4 * rows), layout="constrained")
        figure.suptitle(title, fontsize=9)
        panels = figure.subplots(rows, 2, sharey=True, squeeze=False)
        for place, chart in enumerate(charts):
            axes = panels.flat[place]
            _lines(axes, chart)
            axes.set_xlabel(chart.x_label)
            if place % 2 == 0:
                axes.set_ylabel(chart.y_label)
            if len(chart.series) > 1:
                axes.legend(loc="best")
    write_whole(path, _written(figure, "svg"))


def save(charts: Sequence[Chart], folder: Path) -> list[Path]:
    """Writes each as SVG and PNG into a folder."""
    paths = []
    for chart in charts:
        figure = draw(chart)
        for kind in ("svg", "png"):
            path = folder / f"{chart.name}.{kind}"
            write_whole(path, _written(figure, kind))
            paths.append(path)
    return paths


def _written(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    with _style(), warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="Glyph .* missing from font"
        )  # an SVG is drawn with the reader's fonts
        figure.savefig(buffer, format=kind, dpi=160, metadata={"Date": None} if kind == "svg" else None)
    return buffer.getvalue()


@contextmanager
def _style() -> Iterator[None]:
    """Our style, with a Chinese font as the fallback if the machine has one."""
    import matplotlib
    from matplotlib.font_manager import fontManager

    known = {font.name for font in fontManager.ttflist}
    families = ["DejaVu Sans", *(name for name in _CHINESE if name in known)]
    with matplotlib.rc_context({**_STYLE, "font.family": families}):
        yield


def _size(chart: Chart) -> tuple[float, float]:
    if isinstance(chart, Bars):
        categories = len({point.x for series in chart.series for point in series.points})
        drawn = max(1, sum(not series.of_paper for series in chart.series))
        legend = 0.3 if len(chart.series) > 1 else 0.0
        return 6.4, 1.0 + legend + 0.28 * categories * max(1.0, 0.7 * drawn)
    if isinstance(chart, HeatMap):
        return max(5.0, 1.6 + 0.24 * len(chart.columns)), 1.4 + 0.26 * len(chart.rows)
    return 6.4, 3.6


def _bars(axes: Axes, chart: Bars) -> None:
    """Horizontal bars, since the names of variants are long; from top to bottom, as in a table."""
    names = list(dict.fromkeys(str(point.x) for series in chart.series for point in series.points))
    ours = [series for series in chart.series if not series.of_paper]
    height = 0.8 / max(1, len(ours))
    for place, series in enumerate(ours):
        at = [names.index(str(point.x)) + (place - (len(ours) - 1) / 2) * height for point in series.points]
        axes.barh(
            at,
            [point.y for point in series.points],
            height=height * 0.9,
            color=_GREYS[place % len(_GREYS)],
            hatch=_HATCHES[place % len(_HATCHES)],
            edgecolor="white",
            label=series.name,
            xerr=_errors(series),
            error_kw={"ecolor": "black", "elinewidth": 1, "capsize": 2},
        )
    for series in chart.series:
        if series.of_paper:
            at = [names.index(str(point.x)) for point in series.points]
            marks = {"marker": "D", "facecolors": "white", "edgecolors": "black", "zorder": 3}
            axes.scatter([point.y for point in series.points], at, label=series.name, **marks)  # type: ignore[arg-type]
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(left=0)


def _lines(axes: Axes, chart: Lines) -> None:
    for place, series in enumerate(chart.series):
        x = [float(point.x) for point in series.points]
        axes.errorbar(
            x,
            [point.y for point in series.points],
            yerr=_errors(series),
            label=series.name,
            color="black" if series.of_paper else _GREYS[place % 2],
            linestyle=_LINES[place % len(_LINES)],
            marker="D" if series.of_paper else _MARKS[place % len(_MARKS)],
            markerfacecolor="white" if series.of_paper else None,
            markersize=4,
            capsize=2,
            linewidth=1,
        )
    if chart.doubling:
        from matplotlib.ticker import LogLocator, NullLocator, ScalarFormatter

        axes.set(xscale="log", yscale="log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(base=2, numticks=20))
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(ScalarFormatter())
    axes.set_xticks(sorted({float(point.x) for series in chart.series for point in series.points}))
    axes.tick_params(axis="x", labelsize=8)


def _scatter(axes: Axes, chart: Scatter) -> None:
    """A mark for each point, with its name beside it; names that would overlap are moved apart."""
    from matplotlib.transforms import offset_copy

    series = Series("", tuple(point for _, point in chart.points))
    x, y = [float(point.x) for point in series.points], [point.y for point in series.points]
    look: dict[str, Any] = {"ecolor": "0.75", "elinewidth": 1, "capsize": 2, "markersize": 4}
    axes.errorbar(x, y, yerr=_errors(series), fmt="o", color="black", **look)
    axes.set_xscale("log")
    for formatter in (axes.xaxis.set_major_formatter, axes.xaxis.set_minor_formatter):
        formatter(lambda value, _: f"{value:g}")
    axes.margins(x=0.25, y=0.1)
    low, high = axes.get_ylim()
    room, last = 0.045 * (high - low), -np.inf
    beside = offset_copy(axes.transData, axes.figure, x=6, units="points")  # type: ignore[arg-type]
    for place in np.argsort(y).tolist():
        last = max(y[place], last + room)
        axes.text(x[place], last, _escaped(chart.points[place][0]), transform=beside, fontsize=8, va="center")


def _heat_map(figure: Figure, axes: Axes, chart: HeatMap) -> None:
    values = np.array(chart.values)
    image = axes.imshow(values, cmap="Greys", aspect="auto")
    turned = 90 if max(map(len, chart.columns)) > 2 else 0
    axes.set_xticks(range(len(chart.columns)), [_escaped(column) for column in chart.columns], rotation=turned)
    axes.set_yticks(range(len(chart.rows)), list(chart.rows))
    for row in chart.marked:
        axes.get_yticklabels()[row].set_fontweight("bold")
    figure.colorbar(image, ax=axes, shrink=0.8)


def _errors(series: Series) -> np.ndarray | None:
    """How far the intervals reach below and above, [2, points]; None if no point has one."""
    if all(point.low is None or point.high is None for point in series.points):
        return None
    below = [0.0 if point.low is None else max(0.0, point.y - point.low) for point in series.points]
    above = [0.0 if point.high is None else max(0.0, point.high - point.y) for point in series.points]
    return np.array([below, above])


def _escaped(text: str) -> str:
    """Escapes $, which would start a formula: a token of a problem may have one."""
    return text.replace("$", r"\$")
