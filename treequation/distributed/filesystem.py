"""Files by name, wherever they lie: a local path, or any URL that ``fsspec`` knows, such as ``s3://bucket/problems``."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
_STAMPS = ("ETag", "etag", "md5Hash", "mtime", "LastModified", "last_modified", "created")
"""Where file systems tell whether a file has changed, the surest first."""


class PlaceError(TreequationError):
    """A file or folder is not where it was said to be, or cannot be reached."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that was found: its name below the folder that was searched, its whole name, and a mark of its content."""

    name: str
    place: str
    mark: str


def find_files(asked: str, endings: tuple[str, ...], *, but: str) -> tuple[list[Found], list[str]]:
    """The files that a folder, a pattern such as ``data/*.jsonl``, or a single name stands for, in order of name.

    A folder stands for all files below it, except those in the folder ``but`` and names that begin with ``.`` or
    ``_``, which are notes of programs. The second list has the names of files with other endings.
    """
    system, path = _system(asked)
    if any(sign in path for sign in "*?["):
        plain = path[: min(path.index(sign) for sign in "*?[" if sign in path)]
        root, places = posixpath.dirname(plain), system.glob(path, detail=True)
    elif system.isdir(path):
        root, places = path.rstrip("/"), system.find(path, detail=True)
    elif system.exists(path):
        root, places = posixpath.dirname(path), {path: system.info(path)}
    else:
        raise PlaceError(f"there is nothing at {asked}")
    found, others = [], []
    for place, about in sorted(places.items()):
        name = posixpath.relpath(place, root)
        hidden = any(part.startswith((".", "_")) for part in name.split("/"))
        if about["type"] != "file" or hidden or _named(system, place).startswith(f"{but}/"):
            continue
        if place.endswith(endings):
            found.append(Found(name, _named(system, place), _mark(about)))
        else:
            others.append(name)
    if not found:
        raise PlaceError(f"there is no file that ends in {' or '.join(endings)} at {asked}")
    return found, others


def _mark(about: Mapping[str, Any]) -> str:
    stamp = next((str(about[key]) for key in _STAMPS if about.get(key) is not None), "")
    return f"{about['size']} {stamp}"


def absolute(place: str) -> str:
    """A name that means the same in every process on every machine that sees the place."""
    return _named(*_system(place))


def open_file(place: str) -> BinaryIO:
    """A file, to be read."""
    system, path = _system(place)
    file: BinaryIO = system.open(path, "rb")
    return file


def read_file(place: str, start: int = 0, end: int | None = None) -> bytes:
    """What a file holds, or the bytes from ``start`` to ``end`` of it."""
    system, path = _system(place)
    content: bytes = system.cat_file(path, start=start, end=end)
    return content


def write_file(place: str, content: bytes) -> None:
    """Writes a file that is whole or not there, whenever the process may end. One that is there is replaced."""
    system, path = _system(place)
    if isinstance(system, LocalFileSystem):
        write_whole(Path(path), content)
        return
    folder, name = posixpath.split(path)
    system.makedirs(folder, exist_ok=True)
    beside = f"{folder}/.{name}.{uuid4().hex}{_UNFINISHED}"
    system.pipe_file(beside, content)
    system.mv(beside, path)


def is_there(place: str) -> bool:
    """Whether there is such a file, as of now."""
    system, path = _system(place)
    system.invalidate_cache()
    return bool(system.exists(path))


@contextmanager
def claimed(place: str, *, wait: bool = False) -> Iterator[bool]:
    """Whether ``place``, a file that is yet to be written, is for this process alone to write until the end.

    With ``wait``, it waits for another process that has it. The claim of a process that was killed is free. It is known
    to whoever shares the file system's locks; where there are none, as in an object store, everybody has their claim.
    """
    system, path = _system(place)
    if not isinstance(system, LocalFileSystem):
        yield True
        return
    mark = Path(path).with_name(f".{posixpath.basename(path)}.claim")
    with held(mark, wait=wait) as ours:
        try:
            yield ours
        finally:
            # Whoever waits for it now looks first whether the file is there.
            if ours:
                mark.unlink(missing_ok=True)


def names_in(folder: str) -> set[str]:
    """The names of the files in a folder; none if it is not there."""
    system, path = _system(folder)
    system.invalidate_cache()
    if not system.exists(path):
        return set()
    if not system.isdir(path):
        raise PlaceError(f"{folder} is a file where a folder should be")
    return {posixpath.basename(place.rstrip("/")) for place in system.ls(path, detail=False)}


def remove_unfinished(folder: str) -> None:
    """Removes what processes that were killed while they wrote have left."""
    system, path = _system(folder)
    for name in names_in(folder):
        if name.startswith(".") and name.endswith(_UNFINISHED):
            system.rm_file(f"{path}/{name}")


def _system(place: str) -> tuple[Any, str]:
    try:
        system, path = url_to_fs(place)
    except (ImportError, ValueError) as error:  # a protocol whose package is not there, or that nobody knows
        raise PlaceError(f"{place} cannot be reached: {error}") from error
    if isinstance(system, LocalFileSystem):  # one name for a file: links, and ways through folders that are not there
        path = os.path.realpath(path).replace(os.sep, "/")
    return system, path


def _named(system: fsspec.AbstractFileSystem, path: str) -> str:
    return path if isinstance(system, LocalFileSystem) else str(system.unstrip_protocol(path))
