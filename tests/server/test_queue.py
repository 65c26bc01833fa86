"""Who shares a batch, and who waits for whom."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from treequation.errors import TreequationError
from treequation.server.protocol import Answer, Kind
from treequation.server.queue import Entry, ProblemQueue, QueueFullError, estimated_tokens
from treequation.server.settings import Settings

PATIENT = 600_000  # milliseconds: a test that waited for the whole window would not end in time


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 60))


async def take(queue: ProblemQueue) -> list[str]:
    batch = await queue.take()
    queue.finished(batch, batch, 0.001)
    return texts(batch)


def texts(batch: list[Entry]) -> list[str]:
    return [entry.text for entry in batch]


def test_a_batch_keeps_to_its_budget_padding_included() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(batch_tokens=3 * estimated_tokens("short"), window_ms=0))
        long = "long " * 30
        queue.put(["short", "short", "short", "short", long, "short"], Kind())
        assert await take(queue) == ["short"] * 3
        assert await take(queue) == ["short"] * 2  # beside the long text they would be padded to three budgets
        assert await take(queue) == [long]  # over the budget by itself, and yet it must be solved

    run(work())


def test_a_batch_is_mostly_text_and_not_padding() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(window_ms=0))
        long = "long " * 60
        queue.put([long, "a", "b", "c", long], Kind())
        assert await take(queue) == [long, "a", long]
        assert await take(queue) == ["b", "c"]

    run(work())


def test_a_batch_takes_a_tenth_of_the_deadline_at_most() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(window_ms=0, deadline=10.0))
        queue.pace.learn(Kind(), tokens=estimated_tokens("a"), seconds=0.4)
        queue.put(list("abcdefg"), Kind())
        assert [await take(queue) for _ in range(2)] == [["a", "b"], ["c", "d", "e"]]  # the first was quick

    run(work())


def test_a_batch_is_of_one_kind_and_the_oldest_goes_first() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(window_ms=0))
        for text, kind in [("a", Kind(beam=4)), ("b", Kind()), ("c", Kind(beam=4)), ("d", Kind(trace=True))]:
            queue.put([text], kind)
        assert [await take(queue) for _ in range(3)] == [["a", "c"], ["b"], ["d"]]

    run(work())


def test_a_single_client_never_waits_for_the_window() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(window_ms=PATIENT))
        for text in "abc":
            queue.put([text], Kind())
            assert await take(queue) == [text]

    run(work())


def test_clients_that_came_together_are_waited_for() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(window_ms=PATIENT))
        queue.put(["a", "b", "c"], Kind())
        first = await queue.take()
        queue.put(["d"], Kind())  # while the others are being solved: there are four clients
        queue.finished(first, first, 0.001)
        batch = asyncio.create_task(take(queue))
        await asyncio.sleep(0.01)
        assert not batch.done()
        queue.put(["a again"], Kind())
        assert await batch == ["d", "a again"]

    run(work())


def test_waiting_ends_with_the_window() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(window_ms=20))
        queue.put(["a", "b", "x"], Kind())
        await take(queue)
        started = time.monotonic()
        queue.put(["c"], Kind())
        assert await take(queue) == ["c"]
        assert time.monotonic() - started > 0.01

    run(work())


def test_there_is_room_for_all_of_a_request_or_none() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(max_queue=3, max_problems=3))
        queue.put(["a", "b"], Kind())
        with pytest.raises(QueueFullError) as full:
            queue.put(["c", "d"], Kind())
        assert full.value.seconds >= 1
        assert len(queue) == 2

    run(work())


def test_nothing_is_taken_in_that_would_come_too_late() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(deadline=2.0, window_ms=0))
        queue.pace.learn(Kind(), tokens=estimated_tokens("a"), seconds=1.0)
        queue.put(["a", "b"], Kind())  # the first is always taken, whatever it brings
        with pytest.raises(QueueFullError) as full:
            queue.put(["c"], Kind())
        assert full.value.seconds == 2
        await queue.take()
        with pytest.raises(QueueFullError):  # what is being solved is still ahead
            queue.put(["c"], Kind())

    run(work())


def test_a_long_text_and_a_slow_kind_count_for_more() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(deadline=10.0, window_ms=0))
        queue.pace.learn(Kind(), tokens=100, seconds=0.1)
        queue.pace.learn(Kind(beam=4), tokens=100, seconds=0.4)
        long = "x" * 3 * 2_000
        queue.put([long], Kind())  # two seconds
        with pytest.raises(QueueFullError):
            queue.put([long], Kind(beam=4))  # eight more
        queue.put([long], Kind())
        queue.check_room()
        queue.put(["short"] * 20, Kind(beam=4))
        with pytest.raises(QueueFullError):
            queue.put([long], Kind())
        late = asyncio.get_running_loop().time() + 1.0
        with pytest.raises(QueueFullError):  # its body took nine seconds to arrive
            queue.put(["short"], Kind(), late)

    run(work())


def test_what_waits_is_refused_when_it_turns_out_to_be_too_late() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(deadline=10.0, window_ms=0))
        queue.pace.learn(Kind(), tokens=estimated_tokens("a"), seconds=0.5)
        first = queue.put(list("ab"), Kind())
        others = [queue.put([text], Kind())[0] for text in "cdefgh"]
        for _ in range(4):  # as if it had been for some time: five times as long as expected
            queue.pace.learn(Kind(), tokens=estimated_tokens("a"), seconds=2.5)
        batch = await queue.take()
        assert texts(batch) == ["a"]
        refused = [each for each in others if each.done()]
        assert len(refused) >= 4
        assert all(isinstance(each.exception(), QueueFullError) for each in refused)
        assert not any(each.done() for each in first)

    run(work())


def test_a_request_is_refused_as_a_whole_and_makes_room_for_the_next() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(deadline=10.0, window_ms=0))
        queue.pace.learn(Kind(), tokens=estimated_tokens("a"), seconds=0.5)
        first = queue.put(["a"], Kind())
        large = queue.put(list("bcdefgh"), Kind())
        small = queue.put(["i"], Kind())
        for _ in range(3):
            queue.pace.learn(Kind(), tokens=estimated_tokens("a"), seconds=1.1)
        await queue.take()
        assert all(isinstance(each.exception(), QueueFullError) for each in large)
        assert not small[0].done()
        assert not first[0].done()

    run(work())


def test_a_machine_that_halts_for_a_moment_is_not_taken_for_slow() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(deadline=3.0, window_ms=0))
        queue.pace.learn(Kind(), tokens=estimated_tokens("a"), seconds=0.02)
        queue.put(["a"], Kind())
        batch = await queue.take()
        queue.finished(batch, batch, 2.0)
        waiting = [queue.put([text], Kind())[0] for text in "abcdefgh"]  # none is refused
        assert not any(each.done() for each in waiting)

    run(work())


def test_a_text_that_costs_nothing_is_not_taken_for_a_fast_machine() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(deadline=2.0, window_ms=0))
        queue.pace.learn(Kind(), tokens=estimated_tokens("a"), seconds=0.5)
        for _ in range(20):  # too long for the model, as they turn out at once
            queue.put(["long " * 600], Kind())
            queue.finished(await queue.take(), [], 0.001)
        queue.put(["a", "b"], Kind())
        with pytest.raises(QueueFullError):
            queue.put(["c"], Kind())

    run(work())


def test_a_queue_that_was_slow_tries_again_as_soon_as_there_is_nothing_else_to_do() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(deadline=1.0, window_ms=0))
        for _ in range(12):
            queue.pace.learn(Kind(), tokens=estimated_tokens("a"), seconds=100.0)
        for _ in range(30):
            queue.put(["a"], Kind())
            assert await take(queue) == ["a"]  # in a millisecond
        queue.put(["a"], Kind())
        queue.put(["b"], Kind())

    run(work())


def test_a_cancelled_problem_frees_its_place() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(max_queue=1, max_problems=1))
        (answer,) = queue.put(["a"], Kind())
        answer.cancel()
        batch = asyncio.create_task(take(queue))  # even before the queue has noticed, it is not taken
        await asyncio.sleep(0)
        assert not batch.done()
        await asyncio.sleep(0.01)
        queue.put(["b"], Kind())
        assert await batch == ["b"]

    run(work())


def test_problems_of_a_lost_worker_come_first_and_alone() -> None:
    async def work() -> None:
        queue = ProblemQueue(Settings(window_ms=0))
        answers = queue.put(["a", "b", "c"], Kind())
        batch = await queue.take()
        answers[1].set_result(Answer(None, b"{}"))
        queue.finished(batch, batch, 0.001)
        queue.put(["d"], Kind())
        queue.put_back(batch)
        assert [await take(queue) for _ in range(3)] == [["a"], ["c"], ["d"]]

    run(work())


def test_settings_that_contradict_each_other() -> None:
    with pytest.raises(TreequationError, match="--max-queue"):
        Settings(max_problems=10, max_queue=5)
    with pytest.raises(TreequationError, match="--deadline is inf"):
        Settings(deadline=float("inf"))
