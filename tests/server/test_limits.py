"""Small services under pressure: limits, keys, overload, deadlines, clients and workers that disappear.

One has a deadline that no test lives to see, however busy the machine is, and one a deadline that tests wait for.
"""

import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from tests.server.running import PATIENCE, PROBLEM, Running, running, until

KEY = "the second key"
DEADLINE = 3.0  # seconds, where a test waits for it
LATE = 60.0  # seconds that a busy machine may be late
MAX_CONNECTIONS = 40


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with tight limits, and a deadline that is far away."""
    with limited(tmp_path_factory, deadline=2 * PATIENCE) as found:
        yield found


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The same with a deadline that is soon over."""
    with limited(tmp_path_factory, deadline=DEADLINE) as found:
        yield found


def limited(tmp_path_factory: pytest.TempPathFactory, deadline: float) -> AbstractContextManager[Running]:
    """A service with tight limits, some by option and some by environment; its requests have a valid key."""
    folder = tmp_path_factory.mktemp("small")
    keys = folder / "keys"
    keys.write_text(f"# who may ask\n{KEY}  # somebody\n", encoding="utf-8")
    environment = {
        "TREEQUATION_MAX_QUEUE": "2",
        "TREEQUATION_MAX_PROBLEMS": "2",
        "TREEQUATION_MAX_BODY": "2000",
        "TREEQUATION_API_KEYS": "the first key,",
        "TREEQUATION_API_KEYS_FILE": str(keys),
    }
    options = (
        "--deadline",
        str(deadline),
        "--max-requests",
        "5",
        "--max-connections",
        str(MAX_CONNECTIONS),
        "--max-text",
        "200",
        "--max-numbers",
        "5",
    )
    proxy = ("--root-path", "/maths/", "--cors-origin", "https://example.org", "--log-problems")
    headers = {"Authorization": f"Bearer {KEY}"}
    return running(folder, *options, *proxy, environment=environment, headers=headers)


def fill(service: Running) -> list[Future[httpx.Response]]:
    """Asks until one problem is being solved and the queue is full; the worker must stand still."""
    asked = [service.ask()]
    until(lambda: service.metric("requests_in_flight") == 1 and service.metric("queue_length") == 0)
    asked += [service.ask(), service.ask()]
    until(lambda: service.metric("queue_length") == 2)
    return asked


def test_limits_name_the_field(small: Running) -> None:
    long, many = small.solve("3 apples " * 23), small.solve("1 2 3 4 5 6")
    assert [each.json()["error"]["code"] for each in (long, many)] == ["too-long", "too-many-numbers"]
    assert {each.json()["error"]["field"] for each in (long, many)} == {"problem"}
    batch = small.client.post("/v1/solve/batch", json={"problems": [PROBLEM.text] * 3})
    assert (batch.status_code, batch.json()["error"]["field"]) == (422, "problems")
    assert small.solve("x" * 2_000).status_code == 413


def test_keys(small: Running) -> None:
    for headers in ({"Authorization": ""}, {"Authorization": f"Bearer {KEY}!"}, {"Authorization": f"Basic {KEY}"}):
        refused = small.client.post("/v1/solve", content="{", headers=headers)
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "bad-key")
        assert refused.headers["WWW-Authenticate"] == "Bearer"
    assert small.client.get("/v1/models", headers={"Authorization": ""}).status_code == 401
    for key in ("the first key", KEY):
        assert small.client.get("/v1/models", headers={"Authorization": "", "X-API-Key": key}).status_code == 200
    assert small.client.get("/readyz", headers={"Authorization": ""}).status_code == 200


def test_the_ways_to_send_a_key_are_described(small: Running) -> None:
    described = small.client.get("/openapi.json").json()
    ways = described["components"]["securitySchemes"]
    assert (ways["bearer"]["type"], ways["bearer"]["scheme"]) == ("http", "bearer")
    assert (ways["header"]["in"], ways["header"]["name"]) == ("header", "X-API-Key")
    for address in ("/v1/solve", "/v1/solve/batch", "/v1/check"):
        assert described["paths"][address]["post"]["security"] == [{"bearer": []}, {"header": []}]
    assert "security" not in described["paths"]["/readyz"]["get"]


def test_behind_a_proxy(small: Running) -> None:
    """The addresses work whether the proxy takes the root path away or not, and what is shown has it."""
    assert small.client.get("/maths/healthz").status_code == small.client.get("/healthz").status_code == 200
    assert small.client.get("/maths/v1/models", headers={"Authorization": ""}).status_code == 401
    assert small.client.get("/maths/page/page.js").status_code == 200
    assert small.client.get("/nowhere").json()["error"]["hint"] == "see /maths/docs"


def test_cors_for_the_named_origin_alone(small: Running) -> None:
    def allowed(origin: str) -> str | None:
        asked = {"Origin": origin, "Access-Control-Request-Method": "POST", "Authorization": ""}
        return small.client.options("/v1/solve", headers=asked).headers.get("Access-Control-Allow-Origin")

    assert allowed("https://example.org") == "https://example.org"
    assert allowed("https://example.com") is None


def test_problems_are_logged_if_asked_for(small: Running) -> None:
    request_id = small.solve().headers["X-Request-ID"]

    def lines() -> list[dict[str, Any]]:
        return [line for line in small.lines() if line.get("request_id") == request_id]

    until(lambda: [line["event"] for line in lines()] == ["asked", "request"])
    assert lines()[0]["problems"] == [PROBLEM.text]


def test_overload(small: Running) -> None:
    with small.stopped_worker():
        asked = fill(small)
        refused = small.solve()
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "queue-full")
        assert int(refused.headers["Retry-After"]) >= 1
        # At once, while all others wait.
        assert small.client.get("/healthz").status_code == small.client.get("/readyz").status_code == 200
    assert [each.result().status_code for each in asked] == [200, 200, 200]
    assert small.solve().status_code == 200


def beginners(service: Running, count: int) -> list[socket.socket]:
    """Clients who hold a place from their first byte on, and never send their body."""
    head = f"POST /v1/solve HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\nContent-Length: 9\r\n\r\n"
    opened = [socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE) for _ in range(count)]
    for each in opened:
        each.sendall(head.encode())
    return opened


def test_too_many_requests(small: Running) -> None:
    """From a second on a body that is slow makes room for another request, so all must be asked within one."""
    for _ in range(20):
        started = time.monotonic()
        open_ones = beginners(small, 5)
        until(lambda: small.metric("requests_in_flight") == 5)
        refused = small.solve()
        quick = time.monotonic() - started < 1
        open_ones.pop().close()
        until(lambda: small.solve().status_code == 200)
        for each in open_ones:
            each.close()
        until(lambda: small.metric("requests_in_flight") == 0)
        if quick:
            break
    assert quick, "this machine takes more than a second to send five requests"
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too-many-requests")


def test_a_body_that_never_comes_is_given_up_at_the_deadline(hasty: Running) -> None:
    slow = beginners(hasty, 4)
    assert [each.recv(20) for each in slow] == [b"HTTP/1.1 408 Request"] * 4
    for each in slow:
        each.close()
    until(lambda: hasty.solve().status_code == 200)


def test_a_slow_body_makes_room_for_another_request(small: Running) -> None:
    open_ones = beginners(small, 5)
    until(lambda: small.metric("requests_in_flight") == 5)
    until(lambda: small.solve().status_code == 200)  # their own time is over far later
    answered, *_ = select.select(open_ones, [], [], PATIENCE)
    assert [each.recv(20) for each in answered] == [b"HTTP/1.1 408 Request"]
    for each in open_ones:
        each.close()
    until(lambda: small.metric("requests_in_flight") == 0)


def test_slow_and_silent_clients_are_cut_off(hasty: Running) -> None:
    """One says nothing, one sends its head byte by byte, one goes on with a body that was refused."""
    started = time.monotonic()
    silent, slow, stubborn = (socket.create_connection(("127.0.0.1", hasty.port), timeout=PATIENCE) for _ in range(3))
    stubborn.sendall(b"POST /v1/solve HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n")
    assert stubborn.recv(20) == b"HTTP/1.1 401 Unautho"
    until(lambda: all(is_cut_off(each) for each in (slow, stubborn)))
    assert DEADLINE - 0.5 < time.monotonic() - started < DEADLINE + LATE
    assert silent.recv(1) == b""
    until(lambda: hasty.solve().status_code == 200)


def is_cut_off(connection: socket.socket) -> bool:
    """Whether one more byte, and the one after it, is refused."""
    try:
        connection.sendall(b"x")
        time.sleep(0.1)
        connection.sendall(b"x")
    except OSError:
        return True
    return False


def test_a_client_that_does_not_read_is_cut_off(hasty: Running) -> None:
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
        deaf.connect(("127.0.0.1", hasty.port))
        # More than all buffers between them take.
        deaf.sendall(b"GET /swagger/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n" * 8)
        started = time.monotonic()
        until(lambda: is_cut_off(deaf))
        assert time.monotonic() - started < DEADLINE + LATE


def test_heads_are_bounded(small: Running) -> None:
    with socket.create_connection(("127.0.0.1", small.port)) as wordy:
        wordy.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 20_000)
        assert wordy.recv(12) == b"HTTP/1.1 400"


def test_a_client_that_leaves_frees_its_place(small: Running) -> None:
    body = f'{{"problem": "{PROBLEM.text}"}}'
    head = f"POST /v1/solve HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\nContent-Type: application/json\r\n"
    with small.stopped_worker():
        asked = [small.ask()]
        until(lambda: small.metric("requests_in_flight") == 1 and small.metric("queue_length") == 0)
        with socket.create_connection(("127.0.0.1", small.port)) as leaving:
            leaving.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            until(lambda: small.metric("queue_length") == 1)
        until(lambda: small.metric("queue_length") == 0)
        asked += [small.ask(), small.ask()]
        until(lambda: small.metric("queue_length") == 2)
    assert [each.result().status_code for each in asked] == [200, 200, 200]
    until(lambda: any(line.get("status") == 499 for line in small.lines()))


def test_a_worker_that_dies_loses_no_request(small: Running) -> None:
    restarts = small.metric("worker_restarts_total")
    with small.stopped_worker() as worker:
        asked = fill(small)
        os.kill(worker, signal.SIGKILL)
    assert [each.result().status_code for each in asked] == [200, 200, 200]
    assert small.metric("worker_restarts_total") == restarts + 1


def test_the_deadline_drops_the_work_and_a_hung_worker(hasty: Running) -> None:
    (before,) = hasty.workers()
    with hasty.stopped_worker():
        started = time.monotonic()
        late = hasty.solve()
        assert (late.status_code, late.json()["error"]["code"]) == (504, "deadline")
        assert DEADLINE <= time.monotonic() - started < DEADLINE + LATE
        until(lambda: hasty.metric("queue_length") == hasty.metric("requests_in_flight") == 0)
        until(lambda: hasty.workers() != [before] and hasty.client.get("/readyz").status_code == 200)
    until(lambda: hasty.solve().status_code == 200)
