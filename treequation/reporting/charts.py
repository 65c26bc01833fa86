"""What a figure shows, before anybody draws it: a test can read it, and :mod:`.figures` draws it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A value, and the ends of its interval or spread where there is one."""

    x: str | float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """Points that belong together; those of the paper are drawn as such."""

    name: str
    points: tuple[Point, ...]
    of_paper: bool = False


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What every chart has."""

    name: str  # of the file
    title: str
    x_label: str
    y_label: str


@dataclass(frozen=True, slots=True)
class Bars(_Drawing):
    """Values by category: a bar each, side by side for several series, and a mark for the paper's."""

    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class Lines(_Drawing):
    """Values over a number; with ``doubling`` both axes are logarithmic, so that in proportion is a straight line."""

    series: tuple[Series, ...]
    doubling: bool = False


@dataclass(frozen=True, slots=True)
class HeatMap(_Drawing):
    """Values by row and column; ``marked`` rows are those that matter."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    marked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Scatter(_Drawing):
    """Points with a name each, such as accuracy against cost; ``logarithmic`` is the x axis."""

    points: tuple[tuple[str, Point], ...]
    logarithmic: bool = False


Chart = Bars | Lines | HeatMap | Scatter
