"""Folders of problems on the processors of one machine: nothing lost, nothing doubled, whatever is killed."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from threading import Timer
from typing import Any

import fsspec
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.distributed.work import (
    PART_ROWS,
    PATIENCE,
    children_named,
    command,
    found_in,
    held_back,
    kill_one,
    parts_in,
    wait_for,
    wait_until_ended,
    write_problems,
)
from tests.interrupts import heed_interrupts
from tests.runtime.light import changed_copy, known_problems, taught_folder
from treequation.cli import main
from treequation.distributed import plan as planning
from treequation.distributed.filesystem import names_in, read_file
from treequation.distributed.folders import FolderSummary, solve_folder
from treequation.distributed.plan import Part, parts_left, plan_for
from treequation.distributed.work import PartSolver, Work, read_rows
from treequation.runtime.rows import BulkError

ROWS = 3_000


@given(
    st.lists(st.sampled_from(["", "a", "bc", "\r"]), max_size=30), st.booleans(), st.integers(1, 7), st.integers(1, 9)
)
def test_lines_are_cut_where_python_sees_them(lines: list[str], ended: bool, part_rows: int, chunk: int) -> None:
    content = "\n".join(lines).encode() + b"\n" * ended
    before = planning._CHUNK
    planning._CHUNK = chunk
    try:
        cuts = list(planning._cut_lines(io.BytesIO(content), part_rows))
    finally:
        planning._CHUNK = before
    whole = list(io.BytesIO(content))
    assert [content[start:end] for _, _, start, end in cuts] == [
        b"".join(whole[first : first + part_rows]) for first in range(0, len(whole), part_rows)
    ]
    assert [(first, rows) for first, rows, _, _ in cuts] == [
        (first + 1, len(whole[first : first + part_rows])) for first in range(0, len(whole), part_rows)
    ]


def test_a_killed_worker_is_replaced_and_a_killed_call_goes_on(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    expected = write_problems(source, ROWS)
    call = command(source, target, "--workers", "2")
    with held_back(source, target, after=10):
        first = subprocess.Popen(call, stderr=subprocess.DEVNULL)
        wait_for(lambda: parts_in(target) >= 2, first)
        kill_one(lambda: children_named("spawn_main", psutil.Process(first.pid)), first)
        killed_at = parts_in(target)
        wait_for(lambda: parts_in(target) >= min(killed_at + 4, 10), first)
        children = psutil.Process(first.pid).children()
        first.kill()
        first.wait()
        # No worker outlives the call that was killed.
        wait_until_ended(lambda: [child for child in children if child.is_running() and not is_zombie(child)])
    done = parts_in(target)
    assert done < len(expected) // PART_ROWS
    # The last part is shorter than the others, and may be among those that are done.
    rows = len(found_in(target, killed=True))
    second = subprocess.run(call, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    assert second.returncode == 1, second.stderr  # some rows have no answer
    assert f"{len(expected):,} rows, of which 4 have" in second.stderr
    assert f"{rows:,} come from an earlier call" in second.stderr
    assert found_in(target) == expected


def test_ctrl_c_ends_it_at_once_and_leaves_what_is_done(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    write_problems(source, ROWS)
    with held_back(source, target, after=10):  # by itself it never ends
        process = subprocess.Popen(
            command(source, target, "--workers", "1"),
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=heed_interrupts,
        )
        wait_for(lambda: parts_in(target) >= 1, process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in said


def is_zombie(process: psutil.Process) -> bool:
    """Whether it has ended and only its parent has not asked about it yet."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


DEADLY = """
import os, signal
from treequation.distributed import work
solve = work.PartSolver._solve
work.PartSolver._solve = lambda self, part: os.kill(os.getpid(), 9) if part.number == 1 else solve(self, part)
"""


def test_a_part_that_kills_every_worker_keeps_no_other_from_being_solved(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    write_problems(source, 1_200)
    (tmp_path / "sitecustomize.py").write_text(DEADLY)  # which every Python process reads when it starts
    call = command(source, target, "--workers", "2")
    deadly = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(call, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, env=deadly)
    assert done.returncode == 1
    assert f"{PART_ROWS} rows have no answer, the first of them in a.jsonl from row {PART_ROWS + 1}," in done.stderr
    assert [path.name for path in sorted(target.glob("part-*"))] == [
        f"part-{number:06d}.parquet" for number in range(7) if number != 1
    ]
    again = subprocess.run(call, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    assert "1,204 rows, of which 4 have" in again.stderr


COUNTING = """
import os, time
from treequation.distributed import work
solve = work.PartSolver._solve
def counted(self, part):
    with open(os.environ["COUNT"], "a") as file:
        file.write(f"{part.number} {os.getppid()}\\n")
    until = time.monotonic() + 300
    while time.monotonic() < until:  # so that one call cannot do all the work before the other has started
        with open(os.environ["COUNT"]) as file:
            if len({line.split()[1] for line in file}) == 2:
                break
        time.sleep(0.02)
    return solve(self, part)
work.PartSolver._solve = counted
"""


def test_two_calls_share_the_work_and_do_each_part_once(tmp_path: Path) -> None:
    source, target, count = tmp_path / "in", tmp_path / "out", tmp_path / "count"
    expected = write_problems(source, ROWS)
    (tmp_path / "sitecustomize.py").write_text(COUNTING)
    path = [str(tmp_path), str(Path(planning.__file__).parents[2])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "COUNT": str(count)}
    call = command(source, target, "--workers", "1")
    calls = [subprocess.Popen(call, stderr=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
    for process in calls:
        _, said = process.communicate(timeout=PATIENCE)
        assert f"{len(expected):,} rows, of which 4 have" in said
        assert process.returncode == 1
    assert found_in(target) == expected
    begun = [line.split() for line in count.read_text().splitlines()]
    assert sorted(int(part) for part, _ in begun) == list(range(parts_in(target)))  # each once
    assert len({process for _, process in begun}) == 2  # and both had a share
    assert sorted(path.name for path in target.glob("*") if not path.name.startswith("part-")) == ["_plan.json"]


def test_a_part_that_another_call_dies_of_is_solved_by_the_one_that_waits(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "3 cats and 4 dogs"}\n')
    out = tmp_path / "out"
    (part,) = plan_for(str(tmp_path / "a.jsonl"), str(out), PART_ROWS).parts
    work = Work(taught_folder(), str(out), ".jsonl")
    hold = (
        "import sys, treequation.distributed.filesystem as f; c = f.claimed(sys.argv[1]); print(c.__enter__()); input()"
    )
    place = str(out / part.output(".jsonl"))
    other = subprocess.Popen(
        [sys.executable, "-c", hold, place], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "True\n"
    assert PartSolver(work)(part).elsewhere
    Timer(0.3, other.kill).start()
    assert PartSolver(replace(work, wait=True))(part).rows == 1
    assert other.wait() == -signal.SIGKILL
    assert PartSolver(work)(part).rows == 1  # which is there now
    other.stdin.close()  # type: ignore[union-attr]
    other.stdout.close()


def test_what_killed_calls_left_is_removed_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "3 cats and 4 dogs"}\n')
    source, out = str(tmp_path / "a.jsonl"), tmp_path / "out"
    solve_folder(source, str(out), model=taught_folder(), workers=1, format="jsonl")
    done = sorted(path.name for path in out.iterdir())
    (part,) = out.glob("part-*")
    for left in (f".{part.name}.claim", f".{part.name}.x1y2.part"):
        (out / left).touch()
    solve_folder(source, str(out), model=taught_folder(), workers=1, format="jsonl")
    assert sorted(path.name for path in out.iterdir()) == done


def damage_inside(table: Path) -> None:
    """Writes over the data of the second row group; what the file says of itself stays."""
    group = pq.read_metadata(table).row_group(1).column(1)
    start = group.dictionary_page_offset or group.data_page_offset
    content = bytearray(table.read_bytes())
    content[start : start + group.total_compressed_size] = b"\xff" * group.total_compressed_size
    table.write_bytes(content)


@pytest.mark.parametrize("where", ["whole", "inside"])
def test_a_corrupt_file_is_reported_and_the_others_go_on(
    tmp_path: Path, where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    expected = write_problems(source, 1_200)
    table, aside = source / "below" / "b.parquet", tmp_path / "aside"
    whole = table.read_bytes()
    if where == "inside":
        damage_inside(table)
    else:
        table.write_text("no table")

    def solve() -> str:
        with pytest.raises(SystemExit) as ended:
            main(command(source, out, "--workers", "1")[3:])
        assert ended.value.code == 1  # there are rows without an answer as well
        return " ".join(capsys.readouterr().err.split())

    lines = [row for row in expected if row[0] == "a.jsonl"]
    said = solve()
    assert "below/b.parquet: " in said
    assert "continuing with the others" in said
    assert "1 of the files cannot be read, the first of them below/b.parquet; the others are answered in" in said
    assert [row for row in found_in(out) if row[0] == "a.jsonl"] == lines
    before = parts_in(out)
    assert "1 of the files cannot be read" in solve()  # and again, as long as it is there
    table.rename(aside)
    said = solve()
    assert f"{len(lines)} rows, of which 4 have an error in place of an answer; {len(lines)} come from" in said
    assert ("no longer there, so their remaining rows are left out: below/b.parquet" in said) == (where == "inside")
    assert parts_in(out) == before
    # Mended, it is answered as well, unless some answers are of the corrupt one.
    table.write_bytes(whole)
    said = solve()
    if where == "inside":
        assert "was begun with other files" in said
    else:
        assert f"{len(expected):,} rows, of which 4 have" in said
        assert sorted(found_in(out), key=str) == sorted(expected, key=str)
    (source / "new.jsonl").write_text('{"text": "3 cats and 4 dogs"}\n')
    assert "was begun with other files" in solve()


def test_any_file_system_will_do(tmp_path: Path) -> None:
    expected = write_problems(tmp_path / "in", 400)
    fsspec.filesystem("memory").put(str(tmp_path / "in"), "/problems", recursive=True)
    output = "memory://answers/today"
    plan = plan_for("memory://problems", output, PART_ROWS, beam=1)
    solver = PartSolver(Work(taught_folder(), output, ".jsonl"))
    for part in plan.parts[1:]:
        assert not solver(part).problem
    again = plan_for("memory://problems", output, 7, beam=1)  # the parts of a work that was begun stay as they are
    assert again == plan
    assert parts_left(again, output, ".jsonl") == plan.parts[:1]
    solver(plan.parts[0])
    assert sum(len(read_file(f"{output}/{part.output('.jsonl')}").splitlines()) for part in plan.parts) == len(expected)
    assert names_in(output) == {"_plan.json", *(part.output(".jsonl") for part in plan.parts)}
    with pytest.raises(BulkError, match="other beam"):
        plan_for("memory://problems", output, PART_ROWS, beam=2)


@pytest.mark.parametrize("part_rows", [1, 299, 301, 4096])
def test_parquet_rows_are_the_same_however_they_are_cut(tmp_path: Path, part_rows: int) -> None:
    expected = write_problems(tmp_path / "in", 1_300)
    plan = plan_for(str(tmp_path / "in" / "below" / "*.parquet"), str(tmp_path / "out"), part_rows)
    found = [(part.name, row.number, str(row.id)) for part in plan.parts[:40] for row in read_rows(part)]
    wanted = [("b.parquet", *row[1:3]) for row in expected if row[0].endswith("b.parquet")]
    assert found == wanted[: len(found)]
    assert len(found) == min(40 * part_rows, len(wanted))


def test_trouble_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"text": "3 cats and 4 dogs"}\n')
    (tmp_path / "broken.parquet").write_text("no table")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")

    def said(code: int, *arguments: Any) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["solve", "--model", str(taught_folder()), *map(str, arguments)])
        assert ended.value.code == code
        return capsys.readouterr().err.split("treequation: ")[-1]

    out = tmp_path / "out"
    assert "there is nothing at" in said(1, "--input", tmp_path / "nowhere", "--output", out)
    assert "cannot be read as Parquet" in said(1, "--input", tmp_path / "broken.parquet", "--output", out)
    assert "has other files in it" in said(1, "--input", tmp_path / "in", "--output", tmp_path / "full")
    solve_folder(str(tmp_path / "in"), str(tmp_path / "begun"), model=taught_folder(), threads=0, format="jsonl")
    again = ("--input", tmp_path / "in", "--output", tmp_path / "begun", "--format", "jsonl")
    assert "begun with other precision" in said(1, *again, "--precision", "float")
    assert "cannot be reached" in said(1, "--input", "nosuch://place", "--output", out)
    assert "cannot connect to" in said(
        1, "--input", tmp_path / "in", "--output", out, "--engine", "ray", "--address", "127.0.0.1:9"
    )
    for option in (("--workers", "2"), ("--format", "jsonl"), ("--part-rows", "10")):
        assert option[0] in said(2, "--input", tmp_path / "in" / "a.jsonl", "--output", "b.jsonl", *option)
    damaged = changed_copy(tmp_path / "damaged", beam=1)
    assert "has changed since" in said(1, "--input", tmp_path / "in", "--output", out, "--model", damaged)
    with monkeypatch.context() as patched:
        for name in ("ray", "pyarrow"):
            patched.setitem(__import__("sys").modules, name, None)
        assert "--format jsonl" in said(1, "--input", tmp_path / "broken.parquet", "--output", tmp_path / "other")


@pytest.mark.parametrize(
    ("id", "text"),
    [
        (datetime(2024, 1, 2, 3, 4), "2024-01-02 03:04:00"),
        (Decimal("1.50"), "1.50"),
        (b"a1\xff", "a1\\xff"),
        (float("nan"), "nan"),
        ([1, None], "[1, null]"),
    ],
)
def test_any_id_of_a_parquet_file_comes_back_as_text(tmp_path: Path, id: Any, text: str) -> None:
    source = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [id], "problem": ["3 cats and 4 dogs"]}), source)
    for ending in (".parquet", ".jsonl"):
        outcome = PartSolver(Work(taught_folder(), str(tmp_path), ending))(Part(0, source.name, str(source), 1, 1))
        assert outcome.problem == ""
    assert pq.read_table(tmp_path / "part-000000.parquet")["id"].to_pylist() == [text]
    said = json.loads((tmp_path / "part-000000.jsonl").read_text(), parse_constant=pytest.fail)["id"]
    assert (said if isinstance(said, str) else json.dumps(said)) == text


@pytest.mark.parametrize(("text", "id"), [("Question", "ID"), ("Word_Problem", "编号"), ("题目", "序号")])
def test_columns_have_the_names_that_keys_have(tmp_path: Path, text: str, id: str) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    rows = [{text: problem.text, id: place} for place, problem in enumerate(known_problems()[:3])]
    pq.write_table(pa.Table.from_pylist(rows), source / "a.parquet")
    (source / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    solve_folder(str(source), str(target), model=taught_folder(), workers=1)
    found = found_in(target)
    assert [each[2] for each in found] == ["0", "1", "2"] * 2
    assert [each[2:] for each in found[:3]] == [each[2:] for each in found[3:]]


def test_answers_may_lie_among_the_problems_and_other_files_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "3 cats and 4 dogs"}\n')
    for number in range(12):
        (tmp_path / f"more-{number:02d}.csv").write_text("text\n3 cats and 4 dogs\n")
    options = ("--model", str(taught_folder()), "--format", "jsonl", "--workers", "1")
    for path in (tmp_path / "out", tmp_path / "missing" / ".." / "out"):  # the second goes on with the first
        with pytest.raises(SystemExit):
            main(["solve", "--input", str(tmp_path), "--output", str(path), *options])
        printed = " ".join(capsys.readouterr().err.split())
        assert "can be read: more-00.csv," in printed
        assert "more-09.csv and 2 more" in printed
        assert ": 1 rows, of which" in printed
    assert "1 come from an earlier call" in printed
    (tmp_path / "out" / "link").symlink_to(tmp_path)
    with pytest.raises(SystemExit):
        main(["solve", "--input", str(tmp_path / "out" / "link"), "--output", str(tmp_path), *options])
    assert "choose another folder for the answers" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_part_that_lost_its_rows_is_named(tmp_path: Path, format: str) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "3 cats and 4 dogs"}\n' * 3)

    def solve() -> FolderSummary:
        asked: dict[str, Any] = {"model": taught_folder(), "format": format, "part_rows": 2, "workers": 1}
        return solve_folder(str(tmp_path / "a.jsonl"), str(tmp_path / "out"), **asked)

    first = solve()
    part = tmp_path / "out" / f"part-000001.{format}"
    part.write_bytes(b"")
    with pytest.raises(BulkError, match=rf"{part.name}.* remove it, and run the command again"):
        solve()
    part.unlink()
    assert solve() == replace(first, before=2)


def test_a_part_whose_input_changed_is_not_answered_by_halves(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "3 cats and 4 dogs"}\n' * 3)
    part = Part(0, "a.jsonl", str(tmp_path / "a.jsonl"), 1, rows=4, start=0, end=1000)
    outcome = PartSolver(Work(taught_folder(), str(tmp_path / "out"), ".jsonl"))(part)
    assert "4 rows there when the job began and has 3 now" in outcome.problem
    assert list((tmp_path / "out").glob("*")) == []


def test_json_lines_hold_all_of_an_answer_without_any_extra(tmp_path: Path) -> None:
    problem = known_problems()[0]
    rows = [{"problem": problem.text}, {"problem": "half of a character: 3 \ud800 4"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    summary = solve_folder(
        str(tmp_path / "a.jsonl"), str(tmp_path / "out"), model=taught_folder(), format="jsonl", workers=1
    )
    assert (summary.rows, summary.failed, summary.before) == (2, 1, 0)
    again = solve_folder(str(tmp_path / "a.jsonl"), str(tmp_path / "out"), model=taught_folder(), format="jsonl")
    assert (again.rows, again.failed, again.before) == (2, 1, 2)
    first, second = (tmp_path / "out" / "part-000000.jsonl").read_text(encoding="utf-8").splitlines()
    assert '"layers": [[' in first
    assert '"row": 2' in second
