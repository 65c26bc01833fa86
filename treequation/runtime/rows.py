"""The rows of a file of problems: their content, and the key or column that has the problem."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from treequation.errors import TreequationError
from treequation.runtime.solve_error import SolveError

TEXT = ("problem", "text", "question", "word problem", "题目", "问题", "应用题")
"""Names of the key or column with the problem, in any case; the first one present counts."""
LINES = (".jsonl", ".ndjson")
"""The endings of files of JSON Lines."""
ID = ("id", "编号", "序号")
_MAX_NESTED = 100  # nesting depth of an id; Python fails at about a thousand


class BulkError(TreequationError):
    """A file cannot be read or written; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Row:
    """An input row: its text, or what is wrong with it. ``read`` counts the bytes up to its end."""

    number: int
    read: int
    text: str = ""
    id: Any = None
    error: SolveError | None = None

    def answered(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The output row with this answer."""
        return {"row": self.number, **({} if self.id is None else {"id": self.id}), **answer}


def rows_of_lines(lines: Iterable[bytes], first: int = 1, column: str | None = None) -> Iterator[Row]:
    """The rows in lines of JSON; ``first`` is the number of the first one. For ``column`` see :func:`row_of`.

    >>> [row.text or row.error.message for row in rows_of_lines([b'{"text": "3 cats and 4 dogs"}', b"3 cats"])]
    ['3 cats and 4 dogs', 'the row is not JSON']
    """
    read = 0
    for number, line in enumerate(lines, start=first):
        read += len(line)
        try:
            content = json.loads(line)
            row = row_of(number, read, content if isinstance(content, dict) else {}, column)
        except (ValueError, RecursionError):
            row = Row(number, read, error=bad_row("is not JSON" if line.strip() else "is empty"))
        yield row


def plain_name(name: object) -> str:
    """The name of a key or column, normalised: lower case, without extra spaces.

    >>> plain_name(" Word  Problem "), plain_name("题目")
    ('word problem', '题目')
    """
    return " ".join(str(name).replace("_", " ").split()).casefold()


def problem_column(names: Iterable[object], column: str | None = None) -> str | None:
    """The plain name of the key or column with the problem: ``column``, or else the first of :data:`TEXT`."""
    known = {plain_name(name) for name in names}
    wanted = TEXT if column is None else (plain_name(column),)
    return next((name for name in wanted if name in known), None)


def row_of(number: int, read: int, content: Mapping[str, Any], column: str | None = None) -> Row:
    """The row with this content; its problem is under ``column`` or else one of :data:`TEXT`.

    >>> row_of(1, 0, {"ID": 7, "Question": "3 and 4?"}).text
    '3 and 4?'
    """
    known = {plain_name(name): value for name, value in content.items()}
    if column is None:
        text = next((known[name] for name in TEXT if isinstance(known.get(name), str)), None)
    else:
        text = known.get(plain_name(column))
    error = None if isinstance(text, str) else bad_row("has no text")
    id = next((known[name] for name in ID if known.get(name) is not None), None)
    return Row(number, read, text if isinstance(text, str) else "", _json_id(id), error)


def _json_id(id: Any) -> Any:
    """The id; as text if JSON cannot express it (NaN, or a date or bytes from Parquet) or if it is deeply nested.

    >>> _json_id(7), _json_id(float("nan")), _json_id(b"a1")
    (7, 'nan', 'a1')
    """
    try:
        written = json.dumps(id, allow_nan=False)
    except (TypeError, ValueError):
        return id.decode("utf-8", errors="backslashreplace") if isinstance(id, bytes) else str(id)
    return written if isinstance(id, list | dict) and written.count("[") + written.count("{") > _MAX_NESTED else id


def bad_row(what: str) -> SolveError:
    """The error of a row that cannot be read."""
    return SolveError("bad-row", f"the row {what}", "each row needs a problem, under problem, text or question")
