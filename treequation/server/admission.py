"""Who gets in, and for how long: keys, requests at a time, the body's size, the deadline, and clients that leave."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from treequation.server.failures import ServiceError
from treequation.server.service import Service

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
CLIENT_LEFT = 499
"""The status that logs and metrics show where nobody was left to answer."""


class AdmittedRoute(APIRoute):
    """A route that checks a request before its body is read, and gives it up when it is of no use any more."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def admitted(request: Request) -> Response:
            service: Service = request.app.state.service
            check_key(request, service)
            if request.method != "POST":
                return await handle(request)
            with service.place():
                end = asyncio.get_running_loop().time() + service.settings.deadline
                bounded = BoundedRequest(request.scope, request.receive)
                bounded.limit = service.settings.max_body
                await _read_body(bounded, end)
                return await _unless_too_late(bounded, handle, end)

        return admitted


class BoundedRequest(Request):
    """A request whose body is read no further than its limit."""

    limit: int

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            said = self.headers.get("content-length", "")
            if said.isdecimal() and int(said) > self.limit:
                raise self._too_large()
            content = bytearray()
            async for chunk in self.stream():
                content += chunk
                if len(content) > self.limit:
                    raise self._too_large()
            self._body = bytes(content)
        return self._body

    def _too_large(self) -> ServiceError:
        message = f"the body is larger than {self.limit:,} bytes"
        return ServiceError(413, "body-too-large", message, "send fewer problems at a time", field="body")


def check_key(request: Request, service: Service) -> None:
    """Refuses a request without a valid key, where keys are asked for."""
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


async def _read_body(request: Request, end: float) -> None:
    try:
        async with asyncio.timeout_at(end):
            await request.body()
    except TimeoutError as error:
        raise ServiceError(408, "slow-body", "the body did not arrive in time", "send it faster") from error


async def _unless_too_late(request: Request, handle: Handler, end: float) -> Response:
    """The response; giving up cancels the handler, and with it the problems that wait in the queue."""
    solving = asyncio.ensure_future(handle(request))
    leaving = asyncio.ensure_future(_client_left(request))
    try:
        async with asyncio.timeout_at(end):
            await asyncio.wait((solving, leaving), return_when=asyncio.FIRST_COMPLETED)
        return solving.result() if solving.done() else Response(status_code=CLIENT_LEFT)
    except TimeoutError as error:
        raise ServiceError(
            504, "deadline", "the answer was not there in time, and the work was dropped", "try again later"
        ) from error
    finally:
        solving.cancel()
        leaving.cancel()
        await asyncio.gather(solving, leaving, return_exceptions=True)


async def _client_left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
