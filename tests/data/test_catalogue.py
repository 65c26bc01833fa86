"""Finding data sets by name."""

from pathlib import Path

import pytest

from treequation.data.catalogue import CATALOGUE, MissingDataError, data_root, load


def test_the_data_folder_is_the_chosen_one_or_in_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TREEQUATION_DATA", str(tmp_path))
    assert data_root() == tmp_path
    monkeypatch.delenv("TREEQUATION_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_root() == tmp_path / "treequation" / "data"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_root() == tmp_path / ".cache" / "treequation" / "data"


def test_every_split_reads_a_file_that_is_fetched_or_needs_none() -> None:
    for data_set in CATALOGUE.values():
        files = {file.path for file in data_set.files}
        for split in data_set.splits.values():
            for fold in range(5) if split.folded else [None]:
                assert split.path == "" or split.path.format(fold=fold) in files


@pytest.mark.parametrize(
    ("name", "split", "fold", "message"),
    [
        ("mathqa", "train", None, "treequation data fetch mathqa"),
        ("asdiv", "test", 0, "treequation data fetch asdiv"),
        ("ape210k", "extra", None, "not published"),
        ("mathqa", "tests", None, "it has train, dev, test"),
        ("mawps", "train", None, "choose --fold 0 to 4"),
        ("mawps", "train", 5, "choose --fold 0 to 4"),
        ("mathqa", "train", 0, "has no folds"),
        ("MathQA", "train", None, "did you mean 'mathqa'"),
        ("mine.jsonl", "train", None, "there is no file mine.jsonl"),
    ],
)
def test_what_is_not_there_says_what_to_do(
    tmp_path: Path, name: str, split: str, fold: int | None, message: str
) -> None:
    with pytest.raises(MissingDataError, match=message):
        load(name, split, fold=fold, root=tmp_path)


def test_synthetic_problems_are_the_same_each_time_and_differ_between_splits() -> None:
    first, again, test = load("synthetic", "dev"), load("synthetic", "dev"), load("synthetic", "test")
    assert first.problems == again.problems
    assert first.problems != test.problems
    assert {problem.language for problem in first.problems} == {"en", "zh"}
