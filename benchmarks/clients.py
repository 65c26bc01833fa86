"""Clients for load tests, with as little HTTP code as possible, so that they cost less than what they measure."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle

LOST = 0
"""In place of a status: the connection closed without an answer."""


def post(path: str, body: object) -> bytes:
    """A request in bytes, as it is sent."""
    content = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


_IDLE = 4.0  # seconds after which an idle connection is not reused: the service closes it after five


class Connection:
    """One connection; it is reopened if it was closed, or if the service is about to close it as idle."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._used = 0.0

    async def ask(self, request: bytes) -> int:
        """Sends a request, reads the whole answer, and returns its status."""
        if time.monotonic() - self._used > _IDLE:
            self.close()
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection("127.0.0.1", self._port)
            reader, writer = self._streams
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.lower().split(b"\r\n")
            lengths = [int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:")]
            await (reader.readexactly(lengths[0]) if lengths else reader.read())
            if b"connection: close" in lines:
                self.close()
            self._used = time.monotonic()
            return int(head[9:12])
        except (OSError, EOFError):
            self.close()
            return LOST

    def close(self) -> None:
        """Closes the connection, even during a request."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclass
class Tally:
    """Counts of the answers, and their latencies."""

    seconds: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    latencies: list[float] = field(default_factory=list)  # milliseconds, of answers with status 200

    def count(self, status: int, seconds: float) -> None:
        self.statuses[status] += 1
        if status == 200:
            self.latencies.append(1_000 * seconds)

    @property
    def per_second(self) -> float:
        return self.statuses[200] / self.seconds

    def percentile(self, share: float) -> float:
        """The latency in milliseconds that this share of the successful answers stays within."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


async def closed_loop(port: int, clients: int, requests: Sequence[bytes], seconds: float) -> Tally:
    """Closed loop: each client sends its next request as soon as it has an answer."""
    tally = Tally()
    todo: Iterator[bytes] = cycle(requests)
    started = time.perf_counter()

    async def client() -> None:
        connection = Connection(port)
        while time.perf_counter() - started < seconds:
            asked = time.perf_counter()
            status = await connection.ask(next(todo))
            tally.count(status, time.perf_counter() - asked)
        connection.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    tally.seconds = time.perf_counter() - started
    return tally


async def open_loop(port: int, per_second: float, requests: Sequence[bytes], seconds: float) -> Tally:
    """Open loop: requests are sent at a given rate, whether earlier ones are answered or not."""
    tally = Tally()
    todo: Iterator[bytes] = cycle(requests)
    free: list[Connection] = []
    asking: set[asyncio.Task[None]] = set()

    async def one(connection: Connection) -> None:
        asked = time.perf_counter()
        status = await connection.ask(next(todo))
        tally.count(status, time.perf_counter() - asked)
        free.append(connection)

    started = time.perf_counter()
    sent = 0
    while (now := time.perf_counter() - started) < seconds:
        for _ in range(int(now * per_second) - sent):
            task = asyncio.create_task(one(free.pop() if free else Connection(port)))
            asking.add(task)
            task.add_done_callback(asking.discard)
            sent += 1
        await asyncio.sleep(0.005)
    tally.seconds = time.perf_counter() - started
    await asyncio.gather(*asking)
    for connection in free:
        connection.close()
    return tally
