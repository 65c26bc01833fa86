"""A client for language models behind an OpenAI-compatible endpoint (``POST …/chat/completions``).

Answers are cached on disk, so the same request costs nothing again. Requests that fail in a way that may pass are
retried. A rate limit and a cost limit are respected. The key comes from the environment and is never stored.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from treequation.errors import TreequationError
from treequation.storage import write_json

Message = Mapping[str, str]
"""``role`` and ``content``."""

_TRY_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_LONGEST_PAUSE = 60.0
_MAX_BYTES = 1 << 22
_SHOWN = 300  # characters of a server's message that we repeat


class EndpointError(TreequationError):
    """The endpoint cannot be used or does not answer."""


class CostLimitError(EndpointError):
    """The cost limit is reached."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the use of an endpoint. Prices are per million tokens, in any currency."""

    timeout: float = 60.0  # seconds to wait for an answer
    attempts: int = 6
    pause: float = 1.0  # seconds before the second attempt; doubled before each further one
    requests_per_minute: float = 0.0  # 0: no limit
    prompt_price: float = 0.0
    answer_price: float = 0.0
    cost: float = 0.0  # the most that may be spent; 0: no limit


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer, and how many tokens it took."""

    text: str
    prompt_tokens: int
    answer_tokens: int


class _FailedAttempt(Exception):
    """An attempt that failed but may be retried; ``after`` is how many seconds the server asks us to wait."""

    def __init__(self, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.after = after


class Endpoint:
    """An endpoint such as ``https://api.openai.com/v1``. May be used by several threads."""

    def __init__(
        self, url: str, model: str, *, cache: Path, key_variable: str = "OPENAI_API_KEY", limits: Limits | None = None
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise EndpointError(f"{url!r} is not the address of an endpoint; it must begin with http:// or https://")
        self.url = f"{url.rstrip('/')}/chat/completions"
        self.model, self.cache, self.limits = model, cache, limits or Limits()
        if self.limits.cost and not (self.limits.prompt_price or self.limits.answer_price):
            raise EndpointError("a cost limit needs the prices per million tokens: prompt_price and answer_price")
        self.spent = 0.0
        self.requests = 0
        self._key_variable = key_variable
        self._lock = threading.Lock()
        self._next_start = 0.0

    def complete(
        self, messages: Sequence[Message], *, temperature: float = 0.0, sample: int = 0, max_tokens: int = 512
    ) -> Answer:
        """The model's answer; a new ``sample`` number draws a new answer to the same question."""
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [dict(message) for message in messages],
            "temperature": temperature,
            "max_tokens": max_tokens,
        }
        if temperature:
            request["seed"] = sample  # some servers draw the same answer again for an equal request
        key = json.dumps([self.url, request, sample], sort_keys=True, ensure_ascii=False)
        name = hashlib.sha256(key.encode()).hexdigest()
        path = self.cache / name[:2] / f"{name}.json"
        if (cached := _cached(path)) is not None:
            return cached
        answer = self._ask(request)
        write_json(path, {"request": request, "sample": sample, "url": self.url, "answer": asdict(answer)})
        return answer

    def _ask(self, request: Mapping[str, Any]) -> Answer:
        pause, reason = self.limits.pause, ""
        for attempt in range(self.limits.attempts):
            if attempt:
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            self._wait_for_turn()
            try:
                answer = self._attempt(request)
            except _FailedAttempt as failed:
                reason = str(failed)
                pause = max(pause, min(failed.after, _LONGEST_PAUSE))
                continue
            with self._lock:
                self.spent += self._price(answer)
            return answer
        raise EndpointError(
            f"{self.url} failed {self.limits.attempts} times, the last time with: {reason}; try again later"
        )

    def _price(self, answer: Answer) -> float:
        limits = self.limits
        return (answer.prompt_tokens * limits.prompt_price + answer.answer_tokens * limits.answer_price) / 1e6

    def _wait_for_turn(self) -> None:
        """Stops at the cost limit, and waits for the rate limit."""
        with self._lock:
            if self.limits.cost and self.spent >= self.limits.cost:
                raise CostLimitError(
                    f"{self.spent:.4f} of {self.limits.cost:.4f} is spent; answers so far are kept in {self.cache}: "
                    "raise the cost limit and start again"
                )
            now = time.monotonic()
            start = max(now, self._next_start)
            if self.limits.requests_per_minute:
                self._next_start = start + 60 / self.limits.requests_per_minute
            self.requests += 1
        time.sleep(start - now)

    def _attempt(self, content: Mapping[str, Any]) -> Answer:
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(self._key_variable):
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self.url, json.dumps(content).encode(), headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self.limits.timeout) as response:
                answered = response.read(_MAX_BYTES)
        except urllib.error.HTTPError as error:
            message = error.read(_MAX_BYTES).decode("utf-8", errors="replace").strip()[:_SHOWN]
            if error.code in _TRY_AGAIN:
                raise _FailedAttempt(
                    f"status {error.code} {message}", _seconds(error.headers.get("Retry-After"))
                ) from error
            hint = f"; is {self._key_variable} set to a valid key?" if error.code in (401, 403) else ""
            raise EndpointError(f"{self.url} refused the request with status {error.code}: {message}{hint}") from error
        except (OSError, HTTPException) as error:  # refused, reset, cut short, or no answer in time
            raise _FailedAttempt(f"{type(error).__name__}: {error}") from error
        return _read(answered)


def _read(content: bytes) -> Answer:
    """The answer in a response; raises :class:`_FailedAttempt` if it has none."""
    try:
        response = json.loads(content)
        text = response["choices"][0]["message"]["content"]
        usage = response.get("usage") or {}
        answer = Answer(text, int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0)))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        shown = content[:_SHOWN].decode("utf-8", errors="replace")
        raise _FailedAttempt(f"the response does not follow the protocol: {shown!r}") from error
    if not isinstance(text, str):
        raise _FailedAttempt("the response has no text")
    return answer


def _seconds(header: str | None) -> float:
    try:
        return max(0.0, float(header or 0))
    except ValueError:  # a date: we use our own pauses instead
        return 0.0


def _cached(path: Path) -> Answer | None:
    try:
        return Answer(**json.loads(path.read_text(encoding="utf-8"))["answer"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise EndpointError(f"{path} is damaged ({error}); remove it, and the model will be asked again") from error
