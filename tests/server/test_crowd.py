"""Clients that open connections and keep the service waiting, or leave: others must not notice."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.server.running import PATIENCE, Running, running, until

HALF_OPEN = 700  # more than the 512 connections that a service has by default
BEGINNINGS = (
    b"",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    b"POST /v1/solve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{",
)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with the usual limits that has 700 half-open clients, who do not go away by themselves."""
    with running(tmp_path_factory.mktemp("crowded"), "--deadline", "300") as service:
        clients = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(HALF_OPEN)]
        for place, client in enumerate(clients):
            client.sendall(BEGINNINGS[place % len(BEGINNINGS)])
        until(lambda: service.metric("requests_in_flight") > 100)
        yield service
        for client in clients:
            client.close()


def get(service: Running, address: str) -> httpx.Response:
    """Asks over a new connection. Reading the certificates, which no test needs, would take longer than the answer."""
    return httpx.get(f"http://127.0.0.1:{service.port}{address}", timeout=PATIENCE, verify=False)


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_health_checks_are_answered_however_many_are_half_open(crowded: Running, address: str) -> None:
    started = time.monotonic()
    for _ in range(20):  # each over a connection of its own, as a balancer asks
        assert get(crowded, address).status_code == 200
    assert time.monotonic() - started < 60  # the deadline of those who are half open is far later


def test_who_asks_gets_in_where_others_only_wait(crowded: Running) -> None:
    for _ in range(5):
        with httpx.Client(base_url=f"http://127.0.0.1:{crowded.port}", timeout=PATIENCE, verify=False) as newcomer:
            assert newcomer.post("/v1/solve", json={"problem": "What is 3 + 4?"}).status_code == 200


def test_where_all_connections_are_busy_only_health_checks_are_answered(tmp_path: Path) -> None:
    with running(tmp_path, "--max-connections", "3", "--deadline", "120") as service:

        def asked(address: str) -> int:
            return get(service, f"/{address}").status_code

        with service.stopped_worker():
            busy = [service.ask() for _ in range(3)]
            until(lambda: asked("openapi.json") == 429)
            assert [asked(address) for address in ("healthz", "readyz", "healthz/")] == [200] * 3
            refused = get(service, "/metrics")
            assert refused.json()["error"]["code"] == "too-many-connections"
            assert refused.headers["Retry-After"] == "1"
        assert [each.result().status_code for each in busy] == [200] * 3
        assert asked("openapi.json") == 200


def test_a_client_that_leaves_with_its_body_half_sent_is_a_499(service: Running) -> None:
    mistakes = service.client.get("/metrics").text.count('status="500"')
    for path in ("/v1/solve", "/v1/solve/batch"):
        with socket.create_connection(("127.0.0.1", service.port)) as leaving:
            head = f"POST {path} HTTP/1.1\r\nHost: x\r\nX-Request-ID: left{path[3:].replace('/', '-')}\r\n"
            leaving.sendall(f'{head}Content-Length: 500\r\n\r\n{{"problem": "3'.encode())
            until(lambda: service.metric("requests_in_flight") == 1)
        until(lambda: service.metric("requests_in_flight") == 0)

    def logged() -> list[tuple[str, int]]:
        lines = [line for line in service.lines() if line.get("request_id", "").startswith("left-solve")]
        return [(line["event"], line["status"]) for line in lines]

    until(lambda: len(logged()) >= 2)
    assert logged() == [("request", 499)] * 2
    metrics = service.client.get("/metrics").text
    assert 'route="/v1/solve",status="499"' in metrics
    assert metrics.count('status="500"') == mistakes
    assert "Traceback" not in service.log.read_text(encoding="utf-8")
