"""Commands as a user runs them, in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from treequation.cli import main


def run(*arguments: str | Path) -> int:
    """Runs a command and gives its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def found(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    """What a command says with ``--json``."""
    assert run(*arguments, "--json") == 0, capsys.readouterr().err
    content = json.loads(capsys.readouterr().out)
    assert isinstance(content, dict)
    return content
