"""What a client may do to a connection before and after its request: how many there are, how slowly it sends and reads.

Uvicorn bounds how long a connection idles between requests. It waits for ever for a request's head, for the rest of a
body that was refused, and for a client to read its answer; whoever opens enough such connections shuts everybody out.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_HEAD = 16_384
"""Bytes of a request's line and headers; a longer head is answered with 400."""
KEEP_ALIVE = 5
"""Seconds that a connection may idle between requests."""
_PARTING = 1.0  # seconds for a client that is turned away to read why

_BODY = json.dumps(
    {"error": {"code": "too-many-connections", "message": "no more connections fit", "hint": "try again"}}
).encode()
_REFUSAL = (
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)
)


class BoundedConnection(H11Protocol):
    """A connection among at most ``most``, whose client has ``seconds`` for a head, and to go on reading an answer."""

    def __init__(self, *args: Any, most: int, seconds: float, on_refusal: Callable[[], None], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._most = most
        self._seconds = seconds
        self._on_refusal = on_refusal
        self._turned_away = False
        self._head_timer: asyncio.TimerHandle | None = None
        self._reading_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) <= self._most:
            self._wait_for_head()
            return
        self._turned_away = True
        self._on_refusal()
        self.connections.discard(self)
        transport.write(_REFUSAL)
        # Closing at once, with a request unread, could take the answer away from the client before it has seen it.
        transport.write_eof()
        self.loop.call_later(_PARTING, transport.abort)

    def data_received(self, data: bytes) -> None:
        if not self._turned_away:
            super().data_received(data)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:  # a head is complete; the rest of the request has the service's deadline
            _cancel(self._head_timer)

    def on_response_complete(self) -> None:
        self._wait_for_head()  # before the next request, which may be here already, is looked at
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading_timer = self.loop.call_later(self._seconds, self.transport.abort)

    def resume_writing(self) -> None:
        _cancel(self._reading_timer)
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._head_timer)
        _cancel(self._reading_timer)
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        _cancel(self._head_timer)
        # To close it would wait for a client that does not read; by then the answer has had time enough.
        self._head_timer = self.loop.call_later(self._seconds, self.transport.abort)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
