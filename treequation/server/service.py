"""The parts of one running service, and what they know together."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import Iterator
from contextlib import contextmanager

from treequation.server.failures import ServiceError
from treequation.server.metrics import Metrics
from treequation.server.pool import Pool
from treequation.server.queue import ProblemQueue
from treequation.server.settings import Settings
from treequation.server.tracing import OpenTelemetry, Traces

_SLOW = 1.0  # seconds: a body that takes longer may have to make room for another request


class Service:
    """Settings, queue, workers and metrics; the application finds them under ``app.state.service``."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.queue = ProblemQueue(settings)
        self.metrics = Metrics(queue_length=lambda: len(self.queue), ready=lambda: self.not_ready_because is None)
        self.traces = OpenTelemetry() if settings.tracing else Traces()
        self.pool = Pool(settings, self.queue, self.metrics, self.traces)
        self.draining = False
        self._requests = 0
        self._sending: dict[asyncio.Timeout, float] = {}  # bodies on their way, the oldest first: since when
        self._keys = [_digest(key) for key in settings.api_keys]

    @property
    def not_ready_because(self) -> str | None:
        """Why no new request should be sent here; None if there is no reason."""
        if self.draining:
            return "the service is shutting down"
        return None if self.pool.warm else self.pool.warm_up_failure

    def knows(self, key: str) -> bool:
        """Whether a key is one of those that may ask, in a time that tells nothing about how near it came."""
        given = _digest(key)
        matches = [hmac.compare_digest(given, known) for known in self._keys]
        return any(matches)

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place among the requests that are served at a time."""
        if self._requests >= self.settings.max_requests and not self._cut_slow_body():
            message = f"{self._requests} requests are being served, and no more fit"
            raise ServiceError(429, "too-many-requests", message, "try again", headers={"Retry-After": "1"})
        self._requests += 1
        self.metrics.in_flight.set(self._requests)
        try:
            yield
        finally:
            self._requests -= 1
            self.metrics.in_flight.set(self._requests)

    @contextmanager
    def sending(self, limit: asyncio.Timeout) -> Iterator[None]:
        """While a body is on its way: where no more requests fit, the slowest is given up, by its ``limit``."""
        self._sending[limit] = asyncio.get_running_loop().time()
        try:
            yield
        finally:
            self._sending.pop(limit, None)

    def _cut_slow_body(self) -> bool:
        """Makes room, if a body has been on its way for so long that this may be done to its client."""
        now = asyncio.get_running_loop().time()
        oldest = next(iter(self._sending.items()), None)
        if oldest is None or now - oldest[1] < _SLOW:
            return False
        limit, _ = oldest
        del self._sending[limit]
        if not limit.expired():
            limit.reschedule(now)
        return True


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", errors="replace")).digest()
