"""API keys in the OpenAPI description: how to send one (a button in ``/docs``), and which routes need one."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

PROTECTED = "/v1/"
"""Prefixes of the paths that need a key, if the service has keys."""
_WHERE = "Needed if the service was started with keys."
_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": f"`Authorization: Bearer KEY`. {_WHERE}"},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": f"`X-API-Key: KEY`. {_WHERE}"},
}


def describe_keys(app: FastAPI, *, needed: bool) -> None:
    """Adds both ways to send a key to the application's OpenAPI; they are optional unless ``needed``."""
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
