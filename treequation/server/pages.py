"""What a browser loads: the page at ``/``, the description of the interface at ``/docs``, and their files.

A content security policy forbids the browser to load anything from elsewhere, and to run any script other than our
files.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import FileResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

_PAGE = Path(__file__).parent / "page"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}
# Swagger UI adds inline styles to the page.
_DOCS_HEADERS = _HEADERS | {"Content-Security-Policy": _POLICY.replace("style-src", "style-src 'unsafe-inline'")}


class _Files(StaticFiles):
    """Files that a browser may cache, but must revalidate each time."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


def add_pages(app: FastAPI) -> None:
    """Adds the pages. Their own links are relative, so that they work under any root path."""

    @app.head("/", include_in_schema=False)
    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(_PAGE / "index.html", headers=_HEADERS)

    @app.head("/docs", include_in_schema=False)
    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return FileResponse(_PAGE / "docs.html", headers=_DOCS_HEADERS)

    app.mount("/page", _Files(directory=_PAGE))
    app.mount("/swagger", _Files(directory=str(files("fastapi_offline") / "static")))
