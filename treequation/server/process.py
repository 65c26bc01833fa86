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
from treequation.server.frames import LENGTH, Answer, Kind, framed, pack_questions, unpack_answers
from treequation.server.settings import Settings


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
            self._process.stdin.write(framed(pack_questions(texts, kind)))
            await self._process.stdin.drain()
        except ConnectionError as error:
            raise WorkerLostError from error
        return unpack_answers(await self._read(self._process))

    async def stop(self) -> None:
        """Kills the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    @staticmethod
    async def _read(process: Process) -> bytes:
        assert process.stdout is not None
        try:
            (size,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
            return await process.stdout.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise WorkerLostError from error
