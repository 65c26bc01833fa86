"""A running estimate of how fast this machine solves, so that the service can refuse what would miss its deadline."""

from __future__ import annotations

from collections.abc import Mapping

from treequation.server.protocol import Kind

# The weight of a new batch in the running mean. Slower batches weigh more: an estimate that is too fast costs a client
# its answer; one that is too slow only sends the client elsewhere.
_SLOWER, _FASTER = 0.6, 0.2
_MAX_SLOWDOWN = 3.0  # cap on how many times slower one batch may look: a machine may stall for a moment


class Pace:
    """Seconds per token, for each kind of problem: a wide beam takes longer, and so does a trace."""

    def __init__(self) -> None:
        self._seconds: dict[Kind, float] = {}

    def learn(self, kind: Kind, tokens: int, seconds: float) -> None:
        """Records how long a batch of ``tokens`` tokens in all took."""
        known = self._seconds.get(kind, seconds / tokens)
        measured = min(seconds / tokens, _MAX_SLOWDOWN * known)
        self._seconds[kind] = known + (_SLOWER if measured > known else _FASTER) * (measured - known)

    def seconds(self, kind: Kind, tokens: int) -> float:
        """The expected time for this many tokens; a kind not seen yet is taken to be as slow as the slowest known one.

        >>> pace = Pace()
        >>> pace.learn(Kind(), tokens=100, seconds=0.5)
        >>> pace.seconds(Kind(), 20), pace.seconds(Kind(beam=4), 20)
        (0.1, 0.1)
        """
        known = self._seconds.get(kind)
        return tokens * (max(self._seconds.values(), default=0.0) if known is None else known)

    def total(self, tokens: Mapping[Kind, int]) -> float:
        """The expected time for problems of several kinds, one after the other."""
        return sum(self.seconds(kind, count) for kind, count in tokens.items())
