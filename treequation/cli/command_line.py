"""The command as it was typed, to stand beside the figures that it made."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

_FOLDERS = re.compile(r"(?:(?<=^)|(?<==))(?:/|\.\.?/)(?:[^/\s=]+/)*")
_arguments: list[str] = []


def remember(arguments: Sequence[str]) -> None:
    """Keeps what was typed; :func:`command_line` gives it back."""
    _arguments[:] = arguments


def command_line() -> str:
    """The command; of files and folders elsewhere only the name is kept, since their path concerns this machine alone.

    >>> remember(["train", "recipes/mathqa.toml", "--set", "encoder.name=/home/me/encoders/small", "--runs=/tmp/runs"])
    >>> command_line()
    'treequation train recipes/mathqa.toml --set encoder.name=small --runs=runs'
    """
    return shlex.join(["treequation", *(_FOLDERS.sub("", argument) for argument in _arguments)])
