"""Spreadsheets: reads problems from CSV, tab-separated and .xlsx files, and writes answers to them.

It reads whatever a spreadsheet program saves: commas, semicolons or tabs, UTF-8 or UTF-16, with or without a byte-order
mark. It writes only text and numbers, and nothing that such a program would run as a formula.
"""

from __future__ import annotations

import csv
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from treequation.runtime.rows import BulkError, Row, bad_row, problem_column, row_of
from treequation.runtime.solve_error import WORDS, reason_in
from treequation.storage import written_whole
from treequation.text.language import language_of

DELIMITED = (".csv", ".tsv")
WORKBOOK = ".xlsx"
COLUMNS = (
    *("row", "id", "problem", "answer", "shown", "value", "equation", "steps"),
    *("confidence", "unsure", "note", "error"),
)
_MAX_FIELD = 10_000_000  # the most characters in a field
_MAX_UNPACKED = 512 * 1024 * 1024  # bytes of an uncompressed workbook: it is a zip file, which may expand a lot
_MAX_ABOVE = 10  # how many rows to search for the one that names the columns
# For a damaged workbook, openpyxl passes on any error of its parsers; XML's is a SyntaxError.
_DAMAGED = (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError, SyntaxError, EOFError)
_DELIMITERS = (",", ";", "\t")
# A first line in which Excel may name its delimiter.
_SEPARATOR_LINE = re.compile(r"sep=([,;\t|])\s*", re.IGNORECASE)
# The start of what a spreadsheet takes for a formula, full-width signs included; a plain number is not one.
_FORMULA = re.compile(r"[=+\-@＝＋－＠\t\r\n]")
_PLAIN_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def read_table(path: Path, column: str | None = None) -> Iterator[Row]:
    """The rows of a table whose first row names the columns; for ``column`` see :func:`.row_of`."""
    if path.suffix.lower() == WORKBOOK:
        return _read_workbook(path, import_openpyxl(path), column)
    return _read_delimited(path, column)


def import_openpyxl(path: Path) -> Any:
    """The package that reads and writes workbooks, which is not part of the base install."""
    try:
        import openpyxl
    except ModuleNotFoundError as error:
        raise BulkError(
            f"{path} needs openpyxl, which comes with: pip install 'treequation[xlsx]'; or save it as .csv"
        ) from error
    return openpyxl


# --- reading ----------------------------------------------------------------------------------------------------------


def _read_delimited(path: Path, column: str | None) -> Iterator[Row]:
    csv.field_size_limit(_MAX_FIELD)
    # A byte that is not UTF-8 becomes a lone surrogate, which marks its row as bad.
    with path.open("rb") as raw, TextIOWrapper(raw, _encoding(path), "surrogateescape", newline="") as file:
        try:
            delimiter, cells = _cells_of(file, "\t" if path.suffix.lower() == ".tsv" else ",", column)
            names = next(cells, [])
        except UnicodeError as error:
            raise _not_text(path) from error
        except csv.Error as error:
            raise BulkError(f"the first line of {path} cannot be read ({error}); it must name the columns") from error
        if any(_is_garbled(name) for name in names):
            raise _not_text(path)
        if problem_column(names, column) is None:
            raise _no_column(path, names, column)
        number = 0
        while True:
            number += 1
            read = raw.tell()
            try:
                found = next(cells)
                while not found:  # an empty line
                    found = next(cells)
            except StopIteration:
                return
            except UnicodeError as error:
                raise _not_text(path) from error
            except csv.Error as error:
                yield Row(number, read, error=bad_row(f"cannot be read ({error}); is every quote closed?"))
                continue
            readable = [_readable(cell) for cell in found]
            row = row_of(number, read, dict(zip(names, map(_unquoted, readable), strict=False)), column)
            if readable != found:
                row = replace(row, error=bad_row("is not UTF-8; save the file as UTF-8"))
            elif len(found) > len(names):
                more = f"has more cells ({len(found)}) than the first row has columns ({len(names)})"
                row = replace(row, error=bad_row(f"{more}; put quotes around a text with {_NAMES[delimiter]}"))
            yield row


_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def _encoding(path: Path) -> str:
    """UTF-8 or UTF-16, by the byte-order mark, or by the zero bytes between the letters of the header."""
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if start[1:2] == b"\0" and start[:1] != b"\0":
        return "utf-16-le"
    return "utf-16-be" if start[:1] == b"\0" and start[1:2] != b"\0" else "utf-8-sig"


def _cells_of(file: TextIO, usual: str, column: str | None) -> tuple[str, Iterator[list[str]]]:
    """The delimiter, and the cells row by row; it is the delimiter that yields a column of problems."""
    named = _SEPARATOR_LINE.fullmatch(file.readline())
    if named:
        return named[1], csv.reader(file, delimiter=named[1], strict=True)

    def split(delimiter: str) -> Iterator[list[str]]:
        file.seek(0)
        return csv.reader(file, delimiter=delimiter, strict=True)

    heads: dict[str, list[str]] = {}
    trouble: csv.Error | None = None
    for delimiter in (usual, *(each for each in _DELIMITERS if each != usual)):
        try:
            heads[delimiter] = next(split(delimiter), [])
        except csv.Error as error:  # with the wrong delimiter, quotes may not be valid
            trouble = trouble or error
    if not heads and trouble is not None:
        raise trouble
    fitting = [delimiter for delimiter in heads if problem_column(heads[delimiter], column) is not None]
    best = max(fitting or heads, key=lambda delimiter: len(heads[delimiter]))  # in a tie, the usual delimiter
    return best, split(best)


def _no_column(path: Path, names: Sequence[object], column: str | None) -> BulkError:
    has = ", ".join(str(name) for name in names[:20] if name) or "none"
    if column is not None:
        return BulkError(f"{path} has no column {column}; its first row has: {has}")
    return BulkError(
        f"{path} has no column problem, text or question; its first row must name the columns, and has: {has}; "
        "name yours with --column"
    )


def _readable(text: str) -> str:
    """The text, with a replacement character for every byte that was not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _is_garbled(text: str) -> bool:
    return "\0" in text or _readable(text) != text


def _not_text(path: Path) -> BulkError:
    return BulkError(f"{path} is neither UTF-8 nor UTF-16; save it as UTF-8")


def _read_workbook(path: Path, openpyxl: Any, column: str | None) -> Iterator[Row]:
    size = path.stat().st_size
    try:
        with zipfile.ZipFile(path) as packed:
            unpacked = sum(part.file_size for part in packed.infolist())
        if unpacked > _MAX_UNPACKED:
            limit = f"the limit of {_MAX_UNPACKED // 2**20:,} MB"
            raise BulkError(f"{path} unpacks to {unpacked // 2**20:,} MB, more than {limit}; save it as .csv")
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except _DAMAGED as error:
        raise BulkError(f"{path} is not an .xlsx workbook, or is damaged; save it again as .xlsx or .csv") from error
    try:
        sheet = next(iter(book.worksheets), None)
        if sheet is None:
            raise BulkError(f"{path} has no sheet with any cells")
        rows = (row for row in sheet.iter_rows(values_only=True) if any(cell not in (None, "") for cell in row))
        names = _head(path, rows, column)
        for number, cells in enumerate(rows, start=1):
            read = min(size, size * number // max(1, (sheet.max_row or number)))
            content = {str(name): _cell_text(cell) for name, cell in zip(names, cells, strict=False) if name}
            yield row_of(number, read, content, column)
    except _DAMAGED as error:
        raise BulkError(f"{path} is damaged; save it again as .xlsx or .csv") from error
    finally:
        book.close()


def _head(path: Path, rows: Iterator[tuple[Any, ...]], column: str | None) -> tuple[Any, ...]:
    """The row that names the columns; there may be titles above it."""
    above = []
    for row in islice(rows, _MAX_ABOVE):
        if problem_column(row, column) is not None:
            return row
        above.append(row)
    raise _no_column(path, above[0] if above else (), column)


def _cell_text(cell: Any) -> str | None:
    """A cell as text: spreadsheets keep 7 as 7.0."""
    if cell is None:
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return _unquoted(str(cell))


# --- writing ----------------------------------------------------------------------------------------------------------


def write_table(rows: Iterable[dict[str, Any]], target: Path) -> None:
    """Writes output rows as a table, whole or not at all."""
    if target.suffix.lower() == WORKBOOK:
        _write_workbook(rows, target, import_openpyxl(target))
        return
    # With a byte-order mark, since Excel garbles Chinese without one.
    with written_whole(target) as aside, aside.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file, delimiter="\t" if target.suffix.lower() == ".tsv" else ",")
        table.writerow(COLUMNS)
        for row in rows:
            table.writerow([safe_cell(cell) for cell in _cells(row)])


def _cells(row: dict[str, Any]) -> list[Any]:
    """The cells of an output row, in the order of :data:`COLUMNS`."""
    cells = {**row, "steps": "\n".join(row.get("steps", ())), "note": note_of(row)}
    cells["error"] = row["error"]["message"] if "error" in row else None
    return [cells.get(name) for name in COLUMNS]


def note_of(row: dict[str, Any]) -> str:
    """The note on an output row: why it has no answer, or that it is unsure, with the alternatives.

    >>> note_of({"problem": "", "error": {"code": "empty-text", "message": "there is no text", "hint": "write one"}})
    'there is no text; write one'
    """
    language = language_of(row["problem"])
    if "error" in row:
        return reason_in(language, row["error"])
    if not row["unsure"]:
        return ""
    words = WORDS[language]["sheet"]
    others = [f"{words['or']} {other['answer']}: {other['equation']}" for other in row["alternatives"]]
    return "; ".join([words["unsure"], *others])


def safe_cell(cell: Any) -> Any:
    """A cell that a spreadsheet shows as text: a quote goes before what would otherwise run as a formula.

    >>> safe_cell("=1+1"), safe_cell("-3 apples"), safe_cell("-3"), safe_cell(-3)
    ("'=1+1", "'-3 apples", '-3', -3)
    """
    if not isinstance(cell, str) or not _FORMULA.match(cell) or _PLAIN_NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def _unquoted(cell: str) -> str:
    """The inverse of :func:`safe_cell`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell, 1) else cell


def _write_workbook(rows: Iterable[dict[str, Any]], target: Path, openpyxl: Any) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import Alignment, Font

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Answers")
    sheet.freeze_panes = "A2"
    for letter, name in zip("ABCDEFGHIJKL", COLUMNS, strict=True):
        sheet.column_dimensions[letter].width = {"problem": 60, "equation": 28, "steps": 44, "note": 36}.get(name, 12)
    wrapped, bold = Alignment(wrap_text=True, vertical="top"), Font(bold=True)

    def cell_of(content: Any) -> Any:
        if isinstance(content, str):
            content = ILLEGAL_CHARACTERS_RE.sub("\ufffd", content)
        elif isinstance(content, int) and not isinstance(content, bool) and abs(content) >= 10**15:
            content = str(content)  # a spreadsheet keeps 15 digits of a number
        cell = WriteOnlyCell(sheet, content if not isinstance(content, list | dict) else str(content))
        cell.alignment = wrapped
        if isinstance(content, str):
            cell.data_type = "s"  # stays text, whatever it begins with, even after someone edits it
            cell.quotePrefix = bool(_FORMULA.match(content))
        return cell

    head = [cell_of(name) for name in COLUMNS]
    for cell in head:
        cell.font = bold
    sheet.append(head)
    for row in rows:
        sheet.append([cell_of(content) for content in _cells(row)])
    with written_whole(target) as aside:
        book.save(aside)
