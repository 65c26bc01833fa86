"""Folders of problems for tests, and what their answers must be."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from tests.runtime.light import known_problems, taught_folder
from treequation.distributed.filesystem import absolute, claimed
from treequation.distributed.plan import PARQUET, plan_for
from treequation.runtime import PRECISION
from treequation.storage import MANIFEST, sha256_of

PART_ROWS = 200
PATIENCE = 600  # seconds for a command, on a busy machine: one that hangs is told from one that is slow
BAD = {
    "{not json": "bad-row",
    '{"id": 7}': "bad-row",
    '{"text": "nothing to count"}': "no-number",
    r'{"text": "half of a character: 3 \ud800 4"}': "bad-character",
}


def write_problems(folder: Path, rows: int) -> list[tuple[str, int, Any, Any]]:
    """Half of the rows as JSON Lines, with bad ones among them, half as Parquet.

    Returns what must come out, row by row: file, row, id, and the value or the code of the error.
    """
    problems = known_problems()
    expected: list[tuple[str, int, Any, Any]] = []

    def problem(number: int) -> dict[str, Any]:
        return {"id": number, "problem": problems[number % len(problems)].text}

    def expect(file: str, row: int, number: int) -> None:
        answer = problems[number % len(problems)].answer
        expected.append((file, row, str(number), None if answer is None else float(answer)))

    lines = []
    for number in range(rows // 2):
        lines.append(json.dumps(problem(number), ensure_ascii=False))
        expect("a.jsonl", len(lines), number)
        if number < len(BAD):
            lines.append(list(BAD)[number])
            identity = "7" if "id" in lines[-1] else None
            expected.append(("a.jsonl", len(lines), identity, BAD[lines[-1]]))
    folder.mkdir()
    (folder / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")  # without an end of the last line
    below = folder / "below"
    below.mkdir()
    second = [problem(number) for number in range(rows // 2, rows)]
    for row, number in enumerate(range(rows // 2, rows), start=1):
        expect("below/b.parquet", row, number)
    pq.write_table(pa.Table.from_pylist(second), below / "b.parquet", row_group_size=PART_ROWS * 3 // 2)
    (below / "_notes.jsonl").write_text("{}\n")  # of another program
    return expected


def found_in(folder: Path, *, killed: bool = False) -> list[tuple[str, int, Any, Any]]:
    """What came out, in order. Only a call that was killed may leave a file that it had begun."""
    begun = [name.name for name in folder.iterdir() if name.name.startswith(".")]
    assert killed or begun == []
    table = pq.read_table(folder)
    assert set(filter(None, table["model"].to_pylist())) == {"taught"}
    return [(r["file"], r["row"], r["id"], r["error_code"] or r["value"]) for r in table.to_pylist()]


def command(source: Path, target: Path, *more: str) -> list[str]:
    """The command that answers ``source`` in ``target``."""
    asked = ["solve", "--input", str(source), "--output", str(target), "--model", str(taught_folder())]
    return [sys.executable, "-m", "treequation", *asked, "--part-rows", str(PART_ROWS), *more]


def parts_in(folder: Path) -> int:
    """How many parts are done."""
    return len(list(folder.glob("part-*")))


@contextmanager
def held_back(source: Path, target: Path, *, after: int) -> Iterator[None]:
    """Claims all parts after the first few, as another call would, for as long as the block lasts.

    A :func:`command` then waits for them: it cannot end before a test has killed it, however late the test comes to it.
    """
    model = sha256_of(taught_folder() / MANIFEST)
    output = absolute(str(target))
    asked = {"model": model, "beam": None, "format": "parquet", "precision": PRECISION}
    plan = plan_for(str(source), output, PART_ROWS, **asked)
    assert len(plan.parts) > after
    with ExitStack() as claims:
        for part in plan.parts[after:]:
            assert claims.enter_context(claimed(f"{output}/{part.output(PARQUET)}"))
        yield


def children_named(name: str, parent: psutil.Process, *, recursive: bool = False) -> list[psutil.Process]:
    """The children with ``name`` in their command line; those that end meanwhile are left out."""
    found = []
    for child in parent.children(recursive=recursive):
        with suppress(psutil.Error):
            if name in " ".join(child.cmdline()):
                found.append(child)
    return found


def kill_one(found: Callable[[], list[psutil.Process]], process: subprocess.Popen[bytes]) -> None:
    """Kills one of the processes that are found, as soon as there is one, while another process lives."""

    def killed() -> bool:
        for each in found():
            with suppress(psutil.NoSuchProcess):
                each.kill()
                return True
        return False

    wait_for(killed, process)


def wait_until_ended(found: Callable[[], list[psutil.Process]], seconds: float = PATIENCE) -> None:
    """Waits until no such process is found any more. One that has ended, but is not yet reaped, has no command line."""
    until = time.monotonic() + seconds
    while found():
        assert time.monotonic() < until, "it lives on"
        time.sleep(0.02)


def wait_for(happened: Callable[[], Any], process: subprocess.Popen[bytes], seconds: float = PATIENCE) -> None:
    """Waits until something has happened, while a process lives."""
    until = time.monotonic() + seconds
    while not happened():
        assert process.poll() is None, "it ended too soon"
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.005)
