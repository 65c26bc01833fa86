"""What the service and its workers tell each other: JSON Lines over a pipe.

The first line of a worker is its greeting. After that, each line with questions, ``[texts, kind]``, is answered by a
line of codes and then one line for each problem, which the service passes on as it is.
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
