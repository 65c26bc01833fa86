"""The protocol between the service and its workers: frames of bytes over a pipe, each preceded by four bytes of length.

The first frame of a worker is its greeting. After that, each frame of questions is answered by a frame of answers:
first a line of codes, then a line of JSON for each problem. The service passes these lines on as they are.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import BinaryIO, NamedTuple

LENGTH = struct.Struct(">I")


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


def framed(content: bytes) -> bytes:
    """The content, preceded by its length."""
    return LENGTH.pack(len(content)) + content


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next frame, or None if the other side has closed the pipe."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    content = stream.read(size)
    return content if len(content) == size else None


def pack_questions(texts: Sequence[str], kind: Kind) -> bytes:
    """Questions as a frame's content."""
    return json.dumps([texts, kind]).encode()


def unpack_questions(content: bytes) -> tuple[list[str], Kind]:
    """The inverse of :func:`pack_questions`.

    >>> unpack_questions(pack_questions(["1 + 1?"], Kind(beam=4)))
    (['1 + 1?'], Kind(beam=4, trace=False))
    """
    texts, kind = json.loads(content)
    return texts, Kind(*kind)


def pack_answers(answers: Sequence[Answer]) -> bytes:
    """Answers as a frame's content."""
    codes = json.dumps([answer.code for answer in answers]).encode()
    return b"\n".join([codes, *(answer.body for answer in answers)])


def unpack_answers(content: bytes) -> list[Answer]:
    """The inverse of :func:`pack_answers`.

    >>> unpack_answers(pack_answers([Answer(None, b"{}")]))
    [Answer(code=None, body=b'{}')]
    """
    codes, *bodies = content.split(b"\n")
    return [Answer(code, body) for code, body in zip(json.loads(codes), bodies, strict=True)]
