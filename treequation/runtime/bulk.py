"""Solves whole files: JSON Lines or a spreadsheet in, one row out for every row in, resumable after a kill.

Rows are appended to ``OUTPUT.part``, which is renamed to the output when it is complete. After a kill, the same call
continues after the last complete row, so that no row is lost or repeated; for the same reason, a second call at the
same time is refused.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from treequation.runtime import BATCH_SIZE
from treequation.runtime.answer_sheet import SHEETS, write_sheet
from treequation.runtime.rows import LINES, BulkError, Row, rows_of_lines
from treequation.runtime.solve_error import SolveError
from treequation.runtime.solver import Solver
from treequation.runtime.spreadsheets import DELIMITED, WORKBOOK, import_openpyxl, read_table, write_table
from treequation.storage import held, refuse_existing, sha256_of, write_json

TABLES = (*DELIMITED, WORKBOOK)
OUTPUTS = (*LINES, *TABLES, *SHEETS)
"""The endings that a file of answers may have."""


@dataclass(frozen=True, slots=True)
class Summary:
    """How many rows there were, and how many have no answer, including those of an earlier, killed call."""

    rows: int
    failed: int


def read_rows(path: Path, column: str | None = None) -> Iterator[Row]:
    """The rows of a file of JSON Lines or of a spreadsheet; for ``column`` see :func:`.row_of`."""
    ending = path.suffix.lower()
    if ending in TABLES:
        return read_table(path, column)
    if ending in LINES:
        return _read_json_lines(path, column)
    if ending == ".xls":
        raise BulkError(f"{path} is a workbook in the old .xls format; save it as .xlsx or .csv")
    raise BulkError(f"{path} is not one of {', '.join((*LINES, *TABLES))}; rename or convert it")


def _read_json_lines(path: Path, column: str | None) -> Iterator[Row]:
    with path.open("rb") as file:
        yield from rows_of_lines((line for line in file if line.strip()), column=column)


def solve_rows(solver: Solver, rows: Iterator[Row], *, beam: int | None, batch_size: int) -> Iterator[tuple[Row, Any]]:
    """Each row with its output row, in order."""
    waiting: deque[Row] = deque()  # read, but not yet answered

    def texts() -> Iterator[str]:
        for row in rows:
            waiting.append(row)
            yield row.text

    for solution in solver.solve_many(texts(), beam=beam, batch_size=batch_size):
        row = waiting.popleft()
        result = row.error or solution
        failed = isinstance(result, SolveError)
        yield row, row.answered({"problem": row.text, "error": result.to_dict()} if failed else result.to_dict())


def solve_file(
    solver: Solver,
    source: Path,
    target: Path,
    *,
    beam: int | None = None,
    batch_size: int = BATCH_SIZE,
    column: str | None = None,
    progress: Callable[[Row], None] = lambda row: None,
) -> Summary:
    """Writes an answer to every row of ``source`` into ``target``; resumes where an earlier call was killed.

    The target's ending sets its format: JSON Lines, a spreadsheet, or (``.html``) an answer sheet to print. For
    ``beam`` see :meth:`.Solver.solve`, for ``column`` :func:`.row_of`.
    """
    ending = target.suffix.lower()
    if ending not in OUTPUTS:
        raise BulkError(f"{target} must end in one of {', '.join(OUTPUTS)}")
    if ending == WORKBOOK:
        import_openpyxl(target)  # fail before the work rather than after it
    refuse_existing(target)
    rows = read_rows(source, column)
    part, about = Path(f"{target}.part"), Path(f"{target}.part.json")
    options = {"input": sha256_of(source), "model": solver.metadata.to_dict(), "beam": beam, "column": column}
    options["precision"] = solver.model.precision
    with held(part) as ours:
        if not ours:
            raise BulkError(f"another process is writing {part}; wait for it, or choose another output")
        try:
            refuse_existing(target)  # another process may have finished it meanwhile
            done = _resume(part, about, json.loads(json.dumps(options)))
            failed = done.failed
            total = done.rows
            with part.open("ab") as file:
                for row, answer in solve_rows(solver, islice(rows, done.rows, None), beam=beam, batch_size=batch_size):
                    file.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", errors="replace") + b"\n")
                    file.flush()  # a kill then loses one batch of rows at most
                    failed += "error" in answer
                    total += 1
                    progress(row)
                os.fsync(file.fileno())
            if ending in LINES:
                os.replace(part, target)
            else:
                if ending in TABLES:
                    write_table(_answers(part), target)
                else:
                    write_sheet(lambda: _answers(part), target)
                part.unlink()
            about.unlink()
        finally:
            if part.exists() and not part.stat().st_size:  # nothing was written, so leave no file behind
                part.unlink()
                about.unlink(missing_ok=True)
    return Summary(total, failed)


def _resume(part: Path, about: Path, options: dict[str, Any]) -> Summary:
    """The rows that an earlier call has completed; an incomplete last row is cut off."""
    if not part.exists() or not part.stat().st_size:
        write_json(about, options)
        return Summary(0, 0)
    try:
        begun = json.loads(about.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise BulkError(f"{about} is missing or damaged ({error}); remove {part} to start over") from error
    if begun != options:
        raise BulkError(
            f"{part} is for another input, column, model, precision or beam; finish that work first, or remove it"
        )
    rows = failed = end = 0
    with part.open("rb+") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            end += len(line)
            rows += 1
            try:
                row = json.loads(line)
                whole = row["row"] == rows
            except (ValueError, RecursionError, TypeError, KeyError):
                whole = False
            if not whole:
                raise BulkError(f"{part} is damaged: line {rows} is not row {rows}; remove the file to start over")
            failed += "error" in row
        file.truncate(end)
    return Summary(rows, failed)


def _answers(part: Path) -> Iterator[dict[str, Any]]:
    with part.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
