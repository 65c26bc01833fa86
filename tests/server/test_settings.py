"""Settings of keys that would admit everybody or nobody are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from treequation.errors import TreequationError
from treequation.server.settings import read_keys


def test_keys_of_a_file_that_an_editor_marked_are_read(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_bytes(b"\xef\xbb\xbffirst  # for us\n\nsecond\n")
    assert read_keys("", file) == ("first", "second")
    assert read_keys("", None) == ()


def test_keys_that_let_everybody_in_or_nobody_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TreequationError, match="no key in"):
        read_keys(" , ", None)
    with pytest.raises(TreequationError, match="ASCII"):
        read_keys("schlüssel", None)
    for content, message in ((b"# none yet\n", "no key in it"), (b"\xff\xfe\n", "not UTF-8")):
        (tmp_path / "keys").write_bytes(content)
        with pytest.raises(TreequationError, match=message):
            read_keys("", tmp_path / "keys")
