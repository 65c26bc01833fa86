"""Pages and the report are what the files of results say: those that are committed, and one in a real browser."""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.cli.commands import run
from tests.evaluation.cases import outcome
from tests.reporting.test_results import ABOUT
from treequation.errors import TreequationError
from treequation.evaluation.analysis import groups
from treequation.evaluation.analysis.decoding_steps import FAMILIES
from treequation.reporting import decoding_steps_section, figures
from treequation.reporting.findings import Finding, write_finding
from treequation.reporting.regions import filled
from treequation.reporting.results import Row, add_rows
from treequation.reporting.sections import Section, read_sections
from treequation.reporting.tables import Table

ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A result, and a finding with a figure."""
    folder = tmp_path / "results"
    add_rows(folder / "results.json", [Row(**ABOUT, accuracy=0.7654, std=0.0123, runs=2, unseen_accuracy=0.3217)])
    outcomes = [outcome(f"p{i}", right=i % 3 > 0, shape="tree" if i % 2 else "chain") for i in range(12)]
    content = groups.measure("structure", {"ours <b>": outcomes})
    write_finding(Finding("structure", "mathqa", "treequation analyze structure runs/a", "a machine", content), folder)
    return folder


def test_pages_are_filled_and_checked(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    page = docs / "results.md"
    page.write_text("# Ours\n\n<!-- made from results -->\n<!-- end -->\n\nBy hand.\n", encoding="utf-8")
    command = ("report", "--results", results, "--docs", docs, "--output", docs / "report")
    assert run(*command, "--check") == 1
    assert "results.md" in capsys.readouterr().err
    assert run(*command) == 0
    text = page.read_text(encoding="utf-8")
    assert "76.5 ± 1.2" in text
    assert text.endswith("By hand.\n")
    assert run(*command, "--check") == 0
    page.write_text(text.replace("76.5", "96.5"), encoding="utf-8")
    assert run(*command, "--check") == 1


def test_a_figure_is_drawn_once_for_all_that_show_it(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, draw = [], figures.draw
    monkeypatch.setattr(figures, "draw", lambda chart: drawn.append(chart.name) or draw(chart))
    assert run("report", "--results", results, "--docs", tmp_path, "--output", tmp_path / "report") == 0
    assert drawn == ["structure-mathqa"]
    svg = (tmp_path / "report" / "figures" / "structure-mathqa.svg").read_text(encoding="utf-8")
    (shown,) = re.findall('(?<=;base64,)[^"]*', (tmp_path / "report" / "index.html").read_text(encoding="utf-8"))
    assert svg.endswith(base64.b64decode(shown).decode())


def test_rows_of_another_machine_are_added(results: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    row = Row(**{**ABOUT, "variant": "Layer-Shared(2)"}, accuracy=0.5, std=None, runs=1, unseen_accuracy=None)
    add_rows(other, [row])
    assert run("report", "--results", results, "--docs", tmp_path, "--output", tmp_path / "r", "--add", other) == 0
    assert "Layer-Shared(2)" in (tmp_path / "r" / "README.md").read_text(encoding="utf-8")
    assert len(json.loads((results / "results.json").read_text(encoding="utf-8"))) == 2


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_the_report_in_a_browser(results: Path, tmp_path: Path) -> None:
    assert run("report", "--results", results, "--docs", tmp_path, "--output", tmp_path / "report") == 0
    messages: list[str] = []
    requested: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        page = browser.new_page()
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: requested.append(request.url))
        address = (tmp_path / "report" / "index.html").as_uri()
        page.goto(address)
        page.wait_for_load_state("networkidle")
        cells = page.locator("td").all_inner_texts()
        drawn = page.evaluate("[...document.images].map(image => image.naturalWidth)")
        links = page.locator("nav a").all_inner_texts()
        browser.close()
    assert messages == []
    assert [url for url in requested if not url.startswith("data:")] == [address]
    assert len(drawn) == 1
    assert all(width > 0 for width in drawn)
    assert len(links) == 2
    # Every cell that the reader sees is one that is made from the files.
    made = {
        cell for section in read_sections(results) for table in section.tables for row in table.rows for cell in row
    }
    assert set(cells) == made
    assert {"76.5 ± 1.2", "32.2", "ours <b>", "66.7"} <= made


def test_what_is_committed_is_what_the_results_say(tmp_path: Path) -> None:
    command = ("report", "--results", ROOT / "results", "--docs", ROOT / "docs", "--output", tmp_path / "report")
    assert run(*command, "--check") == 0  # the pages; the report is not committed


def test_a_report_of_everything_that_is_committed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Written anew: it has a section for every file of results, with its tables and figures, and passes its check."""
    docs = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("*.png"))
    command = ("report", "--results", ROOT / "results", "--docs", docs, "--output", tmp_path / "report")
    assert run(*command) == 0
    assert "filled" not in capsys.readouterr().err
    assert run(*command, "--check") == 0
    page = (tmp_path / "report" / "README.md").read_text(encoding="utf-8")
    html = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    for path in (ROOT / "results").glob("*.json"):
        assert f"From {path.name}" in page
        assert f'<section id="{path.stem}">' in html
    for figure in re.findall(r"\]\((figures/[^)]+)\)", page):
        assert (tmp_path / "report" / figure).is_file()


def test_the_page_of_results_is_short() -> None:
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert len(page.split()) < 3000


def test_committed_results_hold_no_text_of_a_data_set() -> None:
    """Only a case has a text, which somebody typed."""
    for path in sorted((ROOT / "results").rglob("*.json*")):
        assert path.name.startswith("case-") or '"text":' not in path.read_text(encoding="utf-8"), path


def test_steps_of_the_paper_stand_beside_ours() -> None:
    gold = {family: {"mean": 1.0, "std": 0.0, "max": 1} for family in FAMILIES}
    finding = Finding("steps", "mathqa", "c", "d", {"problems": 1, "gold": gold, "taken": {}})
    (table,) = decoding_steps_section.tables(finding)
    assert table.rows[-1] == ("expression tree", "1.00", "0.00", "1", "3.20", "1.60", "8")


def test_a_region_takes_one_table_of_a_file() -> None:
    two = Section("name", "", (Table.of("first", ["a"], [["1"]]), Table.of("second", ["b"], [["2"]])))
    page = "<!-- made from name: second -->\n<!-- end -->"
    made = filled(page, [two])
    assert "2" in made
    assert "first" not in made
    assert filled(made, [two]) == made
    with pytest.raises(TreequationError, match="no table named third"):
        filled(page.replace("second", "third"), [two])
