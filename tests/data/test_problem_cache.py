"""Prepared problems come back from disk as they were, and only if nothing that they depend on has changed."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from treequation.data import problem_cache
from treequation.data.catalogue import load
from treequation.data.problem_cache import cache_file, read_problems, write_problems
from treequation.data.synthetic import generate
from treequation.text.problem import NumberFormat, Problem

PROBLEMS = [
    *generate(30, seed=2, level="hard", language="both"),
    *load("written", "dev").problems[:200],
    Problem("text alone", 'a line\nand "quotes" \u2028 ½ 题', ()),
]


def test_problems_come_back_as_they_were(tmp_path: Path) -> None:
    other = [
        replace(problem, format=NumberFormat(percent="whole"), answer=Fraction(-1, 3), refused="why")
        for problem in PROBLEMS
    ]
    path = tmp_path / "kept.jsonl"
    write_problems(path, {"train": PROBLEMS, "dev": [], "test": other})
    assert read_problems(path) == {"train": PROBLEMS, "dev": [], "test": other}


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "not JSON", "a folder"])
def test_a_damaged_file_counts_as_absent(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "kept.jsonl"
    write_problems(path, {"train": PROBLEMS[:3]})
    content = path.read_bytes()
    match damage:
        case "cut":
            path.write_bytes(content[: len(content) // 2])
        case "changed":
            path.write_bytes(content.replace(b'"train":3', b'"train":2'))
        case "a folder":
            path.unlink()
            path.mkdir()
        case _:
            path.write_bytes(b"" if damage == "empty" else b"\xff\n{}")
    assert read_problems(path) is None


def test_the_name_depends_on_settings_data_and_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, code = tmp_path / "mine.jsonl", tmp_path / "code.py"
    own.write_text("one")
    code.write_text("one")
    monkeypatch.setattr(problem_cache, "_package_files", lambda: [code])
    names = [cache_file({"seed": 0}, [str(own)]), cache_file({"seed": 1}, [str(own)])]
    own.write_text("two")
    names.append(cache_file({"seed": 0}, [str(own)]))
    code.write_text("two")
    names.append(cache_file({"seed": 0}, [str(own)]))
    assert len(set(names)) == 4
    assert names[-1] == cache_file({"seed": 0}, [str(own)])


def test_the_oldest_files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problem_cache, "_MAX_FILES", 2)
    for name in ("a", "b", "c"):
        write_problems(tmp_path / f"{name}.jsonl", {"train": PROBLEMS[:1]})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.jsonl", "c.jsonl"]
