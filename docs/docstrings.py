"""How the site reads docstrings: roles such as ``:class:`Solver``` become code, as Markdown knows no roles."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":[a-z]+:`[~.]*(?:[^`]*\.)?([^`.]+)`")


class Docstrings(griffe.Extension):
    """Rewrites every docstring."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(r"`\1`", obj.docstring.value)
