"""The queue: problems wait here, and leave in batches.

Problems that wait together leave together, within the token budget. A free worker waits a few milliseconds at most for
a fuller batch, and only if more problems are likely to come, which they never are with a single client.
"""

from __future__ import annotations

import asyncio
import math
from asyncio import Future
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field

from treequation.server.protocol import Answer, Kind
from treequation.server.settings import Settings

_BYTES_A_TOKEN = 3  # roughly: a Chinese character, or most of a short English word
_MARKERS = 8  # tokens besides the text: number markers and the encoder's special tokens
_ADMIT_WITHIN = 0.6  # share of a new problem's time that its estimate may fill: the rest allows for a low estimate
_KEEP_WITHIN = 0.7  # the same for a problem that waits already, of its remaining time
_BATCH_SHARE = 0.1  # share of the deadline that a batch may be expected to take
_PADDING = 2  # a batch may be padded to at most this many times its own tokens
# The weight of a new batch in the running mean of the pace. Slower batches weigh more: an estimate that is too fast
# costs a client its answer; one that is too slow only sends the client elsewhere.
_SLOWER, _FASTER = 0.6, 0.2
_MAX_SLOWDOWN = 3.0  # cap on how many times slower one batch may look: a machine may stall for a moment


class QueueFullError(Exception):
    """The queue is full; there may be room in ``seconds``."""

    def __init__(self, seconds: float) -> None:
        self.seconds = max(1, math.ceil(seconds))
        super().__init__(f"try again in {self.seconds} s")


@dataclass(eq=False)
class Entry:
    """A waiting problem. The request awaits ``answer``; cancelling it takes the problem out of the queue."""

    text: str
    kind: Kind
    answer: Future[Answer]
    since: float  # by the loop's clock
    end: float  # the deadline, after which the answer is useless
    request: object  # the same for all problems of a request, which needs all of its answers
    certain: bool = False  # it came when the service was idle, so it is tried however long it may take
    alone: bool = False  # a worker died while solving it, perhaps because of it
    context: Context = field(default_factory=copy_context)  # of its request, for tracing
    tokens: int = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = estimated_tokens(self.text)

    @property
    def room(self) -> int:
        """How many tokens of a batch's budget it uses."""
        # Without a beam, a second search is needed only if the answer is unsure.
        return self.tokens * (self.kind.beam or 1)


def estimated_tokens(text: str) -> int:
    """Roughly how many tokens a text has: close enough to form batches and to estimate their time.

    >>> estimated_tokens("Tom has 3 boxes with 12 pencils each."), estimated_tokens("小明有3个苹果")
    (20, 14)
    """
    return len(text.encode("utf-8", errors="replace")) // _BYTES_A_TOKEN + _MARKERS


def _tokens(entries: Sequence[Entry]) -> int:
    return sum(entry.tokens for entry in entries)


class Pace:
    """A running estimate of the seconds per token, by which the queue refuses what would miss its deadline.

    Each kind of problem has its own: a wide beam takes longer, and so does a trace.
    """

    def __init__(self) -> None:
        self._seconds: dict[Kind, float] = {}

    def learn(self, kind: Kind, tokens: int, seconds: float) -> None:
        """Records how long a batch of ``tokens`` tokens in all took."""
        known = self._seconds.get(kind, seconds / tokens)
        measured = min(seconds / tokens, _MAX_SLOWDOWN * known)
        self._seconds[kind] = known + (_SLOWER if measured > known else _FASTER) * (measured - known)

    def seconds(self, kind: Kind, tokens: int) -> float:
        """The expected time for this many tokens; a kind not seen yet is taken to be as slow as the slowest known one.

        >>> pace = Pace()
        >>> pace.learn(Kind(), tokens=100, seconds=0.5)
        >>> pace.seconds(Kind(), 20), pace.seconds(Kind(beam=4), 20)
        (0.1, 0.1)
        """
        known = self._seconds.get(kind)
        return tokens * (max(self._seconds.values(), default=0.0) if known is None else known)

    def total(self, tokens: Mapping[Kind, int]) -> float:
        """The expected time for problems of several kinds, one after the other."""
        return sum(self.seconds(kind, count) for kind, count in tokens.items())


class ProblemQueue:
    """The problems of all requests that wait for a worker; used from one event loop only."""

    def __init__(self, settings: Settings) -> None:
        self._room = settings.max_queue
        self._budget = settings.batch_tokens
        self._window = settings.window_ms / 1_000
        self._workers = settings.workers
        self._deadline = settings.deadline
        self._waiting: dict[Future[Answer], Entry] = {}
        self._tokens: Counter[Kind] = Counter()  # of those that wait
        self._solving = 0
        self._batches: dict[Entry, float] = {}  # expected end of each batch in progress, by its first problem
        self._company = 0  # peak number of problems, waiting or in progress, since the last batch was taken
        self._arrival = asyncio.Event()
        self.pace = Pace()

    def __len__(self) -> int:
        return len(self._waiting)

    def check_room(self) -> None:
        """Raises :class:`QueueFullError` if no new problem could be solved in time."""
        wait = self._wait(asyncio.get_running_loop().time())
        if wait > _ADMIT_WITHIN * self._deadline:
            raise QueueFullError(wait)

    def put(self, texts: Sequence[str], kind: Kind, end: float | None = None) -> list[Future[Answer]]:
        """Accepts all of these problems or, if there is no room, none of them (:class:`QueueFullError`).

        It also refuses problems that would not be solved by ``end``, by the loop's clock, so that the client can try
        elsewhere at once and no work is wasted. An idle service accepts them anyway: the estimate may be too slow, and
        only solving can correct it.
        """
        loop = asyncio.get_running_loop()
        now = loop.time()
        end = now + self._deadline if end is None else end
        request = object()
        entries = [Entry(text, kind, loop.create_future(), now, end, request) for text in texts]
        wait = self._wait(now)
        idle = not self._waiting and not self._solving
        needed = wait + self.pace.seconds(kind, _tokens(entries)) / self._workers
        too_late = needed > _ADMIT_WITHIN * (end - now) and not idle
        if len(self._waiting) + len(entries) > self._room or too_late:
            raise QueueFullError(wait)
        for entry in entries:
            entry.certain = idle and entry is entries[0]
            self._add(entry)
        self._note_arrival()
        return [entry.answer for entry in entries]

    def put_back(self, batch: Sequence[Entry]) -> None:
        """Puts a dead worker's problems at the front, each in its own batch, so that none fails because of another."""
        rest, self._waiting = list(self._waiting.values()), {}
        self._tokens.clear()
        for entry in batch:
            entry.alone = True
        for entry in [*batch, *rest]:
            if not entry.answer.done():
                self._add(entry)
        self._note_arrival()

    async def take(self) -> list[Entry]:
        """The next batch, as soon as there is one; call :meth:`finished` after solving it."""
        while True:
            if not self._waiting:
                await self._next_arrival()
            await self._wait_for_more()
            now = asyncio.get_running_loop().time()
            self._refuse_late_requests(now)
            if batch := self._pick():
                for entry in batch:
                    self._remove(entry)
                self._solving += len(batch)
                self._batches[batch[0]] = now + self.pace.seconds(batch[0].kind, _tokens(batch))
                self._company = len(self._waiting) + self._solving
                return batch
            await asyncio.sleep(0)  # all waiting problems were just cancelled, and are about to be removed

    def finished(self, batch: Sequence[Entry], solved: Sequence[Entry], seconds: float) -> None:
        """Records that a batch is done, how long it took, and which of its problems were ``solved``.

        The others may have taken no time, such as those too long for the model.
        """
        self._solving -= len(batch)
        del self._batches[batch[0]]
        if solved:
            self.pace.learn(batch[0].kind, _tokens(solved), seconds)

    def _add(self, entry: Entry) -> None:
        self._waiting[entry.answer] = entry
        self._tokens[entry.kind] += entry.tokens
        # A future that is done while its problem waits was cancelled: the client left, or the deadline passed.
        entry.answer.add_done_callback(lambda _: self._remove(entry))

    def _remove(self, entry: Entry) -> None:
        if self._waiting.pop(entry.answer, None) is not None:
            self._tokens[entry.kind] -= entry.tokens

    def _wait(self, now: float) -> float:
        """How long a problem that arrives now would wait for a worker."""
        # A late batch is expected to need as much time again as it is late.
        begun = sum(abs(end - now) for end in self._batches.values())
        return (begun + self.pace.total(self._tokens)) / self._workers

    def _refuse_late_requests(self, now: float) -> None:
        """Refuses waiting requests that can no longer be solved in time, because solving has slowed down."""
        total = self.pace.total(self._tokens) / self._workers
        ahead = 0.0
        requests: defaultdict[object, list[Entry]] = defaultdict(list)
        for entry in self._waiting.values():
            if not entry.answer.done():
                requests[entry.request].append(entry)
        for entries in requests.values():
            own = self.pace.seconds(entries[0].kind, _tokens(entries)) / self._workers
            expected = min(ahead + own + _BATCH_SHARE * self._deadline, total)  # it is answered with its whole batch
            if expected <= _KEEP_WITHIN * (entries[0].end - now) or any(entry.certain for entry in entries):
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

    async def _wait_for_more(self) -> None:
        """Waits, within the window, until half of the recent peak number of problems has arrived.

        Half, because one half can then be parsed and answered while the other is solved, so nothing is idle.
        """
        try:
            async with asyncio.timeout(self._window):
                while 0 < 2 * len(self._waiting) < self._company - self._solving and not self._is_full():
                    await self._next_arrival()
        except TimeoutError:
            pass

    def _is_full(self) -> bool:
        """Whether the next batch would leave some problems waiting."""
        return len(self._pick()) < len(self._waiting)

    def _pick(self) -> list[Entry]:
        """The next batch: the oldest problem, and others of its kind that fit into the budget with it.

        A batch is padded to its longest text, so it costs that many tokens times its size. Texts of very different
        lengths are therefore kept apart. Batches also stay short, since the next problem may be urgent.
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
                if self.pace.seconds(entry.kind, tokens + entry.tokens) > _BATCH_SHARE * self._deadline:
                    continue
            batch.append(entry)
            longest = max(longest, entry.room)
            own += entry.room
            tokens += entry.tokens
            if entry.alone:
                break
        return batch
