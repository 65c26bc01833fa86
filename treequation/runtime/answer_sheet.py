"""An answer sheet: one HTML file to print, with every problem worked out, and the answers alone on a last page.

The file is self-contained: styles and drawings are inside it, and it runs no script.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from treequation.runtime.solution import Solution
from treequation.runtime.solve_error import WORDS, reason_in
from treequation.storage import written_whole
from treequation.text.language import language_of

SHEETS = (".html", ".htm")

_PAGE = Template(Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))


def write_sheet(rows: Callable[[], Iterable[dict[str, Any]]], target: Path) -> None:
    """Writes output rows as an answer sheet, whole or not at all; each call of ``rows`` starts from the first row."""
    with written_whole(target) as aside, aside.open("w", encoding="utf-8", newline="\n") as file:
        for piece in sheet(rows):
            file.write(piece)


def sheet(rows: Callable[[], Iterable[dict[str, Any]]]) -> Iterator[str]:
    """The HTML, piece by piece; its headings are in the language of most of the problems."""
    languages = Counter(language_of(row["problem"]) for row in rows())
    words = WORDS[languages.most_common(1)[0][0] if languages else "en"]["sheet"]
    counts = {
        "problems": languages.total(),
        "unsure": sum(bool(row.get("unsure")) for row in rows()),
        "failed": sum("error" in row for row in rows()),
    }
    page = _PAGE.substitute(words, counts=words["count"].format(**counts))
    head, between, end = re.split(r"\$(?:worked_out|key)\n", page)
    yield head
    for row in rows():
        yield _worked_out(row)
    yield between
    for row in rows():
        yield _key(row, words)
    yield end


def _worked_out(row: dict[str, Any]) -> str:
    """A problem with its answer, equation, tree and steps."""
    language = language_of(row["problem"])
    words = WORDS[language]["sheet"]
    pieces = [f'<p class="question">{escape(row["problem"])}</p>']
    if "error" in row:
        reason = reason_in(language, row["error"])
        pieces.append(f'<p><span class="unsure">{words["none"]}</span> {escape(reason)}</p>')
    else:
        mark = f' <span class="unsure">{words["unsure"]}</span>' if row["unsure"] else ""
        solution = Solution.from_dict(row)
        steps = "".join(f"<li>{escape(step)}</li>" for step in row["steps"])
        pieces += [
            '<div class="work"><div class="words">',
            f'<p class="answer">{words["answer"]}<strong>{escape(_answer(row))}</strong>{mark}</p>',
            f'<p class="equation">{escape(str(solution))}</p><ol>{steps}</ol>',
            f'</div><div class="tree">{solution.to_svg()}</div></div>',
        ]
        if row["unsure"] and row["alternatives"]:
            others = "; ".join(f"{other['answer']} ({other['equation']})" for other in row["alternatives"])
            pieces.append(f'<p class="others">{words["may_also_be"]} {escape(others)}</p>')
    number = f'<div class="number">{row["row"]}.</div>'
    return f'<article lang="{words["lang"]}">{number}<div>{"".join(pieces)}</div></article>\n'


def _key(row: dict[str, Any], words: dict[str, str]) -> str:
    """A line of the page of answers."""
    if "error" in row:
        shown = f'<span><span class="unsure">{words["none"]}</span></span>'
    else:
        mark = f' <span class="unsure">{words["mark"]}</span>' if row["unsure"] else ""
        shown = f"<span><b>{escape(_answer(row))}</b>{mark}</span>"
    return f'<li><span class="number">{row["row"]}.</span>{shown}</li>\n'


def _answer(row: dict[str, Any]) -> str:
    fraction = row["fraction"]
    return f"{row['shown']} ({fraction})" if fraction else str(row["shown"])
