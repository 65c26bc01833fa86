"""Commands as a user runs them, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from treequation.cli import main
from treequation.experiments.repeats import Repeat, unfinished
from treequation.training import read_recipe, train


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


def train_here(
    repeats: Sequence[Repeat],
    recipe: Path,
    changes: Sequence[str],
    folder: Path,
    *,
    parallel: int,
    device: str | None,
    report: Callable[[str], None],
) -> dict[str, str]:
    """As ``run_all``, in this process instead of several, each of which would have to load PyTorch."""
    assert parallel == 2
    for repeat in unfinished(repeats, recipe, changes, folder, report):
        train(read_recipe(recipe, [*changes, *repeat.changes]), folder / repeat.name, device=device)
    return {}
