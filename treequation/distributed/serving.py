"""The service as a Ray Serve application: any number of replicas of the solver behind one address.

    serve run treequation.distributed.serving:build model=/models/light-model

Ray Serve provides what :mod:`treequation.server` provides on one machine: replicas, a queue, micro-batches, health
checks. The solver, the requests and the answers are the same.
"""

# Ray Serve and FastAPI inspect annotations, which must therefore not be strings: no __future__ import.

import asyncio
from collections.abc import Sequence
from typing import Any

import ray.serve as serve
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from treequation import __version__
from treequation.runtime.solver import Solver
from treequation.server.failures import ServiceError, check_beam, check_count, from_validation
from treequation.server.protocol import Answer, Kind, too_long
from treequation.server.schemas import BatchRequest, SolveRequest, response_to, response_to_all
from treequation.server.settings import Settings
from treequation.server.worker import limited, solve

_LIMITS = Settings()
_api = FastAPI(title="Treequation", version=__version__, docs_url=None, redoc_url=None)


# Ray Serve serialises the application when the class below is defined, so these must come first.
@_api.exception_handler(ServiceError)
async def _refused(request: Request, error: ServiceError) -> JSONResponse:
    return JSONResponse(error.to_dict(), error.status, error.headers)


@_api.exception_handler(RequestValidationError)
async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    return await _refused(request, from_validation(error))


def _kind(body: SolveRequest | BatchRequest) -> Kind:
    check_beam(body.beam, _LIMITS.max_beam)
    return Kind(body.beam, body.trace)


class Options(BaseModel):
    """The operator's options. The number of replicas follows the number of waiting requests, within its bounds."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(
        None, description="A light model folder that every host can read; by default the bundled model."
    )
    threads: int = Field(1, ge=1, description="Processors per replica.")
    min_copies: int = Field(1, ge=1)
    max_copies: int = Field(8, ge=1)
    waiting: int = Field(16, ge=1, description="Target number of requests per replica; above it, replicas are added.")


def build(options: Options) -> serve.Application:
    """The application, for ``serve run`` and ``serve.run``."""
    copies = {
        "min_replicas": options.min_copies,
        "max_replicas": options.max_copies,
        "target_ongoing_requests": options.waiting,
    }
    chosen: Any = _Copy
    application: serve.Application = chosen.options(
        autoscaling_config=copies,
        max_ongoing_requests=4 * options.waiting,
        ray_actor_options={"num_cpus": options.threads},
    ).bind(options.model, options.threads)
    return application


@serve.deployment(name="treequation", max_queued_requests=_LIMITS.max_queue)
@serve.ingress(_api)
class _Copy:
    """A replica: the solver, which solves requests that arrive at about the same time as one batch."""

    def __init__(self, model: str | None, threads: int) -> None:
        self._solver = limited(Solver(model, threads=threads), _LIMITS.max_numbers)

    @_api.post("/v1/solve")
    async def solve(self, body: SolveRequest) -> Response:
        """Solves one problem."""
        return response_to(await self._answer(body.problem, _kind(body)))

    @_api.post("/v1/solve/batch")
    async def solve_batch(self, body: BatchRequest) -> Response:
        """Solves several problems; each gets its own solution or error."""
        check_count(len(body.problems), _LIMITS.max_problems)
        kind = _kind(body)
        answers = await asyncio.gather(*(self._answer(problem, kind) for problem in body.problems))
        return response_to_all(answers)

    async def _answer(self, text: str, kind: Kind) -> Answer:
        """The answer; a text over the limit is refused without being read."""
        return too_long(text, _LIMITS.max_text) or await self._batch((text, kind))

    @serve.batch(max_batch_size=_LIMITS.max_problems, batch_wait_timeout_s=_LIMITS.window_ms / 1000)
    async def _batch(self, requests: list[tuple[str, Kind]]) -> list[Answer]:
        return await asyncio.to_thread(self._solve, requests)  # so that the next batch can form meanwhile

    def _solve(self, requests: Sequence[tuple[str, Kind]]) -> list[Answer]:
        answers: dict[int, Answer] = {}
        for kind in {kind for _, kind in requests}:
            places = [place for place, (_, other) in enumerate(requests) if other == kind]
            answers.update(
                zip(places, solve(self._solver, [requests[place][0] for place in places], kind), strict=True)
            )
        return [answers[place] for place in range(len(requests))]
