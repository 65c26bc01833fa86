"""Where large work is done: on this machine, or on a Ray cluster."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Engine(StrEnum):
    """What does the work."""

    local = "local"
    ray = "ray"


Address = Annotated[str | None, typer.Option(help="The Ray cluster; one is started here unless told.")]
