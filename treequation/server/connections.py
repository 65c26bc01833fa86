"""Limits on connections: how many may be open, and how slowly a client may send and read.

Uvicorn only bounds how long a connection idles between requests. It waits forever for a request's headers, for the rest
of a refused body, and for a client to read its answer, so that a client with many such connections shuts out all
others. Here each of these waits has a time limit. When too many connections are open, those that have kept the service
waiting longest are cut, so that new requests, and health checks above all, always get through.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_HEAD = 16_384
"""The most bytes of a request's line and headers; a longer head is answered with 400."""
KEEP_ALIVE = 5
"""How many seconds a connection may idle between requests."""
_GRACE = 0.5  # seconds that a new connection has to send its head before it may be cut


class Crowd:
    """The connections of one service that wait for their clients, the longest wait first.

    Above ``most`` open connections, those that have waited for a while are cut; above 1.5 times as many, any that wait.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._ceiling = most + most // 2 + 1
        self._waiting: dict[BoundedConnection, float] = {}  # since when, by the loop's clock

    def enter(self, connection: BoundedConnection, now: float) -> None:
        """Notes that the service now waits for this client."""
        self._waiting.pop(connection, None)
        self._waiting[connection] = now

    def leave(self, connection: BoundedConnection) -> None:
        """Notes that the service no longer waits for this client."""
        self._waiting.pop(connection, None)

    def make_room(self, opened: int, now: float) -> None:
        """Cuts waiting connections until ``opened`` is within the limit, if it can."""
        for connection, since in list(self._waiting.items())[: max(0, opened - self._most)]:
            if opened <= self._ceiling and now - since < _GRACE:
                return
            self.leave(connection)
            connection.cut()
            opened -= 1


class BoundedConnection(H11Protocol):
    """A connection in a crowd; its client has ``seconds`` to send a head, or to continue reading an answer."""

    def __init__(self, *args: Any, crowd: Crowd, seconds: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._crowd = crowd
        self._seconds = seconds
        self._head_timer: asyncio.TimerHandle | None = None
        self._reading_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()
        self._crowd.make_room(len(self.connections), self.loop.time())

    def cut(self) -> None:
        """Aborts the connection. Closing it would wait for a client that does not read."""
        self.connections.discard(self)  # stop counting it now; the loop reports the loss only later
        self.transport.abort()

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:  # the head is complete; the service's deadline covers the rest of the request
            _cancel(self._head_timer)
            self._crowd.leave(self)

    def on_response_complete(self) -> None:
        self._wait_for_head()  # before handling the next request, which may have arrived already
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._crowd.enter(self, self.loop.time())
        self._reading_timer = self.loop.call_later(self._seconds, self.cut)

    def resume_writing(self) -> None:
        _cancel(self._reading_timer)
        if self.cycle is not None and not self.cycle.response_complete:
            self._crowd.leave(self)
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._head_timer)
        _cancel(self._reading_timer)
        self._crowd.leave(self)
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        _cancel(self._head_timer)
        self._crowd.enter(self, self.loop.time())
        self._head_timer = self.loop.call_later(self._seconds, self.cut)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
