"""The pool: keeps the workers busy with batches from the queue, and replaces those that die or hang."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Sequence
from typing import Any

from treequation.server.failures import ServiceError
from treequation.server.metrics import Metrics
from treequation.server.process import Worker, WorkerFailedError, WorkerLostError
from treequation.server.protocol import Answer, Kind
from treequation.server.queue import Entry, ProblemQueue, estimated_tokens
from treequation.server.settings import Settings
from treequation.server.tracing import Traces

_PAUSE = 1.0  # seconds between attempts to restart a worker
log = logging.getLogger(__name__)


class Pool:
    """The workers of one service."""

    def __init__(self, settings: Settings, queue: ProblemQueue, metrics: Metrics, traces: Traces) -> None:
        self._settings = settings
        self._queue = queue
        self._metrics = metrics
        self._traces = traces
        self._workers = [Worker(settings) for _ in range(settings.workers)]
        self._warm: set[Worker] = set()
        self.warm_up_failure = "the model is being loaded"

    @property
    def warm(self) -> bool:
        """Whether some worker has loaded its model and solved the warm-up problem correctly."""
        return bool(self._warm)

    @property
    def model(self) -> dict[str, Any] | None:
        """The model's description, once it is loaded."""
        return next((worker.model for worker in self._workers if worker.model is not None), None)

    async def run(self) -> None:
        """Serves until it is cancelled; raises :class:`WorkerFailedError` if a worker cannot load the model."""
        try:
            async with asyncio.TaskGroup() as tasks:
                for worker in self._workers:
                    tasks.create_task(self._run(worker))
        except* (WorkerFailedError, WorkerLostError) as failures:
            failure = failures.exceptions[0]
            if isinstance(failure, WorkerFailedError):
                raise failure from None
            raise WorkerFailedError("a worker exited while loading the model; see its message above") from None

    async def _run(self, worker: Worker) -> None:
        try:
            await worker.start()
            await self._warm_up(worker)
            while True:
                await self._serve(worker, await self._queue.take())
        finally:
            await worker.stop()

    async def _serve(self, worker: Worker, batch: Sequence[Entry]) -> None:
        started = time.monotonic()
        answers: list[Answer] = []
        try:
            # When this time is over, every request in the batch has passed its deadline.
            async with asyncio.timeout(self._settings.deadline):
                answers = await worker.solve([entry.text for entry in batch], batch[0].kind)
        except (WorkerLostError, TimeoutError) as error:
            log.error("worker lost", extra={"fields": {"why": type(error).__name__, "problems": len(batch)}})
        finally:
            seconds = time.monotonic() - started
            solved = [entry for entry, answer in zip(batch, answers, strict=False) if answer.code is None]
            self._queue.finished(batch, solved, seconds)
        if not answers:
            self._give_back(batch)
            await self._replace(worker)
            return
        self._metrics.observe_batch(len(batch), seconds)
        for entry, answer in zip(batch, answers, strict=True):
            entry.context.run(self._traces.part, "wait", entry.since, started)
            entry.context.run(self._traces.part, "solve", started, started + seconds, problems=len(batch))
            if not entry.answer.done():
                entry.answer.set_result(answer)

    def _give_back(self, batch: Sequence[Entry]) -> None:
        """Problems of a lost worker are tried once more, each alone; a problem that loses two workers fails."""
        for entry in batch:
            if entry.alone and not entry.answer.done():
                hint = "leave this problem out, and report it"
                entry.answer.set_exception(ServiceError(500, "worker-lost", "the problem cannot be solved here", hint))
        self._queue.put_back(batch)

    async def _replace(self, worker: Worker) -> None:
        self._metrics.restarts.inc()
        self._warm.discard(worker)
        while True:
            await worker.stop()
            try:
                await worker.start()
                await self._warm_up(worker)
                return
            except (WorkerFailedError, WorkerLostError) as error:
                log.error("worker cannot be started", extra={"fields": {"why": str(error)}})
                await asyncio.sleep(_PAUSE)

    async def _warm_up(self, worker: Worker) -> None:
        """Solves the warm-up problem; after a wrong answer the service still answers, but does not report ready.

        A load balancer that checks readiness then sends it nothing.
        """
        started = time.perf_counter()
        problem, expected = self._settings.warm_up(worker.model["languages"] if worker.model else ())
        (answer,) = await worker.solve([problem], Kind())
        self._queue.pace.learn(Kind(), estimated_tokens(problem), time.perf_counter() - started)
        solution = json.loads(answer.body)
        if answer.code is None and (not expected or solution["answer"] == expected):
            self._warm.add(worker)
            log.info("worker ready", extra={"fields": {"model": solution["model"]}})
            return
        given = f"answers {solution['answer']}" if answer.code is None else f"has no answer ({answer.code})"
        self.warm_up_failure = f"the model {given} to the warm-up problem; expected: {expected or 'an answer'}"
        log.error("warm-up failed", extra={"fields": {"why": self.warm_up_failure}})
