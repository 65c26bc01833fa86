"""On the published data sets, where they are at hand, the finder finds what their equations use."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from treequation.text.alignment import match_spans
from treequation.text.numbers import find_numbers
from treequation.text.problem import FoundNumber, NumberFormat

BAR = 0.995
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Rows = list[dict[str, Any]]


@pytest.fixture
def rows() -> Callable[[str], Rows]:
    root = os.environ.get("TREEQUATION_DATA")

    def read(name: str) -> Rows:
        path = Path(root or "") / name
        if root is None or not path.exists():
            pytest.skip(f"needs {name} in TREEQUATION_DATA")
        read_rows: Rows = json.loads(path.read_text(encoding="utf-8"))
        return read_rows

    return read


def numbers_at_placeholders(row: dict[str, Any], text: str) -> list[FoundNumber]:
    """The data set's own numbers: ``row["text"]`` is the text with ``temp_a``, ``temp_b``, … in their places."""
    pieces = re.split(r"temp_[a-z]+", row["text"])
    pattern = r"(\S.*?)".join(r"\s*".join(["", *map(re.escape, piece.split()), ""]) for piece in pieces)
    match = re.fullmatch(pattern, text)
    assert match is not None, row["text"]
    values = [Fraction(str(value)) for value in row["num_list"]]
    return [FoundNumber(value, *match.span(i)) for i, value in enumerate(values, start=1)]


@pytest.mark.parametrize(
    ("file", "field", "format"),
    [
        ("mathqa/mathqa_train_nodup_our_filtered.json", "Problem", NumberFormat("whole", "two", False, True)),
        ("mawps/train_0.json", "new_text", NumberFormat("whole", "one", False)),
    ],
)
def test_numbers_of_the_equations_are_found_at_their_places(
    rows: Callable[[str], Rows], file: str, field: str, format: NumberFormat
) -> None:
    used = hits = 0
    for row in rows(file)[:4000]:
        annotated = numbers_at_placeholders(row, row[field])
        matches = match_spans(annotated, find_numbers(row[field], format))
        letters = {operand for left, right, _ in row["equation_layer"] for operand in (left, right)}
        for letter in letters & set(LETTERS):
            used += 1
            hits += matches[LETTERS.index(letter)] is not None
    assert used > 3000
    assert hits / used >= BAR


def test_math23ks_literals_are_found(rows: Callable[[str], Rows]) -> None:
    numeral = re.compile(r"\d+\(\d+/\d+\)|\(\d+/\d+\)|\d+(?:\.\d+)?%?")
    used = hits = 0
    for row in rows("math23k/math23k_train.json"):
        text = row["original_text"]
        found = find_numbers(text, NumberFormat(words=False, ordinals=True))
        places = {text[number.start : number.end] for number in found}
        for literal in set(numeral.findall(row["equation"])) & set(numeral.findall(text)):
            used += 1
            hits += literal in places
    assert used > 50_000
    assert hits / used >= BAR
