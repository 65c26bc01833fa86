"""What a client may do to a connection before and after its request: how many there are, how slowly it sends and reads.

Uvicorn bounds how long a connection idles between requests. It waits for ever for a request's head, for the rest of a
body that was refused, and for a client to read its answer; whoever opens enough such connections shuts everybody out.
Here each of them ends in time, and where connections are many, the one that has kept the service waiting for longest
makes room for the next: whoever asks is heard, and a health check above all.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_HEAD = 16_384
"""Bytes of a request's line and headers; a longer head is answered with 400."""
KEEP_ALIVE = 5
"""Seconds that a connection may idle between requests."""
_GRACE = 0.5  # seconds for a new connection to send its head before it must make room for another


class Crowd:
    """The connections of one service that wait for their clients, the longest wait first.

    Above ``most`` open connections, those go that have waited for a while; above half as many more, whatever waits.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._ceiling = most + most // 2 + 1
        self._waiting: dict[BoundedConnection, float] = {}  # since when, by the loop's clock

    def enter(self, connection: BoundedConnection, now: float) -> None:
        """Notes that the service waits for this client from now on."""
        self._waiting.pop(connection, None)
        self._waiting[connection] = now

    def leave(self, connection: BoundedConnection) -> None:
        """Notes that the service does not wait for this client any more."""
        self._waiting.pop(connection, None)

    def make_room(self, opened: int, now: float) -> None:
        """Cuts as many connections as there are too many, of ``opened``."""
        for connection, since in list(self._waiting.items())[: max(0, opened - self._most)]:
            if opened <= self._ceiling and now - since < _GRACE:
                return
            self.leave(connection)
            connection.cut()
            opened -= 1


class BoundedConnection(H11Protocol):
    """A connection in a crowd, whose client has ``seconds`` for a head, and to go on reading an answer."""

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
        """Ends it at once. To close it would wait for a client that does not read."""
        self.connections.discard(self)  # it counts no more, though the loop tells it so only later
        self.transport.abort()

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:  # a head is complete; the rest of the request has the service's deadline
            _cancel(self._head_timer)
            self._crowd.leave(self)

    def on_response_complete(self) -> None:
        self._wait_for_head()  # before the next request, which may be here already, is looked at
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
