"""Malformed requests: whatever a client sends, the service answers or closes the connection, and stays healthy."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

from clients import LOST, Connection
from serving import Service


def malformed(good: bytes, chance: random.Random) -> bytes:
    """A request that is wrong in one of many ways."""
    bodies = [
        b"{",
        b"[" * chance.randrange(1, 5_000),
        b'{"problem": "\xff\xfe 3"}',
        b'{"problem": %d}' % chance.randrange(10**9),
        json.dumps({"problem": "".join(map(chr, chance.choices(range(1, 0xD7FF), k=40)))}).encode(),
        json.dumps(
            {"problem": "3 and 4", chance.choice(("beam", "trace", "colour")): chance.choice((-1, "x", 1.5, []))}
        ).encode(),
        json.dumps({"problem": "9" * chance.randrange(1, 6_000)}).encode(),
        b'{"problem": "\\ud800 3"}',
        chance.randbytes(chance.randrange(400)),
    ]
    head = b"POST %b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    body = chance.choice(bodies)
    path = chance.choice((b"/v1/solve", b"/v1/solve/batch", b"/v1/nothing", b"/" + b"%2e" * 50))
    return chance.choice(
        (
            head % (path, len(body)) + body,
            head % (path, len(body)) + body,
            head % (b"/v1/solve", len(body) + 5) + body,  # the rest never comes
            head.replace(b"Content-Length: %d", b"Content-Length: -%d") % (path, len(body)) + body,
            good.replace(b"POST", chance.choice((b"PUT", b"DELETE", b"BREW", b"\x00"))),
            good.replace(b"Host: x", b"Host: x\r\nX-Long: " + b"x" * chance.randrange(17_000, 60_000)),
            chance.randbytes(chance.randrange(1, 400)) + b"\r\n\r\n",
        )
    )


async def send_malformed(under: Service, good: bytes, count: int, at_a_time: int = 32) -> dict[str, Any]:
    """Sends malformed requests, each over its own connection, which the client finally closes."""
    chance = random.Random(11)
    statuses: list[int] = []
    todo = iter(range(count))

    async def client() -> None:
        for _ in todo:
            connection = Connection(under.port)
            try:
                async with asyncio.timeout(0.5):  # the service may wait for the rest of a body, which never comes
                    statuses.append(await connection.ask(malformed(good, chance)))
            except TimeoutError:
                statuses.append(LOST)
            connection.close()

    await asyncio.gather(*(client() for _ in range(at_a_time)))
    after = await Connection(under.port).ask(good)
    counted = {str(each): statuses.count(each) for each in sorted(set(statuses))}
    return {"requests": len(statuses), "statuses": counted, "after": after}
