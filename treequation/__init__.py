"""Treequation turns a word problem into an expression tree and computes the answer exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treequation.runtime.solution import Solution
    from treequation.runtime.solve_error import SolveError
    from treequation.runtime.solver import Solver

__version__ = "0.2.0"
__all__ = ["Solution", "SolveError", "Solver", "__version__"]

_HOMES = {"Solver": "solver", "Solution": "solution", "SolveError": "solve_error"}


def __getattr__(name: str) -> Any:
    """Imports the solver when it is asked for: the data and training commands do without ONNX Runtime."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"treequation.runtime.{_HOMES[name]}"), name)
