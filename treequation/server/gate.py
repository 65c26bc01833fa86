"""What is settled before an address is looked for: how a body is framed, slashes, and whether one more request fits."""

from __future__ import annotations

from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from treequation.server.failures import ServiceError
from treequation.server.metrics import Metrics

HEALTH = ("/healthz", "/readyz")
"""Addresses that answer however many ask for others."""


class Gate:
    """Wraps an application that has at most ``most`` requests at a time, health checks not counted."""

    def __init__(self, app: ASGIApp, metrics: Metrics, *, most: int, root_path: str) -> None:
        self._app = app
        self._metrics = metrics
        self._most = most
        self._root_path = root_path
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._root_path and scope["path"] == self._root_path:
            # The page's links are relative, so it needs the slash. To name the host would be to trust a header.
            await RedirectResponse(f"{self._root_path}/")(scope, receive, send)
            return
        refused = self._refusal(scope)
        if refused is not None:
            self._metrics.errors.labels(refused.code).inc()
            await JSONResponse(refused.to_dict(), refused.status, refused.headers)(scope, receive, send)
            return
        if scope["path"].endswith("/") and self._address(scope):
            scope["path"] = scope["path"][:-1]  # the page alone has an address with a slash at its end
        self._inside += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._inside -= 1

    def _refusal(self, scope: Scope) -> ServiceError | None:
        names = {name for name, _ in scope["headers"]}
        if {b"content-length", b"transfer-encoding"} <= names:
            # A proxy may believe one and we the other; what one takes for a body is then a request to the other.
            message = "the request has both Content-Length and Transfer-Encoding"
            return ServiceError(400, "bad-framing", message, "send one of them", headers={"Connection": "close"})
        if self._inside >= self._most and self._address(scope) not in HEALTH:
            headers = {"Retry-After": "1", "Connection": "close"}
            return ServiceError(429, "too-many-connections", "no more connections fit", "try again", headers=headers)
        return None

    def _address(self, scope: Scope) -> str:
        """The path without the proxy's part of it and without slashes at its end; empty for the page."""
        path: str = scope["path"]
        return path.removeprefix(self._root_path).rstrip("/")
