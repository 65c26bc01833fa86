"""The content of a figure, apart from its drawing: tests can read it, and :mod:`.figures` draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A value, and the ends of its interval or spread if there is one."""

    x: str | float
    y: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def percent(cls, x: str | float, share: float, interval: Sequence[float] | None) -> Point:
        """A share and its interval, in percent."""
        low, high = (None, None) if interval is None else (100 * end for end in interval)
        return cls(x, 100 * share, low, high)


@dataclass(frozen=True, slots=True)
class Series:
    """Points that belong together; the paper's are drawn in another style."""

    name: str
    points: tuple[Point, ...]
    of_paper: bool = False


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What all charts have in common."""

    name: str  # of the file
    title: str
    x_label: str
    y_label: str


@dataclass(frozen=True, slots=True)
class Bars(_Drawing):
    """Values by category: a bar each, grouped if there are several series, and a mark for the paper's values."""

    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class Lines(_Drawing):
    """Values against a number; with ``doubling`` both axes are logarithmic, so proportional growth is a line."""

    series: tuple[Series, ...]
    doubling: bool = False


@dataclass(frozen=True, slots=True)
class HeatMap(_Drawing):
    """Values by row and column; ``marked`` rows are emphasised."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    marked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Scatter(_Drawing):
    """Named points, such as accuracy against cost; the x axis is logarithmic."""

    points: tuple[tuple[str, Point], ...]


Chart = Bars | Lines | HeatMap | Scatter
