"""The operator's settings: every limit of the service, with its default."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from treequation.errors import TreequationError
from treequation.runtime import PRECISION

_EASY = {
    "en": "Tom has 3 boxes with 12 pencils each. How many pencils does he have in all?",
    "zh": "小明有3盒铅笔，每盒12支，一共有多少支？",
}
_ANSWER = "36"


@dataclass(frozen=True)
class Settings:
    """The settings of one service. Sizes are in bytes or characters, times in seconds unless the name says otherwise.

    Empty ``api_keys`` means that anyone may use the service; ``model`` None means the bundled model. An empty
    ``warm_up_problem`` means an easy one in a language of the model, and an empty ``warm_up_answer`` accepts any.
    """

    model: Path | None = None
    workers: int = 1
    threads: int = 0
    precision: str = PRECISION
    window_ms: float = 4.0
    batch_tokens: int = 2_048
    max_body: int = 1_048_576
    max_text: int = 4_000
    max_numbers: int = 64
    max_problems: int = 32
    max_beam: int = 8
    max_connections: int = 512
    max_requests: int = 256
    max_queue: int = 512
    deadline: float = 10.0
    drain_delay: float = 0.0
    api_keys: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    root_path: str = ""
    log_problems: bool = False
    tracing: bool = False
    warm_up_problem: str = ""
    warm_up_answer: str | None = None

    def __post_init__(self) -> None:
        for name in ("deadline", "drain_delay", "window_ms"):
            if not math.isfinite(getattr(self, name)):
                raise TreequationError(
                    f"--{name.replace('_', '-')} is {getattr(self, name)}; it must be a finite number"
                )
        if self.max_problems > self.max_queue:
            raise TreequationError(
                f"a request may have {self.max_problems} problems but only {self.max_queue} can wait; "
                "raise --max-queue or lower --max-problems"
            )

    def warm_up(self, languages: Collection[str]) -> tuple[str, str]:
        """The problem that a model of these languages must solve to be ready, and its answer, or "" for any.

        >>> Settings().warm_up(["zh"])
        ('小明有3盒铅笔，每盒12支，一共有多少支？', '36')
        >>> Settings(warm_up_problem="1 + 1?", warm_up_answer="2").warm_up(["zh"])
        ('1 + 1?', '2')
        """
        easy = _EASY["en" if "en" in languages else "zh"]
        answer = _ANSWER if self.warm_up_answer is None and not self.warm_up_problem else self.warm_up_answer
        return self.warm_up_problem or easy, answer or ""


def read_keys(named: str, file: Path | None) -> tuple[str, ...]:
    """API keys, from a text with commas between them and from a file with one per line; ``#`` begins a comment.

    >>> read_keys("first, second", None)
    ('first', 'second')
    """
    keys = [key.strip() for key in named.split(",")]
    if named.strip() and not any(keys):
        raise TreequationError(f"there is no key in {named!r}; to let anyone use the service, leave it empty")
    if file is not None:
        try:
            lines = file.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise TreequationError(f"{file} is not UTF-8; save it as UTF-8, with one key per line") from error
        keys += [line.partition("#")[0].strip() for line in lines]
    accepted = tuple(key for key in keys if key)
    if file is not None and not accepted:
        raise TreequationError(f"{file} has no key in it; to let anyone use the service, leave the option out")
    if any(not key.isascii() for key in accepted):
        raise TreequationError(
            "a key has a character outside ASCII, which an HTTP header cannot carry; use ASCII characters only"
        )
    return accepted
