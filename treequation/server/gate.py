"""Checks before routing: the framing of the body, trailing slashes, and the number of requests."""

from __future__ import annotations

from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from treequation.server.failures import ServiceError
from treequation.server.metrics import Metrics

HEALTH = ("/healthz", "/readyz")
"""Paths that are always answered, however busy the service is."""


class Gate:
    """Middleware that allows at most ``most`` requests at a time, not counting health checks."""

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
            # The page's links are relative, so it needs the slash. A full URL would have to trust the Host header.
            await RedirectResponse(f"{self._root_path}/")(scope, receive, send)
            return
        refused = self._refusal(scope)
        if refused is not None:
            self._metrics.errors.labels(refused.code).inc()
            await JSONResponse(refused.to_dict(), refused.status, refused.headers)(scope, receive, send)
            return
        if scope["path"].endswith("/") and self._address(scope):
            scope["path"] = scope["path"][:-1]  # only the page has a path that ends in a slash
        self._inside += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._inside -= 1

    def _refusal(self, scope: Scope) -> ServiceError | None:
        names = {name for name, _ in scope["headers"]}
        if {b"content-length", b"transfer-encoding"} <= names:
            # Request smuggling: a proxy may believe one header and we the other, and disagree where the body ends.
            message = "the request has both Content-Length and Transfer-Encoding"
            return ServiceError(400, "bad-framing", message, "send one of them", headers={"Connection": "close"})
        if self._inside >= self._most and self._address(scope) not in HEALTH:
            headers = {"Retry-After": "1", "Connection": "close"}
            return ServiceError(
                429, "too-many-connections", "too many connections are open", "try again", headers=headers
            )
        return None

    def _address(self, scope: Scope) -> str:
        """The path without the proxy's prefix and trailing slashes; empty for the page."""
        path: str = scope["path"]
        return path.removeprefix(self._root_path).rstrip("/")
