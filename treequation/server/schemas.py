"""The schemas of requests and responses: they validate requests and document both."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from treequation.runtime import SECOND_LOOK
from treequation.server.protocol import Answer

Beam = Annotated[
    int | None,
    Field(
        ge=1,
        description=f"The beam size; above 1, alternative answers are returned too. "
        f"Null: 1, then {SECOND_LOOK} if the answer is unsure.",
    ),
]
WithTrace = Annotated[bool, Field(description="Whether to return what every query proposed at every step.")]
_EXAMPLE = "Tom has 3 boxes with 12 pencils each. He gives 8 away. How many are left?"


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class SolveRequest(_Request):
    """One problem."""

    problem: Annotated[str, Field(description="The text, in English or Chinese.", examples=[_EXAMPLE])]
    beam: Beam = None
    trace: WithTrace = False


class BatchRequest(_Request):
    """Several problems, solved in the same way."""

    problems: Annotated[list[str], Field(min_length=1, description="The texts.", examples=[[_EXAMPLE]])]
    beam: Beam = None
    trace: WithTrace = False


class CheckRequest(_Request):
    """A pupil's equation for a problem."""

    problem: Annotated[str, Field(description="The text, in English or Chinese.", examples=[_EXAMPLE])]
    equation: Annotated[
        str, Field(description="As a pupil writes it, with or without a result.", examples=["3*12-8 = 28"])
    ]
    beam: Beam = None


class Failure(BaseModel):
    """Why there is no answer: a code for programs, what is wrong, what to do, and the field concerned."""

    code: str
    message: str
    hint: str
    field: str | None = None


class FailureResponse(BaseModel):
    """A request, or a problem, without an answer."""

    problem: str | None = None
    error: Failure


class StepOut(BaseModel):
    """One expression: `left operator right = value`. Operands are numbers `n0`, …, results `r0`, …, or constants.

    An operator is `+ - * / ^`, `mod` (remainder), `ceil` (division rounded up) or `floor` (rounded down).
    """

    id: str
    left: str
    operator: str
    right: str
    answer: str
    value: int | float | None


class NumberOut(BaseModel):
    """A number in the text, with its position."""

    id: str
    text: str
    value: str
    start: int
    end: int


class AlternativeOut(BaseModel):
    """Another answer that the model considered."""

    answer: str
    value: int | float | None
    equation: str
    confidence: float


class SolutionOut(BaseModel):
    """The answer to a problem, as `treequation solve --json` prints it."""

    problem: str
    answer: Annotated[str, Field(description="The exact value as text: 490, 0.25, 1/3.")]
    value: Annotated[int | float | None, Field(description="The nearest JSON number.")]
    shown: Annotated[
        str, Field(description="As people write it, with its unit if the question makes it clear: 45 km/h.")
    ]
    percentage: Annotated[
        str | None, Field(description="The answer as a percentage, such as 33.3 %, if the problem asks for one.")
    ]
    fraction: Annotated[str | None, Field(description="The answer as a fraction, if people write it so: 3/4 for 0.75.")]
    equation: str
    latex: str
    confidence: float
    unsure: bool
    layers: list[list[StepOut]]
    steps: list[str]
    numbers: list[NumberOut]
    alternatives: list[AlternativeOut]
    model: Annotated[str | None, Field(description="Null if the text is a plain calculation, which needs no model.")]
    trace: dict[str, Any] | None = None


class DifferenceOut(BaseModel):
    """Where an equation is wrong: at a `step`, at its `end` (steps are missing), or in its `result`."""

    place: str
    step: int
    pupil: str | None
    model: str | None


class CheckOut(BaseModel):
    """The verdict on a pupil's equation, as `treequation check --json` prints it."""

    problem: str
    equation: str
    answer: str
    value: int | float | None
    verdict: Annotated[str, Field(description="`right`, `rewritten` (the same by algebra), `another-way` or `wrong`.")]
    difference: DifferenceOut | None
    strange: Annotated[
        list[str], Field(description="Its numbers that are neither in the text nor in the model's equation.")
    ]
    also_thought_of: Annotated[bool, Field(description="Whether this value is among the model's alternative answers.")]
    messages: Annotated[list[str], Field(description="The verdict in words, in the problem's language.")]
    unsure: Annotated[bool, Field(description="Whether the model itself is unsure, so that a person should check.")]
    confidence: float
    model_equation: str
    model_answer: str
    model: str | None


class BatchResponse(BaseModel):
    """A solution or a failure for each problem, in order."""

    results: list[SolutionOut | FailureResponse]


class ModelOut(BaseModel):
    """The description of a model."""

    name: str
    made_by: str
    languages: list[str]
    trained_on: list[str]
    precision: Annotated[str, Field(description="The encoder's precision here: float or int16.")]
    stored_as: Annotated[str, Field(description="The precision of the weights on disk: float32 or int8.")]
    max_tokens: int
    max_numbers: int


class ModelsResponse(BaseModel):
    """The models served here."""

    models: list[ModelOut]


class State(BaseModel):
    """The state of the service."""

    status: str
    reason: str | None = None


def response_to(answer: Answer) -> Response:
    """The response with a solution, or with the reason why there is none."""
    if answer.code is None:
        return Response(answer.body, media_type="application/json")
    failure = json.loads(answer.body)
    return JSONResponse(failure | {"error": failure["error"] | {"field": "problem"}}, 422)


def response_to_all(answers: Iterable[Answer]) -> Response:
    """The response with several solutions and failures, in order."""
    return Response(
        b'{"results": [' + b", ".join(answer.body for answer in answers) + b"]}", media_type="application/json"
    )
