"""README and docs are true: their commands run, their links lead somewhere, and they speak of the project alone."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from treequation.cli import build

ROOT = Path(__file__).parent.parent
WRITTEN = ROOT / "treequation" / "data" / "written" / "README.md"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), WRITTEN])
MADE = re.compile(r"<!-- made from [^\n]+ -->\n.*?<!-- end -->", re.DOTALL)
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def blocks(page: Path, *kinds: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind in kinds]


def run(arguments: list[str], folder: Path) -> str:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=3_600
    )
    assert done.returncode == 0, f"{arguments} failed:\n{done.stderr[-3000:]}"
    return done.stdout


def test_the_first_steps_of_the_readme(tmp_path: Path) -> None:
    """Trains, evaluates, exports and solves as the README says, and gets what it shows."""
    readme = ROOT / "README.md"
    (console,) = blocks(readme, "console")
    commands = [shlex.split(line.removeprefix("$ ")) for line in console.splitlines()]
    assert [command[1] for command in commands] == ["train", "evaluate", "export", "solve"]
    outputs = [run(command, tmp_path) for command in commands]
    result = json.loads((tmp_path / "runs/synthetic/result.json").read_text(encoding="utf-8"))
    assert result["best_dev"] >= 0.95
    shown = next(text for text in blocks(readme, "") if "= 141" in text)
    assert outputs[-1].startswith(shown)


def test_the_bundled_model_answers_as_the_readme_shows(tmp_path: Path) -> None:
    readme = ROOT / "README.md"
    (problem,) = re.findall(r"^PROBLEM \?= (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    shown = next(text for text in blocks(readme, "") if "= 28" in text)
    assert run(["treequation", "solve", problem], tmp_path).startswith(shown)
    (python,), (printed,) = blocks(readme, "python"), blocks(readme, "text")
    assert run([sys.executable, "-c", python], tmp_path) == printed


def parsed(command: Any, arguments: list[str], name: str = "treequation", parent: Any = None) -> str:
    """The command that a command line calls; one with options or arguments that it does not have raises."""
    context = command.make_context(name, list(arguments), parent=parent)
    if not hasattr(command, "resolve_command"):
        return name
    rest = [*context._protected_args, *context.args]
    sub_name, sub, sub_arguments = command.resolve_command(context, rest)
    return parsed(sub, sub_arguments, sub_name, context)


def documented_commands() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for text in blocks(page, "", "console", "bash", "sh"):
            for line in text.replace("\\\n", " ").splitlines():
                line = line.strip().removeprefix("$ ")
                if line.startswith("treequation "):
                    found.append((page.name, line))
    return found


@pytest.mark.parametrize(("page", "line"), documented_commands())
def test_every_documented_command_is_one(page: str, line: str) -> None:
    words = shlex.split(line, comments=True)
    end = next((i for i, word in enumerate(words) if word in ("<", ">", "|", "&&")), len(words))
    assert parsed(typer.main.get_command(build()), words[1:end]) in words[1:3]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def broken_links(page: Path) -> list[str]:
    """The links to files that are not there, and to headings that their page does not have."""
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not link.startswith("http") and not (target.exists() and (not anchor or anchor in anchors(target))):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b`: c\n\n[own](#a-b-c) [gone](#a-b) [there](page.md#a-b-c) [not](page.md#d) [no file](other.md)\n"
        "```\n[code](not-a-link)\n```\n",
        encoding="utf-8",
    )
    assert broken_links(page) == ["#a-b", "page.md#d", "other.md"]


def test_the_readme_shows_the_two_commands_that_the_makefile_has() -> None:
    readme, makefile = (ROOT / "README.md").read_text(encoding="utf-8"), (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("solve", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_the_first_lines_of_the_site_are_true(tmp_path: Path) -> None:
    (python,) = blocks(ROOT / "docs" / "index.md", "python")
    assert run([sys.executable, "-c", python], tmp_path).splitlines() == ["3 × 12 − 8 = 28", "28"]


def test_pages_for_users_are_short() -> None:
    """Tables that are made from results are not counted: they grow with what is measured."""
    pages = [page for page in PAGES if page.parent.name != "research"]
    written = (MADE.sub("", page.read_text(encoding="utf-8")) for page in pages)
    assert sum(len(text.split()) for text in written) < 20_000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_research_warns_and_other_pages_are_plain(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page.parent.name == "research":
        assert "sorted by depth" in text[:500]
    else:
        assert re.findall(r", too[.;]| is no [A-Z]\w+|\bfor who\b", text) == []
