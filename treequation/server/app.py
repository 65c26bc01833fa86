"""The service's HTTP routes."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response, Security
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp

from treequation import __version__
from treequation.runtime import SECOND_LOOK
from treequation.runtime.checking import check
from treequation.runtime.solution import Solution
from treequation.runtime.solve_error import SolveError
from treequation.server.admission import END, WAYS_TO_SEND_A_KEY, AdmittedRoute, overloaded
from treequation.server.envelope import Envelope
from treequation.server.failures import ServiceError, answer_failures, check_beam, check_count
from treequation.server.gate import Gate
from treequation.server.pages import add_pages
from treequation.server.protocol import Answer, Kind, too_long
from treequation.server.queue import QueueFullError
from treequation.server.schemas import (
    BatchRequest,
    BatchResponse,
    CheckOut,
    CheckRequest,
    FailureResponse,
    ModelsResponse,
    SolutionOut,
    SolveRequest,
    State,
    response_to,
    response_to_all,
)
from treequation.server.service import Service

log = logging.getLogger(__name__)


def _failures(**reasons: str) -> dict[int | str, dict[str, Any]]:
    """The statuses of a route other than 200, for the documentation."""
    return {int(status[1:]): {"model": FailureResponse, "description": why} for status, why in reasons.items()}


_KEY = _failures(_401="A valid API key is needed.")
_SOLVING = _KEY | _failures(
    _400="The body is not valid JSON, or not valid gzip.",
    _408="The body arrived too slowly.",
    _413="The body is too large.",
    _415="The body has an unsupported Content-Encoding.",
    _422="A field is not valid, or the problem cannot be solved.",
    _429="Overloaded: the problem would not be solved in time; `Retry-After` says when to try again.",
    _500="A bug in the service.",
    _504="The answer was not ready in time.",
)
api = APIRouter(route_class=AdmittedRoute, tags=["solving"])
state = APIRouter(tags=["operating"])


def build(service: Service) -> ASGIApp:
    """The ASGI application of a service."""
    settings = service.settings
    app = FastAPI(
        title="Treequation",
        version=__version__,
        description="Solves math word problems: the answer, the expression tree, and the steps in words.",
        root_path=settings.root_path,
        docs_url=None,  # FastAPI's own page loads its script from another host
        redoc_url=None,
        redirect_slashes=False,  # a redirect would trust the Host header
    )
    app.state.service = service
    app.include_router(api, dependencies=[Security(way) for way in WAYS_TO_SEND_A_KEY] if settings.api_keys else [])
    app.include_router(state)
    add_pages(app)
    answer_failures(app)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key", "X-Request-ID"],
            expose_headers=["Retry-After", "X-Request-ID"],
        )
    gate = Gate(app, service.metrics, most=settings.max_connections, root_path=settings.root_path)
    return Envelope(gate, service.metrics, service.traces, shared=bool(settings.cors_origins))


@api.post("/v1/solve", response_model=SolutionOut, responses=_SOLVING)
async def solve(body: SolveRequest, request: Request) -> Response:
    """Solves one problem."""
    service: Service = request.app.state.service
    (answer,) = await _answers(service, [body.problem], Kind(body.beam, body.trace))
    return response_to(answer)


@api.post("/v1/check", response_model=CheckOut, responses=_SOLVING)
async def check_equation(body: CheckRequest, request: Request) -> Response:
    """Checks a pupil's equation: right, written differently, right by another way, or wrong (and where)."""
    service: Service = request.app.state.service
    (answer,) = await _answers(service, [body.problem], Kind(body.beam))
    if answer.code is not None:
        return response_to(answer)
    try:
        checked = await asyncio.to_thread(check, Solution.from_dict(json.loads(answer.body)), body.equation)
    except SolveError as error:
        raise ServiceError(422, error.code, error.message, error.hint, field="equation") from error
    return JSONResponse(checked.to_dict())


@api.post("/v1/solve/batch", response_model=BatchResponse, responses=_SOLVING)
async def solve_batch(body: BatchRequest, request: Request) -> Response:
    """Solves several problems; each gets its own solution or error."""
    service: Service = request.app.state.service
    check_count(len(body.problems), service.settings.max_problems)
    answers = await _answers(service, body.problems, Kind(body.beam, body.trace))
    return response_to_all(answers)


@api.get("/v1/models", response_model=ModelsResponse, responses=_KEY | _failures(_503="The model is being loaded."))
async def models(request: Request) -> dict[str, Any]:
    """The models served here: currently always one."""
    model = request.app.state.service.pool.model
    if model is None:
        raise ServiceError(503, "not-ready", "the model is being loaded", "try again", headers={"Retry-After": "1"})
    return {"models": [model]}


@state.head("/healthz", include_in_schema=False)
@state.get("/healthz", response_model_exclude_none=True)
async def health() -> State:
    """Whether the process is alive."""
    return State(status="alive")


@state.head("/readyz", include_in_schema=False)
@state.get("/readyz", response_model=State, responses={503: {"model": State, "description": "Not ready."}})
async def readiness(request: Request) -> Response:
    """Whether requests should be sent here: the model is loaded and has solved the warm-up problem correctly."""
    reason = request.app.state.service.not_ready_because
    if reason is None:
        return JSONResponse({"status": "ready"})
    return JSONResponse({"status": "not ready", "reason": reason}, 503)


@state.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(request: Request) -> Response:
    """Counters for Prometheus."""
    counters = request.app.state.service.metrics
    return Response(counters.text(), headers={"Content-Type": counters.content_type})


async def _answers(service: Service, texts: Sequence[str], kind: Kind) -> list[Answer]:
    """The answers in order; texts over the limit are refused at once, and the others wait for a worker."""
    settings = service.settings
    check_beam(kind.beam, settings.max_beam)
    if kind.beam is None and settings.max_beam < SECOND_LOOK:
        kind = kind._replace(beam=1)
    if settings.log_problems:
        log.info("asked", extra={"fields": {"problems": texts, "beam": kind.beam, "trace": kind.trace}})
    answers = {place: error for place, text in enumerate(texts) if (error := too_long(text, settings.max_text))}
    places = [place for place in range(len(texts)) if place not in answers]
    waiting: list[asyncio.Future[Answer]] = []
    try:
        waiting = service.queue.put([texts[place] for place in places], kind, END.get())
        solved = await asyncio.gather(*waiting)
    except QueueFullError as error:
        raise overloaded(error) from error
    finally:
        for each in waiting:  # if one of them fails, the request does, and the others are not needed
            each.cancel()
    answers.update(zip(places, solved, strict=True))
    for answer in answers.values():
        if answer.code is None:
            service.metrics.solved.inc()
        else:
            service.metrics.errors.labels(answer.code).inc()
    return [answers[place] for place in range(len(texts))]
