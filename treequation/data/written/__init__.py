"""The problems written for this project, English and Chinese: JSON Lines files that come with the package.

A split is a folder here, ``train``, ``dev`` or ``test``, and has all files in it, in the order of their names. A file
is ``<theme>-<language>.jsonl``, or ``<theme>-<number>-<language>.jsonl``, in the format of
:mod:`treequation.data.jsonl`. ``README.md`` says how the split was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from treequation.data.jsonl import FORMAT, read_row
from treequation.data.reading import Reading, json_lines, read_rows
from treequation.text.problem import Language, Problem

__all__ = ["FOLDER", "FORMAT", "SPLITS", "files", "read", "theme_of", "themes"]

FOLDER = Path(__file__).parent
SPLITS: tuple[Literal["train", "dev", "test"], ...] = ("train", "dev", "test")


def files(split: str, languages: Sequence[Language] = ("en", "zh"), theme: str = "") -> list[Path]:
    """The files of a split in these languages, or those of one theme, in the order in which they are read.

    >>> [path.name for path in files("dev", ["zh"])][:2]
    ['daily-life-zh.jsonl', 'families-1-zh.jsonl']
    """
    paths = sorted(path for language in languages for path in (FOLDER / split).glob(f"*-{language}.jsonl"))
    return [path for path in paths if not theme or _theme(path.stem) == theme]


def themes() -> list[str]:
    """The themes of the training problems.

    >>> [theme for theme in themes() if theme.startswith("f")]
    ['facts', 'families']
    """
    return sorted({_theme(path.stem) for path in files("train")})


def theme_of(problem: Problem) -> str:
    """The theme of a written problem.

    >>> theme_of(Problem("several-steps-2-zh:17", "…", ()))
    'several-steps'
    """
    return _theme(problem.id.partition(":")[0])


def _theme(stem: str) -> str:
    return re.sub(r"(-\d+)?-[a-z]+$", "", stem)


def read(split: str, languages: Sequence[Language] = ("en", "zh"), *, theme: str = "") -> Reading:
    """The problems of a split; an id is file and line, rows are counted through all files."""
    return read_rows(FOLDER / split, _rows(files(split, languages, theme)), read_row)


def _rows(paths: Iterable[Path]) -> Iterable[tuple[int, str, Any]]:
    row = 0
    for path in paths:
        for _, id, content in json_lines(path):
            row += 1
            yield row, f"{path.stem}:{id}", content
