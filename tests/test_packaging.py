"""The wheel has every file that the package reads, the package declares what it imports, and file names are unique."""

import ast
import re
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
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


def test_the_version_is_the_same_everywhere() -> None:
    """The package has it; pyproject.toml takes it from there. The citation and the changelog also have the date."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", changelog, re.MULTILINE)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cited = re.search(r"^version: (\S+)\ndate-released: (\S+)$", citation, re.MULTILINE)
    assert cited is not None
    assert cited.groups() == released[0]
    assert released[0][0] == treequation.__version__
    assert [date for _, date in released] == sorted((date for _, date in released), reverse=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" not in project
    assert all(url.startswith("https://") for url in project["urls"].values())


USED_OTHERWISE = {"fastapi-offline", "onnxscript"}  # the files of one are served; torch.onnx imports the other


def test_the_package_declares_what_it_imports_and_imports_what_it_declares() -> None:
    imported: set[str] = set()
    for path in (ROOT / "treequation").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.partition(".")[0])
    homes = packages_distributions()
    outside = imported - set(sys.stdlib_module_names) - {"treequation"}
    needed = {homes.get(name, [name])[0].lower().replace("_", "-") for name in outside}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [
        *project["dependencies"],
        *(line for name in ("train", "serve", "hub", "xlsx", "tracing", "distributed") for line in extras[name]),
    ]
    declared = {re.split(r"[^\w-]", line)[0].lower().replace("_", "-") for line in lines} - {"treequation"}
    if "opentelemetry" in outside:  # several distributions share this one name
        needed = {name for name in needed if not name.startswith("opentelemetry")}
        needed |= {name for name in declared if name.startswith("opentelemetry")}
    assert needed == declared - USED_OTHERWISE


@pytest.mark.parametrize("folder", ["treequation", "tests"])
def test_no_two_files_have_the_same_name(folder: str) -> None:
    by_name: dict[str, list[str]] = {}
    for path in (ROOT / folder).rglob("*.py"):
        by_name.setdefault(path.name, []).append(str(path.relative_to(ROOT)))
    assert len(by_name) > 80
    same = {name for name, paths in by_name.items() if len(paths) > 1}
    assert same <= {"__init__.py", "conftest.py"}, [by_name[name] for name in same]
