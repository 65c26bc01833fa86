"""What a worker of any engine does: reads the rows of a part, answers them, and writes the part's file."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treequation.distributed.filesystem import claimed, is_there, read_file, write_file
from treequation.distributed.plan import PARQUET, Part, import_parquet, parquet_table
from treequation.errors import TreequationError
from treequation.runtime import BATCH_SIZE, PRECISION
from treequation.runtime.bulk import solve_rows
from treequation.runtime.rows import ID, TEXT, BulkError, Row, plain_name, row_of, rows_of_lines
from treequation.runtime.solver import Solver

_WANTED = {*TEXT, *ID}
_ERROR = b'"error": {"code": '  # only in a line with an error: inside a text, quotes are escaped with \\


@dataclass(frozen=True, slots=True)
class Work:
    """The options that all parts share.

    ``ending`` is that of the output files; ``threads`` is per worker. With ``wait``, a worker waits for a part that
    another call is solving.
    """

    model: Path | None
    output: str
    ending: str
    beam: int | None = None
    batch_size: int = BATCH_SIZE
    threads: int = 1
    precision: str = PRECISION
    wait: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a part: how many rows, how many of them without an answer; or why there is no file.

    A ``problem`` concerns only the part's input file. A ``failure`` concerns the whole job, such as a full disk. A
    part that is ``elsewhere`` is being solved by another call.
    """

    part: int
    rows: int = 0
    failed: int = 0
    problem: str = ""
    failure: str = ""
    elsewhere: bool = False


class PartSolver:
    """A model, loaded once, that solves any number of parts."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.solver = Solver(work.model, threads=work.threads, precision=work.precision)

    def __call__(self, part: Part) -> Outcome:
        """Solves a part, unless another call has or is. An error is returned as an outcome: a retry would not help."""
        place = f"{self.work.output}/{part.output(self.work.ending)}"
        try:
            with claimed(place, wait=self.work.wait) as ours:
                if is_there(place):
                    return Outcome(part.number, part.rows, failed_in(place, part.rows))
                return self._solve(part) if ours else Outcome(part.number, elsewhere=True)
        except (TreequationError, OSError) as error:
            return Outcome(part.number, failure=f"{part.name}, from row {part.first}: {error}")

    def _solve(self, part: Part) -> Outcome:
        work = self.work
        try:
            rows = list(read_rows(part))
            if len(rows) != part.rows:
                raise BulkError(f"it had {part.rows} rows there when the job began and has {len(rows)} now")
        except (TreequationError, OSError) as error:
            return Outcome(part.number, problem=f"from row {part.first}: {error}")
        solved = solve_rows(self.solver, iter(rows), beam=work.beam, batch_size=work.batch_size)
        answers = [{"file": part.name, **answer} for _, answer in solved]
        content = parquet_of(answers) if work.ending == PARQUET else lines_of(answers)
        write_file(f"{work.output}/{part.output(work.ending)}", content)
        return Outcome(part.number, len(answers), sum("error" in answer for answer in answers))


def read_rows(part: Part) -> Iterator[Row]:
    """The rows of a part."""
    if not part.name.endswith(PARQUET):
        yield from rows_of_lines(io.BytesIO(read_file(part.place, part.start, part.end)), part.first)
        return
    number = part.first
    for content in _parquet_rows(part.place, part.first - 1, part.rows):
        yield row_of(number, 0, content)
        number += 1


def _parquet_rows(place: str, skip: int, rows: int) -> Iterator[dict[str, Any]]:
    """Some rows of a file; only the row groups that contain them are read, batch by batch."""
    with parquet_table(place) as table:
        columns = [name for name in table.schema_arrow.names if plain_name(name) in _WANTED]
        groups: list[int] = []
        for group in range(table.num_row_groups):
            size = table.metadata.row_group(group).num_rows
            if groups or skip < size:
                groups.append(group)
            else:
                skip -= size
        for batch in table.iter_batches(batch_size=max(1, min(rows, 4096)), row_groups=groups, columns=columns):
            wanted = batch.slice(skip, rows)
            skip = max(0, skip - batch.num_rows)
            rows -= wanted.num_rows
            yield from wanted.to_pylist()
            if not rows:
                return


def failed_in(place: str, rows: int) -> int:
    """How many rows of a part's file have an error, counted in the file; raises an error if rows are missing."""
    try:
        there, failed = _counted(place)
    except BulkError as error:
        raise BulkError(f"{error}; remove it, and run the command again to solve its rows") from error
    if there != rows:
        raise BulkError(f"{place} has {there:,} rows, not {rows:,}; remove it, and run the command again to solve them")
    return failed


def _counted(place: str) -> tuple[int, int]:
    if not place.endswith(PARQUET):
        content = read_file(place)
        return content.count(b"\n"), content.count(_ERROR)
    with parquet_table(place) as table:
        column = table.schema_arrow.get_field_index("error_code")
        groups = [table.metadata.row_group(group) for group in range(table.num_row_groups)]
        failed = sum(group.num_rows - group.column(column).statistics.null_count for group in groups)
        return table.metadata.num_rows, failed


def lines_of(answers: Iterable[dict[str, Any]]) -> bytes:
    """Answers as JSON Lines, in full."""
    lines = (json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers)
    return "".join(lines).encode("utf-8", errors="replace")


def parquet_of(answers: Iterable[dict[str, Any]]) -> bytes:
    """Answers as a Parquet table; only JSON Lines has the whole tree."""
    parquet = import_parquet()
    import pyarrow as pa

    schema = pa.schema(
        {
            "file": pa.string(),
            "row": pa.int64(),
            "id": pa.string(),
            "problem": pa.string(),
            "answer": pa.string(),
            "value": pa.float64(),
            "equation": pa.string(),
            "steps": pa.list_(pa.string()),
            "confidence": pa.float64(),
            "unsure": pa.bool_(),
            "model": pa.string(),
            "error_code": pa.string(),
            "error": pa.string(),
            "hint": pa.string(),
        }
    )
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist([_flat(answer) for answer in answers], schema), buffer, compression="zstd")
    return buffer.getvalue()


def _flat(answer: dict[str, Any]) -> dict[str, Any]:
    error = answer.get("error") or {}
    id = answer.get("id")
    return answer | {
        "id": id if id is None else _valid(id if isinstance(id, str) else json.dumps(id)),
        "problem": _valid(answer["problem"]),
        "value": _nearest(answer.get("value")),
        "error_code": error.get("code"),
        "error": error.get("message"),
        "hint": error.get("hint"),
    }


def _valid(text: str) -> str:
    """The text without lone surrogates, which JSON allows and Parquet does not."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def _nearest(number: int | float | None) -> float | None:
    """The nearest float, or None: JSON integers may be larger than any float."""
    try:
        return None if number is None else float(number)
    except OverflowError:
        return None
