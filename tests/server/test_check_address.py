"""``POST /v1/check``: the command line's verdict over HTTP."""

import json
from typing import Any

import pytest

from tests.runtime.light import taught_folder
from tests.server.running import PROBLEM, Running
from treequation.runtime.checking import check
from treequation.runtime.solver import Solver


@pytest.mark.parametrize("equation", [str(PROBLEM.answer), "3 + 4", "1/3 ="])
def test_the_verdict_is_that_of_the_command_line(service: Running, equation: str) -> None:
    answered = service.client.post("/v1/check", json={"problem": PROBLEM.text, "equation": equation})
    assert answered.status_code == 200, answered.text
    expected = check(Solver(taught_folder(), threads=1).solve(PROBLEM.text), equation).to_dict()
    assert answered.json() == json.loads(json.dumps(expected))


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"problem": PROBLEM.text}, "bad-field", "equation"),
        ({"problem": PROBLEM.text, "equation": 3}, "bad-field", "equation"),
        ({"problem": PROBLEM.text, "equation": "3", "trace": True}, "bad-field", "trace"),
        ({"problem": PROBLEM.text, "equation": ""}, "bad-equation", "equation"),
        ({"problem": PROBLEM.text, "equation": "3 +"}, "bad-equation", "equation"),
        ({"problem": PROBLEM.text, "equation": "3 + \ud800"}, "bad-equation", "equation"),
        ({"problem": PROBLEM.text, "equation": "1+" * 10_000}, "bad-equation", "equation"),
        ({"problem": "How many?", "equation": "3 + 4"}, "no-number", "problem"),
        ({"problem": PROBLEM.text, "equation": "3", "beam": 9}, "beam-too-large", "beam"),
    ],
)
def test_what_cannot_be_checked(service: Running, body: dict[str, Any], code: str, field: str) -> None:
    answered = service.client.post("/v1/check", content=json.dumps(body), headers={"Content-Type": "application/json"})
    error = answered.json()["error"]
    assert (answered.status_code, error["code"], error["field"]) == (422, code, field)
    assert error["message"]
    assert error["hint"]
