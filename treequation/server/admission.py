"""Admission of a request: API key, concurrent requests, body size, deadline, and clients that disconnect."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.requests import ClientDisconnect

from treequation.server.failures import ServiceError
from treequation.server.queue import QueueFullError
from treequation.server.service import Service

_GZIP = 16 + zlib.MAX_WBITS  # tells zlib to read gzip's own head and checksum
_GZIP_NAMES = ("gzip", "x-gzip")
Handler = Callable[[Request], Coroutine[Any, Any, Response]]
CLIENT_LEFT = 499
"""The status in logs and metrics of a request whose client has disconnected."""
END: ContextVar[float | None] = ContextVar("end of the request", default=None)
"""The deadline of the request, by the event loop's clock."""

WAYS_TO_SEND_A_KEY = (
    HTTPBearer(scheme_name="bearer", description="`Authorization: Bearer KEY`", auto_error=False),
    APIKeyHeader(name="X-API-Key", scheme_name="header", description="`X-API-Key: KEY`", auto_error=False),
)
"""For the OpenAPI description. The key itself is checked before the body is read, which FastAPI would do first."""


class AdmittedRoute(APIRoute):
    """A route that checks a request before reading its body, and cancels it when the client disconnects."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def admitted(request: Request) -> Response:
            service: Service = request.app.state.service
            check_key(request, service)
            if request.method != "POST":
                return await handle(request)
            try:
                service.queue.check_room()  # before any work on the body
            except QueueFullError as error:
                raise overloaded(error) from error
            with service.place():
                end = asyncio.get_running_loop().time() + service.settings.deadline
                END.set(end)
                bounded = BoundedRequest(request.scope, request.receive)
                bounded.limit = service.settings.max_body
                try:
                    await _read_body(bounded, service, end)
                except ClientDisconnect:
                    return Response(status_code=CLIENT_LEFT)
                return await _unless_too_late(bounded, handle, end)

        return admitted


def overloaded(error: QueueFullError) -> ServiceError:
    """The error for a request whose problems would not be solved in time."""
    return ServiceError(
        429,
        "queue-full",
        "too many problems are waiting",
        f"try again in {error.seconds} s",
        headers={"Retry-After": str(error.seconds)},
    )


class BoundedRequest(Request):
    """A request whose body is read and decompressed only up to a limit."""

    limit: int

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            length = self.headers.get("content-length", "")
            if length.isdecimal() and int(length) > self.limit:
                raise self._too_large()
            packed = 0
            unpacking = Unpacking(self.headers.get("content-encoding", ""), self.limit)
            async for chunk in self.stream():
                packed += len(chunk)
                if packed > self.limit or not unpacking.take(chunk):
                    raise self._too_large()
            self._body = unpacking.content()
        return self._body

    def _too_large(self) -> ServiceError:
        message = f"the body is larger than {self.limit:,} bytes"
        return ServiceError(413, "body-too-large", message, "send fewer problems at a time", field="body")


class Unpacking:
    """The content of a body whose header ``Content-Encoding`` says ``encoding``, of at most ``limit`` bytes.

    >>> import gzip
    >>> unpacking = Unpacking("gzip", limit=100)
    >>> unpacking.take(gzip.compress(b"{}")), unpacking.content()
    (True, b'{}')
    """

    def __init__(self, encoding: str, limit: int) -> None:
        named = encoding.strip().lower()
        if named not in ("", "identity", *_GZIP_NAMES):
            message = "the body's Content-Encoding is not supported"
            hint = "send it uncompressed, or with gzip"
            raise ServiceError(415, "bad-encoding", message, hint, field="body", headers={"Accept-Encoding": "gzip"})
        self._limit = limit
        self._content = bytearray()
        self._gzip = zlib.decompressobj(_GZIP) if named in _GZIP_NAMES else None

    def take(self, chunk: bytes) -> bool:
        """Adds a chunk; False if the content is now longer than the limit."""
        if self._gzip is None:
            self._content += chunk
        while self._gzip is not None and chunk and len(self._content) <= self._limit:
            if self._gzip.eof:  # a gzip stream may have several members
                self._gzip = zlib.decompressobj(_GZIP)
            try:
                self._content += self._gzip.decompress(chunk, self._limit + 1 - len(self._content))
            except zlib.error as error:
                raise _bad_gzip() from error
            chunk = self._gzip.unused_data or self._gzip.unconsumed_tail
        return len(self._content) <= self._limit

    def content(self) -> bytes:
        """The whole content, once everything has arrived."""
        if self._gzip is not None and not self._gzip.eof:
            raise _bad_gzip()
        return bytes(self._content)


def _bad_gzip() -> ServiceError:
    message = "the body is not valid gzip, although its Content-Encoding says so"
    return ServiceError(400, "bad-gzip", message, "compress it again, or send it uncompressed", field="body")


def check_key(request: Request, service: Service) -> None:
    """Refuses a request without a valid key, if the service has keys."""
    if not service.settings.api_keys:
        return
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    key = token.strip() if scheme.lower() == "bearer" else request.headers.get("x-api-key", "")
    if not service.knows(key):
        raise ServiceError(
            401,
            "bad-key",
            "a valid API key is needed",
            "send it as `Authorization: Bearer KEY` or as `X-API-Key: KEY`",
            headers={"WWW-Authenticate": "Bearer"},
        )


async def _read_body(request: Request, service: Service, end: float) -> None:
    try:
        async with asyncio.timeout_at(end) as limit:
            with service.sending(limit):
                await request.body()
    except TimeoutError as error:
        raise ServiceError(408, "slow-body", "the body did not arrive in time", "send it faster") from error


async def _unless_too_late(request: Request, handle: Handler, end: float) -> Response:
    """The response; the deadline or a client that leaves cancels the handler, and with it its queued problems."""
    solving = asyncio.ensure_future(handle(request))
    leaving = asyncio.ensure_future(_client_left(request))
    try:
        async with asyncio.timeout_at(end):
            await asyncio.wait((solving, leaving), return_when=asyncio.FIRST_COMPLETED)
        return solving.result() if solving.done() else Response(status_code=CLIENT_LEFT)
    except TimeoutError as error:
        raise ServiceError(
            504, "deadline", "the answer was not ready in time, so the work was dropped", "try again later"
        ) from error
    finally:
        solving.cancel()
        leaving.cancel()
        await asyncio.gather(solving, leaving, return_exceptions=True)


async def _client_left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
