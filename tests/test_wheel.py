"""The wheel has every file that the package reads."""

import zipfile
from pathlib import Path

import pytest

import treequation

ROOT = Path(treequation.__file__).parents[1]


def test_the_wheel_has_every_file_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = pytest.importorskip("setuptools.build_meta")
    # Built beside the repository: a build folder that an earlier version left must not fill the wheel.
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "treequation"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    wheel = tmp_path / "dist" / build.build_wheel(str(tmp_path / "dist"))
    package = (path for path in (ROOT / "treequation").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    expected = {path.relative_to(ROOT).as_posix() for path in package}
    assert {"treequation/recipes/synthetic.toml", "treequation/py.typed"} <= expected
    with zipfile.ZipFile(wheel) as file:
        assert expected - set(file.namelist()) == set()
