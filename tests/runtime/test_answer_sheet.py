"""The answer sheet: complete, self-contained, and safe whatever a problem contains."""

import re
from html.parser import HTMLParser
from pathlib import Path

from tests.runtime.light import changed_copy, known_problems
from treequation import Solver
from treequation.runtime.answer_sheet import sheet, write_sheet
from treequation.runtime.bulk import solve_file
from treequation.runtime.folder import FORMAT, KIND
from treequation.storage import seal


class _Reader(HTMLParser):
    """Notes the tags, the addresses and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action", "onload")]

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    return reader


def test_a_class_becomes_a_sheet(tmp_path: Path) -> None:
    folder = changed_copy(tmp_path / "unsure", unsure_below=1.0)
    seal(folder, kind=KIND, version=FORMAT)
    known = known_problems()[:6]
    source, target = tmp_path / "class.csv", tmp_path / "sheet.html"
    evil = "<script>alert(3)</script><img src=//x.org/4>"
    source.write_text(
        "\n".join(["problem", *(f'"{p.text}"' for p in known), f'"{evil}"', '"How many?"']), encoding="utf-8"
    )
    summary = solve_file(Solver(folder), source, target)
    assert summary.rows == 8
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class.csv", "sheet.html", "unsure"]
    page = target.read_text(encoding="utf-8")
    reader = read(page)
    assert reader.addresses == []
    assert not {"script", "img", "link", "iframe"} & set(reader.tags)
    assert evil in reader.text
    problems, answers = page.split('<section class="key">')
    assert problems.count("<article") == 8
    assert problems.count("<svg") == problems.count('class="equation"') == 8 - summary.failed
    for problem in known:
        assert problem.text in read(problems).text
        assert re.search(rf"<b>{problem.answer}\b", answers)
    assert "1. " in read(problems).text
    assert problems.count('class="unsure">') == answers.count('class="unsure">') == 8  # each is unsure, or has none
    assert "break-before: page" in page
    assert '<html lang="zh-Hans">' in page  # most of these are


def test_no_problems_make_an_empty_sheet(tmp_path: Path) -> None:
    write_sheet(list, tmp_path / "sheet.html")
    assert "0 problems" in (tmp_path / "sheet.html").read_text(encoding="utf-8")
    assert "".join(sheet(list)).endswith("</html>\n")
