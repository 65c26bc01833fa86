"""Mixed load: many clients at once, some with a beam, some with long texts; no request may run into its deadline."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

from clients import Connection, Tally, closed_loop, post

CLIENTS = 200
BEAM = 4
_WITH_BEAM = 0.25  # of the requests
_LONG = 0.1
_FILLER = "The shop is on the main street near the old park, and people like to go there. "
_FILLERS = range(4, 17)  # about 300 to 1,300 characters before the problem itself


def mixed(problems: Sequence[str], *, seed: int = 5) -> list[bytes]:
    """A request for each problem: a quarter with a beam, one in ten with a long text."""
    chance = random.Random(seed)
    requests = []
    for problem in problems:
        text = _FILLER * chance.choice(_FILLERS) + problem if chance.random() < _LONG else problem
        beam = BEAM if chance.random() < _WITH_BEAM else None
        requests.append(post("/v1/solve", {"problem": text, "beam": beam}))
    return requests


async def crowd(port: int, requests: Sequence[bytes], seconds: float, clients: int = CLIENTS) -> dict[str, Any]:
    """Runs clients that send their next request at once, whatever they get; then times one more request."""
    tally: Tally = await closed_loop(port, clients, requests, seconds)
    started = time.perf_counter()
    after = await Connection(port).ask(requests[0])
    return {
        "clients": clients,
        "seconds": round(tally.seconds, 1),
        "statuses": {str(status): count for status, count in sorted(tally.statuses.items())},
        "solved_per_second": round(tally.per_second, 1),
        "p50_ms": round(tally.percentile(0.50), 1),
        "p99_ms": round(tally.percentile(0.99), 1),
        "after": after,
        "after_ms": round(1_000 * (time.perf_counter() - started), 1),
    }
