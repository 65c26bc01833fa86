"""``treequation data`` as a user runs it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.interrupts import heed_interrupts
from treequation.cli import main
from treequation.data.catalogue import CATALOGUE

COMMAND = [sys.executable, "-m", "treequation"]
GOOD = {"text": "There are 7 cats and 3 dogs.", "equation": "7 + 3", "answer": 10}
WRONG = {"text": "There are 5 cats and 3 dogs.", "equation": "5 + 3", "answer": 9}
BROKEN = {"text": "There are 5 cats.", "equation": "5 +"}


@dataclass
class Outcome:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def run(*arguments: str, data: Path = Path("/nonexistent")) -> Outcome:
        monkeypatch.setenv("TREEQUATION_DATA", str(data))
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        return Outcome(ended.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (GOOD, WRONG, BROKEN)))
    return path


def test_list_shows_what_is_here(run: Run, tmp_path: Path) -> None:
    (tmp_path / "svamp").mkdir()
    (tmp_path / "svamp" / "train.csv").touch()
    shown = run("data", "list", data=tmp_path).stdout
    assert "1 of 2 files" in next(line for line in shown.splitlines() if line.startswith("svamp"))


def test_fetch_downloads_once_and_says_what_it_checked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "published.csv"
    source.write_text("content")
    files = tuple(replace(file, url=source.as_uri(), sha256=None) for file in CATALOGUE["svamp"].files[:1])
    monkeypatch.setitem(CATALOGUE, "svamp", replace(CATALOGUE["svamp"], files=files))
    first, second = (run("data", "fetch", "svamp", data=tmp_path / "data") for _ in range(2))
    assert (tmp_path / "data" / "svamp" / "train.csv").read_text() == "content"
    assert (first.returncode, first.stdout, second.returncode) == (0, "", 0)
    assert "downloaded, no checksum is known for it, so this one was recorded" in first.stderr
    assert "already there, same checksum as when it was first fetched" in second.stderr


def test_validate_reports_every_row(run: Run, mine: Path) -> None:
    result = run("data", "validate", str(mine), "--json")
    split = json.loads(result.stdout)["splits"]["all"]
    assert (result.returncode, split["rows"], split["problems"], split["skipped"]) == (0, 3, 2, 1)
    assert (split["answers"], split["answers_given"]) == (2, 1)
    assert sorted((finding["row"], finding["code"]) for finding in split["findings"]) == [
        (2, "wrong-answer"),
        (3, "bad-equation"),
    ]
    shown = run("data", "validate", str(mine)).stdout
    assert "row 2, id 2: the equation gives 8, the answer is 9" in shown


def test_validate_stops_at_a_broken_row_where_asked(run: Run, mine: Path) -> None:
    result = run("data", "validate", str(mine), "--strict")
    assert (result.returncode, result.stdout) == (1, "")
    assert "row 3" in result.stderr


@pytest.mark.parametrize("answer", ["7" * 5000, *("[" * depth + "]" * depth for depth in (900, 960, 990, 5000))])
@pytest.mark.parametrize("field", ["answer", "id"])
def test_validate_takes_any_json(run: Run, tmp_path: Path, field: str, answer: str) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(f'{{"text": "There are 7 cats.", "{field}": {answer}}}\n{json.dumps(GOOD)}\n')
    result = run("data", "validate", str(path), "--json")
    split = json.loads(result.stdout)["splits"]["all"]
    assert (result.returncode, split["rows"], split["problems"] + split["skipped"]) == (0, 2, 2)
    assert [(finding["row"], finding["code"]) for finding in split["findings"]] in ([(1, "broken-row")], [])
    assert split["skipped"] == len(split["findings"])
    assert field == "id" or split["skipped"] == 1


def test_stats_names_its_figures(run: Run, mine: Path) -> None:
    split = json.loads(run("data", "stats", str(mine), "--json").stdout)["splits"]["all"]
    assert (split["problems"], split["mean_expressions"], split["max_expressions"], split["mean_layers"]) == (
        2,
        1.0,
        1,
        1.0,
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("data", "stats", "mathqa"), 1, "treequation data fetch mathqa"),
        (("data", "stats", "nosuch"), 1, "there is no data set 'nosuch'"),
        (("data", "validate", "nosuch.jsonl"), 1, "there is no file nosuch.jsonl"),
        (("data", "fetch", "mathsqa"), 1, "did you mean 'mathqa'"),
        (("data", "stats"), 2, "name"),
        (("data", "stats", "mathqa", "--nosuch"), 2, "--nosuch"),
        (("data", "validate", "mawps", "--fold", "7"), 2, "--fold"),
        (("nosuch",), 2, "nosuch"),
    ],
)
def test_failures_have_a_message_and_an_exit_code(
    run: Run, arguments: tuple[str, ...], code: int, message: str
) -> None:
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (code, "")
    assert message in result.stderr


def test_an_unreadable_file_is_a_message(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mathqa").mkdir()
    (tmp_path / "mathqa" / "mathqa_train_nodup_our_filtered.json").write_text("[")
    result = run("data", "stats", "mathqa", "--split", "train", data=tmp_path)
    assert result.returncode == 1
    assert "is not a JSON file" in result.stderr


def open_once_read(pipe: Path) -> int:
    for _ in range(6_000):
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads yet
            time.sleep(0.05)
    pytest.fail("the command does not read its input")


def test_an_interrupt_ends_quietly(tmp_path: Path) -> None:
    pipe = tmp_path / "slow.jsonl"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*COMMAND, "data", "stats", str(pipe)], stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    )
    writer = open_once_read(pipe)  # from then on the command waits for a line
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=600)
    os.close(writer)
    assert process.returncode == 130
    assert "Traceback" not in message
