"""Treequation turns a word problem into an expression tree and computes the answer exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treequation.version import __version__

if TYPE_CHECKING:
    from treequation.runtime.solution import Solution
    from treequation.runtime.solve_error import SolveError
    from treequation.runtime.solver import Solver

__all__ = ["Solution", "SolveError", "Solver", "__version__"]

_MODULES = {"Solver": "solver", "Solution": "solution", "SolveError": "solve_error"}


def __getattr__(name: str) -> Any:
    """Imports the solver on first use, so that the data and training commands do not load ONNX Runtime."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"treequation.runtime.{_MODULES[name]}"), name)
