"""A worker as the service sees it: a child process that answers over a pipe and can be replaced."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from typing import Any

from treequation.errors import TreequationError
from treequation.server.protocol import Answer, Kind
from treequation.server.settings import Settings

_LONGEST_LINE = 1 << 30  # a trace may be long; asyncio's own limit is 64 KiB


class WorkerLostError(Exception):
    """The worker died before it answered."""


class WorkerFailedError(TreequationError):
    """The worker cannot load the model; its message says why."""


class Worker:
    """One worker process; it serves one batch at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: Process | None = None
        self.model: dict[str, Any] | None = None

    async def start(self) -> None:
        """Starts the process and waits until the model is loaded."""
        model = "" if self._settings.model is None else str(self._settings.model)
        options = (model, str(self._settings.threads), self._settings.precision, str(self._settings.max_numbers))
        # In its own session, so that Ctrl-C in a terminal reaches only the service.
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "treequation.server.worker", *options),
            stdin=PIPE,
            stdout=PIPE,
            limit=_LONGEST_LINE,
            start_new_session=True,
        )
        greeting = json.loads(await self._read(self._process))
        if "failure" in greeting:
            raise WorkerFailedError(greeting["failure"])
        self.model = greeting["model"]

    async def solve(self, texts: Sequence[str], kind: Kind) -> list[Answer]:
        """The answers to some problems; :class:`WorkerLostError` if the process ends before it has them."""
        if self._process is None or self._process.stdin is None:
            raise WorkerLostError
        try:
            self._process.stdin.write(json.dumps([texts, kind]).encode() + b"\n")
            await self._process.stdin.drain()
        except ConnectionError as error:
            raise WorkerLostError from error
        codes = json.loads(await self._read(self._process))
        return [Answer(code, await self._read(self._process)) for code in codes]

    async def stop(self) -> None:
        """Kills the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    @staticmethod
    async def _read(process: Process) -> bytes:
        """The next line."""
        assert process.stdout is not None
        try:
            line = await process.stdout.readline()
        except ConnectionError as error:
            raise WorkerLostError from error
        if not line.endswith(b"\n"):  # the process has ended
            raise WorkerLostError
        return line[:-1]
