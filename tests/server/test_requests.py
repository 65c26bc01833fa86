"""The form of a request: compressed bodies, trailing slashes, and ambiguous framing."""

import gzip
import json
import socket
import time

import httpx
import pytest

from tests.server.running import PROBLEM, Running, running
from treequation.cli import build

BODY = json.dumps({"problem": PROBLEM.text}).encode()


def send(service: Running, content: bytes, encoding: str) -> httpx.Response:
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    return service.client.post("/v1/solve", content=content, headers=headers)


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "x-gzip"])
def test_a_packed_body_is_unpacked(service: Running, encoding: str) -> None:
    answered = send(service, gzip.compress(BODY), encoding)
    assert (answered.status_code, answered.json()["answer"]) == (200, str(PROBLEM.answer))


def test_a_packed_body_may_come_in_several_files_and_pieces(service: Running) -> None:
    packed = gzip.compress(BODY[:9]) + gzip.compress(BODY[9:])
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    pieces = (packed[place : place + 7] for place in range(0, len(packed), 7))
    assert service.client.post("/v1/solve", content=pieces, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("content", "encoding", "status", "code"),
    [
        (gzip.compress(b" " * 50_000_000), "gzip", 413, "body-too-large"),
        (gzip.compress(gzip.compress(BODY)), "gzip", 400, "bad-json"),
        (gzip.compress(BODY)[:-6], "gzip", 400, "bad-gzip"),
        (gzip.compress(BODY) + b"more", "gzip", 400, "bad-gzip"),
        (BODY, "gzip", 400, "bad-gzip"),
        (b"", "gzip", 400, "bad-gzip"),
        (BODY, "br", 415, "bad-encoding"),
        (gzip.compress(BODY), "gzip, gzip", 415, "bad-encoding"),
    ],
)
def test_a_packed_body_that_is_refused(service: Running, content: bytes, encoding: str, status: int, code: str) -> None:
    started = time.monotonic()
    answered = send(service, content, encoding)
    assert (answered.status_code, answered.json()["error"]["code"]) == (status, code)
    assert answered.json()["error"]["field"] == "body"
    assert time.monotonic() - started < 60


def test_a_slash_at_the_end_leads_to_no_other_host(service: Running) -> None:
    elsewhere = {"Host": "example.com", "Content-Type": "application/json"}
    assert service.client.post("/v1/solve/", content=BODY, headers=elsewhere).status_code == 200
    for address in ("/healthz/", "/v1/models/", "/docs/", "/nowhere/", "/page/", "//"):
        answered = service.client.get(address, headers=elsewhere)
        assert answered.status_code == (404 if address in ("/nowhere/", "/page/") else 200), address
        assert "Location" not in answered.headers


def test_the_page_under_a_root_path_gets_its_slash_on_the_same_host(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(tmp_path_factory.mktemp("root"), "--root-path", "/maths") as proxied:
        answered = proxied.client.get("/maths", headers={"Host": "example.com"})
        assert (answered.status_code, answered.headers["Location"]) == (307, "/maths/")
        assert proxied.client.get("/maths/").status_code == proxied.client.get("/").status_code == 200
        assert proxied.client.get("/maths/healthz/").status_code == 200


def test_two_lengths_for_one_body_are_refused_and_the_connection_ends(service: Running) -> None:
    hidden = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    request = b"POST /v1/solve HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
        connection.sendall(request % (5 + len(hidden)) + hidden)
        response = b""
        while piece := connection.recv(65_536):
            response += piece
    assert response.startswith(b"HTTP/1.1 400")
    assert b"bad-framing" in response
    assert response.count(b"HTTP/1.1 ") == 1


def test_the_model_says_how_it_computes_and_how_it_is_stored(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("sixteen")
    with running(folder, "--precision", "int16") as service:
        (model,) = service.client.get("/v1/models").json()["models"]
        assert (model["precision"], model["stored_as"]) == ("int16", "int8")
    with running(folder, environment={"TREEQUATION_PRECISION": "float"}) as service:
        (model,) = service.client.get("/v1/models").json()["models"]
        assert (model["precision"], model["stored_as"]) == ("float", "int8")
    with pytest.raises(SystemExit) as wrong:
        build()(["serve", "--precision", "half"])
    assert wrong.value.code == 2
