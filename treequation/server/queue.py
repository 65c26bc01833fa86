"""The queue: problems wait here, and leave in batches.

Problems that wait together leave together, as far as the token budget goes. A free worker waits for others for a few
milliseconds at most, and only if there is reason to expect them: with one client alone there never is.
"""

from __future__ import annotations

import asyncio
import math
from asyncio import Future
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import partial

from treequation.server.frames import Answer, Kind
from treequation.server.pace import Pace
from treequation.server.settings import Settings

_BYTES_A_TOKEN = 3  # of UTF-8, about: a Chinese character, or most of a short English word
_MARKERS = 8  # tokens that are no text: those that announce numbers, and the encoder's own
_WORTH_WAITING = 0.6  # of its time, for a problem that is let in: the rest is for having guessed too low
_WORTH_KEEPING = 0.7  # of the time that it has left, for a problem that waits
_BATCH = 0.1  # of the deadline: no batch is made that is expected to take longer
_PADDING = 2  # times its own tokens is the most that a batch may be padded to


class QueueFullError(Exception):
    """There is no room; ``seconds`` from now there may be."""

    def __init__(self, seconds: float) -> None:
        self.seconds = max(1, math.ceil(seconds))
        super().__init__(f"try again in {self.seconds} s")


@dataclass(eq=False)
class Entry:
    """A problem that waits. Whoever asked holds ``answer``; cancelling it takes the problem out of the queue."""

    text: str
    kind: Kind
    answer: Future[Answer]
    since: float  # by the loop's clock
    end: float  # an answer after it is of no use
    request: object  # the same for all problems of a request: with one of them missing, none is of use
    certain: bool = False  # it came when there was nothing else to do, and is tried whatever it may take
    alone: bool = False  # a worker died with it before, perhaps because of it
    asked: Context = field(default_factory=copy_context)  # what the request that brought it knows of itself
    tokens: int = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = estimated_tokens(self.text)

    @property
    def room(self) -> int:
        """Tokens of a batch that it takes up."""
        # Without a beam the text is read once, and only where the answer is unsure is there more to do.
        return self.tokens * (self.kind.beam or 1)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: near enough to say who shares a batch, and how long it takes.

    >>> estimated_tokens("Tom has 3 boxes with 12 pencils each."), estimated_tokens("小明有3个苹果")
    (20, 14)
    """
    return len(text.encode("utf-8", errors="replace")) // _BYTES_A_TOKEN + _MARKERS


def _tokens(entries: Sequence[Entry]) -> int:
    return sum(entry.tokens for entry in entries)


class ProblemQueue:
    """The problems of all requests, waiting for a worker; used from one event loop only."""

    def __init__(self, settings: Settings) -> None:
        self._room = settings.max_queue
        self._budget = settings.batch_tokens
        self._window = settings.window_ms / 1_000
        self._workers = settings.workers
        self._deadline = settings.deadline
        self._waiting: dict[Future[Answer], Entry] = {}
        self._tokens: Counter[Kind] = Counter()  # of those that wait
        self._solving = 0
        self._batches: dict[Entry, float] = {}  # the first problem of each that is being solved: when it should end
        self._company = 0  # the most problems at once, waiting or being solved, since a batch was last taken
        self._arrival = asyncio.Event()
        self.pace = Pace()

    def __len__(self) -> int:
        return len(self._waiting)

    def check_room(self) -> None:
        """Raises :class:`QueueFullError` where no problem at all would have its turn in time."""
        wait = self._wait(asyncio.get_running_loop().time())
        if wait > _WORTH_WAITING * self._deadline:
            raise QueueFullError(wait)

    def put(self, texts: Sequence[str], kind: Kind, end: float | None = None) -> list[Future[Answer]]:
        """Takes all of these problems or, where there is no room for them, none (:class:`QueueFullError`).

        There is none either where they would not be solved by ``end``, by the loop's clock: who is told so at once
        can try elsewhere, and nothing is begun in vain. Where nothing else is to be done they are taken all the same:
        it may be quicker than expected, and how quick it is now is learnt in no other way.
        """
        loop = asyncio.get_running_loop()
        now = loop.time()
        end = now + self._deadline if end is None else end
        request = object()
        entries = [Entry(text, kind, loop.create_future(), now, end, request) for text in texts]
        wait = self._wait(now)
        idle = not self._waiting and not self._solving
        needed = wait + self.pace.seconds(kind, _tokens(entries)) / self._workers
        too_late = needed > _WORTH_WAITING * (end - now) and not idle
        if len(self._waiting) + len(entries) > self._room or too_late:
            raise QueueFullError(wait)
        for entry in entries:
            entry.certain = idle and entry is entries[0]
            self._add(entry)
        self._note_arrival()
        return [entry.answer for entry in entries]

    def put_back(self, batch: Sequence[Entry]) -> None:
        """Problems whose worker died go to the front, each for a batch of its own, so that none fails by another."""
        rest, self._waiting = list(self._waiting.values()), {}
        self._tokens.clear()
        for entry in batch:
            entry.alone = True
        for entry in [*batch, *rest]:
            if not entry.answer.done():
                self._add(entry)
        self._note_arrival()

    async def take(self) -> list[Entry]:
        """The next batch, as soon as there is one; :meth:`finished` must follow."""
        while True:
            if not self._waiting:
                await self._next_arrival()
            await self._wait_for_company()
            now = asyncio.get_running_loop().time()
            self._refuse_what_is_too_late(now)
            if batch := self._pick():
                for entry in batch:
                    self._remove(entry)
                self._solving += len(batch)
                self._batches[batch[0]] = now + self.pace.seconds(batch[0].kind, _tokens(batch))
                self._company = len(self._waiting) + self._solving
                return batch
            await asyncio.sleep(0)  # all that wait were cancelled just now, and are about to leave

    def finished(self, batch: Sequence[Entry], solved: Sequence[Entry], seconds: float) -> None:
        """Notes that a batch is no longer being solved, how long it took, and which of its problems have a solution.

        The others may have cost nothing, as those that are too long for the model.
        """
        self._solving -= len(batch)
        del self._batches[batch[0]]
        if solved:
            self.pace.learn(batch[0].kind, _tokens(solved), seconds)

    def _add(self, entry: Entry) -> None:
        self._waiting[entry.answer] = entry
        self._tokens[entry.kind] += entry.tokens
        # Only a future that was cancelled, because its client left or its time was up, is done while it waits.
        entry.answer.add_done_callback(partial(self._left, entry))

    def _left(self, entry: Entry, answer: Future[Answer]) -> None:
        self._remove(entry)

    def _remove(self, entry: Entry) -> None:
        if self._waiting.pop(entry.answer, None) is not None:
            self._tokens[entry.kind] -= entry.tokens

    def _wait(self, now: float) -> float:
        """How long a problem that came now would wait for its turn."""
        # A batch that takes longer than it should is expected to take as long again as it is late.
        begun = sum(abs(end - now) for end in self._batches.values())
        return (begun + self.pace.total(self._tokens)) / self._workers

    def _refuse_what_is_too_late(self, now: float) -> None:
        """Refuses requests that wait and would not be solved in time, because it goes more slowly than it did."""
        total = self.pace.total(self._tokens) / self._workers
        ahead = 0.0
        requests: defaultdict[object, list[Entry]] = defaultdict(list)
        for entry in self._waiting.values():
            if not entry.answer.done():
                requests[entry.request].append(entry)
        for entries in requests.values():
            own = self.pace.seconds(entries[0].kind, _tokens(entries)) / self._workers
            expected = min(ahead + own + _BATCH * self._deadline, total)  # it is answered with the rest of its batch
            if expected <= _WORTH_KEEPING * (entries[0].end - now) or any(entry.certain for entry in entries):
                ahead += own
                continue
            for entry in entries:
                self._remove(entry)
                entry.answer.set_exception(QueueFullError(total))

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

        A batch is padded to its longest text, so that it costs that many tokens times its size. Texts of very
        different lengths are not put together, nor more than is solved in a moment: the next problem may be urgent.
        """
        batch: list[Entry] = []
        longest = own = tokens = 0
        for entry in self._waiting.values():
            if entry.answer.done() or (batch and (entry.kind != batch[0].kind or entry.alone)):
                continue
            if batch:
                if longest * (len(batch) + 1) > self._budget:
                    break
                padded = max(longest, entry.room) * (len(batch) + 1)
                if padded > min(self._budget, _PADDING * (own + entry.room)):
                    continue
                if self.pace.seconds(entry.kind, tokens + entry.tokens) > _BATCH * self._deadline:
                    continue
            batch.append(entry)
            longest = max(longest, entry.room)
            own += entry.room
            tokens += entry.tokens
            if entry.alone:
                break
        return batch
