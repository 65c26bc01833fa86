"""The data sets by name: where each comes from, under which licence, how it is split, and how to load it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from treequation.data import ape210k, asdiv, gsm8k, jsonl, math23k, mathqa, mawps, svamp, written
from treequation.data.reading import DataError, OnError, Reading, RowReading, read_rows
from treequation.data.synthetic.generation import Level, generate
from treequation.text.problem import Language, NumberFormat

FOLDS = 5


class MissingDataError(DataError):
    """A data set, a split or its files are not there."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a data set: its path below the data folder, its public address, its checksum where known.

    A file without an address is not published as such; ``remark`` says how it is made.
    """

    path: str
    url: str | None
    sha256: str | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """A part of a data set: its file, with ``{fold}`` in the path where each fold has one, and its reader."""

    path: str
    read: Callable[..., Reading]

    @property
    def folded(self) -> bool:
        """Whether the split differs from fold to fold."""
        return "{fold}" in self.path


@dataclass(frozen=True, slots=True)
class DataSet:
    """What there is to know about a data set; ``format`` is how its equations see the numbers of a text."""

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
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "treequation" / "data"


def data_set(name: str) -> DataSet:
    """The data set of this name.

    >>> data_set("mathqa").languages
    ('en',)
    >>> data_set("mathsqa")
    Traceback (most recent call last):
    treequation.data.catalogue.MissingDataError: there is no data set 'mathsqa'; did you mean 'mathqa'?
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    close = get_close_matches(name.lower(), CATALOGUE, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(CATALOGUE)}"
    raise MissingDataError(f"there is no data set {name!r}; {hint}")


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

    ``fold`` chooses among the folds of a data set that has them. ``format`` asks for the numbers to be
    read, and the equations to be written, in another format than the data set's own.
    """
    if name.endswith(".jsonl"):
        if not Path(name).exists():
            raise MissingDataError(f"there is no file {name}")
        return jsonl.read(Path(name), format=format, on_error=on_error)
    chosen = data_set(name)
    part = _split(chosen, split, fold)
    root = root or data_root()
    try:
        return part.read(root / part.path.format(fold=fold), format=format, on_error=on_error)
    except FileNotFoundError as error:
        raise MissingDataError(_how_to_get(chosen, Path(error.filename), root)) from error


def _split(chosen: DataSet, name: str, fold: int | None) -> Split:
    if name not in chosen.splits:
        splits = ", ".join(chosen.splits)
        raise MissingDataError(f"{chosen.name} has no split {name!r}; it has {splits}")
    split = chosen.splits[name]
    if split.folded and fold not in range(FOLDS):
        raise MissingDataError(f"{chosen.name}'s {name} split is one of {FOLDS} folds: choose --fold 0 to {FOLDS - 1}")
    if not split.folded and fold is not None:
        raise MissingDataError(f"{chosen.name}'s {name} split has no folds")
    return split


def _how_to_get(chosen: DataSet, path: Path, root: Path) -> str:
    for file in chosen.files:
        if file.url is None and root / file.path == path:
            return f"{path} is not there, and it is not published as such: {file.remark}"
    return (
        f"{path} is not there; run `treequation data fetch {chosen.name}`, "
        f"or set TREEQUATION_DATA to the folder that has {path.relative_to(root)}"
    )


def _github(repository: str, path: str) -> str:
    return f"https://raw.githubusercontent.com/{repository}/HEAD/{path}"


_JIE = "allanj/Deductive-MWP"
_ASDIV = "chaochun/nlu-asdiv-dataset"

_MATHQA = DataSet(
    name="mathqa",
    title="MathQA, filtered as by Jie et al. (2022)",
    languages=("en",),
    licence="Apache-2.0",
    homepage=f"https://github.com/{_JIE}",
    format=mathqa.FORMAT,
    files=tuple(
        DataFile(f"mathqa/{file}", _github(_JIE, f"data/MathQA/{file}"), checksum)
        for file, checksum in (
            ("mathqa_train_nodup_our_filtered.json", None),
            ("mathqa_dev_nodup_our_filtered.json", None),
            (
                "mathqa_test_nodup_our_filtered.json",
                "7f4ea999e1be327622adfbff32ab4f2d4c478688080f2b93660e4a7df09cb976",
            ),
        )
    ),
    splits={
        split: Split(f"mathqa/mathqa_{split}_nodup_our_filtered.json", mathqa.read)
        for split in ("train", "dev", "test")
    },
    remark="seven in ten test problems differ from a training problem in their numbers only",
)

_MATH23K = DataSet(
    name="math23k",
    title="Math23K, the public split",
    languages=("zh",),
    licence="MIT",
    homepage=f"https://github.com/{_JIE}",
    format=math23k.FORMAT,
    files=tuple(
        DataFile(
            f"math23k/math23k_{split}.json",
            _github(_JIE, f"data/math23k_train_valid_test/{split}23k_processed_nodup.json"),
        )
        for split in ("train", "valid", "test")
    ),
    splits={
        split: Split(f"math23k/math23k_{file}.json", math23k.read)
        for split, file in (("train", "train"), ("dev", "valid"), ("test", "test"))
    },
)

_MAWPS_CHECKSUMS = {
    "train_0": "657a38fb448abc08c68241ba8a286544c957a2fe5356b1f79533b10bae571bd6",
    "train_1": "b032b08b7ec1f15f9131f5997cdcbddc0fc5a27ad59ddc1fc78f905d37217827",
    "train_2": "9450aaebe294ade669a5862c61ed79a08f6e7f0ca158c2fa3b7310fa4b152c79",
    "train_3": "8f217573383f51c399f05c1ebce0154674e85cb12c3d33923132d619480e7f3c",
    "train_4": "b14382bd850fb5ee1197ef11f5058d67aae65b871bcf8261928dbcee82d4fc0a",
    "test_0": "cc139cc3a3e368e71a6549b39a95f4ed573c43c01283e86b41e6fa1b32d821f0",
    "test_1": "8ac2fc0d3481f74558a6942be149dc5c23c24e7efe0aa7a69fc736426e0bbade",
    "test_2": "1d984fb75e2367b0f432bd9ee07bc934f4cac17167c7add9b6114c9e2cb13d0c",
    "test_3": "040ad7fe4151b33d289fa5f6d6c4d2cd53258523d081c409bfad1e944591f4b7",
    "test_4": "2dd55ff0691cbd2152d3e018476714f4f3ccbd292ea5479a81de280ec0a131a1",
}
_MAWPS = DataSet(
    name="mawps",
    title="MAWPS, the five folds of Jie et al. (2022)",
    languages=("en",),
    licence="none stated",
    homepage=f"https://github.com/{_JIE}",
    format=mawps.FORMAT,
    files=tuple(
        DataFile(f"mawps/{file}.json", _github(_JIE, f"data/mawps-single-five-fold/{file}.json"), checksum)
        for file, checksum in _MAWPS_CHECKSUMS.items()
    ),
    splits={split: Split(f"mawps/{split}_{{fold}}.json", mawps.read) for split in ("train", "test")},
    remark="1,987 problems, but 1,780 distinct texts",
)

_SVAMP = DataSet(
    name="svamp",
    title="SVAMP: MAWPS and ASDiv-A for training, the challenge set for testing",
    languages=("en",),
    licence="MIT",
    homepage="https://github.com/arkilpatel/SVAMP",
    format=svamp.FORMAT,
    files=tuple(
        DataFile(f"svamp/{file}.csv", _github("arkilpatel/SVAMP", f"data/mawps-asdiv-a_svamp/{file}.csv"), checksum)
        for file, checksum in (
            ("train", "c761cdc6390a67a285c6c346a2931f61bc8f47430eceaeb123cc3d0263efa821"),
            ("dev", "978425fa0820a147a20d3cb305a571d77b8ba0d1ccec4a96dd1470bf0079c338"),
        )
    ),
    splits={"train": Split("svamp/train.csv", svamp.read), "test": Split("svamp/dev.csv", svamp.read)},
    remark="the file dev.csv is the challenge set, so it is the test split here",
)

_ASDIV_FOLD_CHECKSUMS = (
    "1e4e8c670e461e9d59beee13e64e28d7f92e3be8ba6766d3bbeb40818e03e8d6",
    "81bb372c89696d8d0a253d8ac73500208a801c35670112d682c2f2306ef35fd2",
    "56ffc96a9eead77224f782d7c4c84205c21079b3588b08e4a68d2deabf50febc",
    "68733651260332fa6ae89155aa5e15d20a4b11833023712d0a9b2a2d06551e54",
    "103d2091eab4ee825e55353af817af006ddd2fee4948b0ef7fa1df0f6a33723b",
)
_ASDIV_SET = DataSet(
    name="asdiv",
    title="ASDiv, and the five folds of its arithmetic part ASDiv-A",
    languages=("en",),
    licence="CC BY-NC 4.0",
    homepage=f"https://github.com/{_ASDIV}",
    format=asdiv.FORMAT,
    files=(
        DataFile(
            "asdiv/ASDiv.xml",
            _github(_ASDIV, "dataset/ASDiv.xml"),
            "ef8904068482919ac48c8eeaaf6df344b8a308ba66d048c2d4d87eab82dc4929",
        ),
        *(
            DataFile(
                f"asdiv/nfolds/asdiv-a/fold{fold}.txt",
                _github(_ASDIV, f"dataset/nfolds/asdiv-a/fold{fold}.txt"),
                checksum,
            )
            for fold, checksum in enumerate(_ASDIV_FOLD_CHECKSUMS)
        ),
    ),
    splits={
        "all": Split("asdiv/ASDiv.xml", asdiv.read),
        "train": Split("asdiv/nfolds/asdiv-a/fold{fold}.txt", asdiv.read_other_folds),
        "test": Split("asdiv/nfolds/asdiv-a/fold{fold}.txt", asdiv.read_fold),
    },
    remark="about a quarter has no single expression as its solution and is left out",
)

_GSM8K = DataSet(
    name="gsm8k",
    title="GSM8K",
    languages=("en",),
    licence="MIT",
    homepage="https://github.com/openai/grade-school-math",
    format=gsm8k.FORMAT,
    files=(
        DataFile(
            "gsm8k/train.jsonl",
            _github("openai/grade-school-math", "grade_school_math/data/train.jsonl"),
            "17f347dc51477c50d4efb83959dbb7c56297aba886e5544ee2aaed3024813465",
        ),
        DataFile("gsm8k/test.jsonl", _github("openai/grade-school-math", "grade_school_math/data/test.jsonl")),
    ),
    splits={split: Split(f"gsm8k/{split}.jsonl", gsm8k.read) for split in ("train", "test")},
    remark="only solutions whose steps chain become an equation",
)

_APE210K = DataSet(
    name="ape210k",
    title="Ape210K",
    languages=("zh",),
    licence="none stated",
    homepage="https://github.com/Chenny0808/ape210k",
    format=ape210k.FORMAT,
    files=(
        *(
            DataFile(f"ape210k/{split}.ape.json", _github("Chenny0808/ape210k", f"data/{split}.ape.json"))
            for split in ("train", "valid", "test")
        ),
        DataFile(
            "ape210k/extra.ape.json",
            None,
            remark="it is the valid and test files less every text of Math23K's dev and test splits",
        ),
    ),
    splits={
        "train": Split("ape210k/train.ape.json", ape210k.read),
        "dev": Split("ape210k/valid.ape.json", ape210k.read),
        "test": Split("ape210k/test.ape.json", ape210k.read),
        "extra": Split("ape210k/extra.ape.json", ape210k.read),
    },
    remark="overlaps with Math23K: a result that trains on it is one with extra data",
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
        remark="generated when asked for, the same each time; treequation.data.synthetic makes as many as wanted",
    )


def _read_generated(
    path: Path, *, level: Level, seed: int, count: int, format: NumberFormat | None, on_error: OnError
) -> Reading:
    problems = generate(count, seed=seed, level=level)
    rows = ((row, problem.id, problem) for row, problem in enumerate(problems, 1))
    return read_rows(path, rows, lambda id, problem: RowReading(problem, gold=0), format=format, on_error=on_error)


_IN_WORDS: Mapping[Language, str] = {"en": "English", "zh": "Chinese"}


def _written(name: str, *languages: Language) -> DataSet:
    return DataSet(
        name=name,
        title=f"problems written for this project, {' and '.join(_IN_WORDS[each] for each in languages)}",
        languages=languages,
        licence="Apache-2.0",
        homepage="",
        format=written.FORMAT,
        files=(),
        splits={split: Split("", partial(_read_written, split=split, languages=languages)) for split in written.SPLITS},
        remark="it comes with the package; dev and test tell other stories than train",
    )


def _read_written(
    path: Path, *, split: str, languages: tuple[Language, ...], format: NumberFormat | None, on_error: OnError
) -> Reading:
    return written.read(split, languages, format=format, on_error=on_error)


CATALOGUE: Mapping[str, DataSet] = {
    each.name: each
    for each in (
        _MATHQA,
        _MATH23K,
        _MAWPS,
        _SVAMP,
        _ASDIV_SET,
        _GSM8K,
        _APE210K,
        _written("written", "en", "zh"),
        _written("written-en", "en"),
        _written("written-zh", "zh"),
        _synthetic("synthetic", "easy"),
        _synthetic("synthetic-medium", "medium"),
        _synthetic("synthetic-hard", "hard"),
    )
}
"""Every data set by its name."""
