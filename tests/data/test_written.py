"""The problems that come with the package: all of them right, and dev and test new to anyone who has read train."""

import json
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from treequation.data import written
from treequation.data.catalogue import CATALOGUE, MissingDataError, load
from treequation.data.reading import Reading
from treequation.data.validation import validate
from treequation.expression.graph import Constant
from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat, Problem

HELD_OUT_ROWS = {("dev", "en"): 1246, ("dev", "zh"): 791, ("test", "en"): 1236, ("test", "zh"): 798}
"""Rows of dev and test, which stay as they are; train may grow."""

IMPLIED = {Fraction(value) for value in (*range(11), 12, 24, 30, 52, 60, 100, 180, 365, 1000, 3600, 10_000)} | {
    Fraction(value) for value in ("1/2", "3.14")
}
"""What equations may say though the text does not: halves, days, hours, minutes, percent, grams, a circle."""

PUBLISHED = ("mathqa", "math23k", "mawps", "svamp", "asdiv")


@pytest.fixture(scope="module")
def readings() -> dict[str, Reading]:
    return {split: load("written", split, root=Path("/nowhere")) for split in written.SPLITS}


def _rows(split: str, language: str) -> list[dict[str, object]]:
    paths = sorted((written.FOLDER / split).glob(f"*-{language}.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_row_is_read_offline(readings: dict[str, Reading]) -> None:
    for split, reading in readings.items():
        assert reading.rows == len(_rows(split, "en")) + len(_rows(split, "zh"))
        assert len({problem.id for problem in reading.problems}) == len(reading.problems)
        assert {problem.format for problem in reading.problems} == {NumberFormat()}
    assert sum(reading.rows for reading in readings.values()) >= 40_000


def test_dev_and_test_stay_as_they_are() -> None:
    assert {(split, language): len(_rows(split, language)) for split, language in HELD_OUT_ROWS} == HELD_OUT_ROWS


def test_every_row_reads_without_a_finding_and_gives_its_answer(readings: dict[str, Reading]) -> None:
    for validation in validate(readings).values():
        assert validation.findings == ()
        assert validation.answers == validation.reading.rows > 0


def test_enough_problems_need_rounding_and_enough_only_look_like_it() -> None:
    rows = [row for split in written.SPLITS for language in ("en", "zh") for row in _rows(split, language)]
    need = [row for row in rows if re.search(r"ceil|floor|mod", str(row["equation"]))]
    stories = [
        json.loads(line)["equation"]
        for path in written.FOLDER.glob("*/rounding-*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert len(need) >= 1_500
    assert sum(not re.search(r"ceil|floor|mod", equation) for equation in stories) >= 500


def test_a_number_of_an_equation_is_in_the_text_or_goes_without_saying(readings: dict[str, Reading]) -> None:
    for split, reading in readings.items():
        odd = [problem.id for problem in reading.problems if not _constants(problem) <= IMPLIED]
        assert len(odd) < 0.01 * len(reading.problems), (split, len(odd))


def _constants(problem: Problem) -> set[Fraction]:
    assert problem.graph is not None
    return {leaf.value for leaf in problem.graph.leaves if isinstance(leaf, Constant)}


def test_no_text_is_there_twice() -> None:
    texts = Counter(
        " ".join(str(row["text"]).split())
        for split in written.SPLITS
        for language in ("en", "zh")
        for row in _rows(split, language)
    )
    assert max(texts.values()) == 1


def test_no_wording_is_in_two_splits(readings: dict[str, Reading]) -> None:
    wordings = [{problem.wording for problem in reading.problems} for reading in readings.values()]
    assert len(set.union(*wordings)) == sum(map(len, wordings))


def test_no_wording_is_that_of_a_published_test_set(readings: dict[str, Reading], data_folder: Path) -> None:
    ours = {problem.wording for reading in readings.values() for problem in reading.problems}
    for name in PUBLISHED:
        folded = CATALOGUE[name].splits["test"].folded
        for fold in range(5) if folded else [None]:
            for problem in load(name, "test", fold=fold, root=data_folder).problems:
                in_our_format = Problem(problem.id, problem.text, find_numbers(problem.text))
                assert problem.wording not in ours
                assert in_our_format.wording not in ours


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("split", ["dev", "test"])
def test_a_language_of_its_own(readings: dict[str, Reading], split: str, language: str) -> None:
    alone = load(f"written-{language}", split)
    assert alone.problems == tuple(p for p in readings[split].problems if p.language == language)
    assert alone.rows == HELD_OUT_ROWS[split, language]


def test_every_file_says_its_language_and_has_both_held_out_parts() -> None:
    names = {split: {path.name for path in (written.FOLDER / split).iterdir()} for split in written.SPLITS}
    for split in written.SPLITS:
        assert names[split] == {path.name for path in written.files(split)}
    assert names["dev"] == names["test"] <= names["train"]


def test_a_theme_is_a_data_set_of_its_own(readings: dict[str, Reading]) -> None:
    themes = written.themes()
    parts = {theme: len(load(f"written/{theme}", "train").problems) for theme in themes}
    assert min(parts.values()) > 0
    assert sum(parts.values()) == len(readings["train"].problems)
    assert {problem.id.partition("-")[0] for problem in load("written/families", "dev").problems} == {"families"}
    with pytest.raises(MissingDataError, match="did you mean 'written/families'"):
        load("written/familes", "train")
