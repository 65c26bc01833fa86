"""The stories of everyday life: short questions of one to four steps, as people type them."""

from treequation.data.synthetic.stories import (
    calculating,
    changing,
    comparing,
    earning,
    errands,
    grouping,
    inverse,
    known,
    measuring,
    misleading,
    portions,
    quantities,
    rates,
    receipts,
    riddles,
    sorting,
    spending,
    steps,
    units,
)
from treequation.data.synthetic.stories.story import Story

STORIES: tuple[Story, ...] = (
    *calculating.STORIES,
    *changing.STORIES,
    *comparing.STORIES,
    *earning.STORIES,
    *sorting.STORIES,
    *receipts.STORIES,
    *errands.STORIES,
    *grouping.STORIES,
    *units.STORIES,
    *inverse.STORIES,
    *riddles.STORIES,
    *known.STORIES,
    *measuring.STORIES,
    *misleading.STORIES,
    *portions.STORIES,
    *quantities.STORIES,
    *spending.STORIES,
    *rates.STORIES,
    *steps.STORIES,
)
#: Every story as often as it has questions, and thrice as often where there are no facts: few words, much to learn.
EVERYDAY: tuple[Story, ...] = tuple(story for story in STORIES for _ in range(len(story.asks) * (1 if story.en else 3)))
