"""Work that is spread over processes gives what one process gives, and says what goes wrong as one process does."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from treequation.data import jsonl, parallel
from treequation.data.catalogue import load
from treequation.data.parallel import each
from treequation.data.reading import Code, DataError, Reading, in_format
from treequation.data.synthetic import generate
from treequation.expression.parsing import parse_infix
from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat, Problem


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_MANY", 20)
    monkeypatch.setattr(parallel, "_CHUNK", 7)


@pytest.fixture
def three() -> Iterator[None]:
    with parallel.several_processes(3):
        yield


def _process(_: int) -> tuple[int, bool]:
    return os.getpid(), "torch" in sys.modules


def test_the_work_is_done_by_other_processes_without_pytorch(three: None) -> None:
    done = list(each(_process, range(100)))
    assert os.getpid() not in {process for process, _ in done}
    assert not any(torch for _, torch in done)
    assert {process for process, _ in each(_process, range(5))} == {os.getpid()}  # too few


def test_without_permission_one_process_does_all() -> None:
    assert {process for process, _ in each(_process, range(100))} == {os.getpid()}


def test_a_file_is_read_the_same_and_a_broken_row_has_its_number(tmp_path: Path, three: None) -> None:
    path = tmp_path / "mine.jsonl"
    jsonl.write(generate(100, seed=5, level="hard", language="both"), path)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[40] = "{not JSON"
    lines[55] = ""  # no row, but a line
    lines[70] = '{"id": "no text"}'
    lines[80] = '{"id": "bad", "text": "Ann has 2 pears.", "equation": "2 +* 3"}'
    lines[90] = '{"text": "Ann has 2 pears and the 19th.", "equation": "2 + 19"}'
    path.write_text("\n".join(lines), encoding="utf-8")
    whole = NumberFormat(percent="whole", fraction="two")
    shared = [load(str(path)), load(str(path), format=whole)]
    with parallel.several_processes(1):
        assert [load(str(path)), load(str(path), format=whole)] == shared
    assert [(finding.row, finding.code) for finding in shared[0].findings] == [
        (41, Code.BROKEN_ROW),
        (71, Code.BROKEN_ROW),
        (81, Code.BAD_EQUATION),
        (91, Code.NUMBER_NOT_FOUND),
    ]
    assert "cannot be read as JSON" in shared[0].findings[0].message
    assert (shared[0].rows, shared[0].skipped) == (99, 3)
    assert shared[0].row_of[53:56] == (55, 57, 58)
    assert shared[0].problems[0].numbers  # not only texts came back


def test_problems_of_another_number_format_that_cannot_be_converted_are_left_out_in_order(three: None) -> None:
    text, two = "Ann ate 2/3 of 9 pears.", NumberFormat(fraction="two")
    whole = Problem("whole", text, find_numbers(text, two), format=two, graph=parse_infix("n2*n0/n1"))
    part = replace(whole, id="part", graph=parse_infix("n2-n1"))  # the 3 of 2/3
    problems = tuple(part if row % 9 == 0 else whole for row in range(1, 101))
    reading = in_format(Reading(problems, (), 100, tuple(range(1, 101)), "file"), NumberFormat())
    assert [finding.row for finding in reading.findings] == list(range(9, 101, 9))
    assert {finding.code for finding in reading.findings} == {Code.OTHER_FORMAT}
    assert set(reading.row_of) == set(range(1, 101)) - set(range(9, 101, 9))
    with parallel.several_processes(1):
        assert in_format(Reading(problems, (), 100, tuple(range(1, 101)), "file"), NumberFormat()) == reading


def _refuse(number: int) -> int:
    if number == 50:
        raise DataError("number 50 is refused")
    return number


def test_an_error_is_the_one_that_one_process_raises(three: None) -> None:
    with pytest.raises(DataError, match="50 is refused"):
        list(each(_refuse, range(100)))


def _end_elsewhere(number: int, home: int) -> int:
    if number == 30 and os.getpid() != home:
        os._exit(1)  # as if it were killed for its memory
    return -number


def test_what_a_helper_that_dies_leaves_undone_is_done_here(three: None) -> None:
    with pytest.warns(UserWarning, match="one process does the rest"):
        assert list(each(_end_elsewhere, range(100), [os.getpid()] * 100)) == [-number for number in range(100)]


def test_an_interruption_ends_the_helpers() -> None:
    processes: set[int] = set()

    def interrupted() -> None:
        with parallel.several_processes(3):
            for process, _ in each(_process, range(1000)):
                processes.add(process)
                if len(processes) == 2:
                    raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert os.getpid() not in processes
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_a_script_without_a_guard_runs_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os\n"
        "from treequation.data import parallel as several\n"
        "print('begins')\n"
        "several._MANY = 20\n"
        "with several.several_processes(2):\n"
        "    print(sum(several.each(abs, range(-100, 0))))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["begins", "5050"]
    assert not done.stderr


def test_a_problem_is_the_same_after_a_journey() -> None:
    problems = [*generate(50, seed=2, level="hard", language="both"), Problem("text alone", "½ 题", (), refused="why")]
    assert pickle.loads(pickle.dumps(problems)) == problems
