"""The responses to valid and invalid requests."""

import json
from typing import Any

import pytest

from tests.runtime.light import known_problems, taught_folder
from tests.server.running import PROBLEM, Running, until
from treequation.runtime.solver import Solver


def test_the_answer_is_that_of_the_command_line(service: Running) -> None:
    answered = service.solve(beam=2, trace=True)
    assert answered.status_code == 200
    solver = Solver(taught_folder(), threads=1)
    expected = json.loads(json.dumps(solver.solve(PROBLEM.text, beam=2, with_trace=True).to_dict()))
    solution = answered.json()
    assert solution["answer"] == str(PROBLEM.answer)
    assert solution["alternatives"]
    assert len(solution["trace"]["steps"]) == len(expected["trace"]["steps"])
    assert {**solution, "trace": None} == {**expected, "trace": None}
    assert "trace" not in service.solve().json()


def test_a_batch_has_a_result_or_an_error_for_each(service: Running) -> None:
    problems = [PROBLEM.text, "No number here.", "", next(p.text for p in known_problems() if p.language == "zh")]
    results = service.client.post("/v1/solve/batch", json={"problems": problems}).json()["results"]
    assert [result["problem"] for result in results] == problems
    assert [result.get("error", {}).get("code") for result in results] == [None, "no-number", "empty-text", None]
    assert results[0] == service.solve().json()


def test_requests_that_arrive_together_are_solved_together(service: Running) -> None:
    problems = [p for p in known_problems() for _ in range(2)]
    batches, solved = service.metric("batch_size_count"), service.metric("problems_solved_total")
    answers = [request.result() for request in [service.ask(problem.text) for problem in problems]]
    assert [answer.json()["answer"] for answer in answers] == [str(problem.answer) for problem in problems]
    assert service.metric("problems_solved_total") - solved == len(problems)
    assert service.metric("batch_size_count") - batches < len(problems) / 2


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ("", 422, "bad-field", "body"),
        ("{", 400, "bad-json", "body"),
        ("[" * 100_000, 400, "bad-json", "body"),
        ('{"problem": ' + "9" * 5_000 + "}", 400, "bad-json", "body"),
        (b'{"problem": "\xff 3"}', 400, "bad-json", "body"),
        ("[]", 422, "bad-field", "body"),
        ("{}", 422, "bad-field", "problem"),
        ('{"problem": 3}', 422, "bad-field", "problem"),
        ('{"problem": "3 and 4", "beam": 0}', 422, "bad-field", "beam"),
        ('{"problem": "3 and 4", "beam": "2"}', 422, "bad-field", "beam"),
        ('{"problem": "3 and 4", "beam": 9}', 422, "beam-too-large", "beam"),
        ('{"problem": "3 and 4", "trace": 1}', 422, "bad-field", "trace"),
        ('{"problem": "3 and 4", "colour": 1}', 422, "bad-field", "colour"),
        ('{"problem": "How many?"}', 422, "no-number", "problem"),
        (r'{"problem": "3 \ud800"}', 422, "bad-character", "problem"),
        (r'{"problem": "3 \u0000"}', 422, "bad-character", "problem"),
        (json.dumps({"problem": "3 " * 2_001}), 422, "too-long", "problem"),
        ('{"problem": "' + r"\ud800" * 4_001 + '"}', 422, "too-long", "problem"),
        (json.dumps({"problem": "3 " * 65}), 422, "too-many-numbers", "problem"),
        ("3" * 1_100_000, 413, "body-too-large", "body"),
    ],
)
def test_wrong_bodies(service: Running, body: Any, status: int, code: str, field: str) -> None:
    answered = service.client.post("/v1/solve", content=body, headers={"Content-Type": "application/json"})
    error = answered.json()["error"]
    assert (answered.status_code, error["code"], error["field"]) == (status, code, field)
    assert error["message"]
    assert error["hint"]


@pytest.mark.parametrize(
    ("problems", "field"), [([], "problems"), (["3"] * 33, "problems"), (["3", 4], "problems[1]"), ("3", "problems")]
)
def test_wrong_batches(service: Running, problems: object, field: str) -> None:
    answered = service.client.post("/v1/solve/batch", json={"problems": problems})
    assert answered.status_code == 422
    assert answered.json()["error"]["field"] == field


def test_a_body_that_is_sent_in_pieces_is_also_bounded(service: Running) -> None:
    answered = service.client.post("/v1/solve", content=(b" " * 50_000 for _ in range(25)))
    assert answered.status_code == 413


def test_what_an_operator_sees(service: Running) -> None:
    assert service.client.get("/healthz").json() == {"status": "alive"}
    assert service.client.get("/readyz").json() == {"status": "ready"}
    (model,) = service.client.get("/v1/models").json()["models"]
    assert model["name"] == "taught"
    errors = service.metric("errors_total")
    service.solve("How many?")
    assert service.metric("errors_total") == errors + 1
    assert service.metric("queue_length") == 0
    assert service.metric("ready") == 1
    assert service.metric("request_seconds_count") > 0


def test_unknown_addresses(service: Running) -> None:
    nothing = service.client.get("/nowhere")
    assert (nothing.status_code, nothing.json()["error"]["hint"]) == (404, "see /docs")
    wrong = service.client.get("/v1/solve")
    assert (wrong.status_code, wrong.headers["Allow"]) == (405, "POST")
    assert "swagger" in service.client.get("/docs").text


def test_headers(service: Running) -> None:
    answered = service.client.get("/healthz", headers={"X-Request-ID": "my-id.1", "Origin": "https://example.org"})
    assert answered.headers["X-Request-ID"] == "my-id.1"
    assert answered.headers["X-Content-Type-Options"] == "nosniff"
    assert answered.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert "Access-Control-Allow-Origin" not in answered.headers
    assert "Server" not in answered.headers
    invalid = service.client.get("/healthz", headers={"X-Request-ID": "no id!"})
    assert invalid.headers["X-Request-ID"].isalnum()


def test_the_log_has_requests_and_no_problem(service: Running) -> None:
    request_id = service.solve().headers["X-Request-ID"]
    service.client.get("/v1/solve", params={"problem": PROBLEM.text})
    line = until(lambda: next((line for line in service.lines() if line.get("request_id") == request_id), None))
    assert (line["event"], line["path"], line["status"]) == ("request", "/v1/solve", 200)
    assert PROBLEM.text.split(".")[0] not in service.log.read_text(encoding="utf-8")
    assert "Traceback" not in service.log.read_text(encoding="utf-8")
