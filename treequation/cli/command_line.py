"""The command as it was typed, recorded beside the figures that it produced."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

_FOLDERS = re.compile(r"(?:(?<=^)|(?<==))(?:/|\.\.?/)(?:[^/\s=]+/)*")
_arguments: list[str] = []


def remember(arguments: Sequence[str]) -> None:
    """Stores the arguments for :func:`command_line`."""
    _arguments[:] = arguments


def command_line() -> str:
    """The command; absolute paths are cut to their last part, since they mean nothing on another machine.

    >>> remember(["train", "recipes/mathqa.toml", "--set", "encoder.name=/home/me/encoders/small", "--runs=/tmp/runs"])
    >>> command_line()
    'treequation train recipes/mathqa.toml --set encoder.name=small --runs=runs'
    """
    return shlex.join(["treequation", *(_FOLDERS.sub("", argument) for argument in _arguments)])
