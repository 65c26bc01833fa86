"""How fast this machine solves, learnt from the batches that it solved: by it the service knows what comes too late."""

from __future__ import annotations

from collections.abc import Mapping

from treequation.server.frames import Kind

# How much a batch counts against what was known. Slower counts more: to expect too much costs a client its answer,
# to expect too little only sends it elsewhere.
_SLOWER, _FASTER = 0.6, 0.2
_LEAP = 3.0  # times as slow as known is the slowest that one batch is believed: a machine may halt for a moment


class Pace:
    """Seconds a token, for each kind of problem: a wide beam takes longer, and a trace as well."""

    def __init__(self) -> None:
        self._seconds: dict[Kind, float] = {}

    def learn(self, kind: Kind, tokens: int, seconds: float) -> None:
        """Notes how long a batch took whose texts have so many tokens together."""
        known = self._seconds.get(kind, seconds / tokens)
        found = min(seconds / tokens, _LEAP * known)
        self._seconds[kind] = known + (_SLOWER if found > known else _FASTER) * (found - known)

    def seconds(self, kind: Kind, tokens: int) -> float:
        """How long so many tokens take; a kind that nobody asked for yet is as slow as the slowest, for now.

        >>> pace = Pace()
        >>> pace.learn(Kind(), tokens=100, seconds=0.5)
        >>> pace.seconds(Kind(), 20), pace.seconds(Kind(beam=4), 20)
        (0.1, 0.1)
        """
        known = self._seconds.get(kind)
        return tokens * (max(self._seconds.values(), default=0.0) if known is None else known)

    def total(self, tokens: Mapping[Kind, int]) -> float:
        """How long problems of several kinds take, one after the other."""
        return sum(self.seconds(kind, count) for kind, count in tokens.items())
