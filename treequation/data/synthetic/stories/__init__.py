"""The stories of everyday life: short questions of one or two steps, as people type them."""

from treequation.data.synthetic.stories import (
    calculating,
    changing,
    comparing,
    grouping,
    measuring,
    portions,
    spending,
    steps,
)
from treequation.data.synthetic.stories.story import Story

#: Every story, each as often as it has questions.
EVERYDAY: tuple[Story, ...] = tuple(
    story
    for theme in (calculating, changing, comparing, grouping, measuring, portions, spending, steps)
    for story in theme.STORIES
    for _ in story.asks
)
