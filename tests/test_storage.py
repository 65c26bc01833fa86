"""A file is whole or not there; a sealed folder knows what was done to it."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from treequation.storage import (
    MANIFEST,
    DamagedFolderError,
    check_seal,
    folder_written_whole,
    recover_folder,
    seal,
    written_whole,
)


def test_interrupted_writing_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    with written_whole(path) as aside:
        aside.write_text("first")

    def write_and_be_interrupted() -> None:
        with written_whole(path) as aside:
            aside.write_text("second, unfini")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_and_be_interrupted()
    assert path.read_text() == "first"
    assert [file.name for file in path.parent.iterdir()] == ["file.txt"], "nothing is left lying about"
    with written_whole(path) as aside:
        aside.write_text("second")
    assert path.read_text() == "second"


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "a.bin").write_bytes(b"\0\1\2")
    (tmp_path / "b.txt").write_text("b")
    seal(tmp_path, kind="test", version=3)
    return tmp_path


def test_untouched_folder_passes(sealed: Path) -> None:
    files = {name: sha256(content).hexdigest() for name, content in (("b.txt", b"b"), ("part/a.bin", b"\0\1\2"))}
    assert check_seal(sealed, kind="test", version=3) == files


def test_changed_missing_foreign_and_old_folders_are_refused(sealed: Path) -> None:
    with pytest.raises(DamagedFolderError, match="is a test folder; a model folder is needed"):
        check_seal(sealed, kind="model", version=3)
    with pytest.raises(DamagedFolderError, match=r"version 3.* reads 4"):
        check_seal(sealed, kind="test", version=4)
    (sealed / "part" / "a.bin").write_bytes(b"\0\1\3")
    with pytest.raises(DamagedFolderError, match=r"a\.bin has changed"):
        check_seal(sealed, kind="test", version=3)
    (sealed / "part" / "a.bin").unlink()
    with pytest.raises(DamagedFolderError, match=r"lacks part/a\.bin"):
        check_seal(sealed, kind="test", version=3)


@pytest.mark.parametrize("manifest", ["", "[]", "{}", '{"kind": "test", "version": 3, "files": 5}', "\0"])
def test_damaged_manifest_is_refused(sealed: Path, manifest: str) -> None:
    (sealed / MANIFEST).write_text(manifest)
    with pytest.raises(DamagedFolderError, match=MANIFEST):
        check_seal(sealed, kind="test", version=3)


def test_folder_without_a_seal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedFolderError, match="is not a test folder"):
        check_seal(tmp_path, kind="test", version=3)


def test_a_folder_is_replaced_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "model"

    def replace(content: str) -> None:
        with folder_written_whole(folder) as aside:
            (aside / "weights").write_text(content)
            if content == "unfinished":
                raise KeyboardInterrupt

    replace("first")
    with pytest.raises(KeyboardInterrupt):
        replace("unfinished")
    assert [found.name for found in tmp_path.iterdir()] == ["model"]
    assert (folder / "weights").read_text() == "first"
    replace("second")
    assert (folder / "weights").read_text() == "second"
    assert [found.name for found in tmp_path.iterdir()] == ["model"]

    # The process ends after the old folder was moved out of the way and before the new one has its name.
    rename = os.rename

    def only_the_first(source: Path, target: Path) -> None:
        if source != folder:
            raise KeyboardInterrupt
        rename(source, target)

    monkeypatch.setattr(os, "rename", only_the_first)
    with pytest.raises(KeyboardInterrupt):
        replace("third")
    monkeypatch.undo()
    assert not folder.exists()
    recover_folder(folder)
    assert (folder / "weights").read_text() == "second"
