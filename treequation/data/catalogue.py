"""The data sets by name: where each comes from, under which licence, how it is split, and how to load it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, Literal

from treequation.data import ape210k, asdiv, gsm8k, jsonl, math23k, mathqa, mawps, svamp, written
from treequation.data.reading import LEFT_OUT, BrokenRowError, DataError, Reading, RowReading, in_format, read_rows
from treequation.data.synthetic.generation import Level, generate
from treequation.text.problem import Language, NumberFormat, Problem

OnError = Literal["skip", "raise"]
FOLDS = 5
_PUBLISHED = Path(__file__).with_name("catalogue.toml")


class MissingDataError(DataError):
    """A data set, a split or a file does not exist."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a data set: its path in the data folder, its URL, and its checksum if known.

    A file without a URL is not published in this form; ``remark`` says how to make it.
    """

    path: str
    url: str | None
    sha256: str | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """A part of a data set: its file, with ``{fold}`` in the path where each fold has one, and its reader."""

    path: str
    read: Callable[[Path], Reading]

    @property
    def folded(self) -> bool:
        """Whether the split differs from fold to fold."""
        return "{fold}" in self.path


@dataclass(frozen=True, slots=True)
class DataSet:
    """All about a data set; ``format`` is the number format that its equations use."""

    name: str
    title: str
    languages: tuple[Language, ...]
    licence: str
    homepage: str
    format: NumberFormat
    files: tuple[DataFile, ...]
    splits: Mapping[str, Split]
    remark: str = ""


def data_root() -> Path:
    """The data folder: ``TREEQUATION_DATA``, else ``treequation/data`` in the user's cache folder."""
    if chosen := os.environ.get("TREEQUATION_DATA"):
        return Path(chosen).expanduser()
    return user_cache() / "data"


def user_cache() -> Path:
    """The folder ``treequation`` in the user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "treequation"


def data_set(name: str) -> DataSet:
    """The data set of this name.

    >>> data_set("mathqa").languages
    ('en',)
    >>> data_set("written/families").title
    'problems written for this project, English and Chinese: families'
    >>> data_set("mathsqa")
    Traceback (most recent call last):
    treequation.data.catalogue.MissingDataError: there is no data set 'mathsqa'; did you mean 'mathqa'?
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    themes = {f"written/{theme}": theme for theme in written.themes()} if name.startswith("written/") else {}
    if name in themes:
        return _written(name, "en", "zh", theme=themes[name])
    close = get_close_matches(name.lower(), [*CATALOGUE, *themes], n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(CATALOGUE)}"
    raise MissingDataError(f"there is no data set {name!r}; {hint}")


def has_folds(source: str) -> bool:
    """Whether ``name:split`` differs from fold to fold; a file of the user's own does not.

    >>> has_folds("mawps:train"), has_folds("mathqa:train"), has_folds("mine.jsonl")
    (True, False, False)
    """
    if source.endswith(".jsonl"):
        return False
    name, _, split = source.partition(":")
    part = data_set(name).splits.get(split or "train")
    return part is not None and part.folded


def load(
    name: str,
    split: str = "train",
    *,
    fold: int | None = None,
    format: NumberFormat | None = None,
    root: Path | None = None,
    on_error: OnError = "skip",
) -> Reading:
    """Reads a split of a data set, or a ``.jsonl`` file of the user's own (:mod:`treequation.data.jsonl`).

    ``fold`` chooses among the folds of a data set that has them. ``format`` converts numbers and equations to another
    number format than the data set's own. With ``on_error="raise"``, a row that cannot become a problem raises a
    :class:`BrokenRowError`.
    """
    reading = _read(name, split, fold, root or data_root())
    if format is not None:
        reading = in_format(reading, format)
    left_out = [finding for finding in reading.findings if finding.code in LEFT_OUT] if on_error == "raise" else []
    if left_out:
        raise BrokenRowError(left_out[0])
    return reading


def _read(name: str, split: str, fold: int | None, root: Path) -> Reading:
    if name.endswith(".jsonl"):
        if not Path(name).exists():
            raise MissingDataError(f"there is no file {name}")
        return jsonl.read(Path(name))
    chosen = data_set(name)
    part = _split(chosen, split, fold)
    try:
        return part.read(root / part.path.format(fold=fold))
    except FileNotFoundError as error:
        raise MissingDataError(_how_to_get(chosen, Path(error.filename), root)) from error


def _split(chosen: DataSet, name: str, fold: int | None) -> Split:
    if name not in chosen.splits:
        splits = ", ".join(chosen.splits)
        raise MissingDataError(f"{chosen.name} has no split {name!r}; it has {splits}")
    split = chosen.splits[name]
    if split.folded and fold not in range(FOLDS):
        raise MissingDataError(f"{chosen.name}'s {name} split has {FOLDS} folds: choose --fold 0 to {FOLDS - 1}")
    if not split.folded and fold is not None:
        raise MissingDataError(f"{chosen.name}'s {name} split has no folds")
    return split


def _how_to_get(chosen: DataSet, path: Path, root: Path) -> str:
    for file in chosen.files:
        if file.url is None and root / file.path == path:
            return f"{path} does not exist, and it is not published in this form: {file.remark}"
    return (
        f"{path} does not exist; run `treequation data fetch {chosen.name}`, "
        f"or set TREEQUATION_DATA to the folder that has {path.relative_to(root)}"
    )


READERS = {
    "mathqa": mathqa,
    "math23k": math23k,
    "mawps": mawps,
    "svamp": svamp,
    "asdiv": asdiv,
    "gsm8k": gsm8k,
    "ape210k": ape210k,
}
"""The module that reads a published data set; ``catalogue.toml`` says everything else about it."""


def _published(name: str, table: dict[str, Any]) -> DataSet:
    source, files, splits = table.pop("source"), table.pop("files"), table.pop("splits")
    reader = READERS[name]

    def split(entry: str | dict[str, str]) -> Split:
        if isinstance(entry, str):
            return Split(entry, reader.read)
        return Split(entry["path"], getattr(reader, entry["read"]))

    return DataSet(
        name=name,
        languages=tuple(table.pop("languages")),
        format=reader.FORMAT,
        files=tuple(DataFile(**file | {"url": source + file["url"] if "url" in file else None}) for file in files),
        splits={part: split(entry) for part, entry in splits.items()},
        **table,
    )


# Seed and size of each.
_SYNTHETIC_SPLITS = {"train": (0, 10_000), "dev": (1, 1_000), "test": (2, 1_000)}


def _synthetic(name: str, level: Level) -> DataSet:
    return DataSet(
        name=name,
        title=f"made-up problems in both languages, {level}",
        languages=("en", "zh"),
        licence="Apache-2.0",
        homepage="",
        format=NumberFormat(),
        files=(),
        splits={
            split: Split("", partial(_read_generated, level=level, seed=seed, count=count))
            for split, (seed, count) in _SYNTHETIC_SPLITS.items()
        },
        remark="generated when needed, the same each time; treequation.data.synthetic makes any number of them",
    )


def _read_generated(path: Path, *, level: Level, seed: int, count: int) -> Reading:
    problems = generate(count, seed=seed, level=level)
    rows = ((row, problem.id, problem) for row, problem in enumerate(problems, 1))
    return read_rows(path, rows, _made_up)


def _made_up(id: str, problem: Problem) -> RowReading:
    return RowReading(problem, gold=0)


_IN_WORDS: Mapping[Language, str] = {"en": "English", "zh": "Chinese"}


def _written(name: str, *languages: Language, theme: str = "") -> DataSet:
    return DataSet(
        name=name,
        title=f"problems written for this project, {' and '.join(_IN_WORDS[each] for each in languages)}"
        + (f": {theme}" if theme else ""),
        languages=languages,
        licence="Apache-2.0",
        homepage="",
        format=written.FORMAT,
        files=(),
        splits={
            split: Split("", partial(_read_written, split=split, languages=languages, theme=theme))
            for split in written.SPLITS
            if written.files(split, languages, theme)
        },
        remark="it comes with the package; dev and test tell other stories than train; "
        "written/THEME is a part of it, such as written/families",
    )


def _read_written(path: Path, *, split: str, languages: tuple[Language, ...], theme: str) -> Reading:
    return written.read(split, languages, theme=theme)


CATALOGUE: Mapping[str, DataSet] = {
    each.name: each
    for each in (
        *(_published(name, table) for name, table in tomllib.loads(_PUBLISHED.read_text(encoding="utf-8")).items()),
        _written("written", "en", "zh"),
        _written("written-en", "en"),
        _written("written-zh", "zh"),
        _synthetic("synthetic", "easy"),
        _synthetic("synthetic-medium", "medium"),
        _synthetic("synthetic-hard", "hard"),
    )
}
"""Every data set by its name."""
