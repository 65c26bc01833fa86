"""Templates: sentences with alternatives, the smallest piece of the grammar.

``[a|b|c]`` stands for one of its alternatives, which may be empty or nested; ``{slot}`` and ``{slot.attribute}`` stand
for what the story puts there: a number, a person, a thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

_TOKEN = re.compile(r"[\[\]|]|\{[a-z_0-9.]+\}|[^\[\]|{}]+")

# A parsed template is a list of alternatives; each is a list of pieces: plain text, a slot, or alternatives.
_Slot = tuple[str, str]
_Alternatives = list[list["str | _Slot | _Alternatives"]]


def expand(template: str, fill: Callable[[str], object], below: Callable[[int], int]) -> str:
    """One of the sentences that the template stands for.

    ``fill`` returns the content of the slot with this name; ``below(n)`` draws an integer from 0 to n − 1.

    >>> expand("[each|every] {thing} costs ${price}", {"thing": "pen", "price": 3}.get, lambda n: 1)
    'every pen costs $3'
    """
    pieces: list[str] = []
    _write(_parse(template), fill, below, pieces)
    return "".join(pieces)


def _write(
    alternatives: _Alternatives, fill: Callable[[str], object], below: Callable[[int], int], pieces: list[str]
) -> None:
    chosen = alternatives[below(len(alternatives))] if len(alternatives) > 1 else alternatives[0]
    for piece in chosen:
        if isinstance(piece, str):
            pieces.append(piece)
        elif isinstance(piece, tuple):
            value = fill(piece[0])
            pieces.append(str(getattr(value, piece[1]) if piece[1] else value))
        else:
            _write(piece, fill, below, pieces)


@cache
def _parse(template: str) -> _Alternatives:
    top: _Alternatives = [[]]
    stack = [top]
    for token in _TOKEN.findall(template):
        if token == "[":
            inner: _Alternatives = [[]]
            stack[-1][-1].append(inner)
            stack.append(inner)
        elif token == "]":
            stack.pop()
        elif token == "|":
            stack[-1].append([])
        elif token[0] == "{":
            name, _, attribute = token[1:-1].partition(".")
            stack[-1][-1].append((name, attribute))
        else:
            stack[-1][-1].append(token)
    if len(stack) != 1:
        raise ValueError(f"brackets do not match in the template {template!r}")
    return top
