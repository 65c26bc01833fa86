"""The site builds offline, with every link leading somewhere, and loads nothing from other hosts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def build(folder: Path, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=root,
        env={
            **os.environ,
            "NO_MKDOCS_2_WARNING": "1",
            "http_proxy": "http://127.0.0.1:9",
            "https_proxy": "http://127.0.0.1:9",
        },
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_and_the_search_are_there(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs")).with_suffix(".html").is_file()
    assert "solve_many" in (site / "search" / "search_index.json").read_text(encoding="utf-8")


def test_the_reference_has_the_public_names(site: Path) -> None:
    page = (site / "reference.html").read_text(encoding="utf-8")
    names = ("Solver", "Solution", "SolveError", "load", "Recipe", "read_recipe", "train", "TreequationModel")
    assert ":class:" not in page  # docstrings are read as Markdown
    used = ("recipe_from", "steps_in_words", "find_numbers", "load_model", "generate", "write", "solve_folder")
    for name in (*names, *used, "ExpressionDecoder", "register", "register_part"):
        assert re.search(rf'id="treequation\.[\w.]*\.{name}"', page), name


def test_nothing_is_loaded_from_other_hosts(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(
            r'<(?:script|img|link)[^>]+(?:src|href)="(https?:)?//[^"]*"', page.read_text(encoding="utf-8")
        )
        assert loaded == [], page


def test_a_link_out_of_the_pages_must_lead_to_a_file(tmp_path: Path) -> None:
    hook = ROOT / "docs" / "repository_links.py"
    (tmp_path / "mkdocs.yml").write_text(f"site_name: A site\nhooks: ['{hook}']\n", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "index.md"
    page.write_text("# A page\n\n[the settings](../mkdocs.yml)\n", encoding="utf-8")
    assert build(tmp_path / "site", tmp_path).returncode == 0
    assert "the settings (<code>mkdocs.yml</code>)" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    page.write_text("# A page\n\n[gone](../gone.toml)\n", encoding="utf-8")
    done = build(tmp_path / "site", tmp_path)
    assert done.returncode != 0
    assert "gone.toml, which does not exist" in done.stdout + done.stderr
