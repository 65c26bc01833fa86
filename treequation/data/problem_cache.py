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
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from treequation.data.catalogue import data_root, data_set, user_cache
from treequation.expression.graph import Constant, Expression, ExpressionGraph, Number, Operand, Operator, Result
from treequation.storage import sha256_of, write_whole
from treequation.text.problem import FoundNumber, NumberFormat, Problem

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
    return [
        problem.id,
        problem.text,
        [[str(number.value), number.start, number.end, number.kind] for number in problem.numbers],
        problem.language,
        format,
        None if problem.graph is None else _written(problem.graph),
        None if problem.answer is None else str(problem.answer),
        problem.refused,
    ]


def _problem(row: list[Any], formats: Sequence[NumberFormat]) -> Problem:
    id, text, numbers, language, format, graph, answer, refused = row
    return Problem(
        id,
        text,
        tuple(FoundNumber(_fraction(value), start, end, kind) for value, start, end, kind in numbers),
        language,
        formats[format],
        None if graph is None else _graph(graph),
        None if answer is None else _fraction(answer),
        refused,
    )


_fraction = lru_cache(maxsize=100_000)(Fraction)


def _written(graph: ExpressionGraph) -> str:
    """A graph as its root, then operator, left and right of each expression: ``r0 + n0 c1/2``."""
    steps = ((each.operator.value, _name(each.left), _name(each.right)) for each in graph.expressions)
    return " ".join([_name(graph.root), *(part for step in steps for part in step)])


def _name(operand: Operand) -> str:
    if isinstance(operand, Constant):
        return f"c{operand.value}"
    return f"{'n' if isinstance(operand, Number) else 'r'}{operand.index}"


@lru_cache(maxsize=100_000)  # many problems have the same
def _graph(written: str) -> ExpressionGraph:
    root, *steps = written.split(" ")
    triples = zip(steps[::3], steps[1::3], steps[2::3], strict=True)
    return ExpressionGraph(
        tuple(Expression(Operator(operator), _operand(left), _operand(right)) for operator, left, right in triples),
        _operand(root),
    )


@lru_cache(maxsize=10_000)
def _operand(name: str) -> Operand:
    if name.startswith("c"):
        return Constant(Fraction(name[1:]))
    return Number(int(name[1:])) if name.startswith("n") else Result(int(name[1:]))
