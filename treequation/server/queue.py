"""The queue: problems wait here, and leave in batches.

Problems that wait together leave together, as far as the token budget goes. A free worker waits for others for a few
milliseconds at most, and only if there is reason to expect them: with one client alone there never is.
"""

from __future__ import annotations

import asyncio
import math
from asyncio import Future
from collections.abc import Sequence
from dataclasses import dataclass, field

from treequation.server.frames import Answer, Kind
from treequation.server.settings import Settings

_BYTES_A_TOKEN = 3  # of UTF-8, about: a Chinese character, or most of a short English word
_MARKERS = 8  # tokens that are no text: those that announce numbers, and the encoder's own
_WORTH_WAITING = 0.6  # of the deadline: the rest is for being solved, and for having guessed too low
_MEMORY = 0.7  # how much of the mean time of a problem is kept at each batch


class QueueFullError(Exception):
    """There is no room; ``seconds`` from now there may be."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"try again in {seconds} s")
        self.seconds = seconds


@dataclass(eq=False)
class Entry:
    """A problem that waits. Whoever asked holds ``answer``; cancelling it takes the problem out of the queue."""

    text: str
    kind: Kind
    answer: Future[Answer]
    alone: bool = False  # a worker died with it before, perhaps because of it
    tokens: int = field(init=False)

    def __post_init__(self) -> None:
        # Without a beam the text is read once, and only where the answer is unsure is there more to do.
        self.tokens = estimated_tokens(self.text) * (self.kind.beam or 1)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has; it decides only who shares a batch, so that near enough is good enough.

    >>> estimated_tokens("Tom has 3 boxes with 12 pencils each."), estimated_tokens("小明有3个苹果")
    (20, 14)
    """
    return len(text.encode("utf-8", errors="replace")) // _BYTES_A_TOKEN + _MARKERS


class ProblemQueue:
    """The problems of all requests, waiting for a worker; used from one event loop only."""

    def __init__(self, settings: Settings) -> None:
        self._room = settings.max_queue
        self._budget = settings.batch_tokens
        self._window = settings.window_ms / 1_000
        self._workers = settings.workers
        self._longest_wait = _WORTH_WAITING * settings.deadline
        self._waiting: dict[Future[Answer], Entry] = {}
        self._solving = 0
        self._company = 0  # the most problems at once, waiting or being solved, since a batch was last taken
        self._arrival = asyncio.Event()
        self._seconds_a_problem: float | None = None  # not known yet

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, texts: Sequence[str], kind: Kind) -> list[Future[Answer]]:
        """Takes all of these problems or, where there is no room for them, none (:class:`QueueFullError`).

        There is none either where so much is ahead of them that their deadline would pass: who is told so at once can
        try elsewhere, and nothing is begun in vain.
        """
        ahead = len(self._waiting) + self._solving
        wait = ahead * (self._seconds_a_problem or 0.0) / self._workers
        if len(self._waiting) + len(texts) > self._room or wait > self._longest_wait:
            raise QueueFullError(max(1, math.ceil(wait)))
        loop = asyncio.get_running_loop()
        entries = [Entry(text, kind, loop.create_future()) for text in texts]
        for entry in entries:
            self._waiting[entry.answer] = entry
            # Only a future that was cancelled, because its client left or its time was up, is done while it waits.
            entry.answer.add_done_callback(lambda answer: self._waiting.pop(answer, None))
        self._note_arrival()
        return [entry.answer for entry in entries]

    def put_back(self, batch: Sequence[Entry]) -> None:
        """Problems whose worker died go to the front, each for a batch of its own, so that none fails by another."""
        again = [entry for entry in batch if not entry.answer.done()]
        for entry in again:
            entry.alone = True
        self._waiting = {entry.answer: entry for entry in again} | self._waiting
        self._note_arrival()

    async def take(self) -> list[Entry]:
        """The next batch, as soon as there is one; :meth:`finished` must follow."""
        while True:
            if not self._waiting:
                await self._next_arrival()
            await self._wait_for_company()
            if batch := self._pick():
                for entry in batch:
                    del self._waiting[entry.answer]
                self._solving += len(batch)
                self._company = len(self._waiting) + self._solving
                return batch
            await asyncio.sleep(0)  # all that wait were cancelled just now, and are about to leave

    def finished(self, batch: Sequence[Entry], seconds: float | None) -> None:
        """Notes that a batch is no longer being solved, and how long it took if it was solved."""
        self._solving -= len(batch)
        if seconds is not None:
            self.note_speed(seconds / len(batch))

    def note_speed(self, seconds_a_problem: float) -> None:
        """Learns how long a problem takes, by which it judges what would come too late."""
        known = seconds_a_problem if self._seconds_a_problem is None else self._seconds_a_problem
        self._seconds_a_problem = _MEMORY * known + (1 - _MEMORY) * seconds_a_problem

    def _note_arrival(self) -> None:
        self._company = max(self._company, len(self._waiting) + self._solving)
        self._arrival.set()

    async def _next_arrival(self) -> None:
        self._arrival.clear()
        await self._arrival.wait()

    async def _wait_for_company(self) -> None:
        """Waits, within the window, until half as many are here as were at once a moment ago.

        Half, because then one half is read and answered while the other is being solved, and nobody is ever idle.
        """
        try:
            async with asyncio.timeout(self._window):
                while 0 < 2 * len(self._waiting) < self._company - self._solving and not self._is_full():
                    await self._next_arrival()
        except TimeoutError:
            pass

    def _is_full(self) -> bool:
        """Whether the next batch would leave somebody behind."""
        return len(self._pick()) < len(self._waiting)

    def _pick(self) -> list[Entry]:
        """Those that would go next: the oldest, and who is of its kind and fits into the budget with it.

        A batch is padded to its longest text, so that it costs that many tokens times its size.
        """
        batch: list[Entry] = []
        longest = 0
        for entry in self._waiting.values():
            if entry.answer.done():
                continue
            if batch and (entry.kind != batch[0].kind or entry.alone):
                continue
            longest = max(longest, entry.tokens)
            if batch and longest * (len(batch) + 1) > self._budget:
                break
            batch.append(entry)
            if entry.alone:
                break
        return batch
