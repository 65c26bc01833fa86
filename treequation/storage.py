"""Writes files and folders that are either complete or absent, and checks folders against a manifest.

Used for everything that others rely on: data sets, checkpoints, model folders.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from treequation.errors import TreequationError

try:
    import fcntl
except ModuleNotFoundError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

MANIFEST = "manifest.json"
_MAX_MANIFEST = 1 << 20  # bytes; a manifest has one line per file


class DamagedFolderError(TreequationError):
    """A folder lacks a file, has a changed one, or is of another kind or version."""


def refuse_existing(path: Path) -> None:
    """Raises :class:`TreequationError` if ``path`` exists; call this before long work.

    The path is resolved first, since it may pass through a folder that does not exist yet.
    """
    if path.resolve().exists():
        raise TreequationError(f"{path} exists already; choose another name, or remove it first")


@contextmanager
def held(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Locks the file ``path``, creating it if needed; yields whether this process holds the lock.

    With ``wait``, it waits until the lock is free. The system releases the lock of a process that is killed.
    """
    if fcntl is None:
        yield True
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            ours = True
        except BlockingIOError:
            ours = False
        yield ours


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yields a temporary path to write to. On success it replaces ``path`` atomically; on failure nothing changes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    aside = Path(name)
    try:
        yield aside
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        os.chmod(aside, 0o644)  # mkstemp creates files that only their owner can read
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file atomically: it is complete or absent."""
    with written_whole(path) as aside:
        aside.write_bytes(content if isinstance(content, bytes) else content.encode())


def write_json(path: Path, content: Any) -> None:
    """Writes plain values as a JSON file, atomically."""
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def write_json_lines(path: Path, rows: Iterable[Any]) -> None:
    """Writes plain values, one per line, atomically."""
    write_whole(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


@contextmanager
def folder_written_whole(folder: Path) -> Iterator[Path]:
    """Yields a temporary folder to write to, which replaces ``folder`` on success and is removed on failure.

    A folder cannot replace another atomically. If the process ends between the two renames, the old folder remains
    under another name, and :func:`recover_folder` restores it.
    """
    aside, old = _aside(folder, "part"), _aside(folder, "old")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        aside.mkdir(parents=True)
        yield aside
        for file in aside.rglob("*"):
            if file.is_file():
                with file.open("rb+") as written:
                    os.fsync(written.fileno())
                os.chmod(file, 0o644)  # safetensors creates files that only their owner can read
        shutil.rmtree(old, ignore_errors=True)
        if folder.exists():
            os.rename(folder, old)
        os.rename(aside, folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def recover_folder(folder: Path) -> None:
    """Restores ``folder`` if a process ended while replacing it."""
    old = _aside(folder, "old")
    if old.is_dir() and not folder.exists():
        os.rename(old, folder)


def _aside(folder: Path, suffix: str) -> Path:
    return folder.with_name(f".{folder.name}.{suffix}")


def sha256_of(path: Path) -> str:
    """The file's SHA-256; the file is read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(folder: Path, *, kind: str, version: int) -> None:
    """Writes a manifest of the checksums of all files in ``folder``; done last, so that a sealed folder is complete."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != MANIFEST)
    manifest = {
        "kind": kind,
        "version": version,
        "files": {p.relative_to(folder).as_posix(): sha256_of(p) for p in files},
    }
    write_json(folder / MANIFEST, manifest)


def check_seal(folder: Path, *, kind: str, version: int) -> dict[str, str]:
    """The files that ``folder`` was sealed with, and their checksums.

    Raises :class:`DamagedFolderError` unless it is sealed, unchanged, and of this kind and version.
    """
    path = folder / MANIFEST
    if not folder.exists():
        raise DamagedFolderError(f"there is no folder {folder}")
    if not path.is_file():
        raise DamagedFolderError(f"{folder} is not a {kind} folder: it has no {MANIFEST}")
    files = read_manifest(path, kind=kind, version=version)
    for name, checksum in files.items():
        file = folder / name
        if not file.is_file():
            raise DamagedFolderError(f"{folder} lacks {name}; copy or download the folder again")
        if sha256_of(file) != checksum:
            raise DamagedFolderError(f"{file} has changed since it was saved; copy or download the folder again")
    return files


def read_manifest(path: Path, *, kind: str, version: int) -> dict[str, str]:
    """The files that a manifest lists, and their checksums; any other kind or version is refused."""
    folder = path.parent
    try:
        if path.stat().st_size > _MAX_MANIFEST:
            raise ValueError(f"it has more than {_MAX_MANIFEST:,} bytes")
        manifest = json.loads(path.read_text(encoding="utf-8"))
        found_kind, found_version, files = manifest["kind"], manifest["version"], dict(manifest["files"])
        strange = next((name for name, checksum in files.items() if not _inside(name) or type(checksum) is not str), "")
        if strange or not files:
            raise ValueError(f"it lists {strange!r}" if strange else "it lists no files")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise DamagedFolderError(f"{path} is damaged ({reason}); copy or download the folder again") from error
    if found_kind != kind:
        raise DamagedFolderError(f"{folder} is a {found_kind} folder; a {kind} folder is needed here")
    if found_version != version:
        raise DamagedFolderError(
            f"{folder} has format version {found_version}; this version of Treequation reads {version}"
        )
    return files


def _inside(name: str) -> bool:
    """Whether a relative name stays inside its folder."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and name not in ("", ".") and "\\" not in name
