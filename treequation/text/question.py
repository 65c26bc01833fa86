"""What a problem asks for, as far as it decides how the answer is written."""

from __future__ import annotations

import re

_ASKS = re.compile(
    # No digit between the two: "what is 15 percent of 80" asks for an amount.
    r"\b(?:what|which|find|calculate|how\s+many)\b[^.?!\d]{0,60}?(?:\bpercent(?:age)?\b|\bper\s+cent\b|%)"
    r"|百分之(?:几|多少)|百分[比率数](?:是|为)(?:几|多少)",
    re.IGNORECASE,
)


def asks_for_percentage(text: str) -> bool:
    """Whether the answer is to be a percentage.

    >>> asks_for_percentage("What percent of 80 is 12?"), asks_for_percentage("What is 15 percent of 80?")
    (True, False)
    >>> asks_for_percentage("今年比去年增加了百分之几？"), asks_for_percentage("80的15%是多少？")
    (True, False)
    """
    return _ASKS.search(text) is not None
