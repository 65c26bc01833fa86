"""Records what a run depends on, so that its figures can be traced: recipe, versions, data, code, hardware."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from treequation.text.problem import Problem
from treequation.training.processes import process_count
from treequation.training.recipe import Recipe
from treequation.training.sources import Problems
from treequation.version import __version__


def describe(recipe: Recipe, problems: Problems, device: str) -> dict[str, Any]:
    """The record of a run on this device, as plain values."""
    return {
        "recipe": recipe.to_dict(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "hardware": hardware(device),
        "code": _code(),
        "data": {
            name: {"problems": len(part), "sha256": _checksum(part)}
            for name, part in (("train", problems.train), ("dev", problems.dev), ("test", problems.test))
        },
    }


def hardware(used: str) -> dict[str, Any]:
    """The processor, the number of processes, and the GPU if the ``used`` device is ``cuda``."""
    record: dict[str, Any] = {
        "processor": platform.machine(),
        "cores": torch.get_num_threads(),
        "processes": process_count(),
    }
    if used == "cuda" and torch.cuda.is_available():
        record["device"] = torch.cuda.get_device_name()
    return record


def versions() -> dict[str, str]:
    """The versions of the packages that a figure may depend on."""
    packages = {package: version(package) for package in ("torch", "transformers", "tokenizers", "numpy")}
    return {"treequation": __version__, "python": platform.python_version(), **packages}


def _checksum(problems: list[Problem]) -> str:
    """A checksum of texts and equations (or answers), in order: runs that agree in it saw the same problems."""
    digest, text_of = hashlib.sha256(), cache(str)  # many problems have the same equation
    for problem in problems:
        gold = problem.answer if problem.graph is None else problem.graph
        digest.update(f"{problem.text}\n{text_of(gold)}\n".encode())
    return digest.hexdigest()


def _code() -> dict[str, str]:
    """The commit, and whether there are uncommitted changes; empty outside a git checkout."""
    folder = Path(__file__).parent

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "HEAD")
    return {} if commit is None else {"commit": commit, "changed": str(bool(git("status", "--porcelain")))}
