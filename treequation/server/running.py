"""Starts the service, and shuts it down gracefully."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial

import uvicorn

from treequation.errors import TreequationError
from treequation.server.app import build
from treequation.server.connections import KEEP_ALIVE, MAX_HEAD, BoundedConnection, Crowd
from treequation.server.logs import log_as_json
from treequation.server.service import Service
from treequation.server.settings import Settings

_SLACK = 1  # seconds after the deadline to write the last responses
log = logging.getLogger(__name__)


class _Server(uvicorn.Server):
    """Uvicorn without its signal handling, which would end the process by the signal instead of exit code 0."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def serve(settings: Settings, host: str, port: int) -> None:
    """Serves until SIGTERM or SIGINT, then finishes the open requests and returns."""
    listener = _listen(host, port)
    log_as_json()
    asyncio.run(_serve(settings, listener))


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        option = "--port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "--host"
        raise TreequationError(
            f"cannot listen on {host}, port {port} ({error.strerror}); choose another {option}"
        ) from error
    # Connections inherit it. A response is written in two pieces, and the second would otherwise wait up to 40 ms for
    # the client to acknowledge the first. Asyncio sets it only on sockets that it creates itself.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


async def _serve(settings: Settings, listener: socket.socket) -> None:
    service = Service(settings)
    config = uvicorn.Config(
        build(service),
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        http=partial(  # type: ignore[arg-type]
            BoundedConnection,
            crowd=Crowd(settings.max_connections),
            seconds=settings.deadline,
        ),
        h11_max_incomplete_event_size=MAX_HEAD,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=round(settings.deadline) + _SLACK,
    )
    server = _Server(config)
    loop = asyncio.get_running_loop()
    ending: set[asyncio.Task[None]] = set()

    async def drain(why: str) -> None:
        service.draining = True
        log.info("draining", extra={"fields": {"why": why}})
        await asyncio.sleep(settings.drain_delay)
        server.should_exit = True

    def on_signal(which: signal.Signals) -> None:
        if service.draining:  # a second signal means: stop now
            server.should_exit = server.force_exit = True
        else:
            ending.add(loop.create_task(drain(which.name)))

    for which in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(which, on_signal, which)
    solving = asyncio.create_task(service.pool.run())
    solving.add_done_callback(lambda _: setattr(server, "should_exit", True))  # the pool returns only if it fails
    host, port = listener.getsockname()[:2]
    log.info("listening", extra={"fields": {"host": host, "port": port}})
    await server.serve(sockets=[listener])
    if not solving.done():
        solving.cancel()
    await asyncio.gather(solving, return_exceptions=True)
    await asyncio.to_thread(service.traces.close)
    if not solving.cancelled():
        solving.result()
    log.info("ended")
