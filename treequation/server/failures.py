"""The service's error responses: always JSON with a code, what went wrong, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException


class ServiceError(Exception):
    """A request that fails; ``field`` names the part of its body that is wrong."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        hint: str,
        *,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{message}; {hint}")
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
        self.field = field
        self.headers = dict(headers or {})

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        error = {"code": self.code, "message": self.message, "hint": self.hint}
        return {"error": error if self.field is None else error | {"field": self.field}}


def check_beam(beam: int | None, most: int) -> None:
    """Refuses a beam that is wider than the service allows."""
    if beam is not None and beam > most:
        message = f"a beam of {beam} is wider than the {most} allowed here"
        raise ServiceError(422, "beam-too-large", message, "ask for a smaller one", field="beam")


def check_count(problems: int, most: int) -> None:
    """Refuses a request with more problems than the service allows."""
    if problems > most:
        message = f"{problems} problems are more than the {most} allowed in a request"
        raise ServiceError(422, "too-many-problems", message, "send them in several requests", field="problems")


def field_name(location: tuple[int | str, ...]) -> str:
    """The field that a validator complains about, as a reader would write it.

    >>> field_name(("body", "problems", 3)), field_name(("body",))
    ('problems[3]', 'body')
    """
    name = ""
    for part in location[1:]:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return name or "body"


def from_validation(error: RequestValidationError) -> ServiceError:
    """The first validation error of a body. The input is not repeated: it may be huge, or not valid text."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        where = f"at character {first['loc'][-1]}: {first['ctx']['error']}"
        return ServiceError(400, "bad-json", f"the body is not JSON ({where})", 'send {"problem": "…"}', field="body")
    field = field_name(tuple(first["loc"]))
    if field == "body":
        hint = "send a JSON object with the header Content-Type: application/json"
        return ServiceError(422, "bad-field", "the body is not a JSON object", hint, field=field)
    return ServiceError(422, "bad-field", f"{field}: {first['msg']}", "see the field's description", field=field)


def from_http(error: HTTPException, docs: str) -> ServiceError:
    """Errors that FastAPI itself raises: an unknown address, a wrong method, an unreadable body."""
    hint = f"see {docs}"
    if error.status_code == HTTPStatus.NOT_FOUND:
        return ServiceError(404, "not-found", "there is nothing at this address", hint)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        message = "this address does not take that method"
        return ServiceError(405, "wrong-method", message, hint, headers=error.headers)
    if error.status_code == HTTPStatus.BAD_REQUEST:
        return ServiceError(400, "bad-json", "the body cannot be read as JSON", hint, field="body")
    return ServiceError(error.status_code, "http", str(error.detail), hint, headers=error.headers)


def answer_failures(app: FastAPI) -> None:
    """Makes the application report every failure in this form, and count it."""

    def respond(error: ServiceError) -> JSONResponse:
        app.state.service.metrics.errors.labels(error.code).inc()
        return JSONResponse(error.to_dict(), error.status, error.headers)

    @app.exception_handler(ServiceError)
    async def service(request: Request, error: ServiceError) -> JSONResponse:
        return respond(error)

    @app.exception_handler(RequestValidationError)
    async def validation(request: Request, error: RequestValidationError) -> JSONResponse:
        return respond(from_validation(error))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        return respond(from_http(error, f"{app.root_path}/docs"))

    @app.exception_handler(Exception)
    async def mistake(request: Request, error: Exception) -> JSONResponse:
        hint = "report it with the request's id; the log has the details"
        return respond(ServiceError(500, "internal", "a bug in the service", hint))
