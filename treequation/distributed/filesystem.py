"""Local and remote files: a local path, or any URL that ``fsspec`` supports, such as ``s3://bucket/problems``."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import fsspec
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from treequation.errors import TreequationError
from treequation.storage import held, write_whole

_UNFINISHED = ".part"
_CLAIM = ".claim"
_STAMPS = ("ETag", "etag", "md5Hash", "mtime", "LastModified", "last_modified", "created")
"""The metadata by which file systems show that a file has changed, the most reliable first."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of the input: its name relative to the folder searched, its full name, and a mark of its version."""

    name: str
    place: str
    mark: str


def find_files(source: str, endings: tuple[str, ...], *, but: str) -> tuple[list[InputFile], list[str]]:
    """The files that a folder, a pattern such as ``data/*.jsonl``, or a file name stands for, sorted by name.

    A folder stands for all files below it, except those in the folder ``but`` and names that begin with ``.`` or
    ``_``, which programs use for notes of their own. The second list has the names of files with other endings.
    """
    system, path = _system(source)
    if any(sign in path for sign in "*?["):
        plain = path[: min(path.index(sign) for sign in "*?[" if sign in path)]
        root, places = posixpath.dirname(plain), system.glob(path, detail=True)
    elif system.isdir(path):
        root, places = path.rstrip("/"), system.find(path, detail=True)
    elif system.exists(path):
        root, places = posixpath.dirname(path), {path: system.info(path)}
    else:
        raise TreequationError(f"there is nothing at {source}")
    files, others = [], []
    for place, about in sorted(places.items()):
        name = posixpath.relpath(place, root)
        hidden = any(part.startswith((".", "_")) for part in name.split("/"))
        if about["type"] != "file" or hidden or _named(system, place).startswith(f"{but}/"):
            continue
        if place.endswith(endings):
            files.append(InputFile(name, _named(system, place), _mark(about)))
        else:
            others.append(name)
    if not files:
        raise TreequationError(f"there is no file that ends in {' or '.join(endings)} at {source}")
    return files, others


def _mark(about: Mapping[str, Any]) -> str:
    stamp = next((str(about[key]) for key in _STAMPS if about.get(key) is not None), "")
    return f"{about['size']} {stamp}"


def absolute(place: str) -> str:
    """A name that means the same to every process on every machine that can reach the place."""
    return _named(*_system(place))


def open_file(place: str) -> BinaryIO:
    """Opens a file for reading."""
    system, path = _system(place)
    file: BinaryIO = system.open(path, "rb")
    return file


def read_file(place: str, start: int = 0, end: int | None = None) -> bytes:
    """A file's content, or its bytes from ``start`` to ``end``."""
    system, path = _system(place)
    content: bytes = system.cat_file(path, start=start, end=end)
    return content


def write_file(place: str, content: bytes) -> None:
    """Writes or replaces a file atomically: if the process dies, no partial file remains under its name."""
    system, path = _system(place)
    if isinstance(system, LocalFileSystem):
        write_whole(Path(path), content)
        return
    folder, name = posixpath.split(path)
    system.makedirs(folder, exist_ok=True)
    beside = f"{folder}/.{name}.{uuid4().hex}{_UNFINISHED}"
    system.pipe_file(beside, content)
    try:
        system.mv(beside, path)
    except FileNotFoundError:  # another call wrote the same file, and removed this one as unfinished when it ended
        if not is_there(place):
            raise


def is_there(place: str) -> bool:
    """Whether the file exists at this moment; no cached listing is used."""
    system, path = _system(place)
    system.invalidate_cache()
    return bool(system.exists(path))


@contextmanager
def claimed(place: str, *, wait: bool = False) -> Iterator[bool]:
    """Claims ``place``, a file yet to be written, for this process alone for the block; False if another has it.

    With ``wait``, it waits until the other process is done. The claim of a killed process is free again. The claim is a
    file lock; where there are no locks, as in an object store, every process gets its claim.
    """
    system, path = _system(place)
    if not isinstance(system, LocalFileSystem):
        yield True
        return
    mark = Path(path).with_name(f".{posixpath.basename(path)}{_CLAIM}")
    with held(mark, wait=wait) as ours:
        try:
            yield ours
        finally:
            # A process that waits for the claim first checks whether the file exists.
            if ours:
                mark.unlink(missing_ok=True)


def names_in(folder: str) -> set[str]:
    """The names of the files in a folder; none if the folder does not exist."""
    system, path = _system(folder)
    system.invalidate_cache()
    if not system.exists(path):
        return set()
    if not system.isdir(path):
        raise TreequationError(f"{folder} is a file where a folder should be")
    return {posixpath.basename(place.rstrip("/")) for place in system.ls(path, detail=False)}


def remove_unfinished(folder: str) -> None:
    """Removes what killed processes left: partial files, and claims of files that exist by now."""
    system, path = _system(folder)
    names = names_in(folder)
    claims = {f".{name}{_CLAIM}" for name in names}
    for name in names:
        if (name.startswith(".") and name.endswith(_UNFINISHED)) or name in claims:
            with suppress(FileNotFoundError):  # another call that ends now removes them too
                system.rm_file(f"{path}/{name}")


def _system(place: str) -> tuple[Any, str]:
    try:
        system, path = url_to_fs(place)
    except (ImportError, ValueError) as error:  # an unknown protocol, or one whose package is not installed
        raise TreequationError(f"{place} cannot be reached: {error}") from error
    if isinstance(system, LocalFileSystem):  # one name per file: resolve links and ".."
        path = os.path.realpath(path).replace(os.sep, "/")
    return system, path


def _named(system: fsspec.AbstractFileSystem, path: str) -> str:
    return path if isinstance(system, LocalFileSystem) else str(system.unstrip_protocol(path))
