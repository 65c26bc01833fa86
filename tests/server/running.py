"""A service as an operator runs it: a process of its own, on a free port, asked over HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.runtime.light import known_problems, taught_folder

PROBLEM = max((p for p in known_problems() if p.language == "en"), key=lambda p: len(p.graph or ()))
PATIENCE = 180  # seconds, on a busy machine: what never happens is told from what comes late


class Running:
    """A running service. Its log is in the file ``log``."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path, headers: Mapping[str, str]) -> None:
        self.process = process
        self.log = log
        port = until(lambda: next((line["port"] for line in self.lines() if line["event"] == "listening"), None))
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=PATIENCE)
        self.port = int(port)
        self._askers = ThreadPoolExecutor(80)

    def lines(self) -> list[dict[str, Any]]:
        """What it has logged so far."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines() if line[:1] == "{"]

    def solve(self, problem: object = PROBLEM.text, **more: object) -> httpx.Response:
        return self.client.post("/v1/solve", json={"problem": problem, **more})

    def ask(self, problem: object = PROBLEM.text) -> Future[httpx.Response]:
        """As :meth:`solve`, in the background."""
        return self._askers.submit(self.solve, problem)

    def metric(self, name: str) -> float:
        """A metric's value, summed over its labels."""
        found = re.findall(rf"^treequation_{name}(?:\{{.*\}})? (\S+)$", self.client.get("/metrics").text, re.MULTILINE)
        return sum(map(float, found))

    def workers(self) -> list[int]:
        """The process ids of its workers."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(child) for child in children.read_text().split()] if children.exists() else []

    @contextmanager
    def stopped_worker(self) -> Iterator[int]:
        """Its only worker stands still in the meantime, and goes on afterwards if it still lives."""
        (worker,) = self.workers()
        os.kill(worker, signal.SIGSTOP)
        try:
            yield worker
        finally:
            if worker in self.workers():
                os.kill(worker, signal.SIGCONT)

    def end(self) -> int:
        """Ends it as a process manager does; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self._askers.shutdown()
        self.client.close()
        return code


def until(found: Callable[[], Any]) -> Any:
    """Waits for something to be true; returns it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "treequation", "serve", "--port", "0", *options]


@contextmanager
def running(
    folder: Path,
    *options: str,
    environment: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    ready: bool = True,
) -> Iterator[Running]:
    """A service with the taught model, which must have solved a problem that it knows."""
    warm_up = ("--warm-up-problem", PROBLEM.text, "--warm-up-answer", str(PROBLEM.answer))
    log = folder / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            command("--model", str(taught_folder()), "--threads", "1", *warm_up, *options),
            stderr=file,
            env=os.environ | dict(environment or {}),
        )
    try:
        service = Running(process, log, headers or {})
        if ready:
            until(lambda: service.client.get("/readyz").status_code == 200)
        yield service
        if process.poll() is None:
            assert service.end() == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
