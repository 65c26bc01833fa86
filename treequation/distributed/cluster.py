"""A connection to a Ray cluster, or to a temporary one on this machine."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from treequation.errors import TreequationError

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # turn off Ray's usage statistics unless the user wants them

import ray


@contextmanager
def cluster(address: str | None = None, processors: int | None = None) -> Iterator[None]:
    """Connects to the cluster at ``address`` (or ``RAY_ADDRESS``), or else starts one here with ``processors``.

    An existing connection is used and left open.
    """
    if ray.is_initialized():
        yield
        return
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    _check_reachable(address)
    here: dict[str, Any] = {"num_cpus": processors, "include_dashboard": False} if address == "local" else {}
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **here)
    except ConnectionError as error:
        raise TreequationError(f"cannot find a Ray cluster ({address}); start one with `ray start --head`") from error
    try:
        with redirect_stdout(sys.stderr):  # Ray would print messages about dead workers on standard output
            yield
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Fails at once if nothing listens there; Ray itself would retry for many minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except OSError as error:
        raise TreequationError(
            f"cannot connect to {address} ({error}); is the Ray cluster running and reachable?"
        ) from error


def processors() -> int:
    """How many processors the cluster has."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
