"""A service for benchmarks: a separate process on a free port, as an operator runs it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

_PATIENCE = 60  # seconds it has to become ready


class Service:
    """A running service."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self._log = log
        self.port = self._wait_for_port()
        self.address = f"http://127.0.0.1:{self.port}/"
        self._wait_until_ready()

    def workers(self) -> list[int]:
        """The process ids of its workers."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(child) for child in children.read_text().split()]

    def memory(self) -> float:
        """The megabytes that the service and its workers use now."""
        return sum(_resident(pid) for pid in (self.process.pid, *self.workers()))

    def get(self, path: str) -> str:
        """The answer to a GET request."""
        with urllib.request.urlopen(self.address + path, timeout=_PATIENCE) as response:
            return str(response.read().decode())

    def metric(self, name: str) -> float:
        """The value of a metric without labels."""
        lines = (line.split() for line in self.get("metrics").splitlines())
        return next(float(line[1]) for line in lines if line[0] == f"treequation_{name}")

    def _wait_for_port(self) -> int:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            for line in self._log.read_text(encoding="utf-8").splitlines():
                if line.startswith("{") and (said := json.loads(line))["event"] == "listening":
                    return int(said["port"])
            time.sleep(0.05)
        raise SystemExit(f"the service did not start:\n{self._log.read_text(encoding='utf-8')}")

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            with suppress(OSError):
                self.get("readyz")
                return
            time.sleep(0.05)
        raise SystemExit(f"the service is not ready:\n{self._log.read_text(encoding='utf-8')}")


def _resident(pid: int) -> float:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0.0


@contextmanager
def service(model: Path | None, *options: str) -> Iterator[Service]:
    """Runs a service for the block; accepts any answer to the warm-up problem."""
    command = [sys.executable, "-m", "treequation", "serve", "--port", "0", "--warm-up-answer", "", *options]
    if model is not None:
        command += ["--model", str(model)]
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as file:
            process = subprocess.Popen(command, stderr=file)
        try:
            yield Service(process, log)
        finally:
            process.terminate()
            process.wait(_PATIENCE)
