"""The parts of one running service, and the state that they share."""

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

_SLOW = 1.0  # seconds after which a body that is still arriving may be dropped for another request


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
        self._sending: dict[asyncio.Timeout, float] = {}  # when each arriving body began, the oldest first
        self._keys = [_digest(key) for key in settings.api_keys]

    @property
    def not_ready_because(self) -> str | None:
        """Why no new request should be sent here; None if the service is ready."""
        if self.draining:
            return "the service is shutting down"
        return None if self.pool.warm else self.pool.warm_up_failure

    def knows(self, key: str) -> bool:
        """Whether a key is valid, compared in constant time."""
        given = _digest(key)
        matches = [hmac.compare_digest(given, known) for known in self._keys]
        return any(matches)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Holds one of the places for requests that are served at a time."""
        if self._requests >= self.settings.max_requests and not self._cut_slow_body():
            message = f"{self._requests} requests are being served, which is the limit"
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
        """Marks a body as arriving: if no more requests fit, the slowest body is dropped through its ``limit``."""
        self._sending[limit] = asyncio.get_running_loop().time()
        try:
            yield
        finally:
            self._sending.pop(limit, None)

    def _cut_slow_body(self) -> bool:
        """Makes room by dropping a body that has been arriving for too long, if there is one."""
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
