"""Processes that tests interrupt."""

from __future__ import annotations

import signal


def heed_interrupts() -> None:
    """Before a process begins: it is not to ignore interrupts, as all do that a shell has started in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
