"""Keys in the OpenAPI: how a client sends one, which ``/docs`` turns into a button, and where one is needed."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

PROTECTED = "/v1/"
"""How addresses begin that need a key, where keys are asked for."""
_WHERE = "Needed if the service was started with keys."
_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": f"`Authorization: Bearer KEY`. {_WHERE}"},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": f"`X-API-Key: KEY`. {_WHERE}"},
}


def describe_keys(app: FastAPI, *, needed: bool) -> None:
    """Names both ways to send a key in the application's OpenAPI; where none is needed, neither must be taken."""
    plain = app.openapi
    ways: list[dict[str, list[str]]] = [{name: []} for name in _SCHEMES]

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            said = plain()
            said.setdefault("components", {})["securitySchemes"] = _SCHEMES
            for path, operations in said["paths"].items():
                if path.startswith(PROTECTED):
                    for operation in operations.values():
                        operation["security"] = ways if needed else [{}, *ways]
            app.openapi_schema = said
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
