"""Downloads the files of a data set: resumes broken downloads, checks files, and puts only complete ones in place.

A download is written to ``NAME.part`` and renamed once it is complete and its checksum is right, so a file with its
final name is always complete.
"""

from __future__ import annotations

import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import BinaryIO, Literal

from treequation.data.catalogue import DataFile, DataSet
from treequation.data.reading import DataError
from treequation.storage import sha256_of, write_whole

ATTEMPTS = 4
TIMEOUT = 30.0
"""Seconds without a byte after which a connection counts as dead."""
_PIECE = 1 << 16

Progress = Callable[[str, int, int | None], None]
"""Called with the file, the bytes so far, and the total if the server gives it."""


Checked = Literal["published", "recorded", "first", "unknown"]


@dataclass(frozen=True, slots=True)
class Fetched:
    """The outcome for one file. ``checked`` says what its checksum was compared with.

    ``published``: the checksum in the catalogue. ``first``: nothing, since none is known; that of the download was
    recorded in a ``.sha256`` file beside it. ``recorded``: that record. ``unknown``: nothing; the file was already
    there, no checksum is known, and none was recorded.
    """

    path: Path
    downloaded: bool
    checked: Checked


def fetch(
    data_set: DataSet,
    root: Path,
    *,
    progress: Progress = lambda file, done, total: None,
    timeout: float = TIMEOUT,
    pause: float = 1.0,
) -> Iterator[Fetched]:
    """Downloads the files of ``data_set`` that ``root`` lacks, yielding each as soon as it is in place.

    A broken connection is retried from the byte where it broke, after ``pause`` seconds and then after longer waits. A
    file that is already there is checked and kept.
    """
    for file in data_set.files:
        if file.url is not None:
            yield _fetch_file(file, root / file.path, progress, timeout, pause)


def _fetch_file(file: DataFile, path: Path, progress: Progress, timeout: float, pause: float) -> Fetched:
    expected, checked = _expected(file, path)
    if path.is_file():
        actual = sha256_of(path)
        if expected not in (None, actual):
            raise DataError(f"{_mismatch(path, actual, expected)} Delete it to download it again.")
        return Fetched(path, False, "unknown" if expected is None else checked)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    if expected is None:
        # Without a checksum, a part of an older version cannot be told from a part of the current one.
        part.unlink(missing_ok=True)
    url = str(file.url)
    _Download(url, part, timeout, lambda done, total: progress(file.path, done, total)).run(pause)
    actual = sha256_of(part)
    if expected not in (None, actual):
        part.unlink()
        mismatch = _mismatch(path, actual, expected)
        raise DataError(f"{mismatch} {url} has changed, or the download was damaged: try again.")
    os.replace(part, path)
    if expected is None:
        write_whole(_record_of(path), f"{actual}  {path.name}\n")
    return Fetched(path, True, checked)


def _expected(file: DataFile, path: Path) -> tuple[str | None, Checked]:
    if file.sha256 is not None:
        return file.sha256, "published"
    record = _record_of(path)
    if record.is_file():
        return record.read_text(encoding="ascii").split()[0], "recorded"
    return None, "first"


def _record_of(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def _mismatch(path: Path, actual: str, expected: str | None) -> str:
    return f"{path} has checksum {actual[:16]}…; {str(expected)[:16]}… is expected."


class _InterruptedError(Exception):
    """A connection ended early; the next attempt resumes from there."""


class _Download:
    """Downloads one file into ``part``, over as many connections as it takes."""

    def __init__(self, url: str, part: Path, timeout: float, progress: Callable[[int, int | None], None]) -> None:
        self._url = url
        self._part = part
        self._timeout = timeout
        self._progress = progress
        self._tag: str | None = None  # identifies this version of the file

    def run(self, pause: float) -> None:
        """Downloads the complete file; gives up after several attempts in a row without progress."""
        failures = 0
        while True:
            before = self._done()
            try:
                self._connect(before)
                return
            except urllib.error.HTTPError as error:
                if error.code < 500 and error.code not in (408, 429):
                    raise DataError(f"{self._url} answers {error.code} {error.reason}") from error
                reason: Exception = error
            except (urllib.error.URLError, HTTPException, OSError, _InterruptedError) as error:
                reason = error
            failures = 1 if self._done() > before else failures + 1
            if failures == ATTEMPTS:
                raise DataError(
                    f"{self._url} cannot be downloaded: {_in_words(reason)}. Check the network and run the "
                    f"command again; it resumes where it stopped."
                ) from reason
            time.sleep(pause * 2 ** (failures - 1))

    def _done(self) -> int:
        return self._part.stat().st_size if self._part.exists() else 0

    def _connect(self, start: int) -> None:
        request = urllib.request.Request(self._url, headers={"User-Agent": "treequation"})
        if start:
            request.add_header("Range", f"bytes={start}-")
            if self._tag:
                request.add_header("If-Range", self._tag)
        try:
            response = urllib.request.urlopen(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            if error.code != 416:
                raise
            # The part is as long as the file or longer. If as long, the checksum decides; if longer, start again.
            if error.headers.get("Content-Range") == f"bytes */{start}":
                return
            self._part.unlink()
            raise _InterruptedError("the part on disk does not match the file") from error
        with response:
            resumed = response.status == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
            self._tag = response.headers.get("ETag")
            with self._part.open("ab" if resumed else "wb") as file:
                self._receive(response, file, start if resumed else 0)

    def _receive(self, response: HTTPResponse, file: BinaryIO, done: int) -> None:
        length = response.headers.get("Content-Length")
        total = done + int(length) if length is not None and length.isdecimal() else None
        self._progress(done, total)
        while piece := response.read(_PIECE):
            file.write(piece)
            done += len(piece)
            self._progress(done, total)
        if total is not None and done != total:
            raise _InterruptedError(f"the connection ended after {done} of {total} bytes")


def _in_words(error: Exception) -> str:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, TimeoutError):
        return "the server does not answer"
    return str(reason) or type(reason).__name__
