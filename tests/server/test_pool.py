"""A problem that no worker survives, with workers that are none: a real one has no such problem that we know of."""

import asyncio
import json
from collections.abc import Sequence

import pytest

from treequation.server import pool
from treequation.server.failures import ServiceError
from treequation.server.process import WorkerLostError
from treequation.server.protocol import Answer, Kind
from treequation.server.service import Service
from treequation.server.settings import Settings


class Mortal:
    """Answers every text with itself, and dies of the text "poison"."""

    def __init__(self, settings: Settings) -> None:
        self.alive = False
        self.model = {"languages": ["zh"]}

    async def start(self) -> None:
        self.alive = True

    async def stop(self) -> None:
        self.alive = False

    async def solve(self, texts: Sequence[str], kind: Kind) -> list[Answer]:
        assert self.alive
        if "poison" in texts:
            raise WorkerLostError
        return [Answer(None, json.dumps({"answer": text, "model": "mortal"}).encode()) for text in texts]


def test_a_problem_that_kills_workers_takes_no_other_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "Worker", Mortal)

    async def work() -> None:
        service = Service(Settings(warm_up_answer=""))
        running = asyncio.create_task(service.pool.run())
        found = await asyncio.gather(*service.queue.put(["before", "poison", "after"], Kind()), return_exceptions=True)
        assert [json.loads(each.body)["answer"] for each in found if isinstance(each, Answer)] == ["before", "after"]
        assert isinstance(found[1], ServiceError)
        assert (found[1].status, found[1].code) == (500, "worker-lost")
        assert service.metrics.registry.get_sample_value("treequation_worker_restarts_total") == 2
        assert service.pool.warm
        running.cancel()

    asyncio.run(asyncio.wait_for(work(), 60))


def test_a_model_that_knows_no_english_is_warmed_up_in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "Worker", Mortal)

    async def work() -> None:
        service = Service(Settings(warm_up_answer="小明有3盒铅笔，每盒12支，一共有多少支？"))
        running = asyncio.create_task(service.pool.run())
        while not service.pool.warm:
            await asyncio.sleep(0.01)
        running.cancel()

    asyncio.run(asyncio.wait_for(work(), 60))
