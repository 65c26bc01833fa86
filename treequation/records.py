"""Turns plain values from a TOML or JSON file into a checked dataclass; any mistake becomes a one-line message.

An unknown key is an error that suggests the nearest known one, so that a typo never trains the wrong model for an
hour.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from treequation.errors import TreequationError

T = TypeVar("T")

STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
"""A record's ``__pydantic_config__``: no unknown keys, no type conversion, finite numbers only."""
Count = Annotated[int, Field(ge=1)]
NonNegative = Annotated[float, Field(ge=0.0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]

_adapter: Any = cache(TypeAdapter)
_UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
_MESSAGES = {
    "missing": "{key} is missing",
    "value_error": "{error}",
    "string_too_short": "{key} is empty",
    "finite_number": "{key} must be a finite number",
    **dict.fromkeys(("dataclass_type", "model_type", "dict_type"), "{key} must be a table"),
    "tuple_type": "{key} must be a list of strings",
    "greater_than": "{key} is {value}; it must be above {gt}",
    "greater_than_equal": "{key} is {value}; it must be at least {ge}",
    "less_than_equal": "{key} is {value}; it must be at most {le}",
    "literal_error": "{key} is {value!r}; it must be {expected}",
    **{f"{name}_type": f"{{key}} is {{value!r}}; it must be of type {name}" for name in ("int", "float", "bool")},
    "string_type": "{key} is {value!r}; it must be text",
}


def checked(kind: type[T], values: object, where: str, error: type[TreequationError], prefix: str = "") -> T:
    """``values`` as a record of this kind; messages put ``prefix`` before each key, as the file has it."""
    try:
        found: T = _adapter(kind).validate_json(json.dumps(values, default=str))
    except ValidationError as refused:
        mistakes = sorted(refused.errors(), key=lambda each: each["type"] not in _UNKNOWN)
        raise error(f"{where}: {_message(kind, mistakes[0], prefix)}") from refused
    return found


def _message(kind: Any, mistake: Mapping[str, Any], prefix: str) -> str:
    path = [part for part in mistake["loc"] if isinstance(part, str)]
    key = (prefix + ".".join(path)).rstrip(".") or "it"
    if mistake["type"] in _UNKNOWN:
        for name in path[:-1]:
            kind = get_type_hints(kind)[name]
        known = getattr(kind, "model_fields", None) or get_type_hints(kind)
        return f"there is no {key}; {nearest(path[-1], known, key.removesuffix(path[-1]))}"
    in_list = len(path) < len(mistake["loc"])
    template = _MESSAGES.get("tuple_type" if in_list else mistake["type"], "{key} is {value!r}: {msg}")
    return template.format(key=key, value=mistake["input"], msg=mistake["msg"], **mistake.get("ctx", {}))


def nearest(key: str, known: Iterable[str], prefix: str = "") -> str:
    """A hint at what the user may have meant.

    >>> nearest("epoch", ["epochs", "seed"], "training.")
    'did you mean training.epochs?'
    """
    names = list(known)
    close = get_close_matches(key, names, n=1)
    return f"did you mean {prefix}{close[0]}?" if close else f"there are {', '.join(prefix + k for k in names)}"
