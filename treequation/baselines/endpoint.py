"""A client for language models behind an OpenAI-compatible endpoint (``POST …/chat/completions``).

Whatever was answered is kept on disk, so that asking again costs nothing. Requests are tried again where that may help,
no faster than the rate limit, and not beyond the cost limit. The key comes from the environment and is never kept.
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
from dataclasses import dataclass
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
_SHOWN = 300  # characters of what a server says that are worth repeating


class EndpointError(TreequationError):
    """The endpoint cannot be used, or does not answer."""


class CostLimitError(EndpointError):
    """The next request might cost more than is allowed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be asked of an endpoint. Prices are for a million tokens, in any currency."""

    timeout: float = 60.0  # seconds without an answer
    attempts: int = 6
    pause: float = 1.0  # seconds before the second attempt; twice as long before each one after it
    requests_per_minute: float = 0.0  # 0: as fast as it answers
    prompt_price: float = 0.0
    answer_price: float = 0.0
    cost: float = 0.0  # that may be spent; 0: no limit


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, and the tokens that it took."""

    text: str
    prompt_tokens: int
    answer_tokens: int


class _FailedAttempt(Exception):
    """An attempt that failed in a way that may pass; ``after`` is how long the server asks to wait."""

    def __init__(self, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.after = after


class Endpoint:
    """An endpoint such as ``https://api.openai.com/v1``. May be used by several threads."""

    def __init__(
        self, url: str, model: str, *, cache: Path, key_variable: str = "OPENAI_API_KEY", limits: Limits | None = None
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise EndpointError(f"{url!r} is no address of an endpoint; it begins with http:// or https://")
        self.url = f"{url.rstrip('/')}/chat/completions"
        self.model, self.cache, self.limits = model, cache, limits or Limits()
        if self.limits.cost and not (self.limits.prompt_price or self.limits.answer_price):
            raise EndpointError("a cost limit needs the prices of a million tokens: prompt_price and answer_price")
        self.spent = 0.0
        self.requests = 0
        self._key_variable = key_variable
        self._lock = threading.Lock()
        self._next_start = 0.0

    def complete(
        self, messages: Sequence[Message], *, temperature: float = 0.0, sample: int = 0, most_tokens: int = 512
    ) -> Answer:
        """The model's answer; ``sample`` tells apart answers to the same question that are to be drawn anew."""
        asked: dict[str, Any] = {
            "model": self.model,
            "messages": [dict(message) for message in messages],
            "temperature": temperature,
            "max_tokens": most_tokens,
        }
        named = json.dumps([self.url, asked, sample], sort_keys=True, ensure_ascii=False)
        name = hashlib.sha256(named.encode()).hexdigest()
        path = self.cache / name[:2] / f"{name}.json"
        if (kept := _kept(path)) is not None:
            return kept
        answer = self._ask(asked)
        write_json(path, {"asked": asked, "sample": sample, "url": self.url, "answer": _as_dict(answer)})
        return answer

    def _ask(self, asked: Mapping[str, Any]) -> Answer:
        pause, reason = self.limits.pause, ""
        for attempt in range(self.limits.attempts):
            if attempt:
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            self._wait_for_turn()
            try:
                answer = self._attempt(asked)
            except _FailedAttempt as failed:
                reason = str(failed)
                pause = max(pause, min(failed.after, _LONGEST_PAUSE))
                continue
            with self._lock:
                self.spent += self._price(answer)
            return answer
        raise EndpointError(f"{self.url} failed {self.limits.attempts} times, last: {reason}; ask again later")

    def _price(self, answer: Answer) -> float:
        limits = self.limits
        return (answer.prompt_tokens * limits.prompt_price + answer.answer_tokens * limits.answer_price) / 1e6

    def _wait_for_turn(self) -> None:
        """Refuses what would go beyond the cost limit, and waits for the rate limit."""
        with self._lock:
            if self.limits.cost and self.spent >= self.limits.cost:
                raise CostLimitError(
                    f"{self.spent:.4f} of {self.limits.cost:.4f} is spent; what was answered is kept in {self.cache}, "
                    "so raise the cost limit and start again"
                )
            now = time.monotonic()
            start = max(now, self._next_start)
            if self.limits.requests_per_minute:
                self._next_start = start + 60 / self.limits.requests_per_minute
            self.requests += 1
        time.sleep(start - now)

    def _attempt(self, asked: Mapping[str, Any]) -> Answer:
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(self._key_variable):
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self.url, json.dumps(asked).encode(), headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self.limits.timeout) as response:
                content = response.read(_MAX_BYTES)
        except urllib.error.HTTPError as error:
            said = error.read(_MAX_BYTES).decode("utf-8", errors="replace").strip()[:_SHOWN]
            if error.code in _TRY_AGAIN:
                raise _FailedAttempt(
                    f"status {error.code} {said}", _seconds(error.headers.get("Retry-After"))
                ) from error
            hint = f"; is {self._key_variable} set to a valid key?" if error.code in (401, 403) else ""
            raise EndpointError(f"{self.url} refuses the request with status {error.code}: {said}{hint}") from error
        except (OSError, HTTPException) as error:  # refused, reset, cut short, or no answer in time
            raise _FailedAttempt(f"{type(error).__name__}: {error}") from error
        return _read(content)


def _read(content: bytes) -> Answer:
    """The answer in a response; a response that has none is a failed attempt."""
    try:
        response = json.loads(content)
        text = response["choices"][0]["message"]["content"]
        usage = response.get("usage") or {}
        answer = Answer(text, int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0)))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        shown = content[:_SHOWN].decode("utf-8", errors="replace")
        raise _FailedAttempt(f"the response is not of the protocol: {shown!r}") from error
    if not isinstance(text, str):
        raise _FailedAttempt("the response has no text")
    return answer


def _seconds(header: str | None) -> float:
    try:
        return max(0.0, float(header or 0))
    except ValueError:  # a date, which our own pauses serve as well
        return 0.0


def _as_dict(answer: Answer) -> dict[str, Any]:
    return {"text": answer.text, "prompt_tokens": answer.prompt_tokens, "answer_tokens": answer.answer_tokens}


def _kept(path: Path) -> Answer | None:
    try:
        return Answer(**json.loads(path.read_text(encoding="utf-8"))["answer"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise EndpointError(f"{path} is damaged ({error}); remove it, and it will be asked for again") from error
