"""The plan of a large job: its input is cut into parts, each of which becomes one file of the output.

This is what makes a job resumable. The rows of every part are recorded before the first is solved, the same rows give
the same answers, and a part's file is complete or absent. So any worker may solve a part, even twice, and still no row
is lost or repeated. After a kill, the parts without a file are left to do.

A file that cannot be read has no parts. It is tried again, repaired or not, whenever the job is resumed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, BinaryIO

import numpy as np

from treequation.distributed.filesystem import (
    InputFile,
    absolute,
    claimed,
    find_files,
    is_there,
    names_in,
    open_file,
    read_file,
    write_file,
)
from treequation.runtime.rows import LINES, TEXT, BulkError, problem_column

PLAN = "_plan.json"  # programs that read the folder as a table ignore names that begin with an underscore
PARQUET = ".parquet"
ENDINGS = {"parquet": PARQUET, "jsonl": ".jsonl"}
"""The endings of the files of answers."""
_CHUNK = 1 << 23  # bytes per read
_NAMED = 10  # how many skipped files are named


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive rows of one file. In JSON Lines, they are the bytes from ``start`` to ``end``."""

    number: int
    name: str  # of the file, as in the output
    place: str  # the file's full name
    first: int  # row, counted from 1
    rows: int
    start: int = 0
    end: int = 0

    def output(self, ending: str) -> str:
        """The name of the file with its answers."""
        return f"part-{self.number:06d}{ending}"


@dataclass(frozen=True, slots=True)
class Plan:
    """The parts, and the options of the job: a plan is only continued with the same options.

    ``unreadable`` has the files that could not be read, and the reasons.
    """

    options: dict[str, Any]
    parts: list[Part]
    unreadable: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows in all parts."""
        return sum(part.rows for part in self.parts)


def plan_for(
    source: str, target: str, part_rows: int, *, report: Callable[[str], None] = lambda message: None, **options: Any
) -> Plan:
    """The plan in ``target``, or a new one, which is written there.

    ``options`` has the options that the answers depend on; a folder that was begun with other options is refused.
    ``report`` gets the files that are skipped. The plan has the parts of those files that exist now.
    """
    if absolute(source) == target:
        raise BulkError(f"{target} holds the problems; choose another folder for the answers, such as {target}/answers")
    files, others = find_files(source, (*LINES, PARQUET), but=target)
    if others:
        report(f"skipped, since only {', '.join((*LINES, PARQUET))} can be read: {_named(others)}")
    options = json.loads(json.dumps({"files": [[file.name, file.mark] for file in files], **options}))
    names = {name for name in names_in(target) if not name.startswith(f".{PLAN}")}  # another call may be writing it
    begun = _read(f"{target}/{PLAN}") if PLAN in names else None
    if names and begun is None:
        raise BulkError(f"{target} has other files in it; choose another folder for the answers")
    plan = _cut_all(files, part_rows, Plan(options, []) if begun is None else _continued(begun, options, target, names))
    there = {file.name for file in files}
    gone = dict.fromkeys(part.name for part in plan.parts if part.name not in there)
    if gone:
        report(f"no longer there, so their remaining rows are left out: {_named(list(gone))}")
    if len(plan.unreadable) == len(files):
        raise BulkError("; ".join(f"{name}: {reason}" for name, reason in list(plan.unreadable.items())[:_NAMED]))
    if begun is None or plan.parts != begun.parts:
        with claimed(f"{target}/{PLAN}", wait=True):
            if begun is None and is_there(f"{target}/{PLAN}"):  # another call was faster
                return plan_for(source, target, part_rows, **{key: options[key] for key in options if key != "files"})
            _write(f"{target}/{PLAN}", plan)
    return replace(plan, parts=[part for part in plan.parts if part.name in there])


def _continued(begun: Plan, options: dict[str, Any], target: str, names: Collection[str]) -> Plan:
    """The plan that continues ``begun``, without the parts of files that have changed."""
    marks, before = dict(options["files"]), dict(begun.options["files"])
    answered = {
        part.name for part in begun.parts if any(f"{part.output('')}{end}" in names for end in ENDINGS.values())
    }
    changed = {name for name in marks if marks[name] != before.get(name)}
    differing = [key for key in options if key != "files" and begun.options.get(key) != options[key]]
    # A file may be removed, or repaired if no answers come from its earlier version.
    if changed & answered or not marks.keys() <= before.keys():
        differing = ["files", *differing]
    if differing:
        raise BulkError(
            f"{target} was begun with other {' and '.join(differing)}; choose another folder for the answers"
        )
    files = [[name, marks.get(name, mark)] for name, mark in before.items()]
    return Plan({**options, "files": files}, [part for part in begun.parts if part.name not in changed])


def _cut_all(files: Sequence[InputFile], part_rows: int, plan: Plan) -> Plan:
    """The plan, with parts added for the files that have none yet."""
    known = {part.name for part in plan.parts}
    parts, unreadable = list(plan.parts), {}
    number = max((part.number for part in parts), default=-1) + 1
    for file in files:
        if file.name in known:
            continue
        try:
            cut = list(_cut(file, part_rows))
        except (BulkError, OSError) as error:
            unreadable[file.name] = str(error)
            continue
        parts += [replace(part, number=number + place) for place, part in enumerate(cut)]
        number += len(cut)
    return replace(plan, parts=parts, unreadable=unreadable)


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


def parts_left(plan: Plan, target: str, ending: str) -> list[Part]:
    """The parts that have no answers yet."""
    there = names_in(target)
    return [part for part in plan.parts if part.output(ending) not in there]


def _cut(file: InputFile, part_rows: int) -> Iterator[Part]:
    if file.name.endswith(PARQUET):
        rows = _rows_of_parquet(file)
        for first in range(0, rows, part_rows):
            yield Part(0, file.name, file.place, first + 1, min(part_rows, rows - first))
        return
    with open_file(file.place) as content:
        for cut in _cut_lines(content, part_rows):
            yield Part(0, file.name, file.place, *cut)


def _cut_lines(file: BinaryIO, part_rows: int) -> Iterator[tuple[int, int, int, int]]:
    """The first row, number of rows, first byte and end of each part of a file of lines.

    >>> from io import BytesIO
    >>> list(_cut_lines(BytesIO(b"one\\ntwo\\n\\nfour"), 2))
    [(1, 2, 0, 8), (3, 2, 8, 13)]
    """
    lines = position = start = last = 0
    while chunk := file.read(_CHUNK):
        ends = np.flatnonzero(np.frombuffer(chunk, np.uint8) == ord("\n")) + position + 1
        for place in range(part_rows - lines % part_rows - 1, len(ends), part_rows):
            end = int(ends[place])
            yield lines + place + 2 - part_rows, part_rows, start, end
            start = end
        lines += len(ends)
        position += len(chunk)
        last = int(ends[-1]) if len(ends) else last
    lines += position > last  # the last line may have no line break
    if position > start:
        rows = (lines - 1) % part_rows + 1
        yield lines - rows + 1, rows, start, position


def _rows_of_parquet(file: InputFile) -> int:
    with parquet_table(file.place) as table:
        if problem_column(table.schema_arrow.names) is None:
            raise BulkError(f"{file.place} has no column {' or '.join(TEXT)}")
        rows: int = table.metadata.num_rows
        return rows


def import_parquet() -> Any:
    """The package that reads and writes Parquet, which is not part of the base install."""
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise BulkError(
            "Parquet needs pyarrow: pip install 'treequation[distributed]', or use JSON Lines with --format jsonl"
        ) from error
    return parquet


@contextmanager
def parquet_table(place: str) -> Iterator[Any]:
    """Opens a Parquet file for reading."""
    parquet = import_parquet()
    import pyarrow

    try:
        with open_file(place) as content, parquet.ParquetFile(content, pre_buffer=False) as table:
            yield table
    except (pyarrow.ArrowException, OSError, ValueError) as error:  # a ValueError is text that is not UTF-8
        reason = str(error).partition("\n")[0]
        raise BulkError(f"{place} cannot be read as Parquet ({reason})") from error


def _read(place: str) -> Plan:
    try:
        content = json.loads(read_file(place))
        return Plan(content["asked"], [Part(**part) for part in content["parts"]])
    except (ValueError, KeyError, TypeError) as error:
        raise BulkError(f"{place} is damaged ({error}); choose another folder for the answers") from error


def _write(place: str, plan: Plan) -> None:
    content = {"asked": plan.options, "parts": [asdict(part) for part in plan.parts]}
    write_file(place, json.dumps(content, ensure_ascii=False).encode("utf-8", errors="replace"))
