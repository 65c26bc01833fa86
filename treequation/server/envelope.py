"""What every request gets: an id, security headers, a log line, and an entry in the metrics.

None of these contains a problem's text.
"""

from __future__ import annotations

import logging
import re
import time
import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treequation.server.logs import REQUEST_ID
from treequation.server.metrics import Metrics
from treequation.server.tracing import Traces

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_MAX_PATH = 200  # characters of a path that a log line shows
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
log = logging.getLogger(__name__)


class Envelope:
    """Middleware around the whole application."""

    def __init__(self, app: ASGIApp, metrics: Metrics, traces: Traces, *, shared: bool) -> None:
        self._app = app
        self._metrics = metrics
        self._traces = traces
        # Pages of the allowed other origins must also be able to read the answer.
        self._headers = _HEADERS | ({"Cross-Origin-Resource-Policy": "cross-origin"} if shared else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _ID.fullmatch(given) else uuid.uuid4().hex
        token = REQUEST_ID.set(request_id)
        started = time.perf_counter()
        status = 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        with self._traces.request(scope) as span:
            try:
                await self._app(scope, receive, send_with_headers)
            finally:
                seconds = time.perf_counter() - started
                route = getattr(scope.get("route"), "path", "other")
                self._metrics.observe_request(route, scope["method"], status, seconds)
                span.end(route, status)
                fields = {
                    "method": scope["method"],
                    "path": scope["path"][:_MAX_PATH],
                    "status": status,
                    "ms": round(1_000 * seconds, 2),
                }
                if span.trace_id is not None:
                    fields["trace_id"] = span.trace_id
                log.info("request", extra={"fields": fields})
                REQUEST_ID.reset(token)
