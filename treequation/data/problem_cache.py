"""Keeps prepared problems on disk, so that the next start need not find numbers and parse equations again.

A file is JSON Lines: the checksum of the rest, a head, then one problem per line. Its name is a checksum of all that
its problems depend on. A damaged file counts as absent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from treequation.data.catalogue import data_root, data_set, user_cache
from treequation.expression.graph import read_written
from treequation.storage import sha256_of, write_whole
from treequation.text.problem import NumberFormat, Problem, problem_of

_PACKAGE = Path(__file__).parents[1]
_MADE_BY = (".py", ".toml", ".jsonl")  # the files of the package that may change a problem
_MAX_FILES = 8  # in the cache; the oldest are removed

Parts = Mapping[str, Sequence[Problem]]
"""Problems by what they are for, such as train and dev."""


def cache_file(settings: Any, sources: Iterable[str], folder: Path | None = None) -> Path:
    """The file for the problems of these sources with these settings (plain values).

    Its name changes with the content of a data file, and with any file of this package.
    """
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for path in (*_data_files(sources), *_package_files()):
        digest.update(f"{path.name} {sha256_of(path)}\n".encode())
    return (folder or user_cache() / "problems") / f"{digest.hexdigest()}.jsonl"


def _package_files() -> list[Path]:
    return sorted(path for path in _PACKAGE.rglob("*") if path.suffix in _MADE_BY)


def _data_files(sources: Iterable[str]) -> Iterator[Path]:
    """The files that exist, including all folds of a data set."""
    for source in dict.fromkeys(sources):
        if source.endswith(".jsonl"):
            paths = [Path(source)]
        else:
            paths = [data_root() / file.path for file in data_set(source.partition(":")[0]).files]
        yield from (path for path in paths if path.is_file())


def write_problems(path: Path, parts: Parts) -> None:
    """Writes the problems; removes the oldest files of the folder."""
    formats = list(dict.fromkeys(problem.format for part in parts.values() for problem in part))
    number_of = {format: number for number, format in enumerate(formats)}
    head = {
        "counts": {name: len(part) for name, part in parts.items()},
        "formats": [asdict(format) for format in formats],
    }
    rows = (_row(problem, number_of[problem.format]) for part in parts.values() for problem in part)
    body = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in (head, *rows)).encode()
    write_whole(path, f'"{hashlib.sha256(body).hexdigest()}"\n'.encode() + body)
    kept = sorted(path.parent.glob("*.jsonl"), key=lambda file: file.stat().st_mtime)
    for old in kept[:-_MAX_FILES]:
        old.unlink(missing_ok=True)


def read_problems(path: Path) -> dict[str, list[Problem]] | None:
    """The problems; None if there is no such file, or it is damaged."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        checksum, _, body = path.read_bytes().partition(b"\n")
        if json.loads(checksum) != hashlib.sha256(body).hexdigest():
            return None
        first, *rest = body.splitlines()
        head, lines = json.loads(first), iter(rest)
        formats = [NumberFormat(**format) for format in head["formats"]]
        return {
            name: [_problem(json.loads(line), formats) for line in islice(lines, count)]
            for name, count in head["counts"].items()
        }
    return None


def _row(problem: Problem, format: int) -> list[Any]:
    *before, _, graph, answer, refused = problem.row
    return [*before, format, None if graph is None else graph.written, answer, refused]


def _problem(row: list[Any], formats: Sequence[NumberFormat]) -> Problem:
    id, text, numbers, language, format, graph, answer, refused = row
    graph = None if graph is None else read_written(graph)
    return problem_of(id, text, numbers, language, formats[format], graph, answer, refused)
