"""``treequation analyze language-models`` as a user runs it: the bundled model, and a server of the protocol."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.baselines.test_llm import Server, reply
from tests.cli.commands import found, run
from treequation.evaluation.summary import wilson
from treequation.reporting.sections import read_sections

PROBLEMS = [f"A shelf has {rows} rows of {books} books. How many books?" for rows in (4, 5) for books in (6, 7, 8)]


@pytest.fixture
def exam(tmp_path: Path) -> Path:
    path = tmp_path / "exam.jsonl"
    lines = [json.dumps({"id": str(place), "text": text, "equation": "n0*n1"}) for place, text in enumerate(PROBLEMS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def recipe(path: Path, url: str, **settings: Any) -> Path:
    settings = {"url": url, "model": "small", "cache": str(path.parent / "cache"), **settings}
    path.write_text("[llm]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items()))
    return path


def test_both_get_the_same_problems(exam: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def answer(place: int, request: dict[str, Any]) -> Any:  # right for four rows, wrong for five
        text = request["messages"][-1]["content"]
        return reply(f"answer = 4 * {text.split()[6]}" if text in PROBLEMS else "answer = 2")

    server = Server(answer)
    pid = tmp_path / "pid"  # the server is a thread of this process
    pid.write_text(f"{os.getpid()}\n", encoding="utf-8")
    once = recipe(tmp_path / "once.toml", server.url, prompt="python", megabytes=400.0, pid_file=str(pid))
    votes = recipe(tmp_path / "votes.toml", server.url, prompt="python", samples=3, share=0.5)
    command = ("analyze", "language-models", once, votes, "--data", f"{exam}=6", "--timed", "4", "--results", tmp_path)
    content = found(capsys, *command)
    server.http.shutdown()
    assert content == json.loads((tmp_path / "language-models.json").read_text(encoding="utf-8"))
    (draw,) = content["draws"]
    assert (draw["drawn"], draw["of"]) == (6, 6)
    ours, single, voted = draw["entries"]
    assert (ours["right"], ours["count"], ours["against_ours"]) == (6, 6, None)
    assert (single["right"], single["count"], single["ours_right"]) == (3, 6, 6)
    assert single["interval"] == pytest.approx(wilson(3, 6))
    assert single["against_ours"]["lost"] == 3
    assert (voted["count"], voted["ours_right"]) == (3, 3)
    assert single["seconds"]["problems"] == ours["seconds"]["problems"] == 4
    assert voted["seconds"]["problems"] == 2
    assert 0 <= single["seconds"]["processor"] < 60
    assert ours["seconds"]["processor"] > 0
    assert voted["seconds"]["processor"] is None
    assert {each["temperature"] for each in content["models"]} == {0.0, 0.7}
    assert content["models"][0]["prompts"]["zh"][-1]["content"] == "…"
    # Sent, warmed up and timed; and no kept request was sent twice.
    assert len(server.requests) == 6 + 3 * 3 + (1 + 4) + (1 + 2 * 3)
    # Once more, for people, without the server: its replies are kept.
    assert run(*command[:-4], "--timed", "0", "--name", "again", "--results", tmp_path) == 0
    printed = capsys.readouterr().out
    assert "100.0" in printed
    first, section = read_sections(tmp_path)
    assert (first.name, section.name) == ("language-models", "language-models-again")
    right, cost = section.tables
    assert [row[1:4] for row in right.rows][1] == ("once", "3", "50.0")
    assert [row[:4] for row in cost.rows][1:] == [("once", "python", "1", "400"), ("votes", "python", "3", "")]


def test_what_cannot_be_sent_is_refused(exam: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = recipe(tmp_path / "good.toml", "http://127.0.0.1:1/v1")
    for path, data, words in (
        (good, "svamp:test", "how many problems to draw"),
        (good, f"{exam}=7", "7 cannot be drawn"),
        (Path("mathqa"), f"{exam}=2", r"no \[llm\] table"),
        (recipe(tmp_path / "a.toml", "http://x", prompt="nicely"), f"{exam}=2", "steps, equation, reasoned, python"),
        (recipe(tmp_path / "b.toml", "http://x", share=0.0), f"{exam}=2", "above 0"),
    ):
        assert run("analyze", "language-models", path, "--data", data, "--results", tmp_path) == 1
        assert re.search(words, " ".join(capsys.readouterr().err.split()))
