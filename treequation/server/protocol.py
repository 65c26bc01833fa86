"""The protocol between the service and its workers: JSON Lines over a pipe.

A worker's first line is its greeting. It then answers each request, ``[texts, kind]``, with a line of codes and one
line per problem, which the service passes on unchanged.
"""

from __future__ import annotations

import json
from typing import NamedTuple


class Kind(NamedTuple):
    """How a problem is to be solved; a batch has problems of one kind. For ``beam`` see :meth:`.Solver.solve`."""

    beam: int | None = None
    trace: bool = False


class Answer(NamedTuple):
    """The JSON of a solution, or of an error; only an error has a ``code``."""

    code: str | None
    body: bytes


def too_long(text: str, max_text: int) -> Answer | None:
    """The error of a text that is longer than the service accepts."""
    if len(text) <= max_text:
        return None
    message = f"the text has {len(text):,} characters; this service accepts at most {max_text:,}"
    error = {"code": "too-long", "message": message, "hint": "give one problem at a time"}
    body = json.dumps({"problem": text, "error": error}, ensure_ascii=False)
    return Answer("too-long", body.encode(errors="replace"))
