"""The language-model peer against a real HTTP server that speaks the protocol, well or badly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from treequation.baselines.endpoint import CostLimitError, Endpoint, EndpointError, Limits
from treequation.baselines.llm import Answered, answer_problems, read_answer, read_by, vote
from treequation.baselines.prompts import PROMPTS, question
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

FAST = Limits(timeout=60, attempts=3, pause=0.01)  # a busy machine may answer late, which is no failure
Reply = tuple[int, dict[str, str], bytes]


def reply(text: str, tokens: int = 10) -> Reply:
    """A proper response."""
    content = {
        "choices": [{"message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": tokens},
    }
    return 200, {}, json.dumps(content).encode()


class Server:
    """Answers each request with what ``reply`` makes of its place and content, and keeps the requests."""

    def __init__(self, reply: Callable[[int, dict[str, Any]], Reply]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.times: list[float] = []
        lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    place = len(server.requests)
                    server.requests.append(content)
                    server.keys.append(self.headers["Authorization"])
                    server.times.append(time.monotonic())
                assert self.path == "/v1/chat/completions"
                status, headers, body = reply(place, content)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(BrokenPipeError):  # a client that would not wait
                    self.wfile.write(body)

            def log_message(self, *arguments: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[int, dict[str, Any]], Reply]], Server]]:
    begun: list[Server] = []

    def start(reply: Callable[[int, dict[str, Any]], Reply]) -> Server:
        begun.append(Server(reply))
        return begun[-1]

    yield start
    for server in begun:
        server.http.shutdown()
        server.http.server_close()


def problem(text: str) -> Problem:
    return Problem(text, text, find_numbers(text))


def test_asks_with_one_demonstration_and_asks_nothing_twice(
    serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sesame")
    server = serve(lambda place, request: reply(f"The answer is {len(request['messages'][-1]['content'])}."))
    problems = [problem("x" * length) for length in range(3, 9)]
    for _ in range(2):  # as two runs of the program
        endpoint = Endpoint(server.url, "small", cache=tmp_path, key_variable="SOME_KEY", limits=FAST)
        answers = answer_problems(endpoint, problems)
        assert [answered.value for answered in answers] == [3, 4, 5, 6, 7, 8]
    assert len(server.requests) == 6
    assert set(server.keys) == {"Bearer sesame"}
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and "sesame" in path.read_text()]
    roles = [message["role"] for message in server.requests[0]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert server.requests[0]["model"] == "small"
    assert server.requests[0]["temperature"] == 0
    assert "seed" not in server.requests[0]
    # The demonstration is one that its own rule reads rightly.
    for language in ("en", "zh"):
        assert read_answer(question("", language)[2]["content"]) == 490


def test_self_consistency_draws_anew_and_the_majority_wins(serve: Any, tmp_path: Path) -> None:
    values = ["1/3", "5", "0.333", "2/6", "none at all"]
    server = serve(lambda place, request: reply(f"The answer is {values[place]}."))
    endpoint = Endpoint(server.url, "small", cache=tmp_path, limits=FAST)
    assert answer_problems(endpoint, [problem("p")], samples=5) == [Answered(Fraction(1, 3), 0.4)]
    assert all(request["temperature"] > 0 for request in server.requests)
    assert sorted(request["seed"] for request in server.requests) == [0, 1, 2, 3, 4]
    assert answer_problems(endpoint, [problem("p")], samples=5) == [Answered(Fraction(1, 3), 0.4)]
    assert len(server.requests) == 5
    assert vote([None, None]) == Answered(None, 0.0)


BAD: dict[str, Reply] = {
    "overload": (503, {}, b"busy"),
    "rate": (429, {"Retry-After": "0.05"}, b"slow down"),
    "no JSON": (200, {}, b"<html>gateway</html>"),
    "no choices": (200, {}, b'{"choices": []}'),
    "not an object": (200, {}, b"[1]"),
    "no text": (200, {}, b'{"choices": [{"message": {"content": null}}]}'),
    "cut short": (200, {"Content-Length": "1000"}, b'{"choices": ['),
}


@pytest.mark.parametrize("kind", BAD)
def test_tries_again_and_gives_up_in_words(kind: str, serve: Any, tmp_path: Path) -> None:
    server = serve(lambda place, request: BAD[kind] if place < 2 else reply("The answer is 4."))
    endpoint = Endpoint(server.url, "small", cache=tmp_path / "a", limits=FAST)
    assert endpoint.complete(question("p", "en")).text == "The answer is 4."
    assert len(server.requests) == 3
    if kind == "rate":
        assert server.times[1] - server.times[0] >= 0.05
    always = serve(lambda place, request: BAD[kind])
    with pytest.raises(EndpointError, match="failed 3 times"):
        Endpoint(always.url, "small", cache=tmp_path / "b", limits=FAST).complete(question("p", "en"))
    assert not list((tmp_path / "b").rglob("*.json"))


def test_a_server_that_does_not_answer(serve: Any, tmp_path: Path) -> None:
    asked_again = threading.Event()

    def late(place: int, asked: dict[str, Any]) -> Reply:
        if place == 0:
            asked_again.wait(60)
        asked_again.set()
        return reply("4")

    server = serve(late)
    endpoint = Endpoint(server.url, "small", cache=tmp_path, limits=Limits(timeout=3, attempts=3, pause=0.01))
    assert endpoint.complete(question("p", "en")).text == "4"
    assert len(server.requests) == 2
    with pytest.raises(EndpointError, match="failed 3 times"):
        Endpoint("http://127.0.0.1:1/v1", "small", cache=tmp_path, limits=FAST).complete(question("q", "en"))


def test_a_refusal_is_final_and_says_what_to_do(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda place, request: (401, {}, b'{"error": {"message": "no such key"}}'))
    endpoint = Endpoint(server.url, "small", cache=tmp_path, limits=FAST)
    with pytest.raises(EndpointError, match=r"401.*no such key.*OPENAI_API_KEY"):
        endpoint.complete(question("p", "en"))
    assert len(server.requests) == 1
    with pytest.raises(EndpointError, match="must begin with http"):
        Endpoint("file:///etc", "small", cache=tmp_path)


def test_rate_and_cost_limits(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda place, request: reply("The answer is 4.", tokens=50))
    limits = Limits(requests_per_minute=1_200, prompt_price=1.0, answer_price=2.0, cost=0.0005)
    endpoint = Endpoint(server.url, "small", cache=tmp_path, limits=limits)
    problems = [problem("x" * length) for length in range(1, 9)]
    began = time.monotonic()
    with pytest.raises(CostLimitError, match=r"0\.0006 of 0\.0005"):  # 100 × 1 + 50 × 2 a request, per million
        answer_problems(endpoint, problems, parallel=1)
    assert len(server.requests) == 3
    assert time.monotonic() - began >= 0.09
    with pytest.raises(EndpointError, match="prices"):
        Endpoint(server.url, "small", cache=tmp_path, limits=Limits(cost=1.0))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The answer is 7.", "7"),
        ("The answer is: 5? No, the answer is **1,200** people.", "1200"),
        ("Answer: -3.5", "-3.5"),
        ("10 - 3 = 7", "7"),
        ("left: 10 - 3", "3"),
        ("the answer is 50%", "1/2"),
        ("答案是 3/4 米。", "3/4"),
        (r"So \boxed{12} it is, after 5 days", "12"),
        ("The answer is 6 + 7 = 13 apples.", "13"),
        ("The answer is:\n2 × 3 + 4 = 6 + 4 = 10", "10"),
        ("The answer is 3.5 + 4 = 7.5. Check: 7.5 - 4 = 3.5.", "7.5"),
        ("The answer is 12. I hope the answer is clear.", "12"),
        (r"so it is \boxed{\frac{1}{2}}", "1/2"),
        ("The answer is 12, since x = 3.", "12"),
        ("no idea", None),
    ],
)
def test_reads_what_models_write(text: str, value: str | None) -> None:
    assert read_answer(text) == (None if value is None else Fraction(value))


@pytest.mark.parametrize("text", ["The answer is 5 " + "- " * 30_000, "5 and " + "the answer is " * 5_000])
def test_an_answer_that_rambles_on_is_read_in_no_time(text: str) -> None:
    """Time that grew with the square of the length would be minutes here."""
    began = time.process_time()
    assert read_answer(text) == 5
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x = 12 * 30 + 5 * 26", "490"),
        ("12 × 30 + 5 × 26 = 480", "490"),  # its equation counts, not its arithmetic
        ("490 = 12*30+5*26", "490"),
        ("Half of it is sold.\nEquation: x = 1,200 ÷ 2", "600"),
        ("算式：x＝（8 − 3）× 2", "10"),
        ("x = $80 * (1 + 25%)", "100"),
        (r"\[ x = \frac{3}{4} \times 20 \]", "15"),
        ("```python\na = 7\nb = a ** 2  # squared\nanswer = b // 2\n```", "24"),
        ("def solve():\n    boxes = 17 / 5\n    return math.ceil(boxes)", "4"),
        ("answer = 5 + 1\nprint(answer)\ncheck = 99", "6"),
        ("days = 380 // 52\nif 380 % 52 != 0:\n    days += 1\nelse:\n    days = 0\nanswer = days * 150", "1200"),
        ("answer = 55 // 2.4 + (55 % 2.4 != 0)", "23"),
        ("fee = 5 if 3 > 4 else 6\nfee -= 1\nprint(fee)", "5"),
        ("import math\nanswer = math.floor(7 / 2) + unknown", "7"),  # no value: a number is left
        ("Answer: 7", "7"),
        ("The answer is 8 apples.", "8"),
        ("answer = __import__('os').getpid()", None),
        ("answer = open('x')", None),
        ("x = 9 ** 9 ** 9", "9"),  # too large: only a number is left of it
        ("x = y + z", None),
        ("x = 1 / 0", "0"),
    ],
)
def test_computes_what_models_write_and_runs_nothing(text: str, value: str | None) -> None:
    for kind in ("equation", "reasoned", "python"):
        assert read_by(kind, text) == (None if value is None else Fraction(value))


@pytest.mark.parametrize("kind", PROMPTS)
def test_every_demonstration_comes_to_its_answer(kind: str) -> None:
    for language in ("en", "zh"):
        task, example, answered, last = question("p", language, kind)
        assert (task["role"], last["content"]) == ("system", "p")
        assert [number.value for number in find_numbers(example["content"])] == [12, 30, 5, 26]
        assert read_by(kind, answered["content"]) == 490


def test_a_long_calculation_is_read_in_no_time() -> None:
    began = time.process_time()
    assert read_by("python", "x = " + "(" * 5_000 + "1" + ")" * 5_000) == 1
    doubled = "\n".join(["a = 2", *["a = a * a"] * 200])
    assert read_by("python", doubled) is not None
    assert time.process_time() - began < 5
