"""Options that several commands share, written once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Signature, signature
from typing import Any


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its parameter ``options``, a dataclass, as options of its own.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Shared:
    ...     seed: int = 0
    >>> @with_options
    ... def show(name: str, options: Shared) -> None:
    ...     print(name, options)
    >>> show(name="one", seed=3), list(signature(show).parameters)
    one Shared(seed=3)
    (None, ['name', 'seed'])
    """
    own = signature(command, eval_str=True).parameters
    kind = own["options"].annotation
    shared = signature(kind, eval_str=True).parameters

    @wraps(command)
    def flat(**given: Any) -> None:
        options = kind(**{name: given.pop(name) for name in shared})
        command(**given, options=options)

    parameters = [each for name, one in own.items() for each in (shared.values() if name == "options" else [one])]
    flat.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # Typer reads it
    return flat
