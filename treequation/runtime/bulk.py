"""Solving whole files: JSON Lines or CSV in, a row out for every row in, safe against being killed.

Rows are appended to ``OUTPUT.part``, which takes the output's name when it is complete. After a kill the same call
goes on behind the last whole row, so that none is lost and none comes twice; two calls at once are refused for the same
reason.
"""

from __future__ import annotations

import csv
import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from treequation.errors import TreequationError
from treequation.runtime.solve_error import SolveError
from treequation.runtime.solver import Solver
from treequation.storage import held, refuse_existing, sha256_of, written_whole

COLUMNS = ("row", "id", "problem", "answer", "value", "equation", "confidence", "unsure", "error", "hint")
TEXT = ("problem", "text")
"""The keys or columns that a problem may stand under."""
_MOST_FIELD = 10_000_000  # characters of one CSV field
_MOST_NESTED = 100  # lists and objects of an id; Python gives up at about a thousand in each other


class BulkError(TreequationError):
    """A file cannot be read or written as asked; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the input: its text, or what is wrong with it. ``read`` counts the bytes up to its end."""

    number: int
    read: int
    text: str = ""
    id: Any = None
    error: SolveError | None = None

    def answered(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The row of the output."""
        return {"row": self.number, **({} if self.id is None else {"id": self.id}), **answer}


@dataclass(frozen=True, slots=True)
class Summary:
    """How many rows there were, and how many of them have no answer; those of an earlier, killed call included."""

    rows: int
    failed: int


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a ``.jsonl`` or ``.csv`` file, with the problem under ``problem`` or ``text``."""
    if path.suffix.lower() == ".csv":
        return _read_csv(path)
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return _read_json_lines(path)
    raise BulkError(f"{path} is neither a .jsonl nor a .csv file; rename or convert it")


def _read_json_lines(path: Path) -> Iterator[Row]:
    with path.open("rb") as file:
        yield from rows_of_lines(line for line in file if line.strip())


def rows_of_lines(lines: Iterable[bytes], first: int = 1) -> Iterator[Row]:
    """The rows that lines of JSON hold; ``first`` is the number of the first one.

    >>> [row.text or row.error.message for row in rows_of_lines([b'{"text": "3 cats and 4 dogs"}', b"3 cats"])]
    ['3 cats and 4 dogs', 'the row is not JSON']
    """
    read = 0
    for number, line in enumerate(lines, start=first):
        read += len(line)
        try:
            content = json.loads(line)
            row = row_of(number, read, content if isinstance(content, dict) else {})
        except (ValueError, RecursionError):
            row = Row(number, read, error=_bad_row("is not JSON" if line.strip() else "is empty"))
        yield row


def _read_csv(path: Path) -> Iterator[Row]:
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        with path.open("rb") as file:
            for line in file:
                read += len(line)
                # A byte that is no UTF-8 becomes half of a surrogate pair, by which its row is known.
                yield line.decode("utf-8-sig" if read == len(line) else "utf-8", errors="surrogateescape")

    csv.field_size_limit(_MOST_FIELD)
    rows = csv.DictReader(lines(), strict=True)
    try:
        columns = rows.fieldnames or ()
    except csv.Error as error:
        raise BulkError(f"the first line of {path} cannot be read ({error}); it must name the columns") from error
    if any(_strange(name) for name in columns):
        raise BulkError(f"{path} is not UTF-8; save it as UTF-8")
    if not set(TEXT) & set(columns):
        raise BulkError(f"{path} has no column {' or '.join(TEXT)}; its first row must name the columns")
    for number in range(1, 1 << 62):
        try:
            content = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield Row(number, read, error=_bad_row(f"cannot be read ({error}); is every quote closed?"))
            continue
        surplus = content.pop(None, None)
        known = {name: value and _readable(value) for name, value in content.items()}
        row = row_of(number, read, known)
        if known != content:
            row = replace(row, error=_bad_row("is not UTF-8; save the file as UTF-8"))
        elif surplus:
            more = f"has {len(surplus)} more than the header's {len(columns)} columns; a text with commas needs quotes"
            row = replace(row, error=_bad_row(more))
        yield row


def _readable(text: str) -> str:
    """The same, with a mark in the place of every byte that was no UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _strange(text: str) -> bool:
    return "\0" in text or _readable(text) != text


def row_of(number: int, read: int, content: dict[str, Any]) -> Row:
    """The row with this content, which has its problem under one of :data:`TEXT`."""
    text = next((content[key] for key in TEXT if isinstance(content.get(key), str)), None)
    error = None if text is not None else _bad_row("has no text")
    return Row(number, read, text or "", _sayable(content.get("id")), error)


def _sayable(id: Any) -> Any:
    """The id; as text if JSON cannot say it (NaN, or a date or bytes of a Parquet file) or if it is nested deep.

    >>> _sayable(7), _sayable(float("nan")), _sayable(b"a1")
    (7, 'nan', 'a1')
    """
    try:
        said = json.dumps(id, allow_nan=False)
    except (TypeError, ValueError):
        return id.decode("utf-8", errors="backslashreplace") if isinstance(id, bytes) else str(id)
    return said if isinstance(id, list | dict) and said.count("[") + said.count("{") > _MOST_NESTED else id


def _bad_row(what: str) -> SolveError:
    return SolveError("bad-row", f"the row {what}", f"each row needs its problem under {' or '.join(TEXT)}")


def solve_rows(solver: Solver, rows: Iterator[Row], *, beam: int | None, batch_size: int) -> Iterator[tuple[Row, Any]]:
    """Each row with its output row, in order."""
    waiting: deque[Row] = deque()  # read, but not yet answered

    def texts() -> Iterator[str]:
        for row in rows:
            waiting.append(row)
            yield row.text

    for found in solver.solve_many(texts(), beam=beam, batch_size=batch_size):
        row = waiting.popleft()
        error = row.error or (found if isinstance(found, SolveError) else None)
        if error is None and not isinstance(found, SolveError):
            yield row, row.answered(found.to_dict())
        elif error is not None:
            yield row, row.answered({"problem": row.text, "error": error.to_dict()})


def solve_file(
    solver: Solver,
    source: Path,
    target: Path,
    *,
    beam: int | None = None,
    batch_size: int = 32,
    progress: Callable[[Row], None] = lambda row: None,
) -> Summary:
    """Answers every row of ``source`` in ``target`` (``.jsonl`` or ``.csv``), going on where a call was killed.

    For ``beam`` see :meth:`.Solver.solve`.
    """
    if target.suffix.lower() not in (".jsonl", ".ndjson", ".csv"):
        raise BulkError(f"{target} is neither a .jsonl nor a .csv file; choose one of these endings")
    refuse_existing(target)
    rows = read_rows(source)
    part, about = Path(f"{target}.part"), Path(f"{target}.part.json")
    asked = {"input": sha256_of(source), "model": solver.metadata.to_dict(), "beam": beam}
    asked["precision"] = solver.model.precision
    with held(part) as ours:
        if not ours:
            raise BulkError(f"another process is writing {part} now; wait for it, or choose another output")
        try:
            refuse_existing(target)  # which the other process may have finished since
            done = _resume(part, about, json.loads(json.dumps(asked)))
            failed = done.failed
            total = done.rows
            with part.open("ab") as file:
                for row, answer in solve_rows(solver, islice(rows, done.rows, None), beam=beam, batch_size=batch_size):
                    file.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", errors="replace") + b"\n")
                    file.flush()  # a kill then costs the rows of one batch at most
                    failed += "error" in answer
                    total += 1
                    progress(row)
                os.fsync(file.fileno())
            if target.suffix.lower() == ".csv":
                _write_csv(part, target)
                part.unlink()
            else:
                os.replace(part, target)
            about.unlink()
        finally:
            if part.exists() and not part.stat().st_size:  # nothing was begun, and nothing is left
                part.unlink()
                about.unlink(missing_ok=True)
    return Summary(total, failed)


def _resume(part: Path, about: Path, asked: dict[str, Any]) -> Summary:
    """What an earlier call has done of the same work; a row that it was killed in is cut off."""
    if not part.exists() or not part.stat().st_size:
        with written_whole(about) as aside:
            aside.write_text(json.dumps(asked), encoding="utf-8")
        return Summary(0, 0)
    try:
        begun = json.loads(about.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise BulkError(f"{about} is missing or damaged ({error}); remove {part} to begin anew") from error
    if begun != asked:
        raise BulkError(
            f"{part} is of another input, model, precision or beam; finish that work first, or remove the file"
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
                raise BulkError(f"{part} is damaged: line {rows} is not row {rows}; remove the file to begin anew")
            failed += "error" in row
        file.truncate(end)
    return Summary(rows, failed)


def _write_csv(part: Path, target: Path) -> None:
    with (
        part.open(encoding="utf-8") as lines,
        written_whole(target) as aside,
        aside.open("w", encoding="utf-8", newline="") as file,
    ):
        table = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        table.writeheader()
        for line in lines:
            row = json.loads(line)
            error = row.pop("error", None)
            table.writerow(row if error is None else row | {"error": error["message"], "hint": error["hint"]})
