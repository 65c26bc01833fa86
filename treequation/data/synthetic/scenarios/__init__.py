"""The stories: each scenario is a function that tells one to a writer, in either language."""

from collections.abc import Callable

from treequation.data.synthetic.scenarios import (
    business,
    easy,
    everyday,
    geometry,
    groups,
    holdings,
    parts,
    relations,
    series,
    shopping,
    travel,
    work,
)
from treequation.data.synthetic.writing import Writer

Scenario = Callable[[Writer], None]

EASY: tuple[Scenario, ...] = easy.SCENARIOS
# A scenario stands as often as it should be drawn: those that compose freely have the most to tell.
VARIED: tuple[Scenario, ...] = (
    *(holdings.holdings,) * 10,
    *(series.series,) * 8,
    *everyday.SCENARIOS,
    *shopping.SCENARIOS,
    *travel.SCENARIOS,
    *work.SCENARIOS,
    *parts.SCENARIOS,
    *business.SCENARIOS,
    *relations.SCENARIOS,
    *geometry.SCENARIOS,
    *groups.SCENARIOS,
)
