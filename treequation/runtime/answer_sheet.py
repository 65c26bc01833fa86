"""An answer sheet: one HTML page to print, with every problem worked out, and the answers on a page of their own.

The page needs nothing from elsewhere: style and drawings are in it, and it runs no script.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from treequation.runtime.solution import Solution
from treequation.runtime.solve_error import reason_in
from treequation.storage import written_whole
from treequation.text.language import language_of
from treequation.text.problem import Language

SHEETS = (".html", ".htm")

_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "title": "Answer sheet",
        "problems": "Problems",
        "answers": "Answers",
        "answer": "Answer: ",
        "unsure": "unsure: check the equation",
        "mark": "unsure",
        "none": "no answer",
        "or": "It may also be",
        "count": "{problems} problems; {unsure} unsure; {failed} without an answer",
        "lang": "en",
    },
    "zh": {
        "title": "答案纸",
        "problems": "题目",
        "answers": "答案",
        "answer": "答案：",
        "unsure": "没有把握，请核对算式",
        "mark": "没有把握",
        "none": "没有答案",
        "or": "也可能是",
        "count": "共 {problems} 题；没有把握 {unsure} 题；没有答案 {failed} 题",
        "lang": "zh-Hans",
    },
}

_STYLE = """
@page { size: A4; margin: 16mm 15mm; }
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem; background: #fff; color: #111;
  font: 11pt/1.5 Georgia, "Noto Serif", "Songti SC", "SimSun", "Noto Serif CJK SC", serif; }
h1 { font-size: 18pt; margin: 0 0 .2rem; }
h2 { font-size: 14pt; margin: 1.6rem 0 .6rem; }
.count { margin: 0; color: #555; font-size: 10pt; }
article { display: grid; grid-template-columns: 2.4rem 1fr; padding: .9rem 0; border-top: 1px solid #bbb;
  break-inside: avoid; }
article > .number { font-weight: bold; }
article p { margin: 0 0 .45rem; overflow-wrap: anywhere; }
.question { white-space: pre-line; }
.answer strong { font-size: 13pt; }
.equation { color: #333; }
.work { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; align-items: flex-start; }
.words { flex: 1 1 17rem; }
.tree { max-width: 100%; margin-left: auto; }
.tree svg { display: block; max-width: 100%; height: auto; max-height: 85mm; }
ol { margin: 0; padding: 0; list-style: none; }
.unsure { border: 1.5px solid #a33; border-radius: 4px; padding: 0 .4em; color: #a33; font-size: 9.5pt;
  font-family: system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; white-space: nowrap; }
.others { font-size: 10pt; color: #444; }
.key { break-before: page; }
.key ol { columns: 2; column-gap: 2.5rem; }
.key li { display: grid; grid-template-columns: 2.8rem 1fr; padding: .18rem 0; border-bottom: 1px dotted #999;
  break-inside: avoid; }
.key b { overflow-wrap: anywhere; }
.key .number { color: #555; }
@media (max-width: 30rem) { .key ol { columns: 1; } }
@media print {
  body { padding: 0; max-width: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


def write_sheet(rows: Callable[[], Iterable[dict[str, Any]]], target: Path) -> None:
    """Writes output rows, which ``rows`` gives anew at each call, as an answer sheet, whole or not at all."""
    with written_whole(target) as aside, aside.open("w", encoding="utf-8", newline="\n") as file:
        for piece in sheet(rows):
            file.write(piece)


def sheet(rows: Callable[[], Iterable[dict[str, Any]]]) -> Iterator[str]:
    """The page, piece by piece; its headings are in the language that most of the problems are in."""
    languages = Counter(language_of(row["problem"]) for row in rows())
    words = _WORDS[languages.most_common(1)[0][0] if languages else "en"]
    counts = {
        "problems": languages.total(),
        "unsure": sum(bool(row.get("unsure")) for row in rows()),
        "failed": sum("error" in row for row in rows()),
    }
    yield (
        f'<!doctype html>\n<html lang="{words["lang"]}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        # Nothing is loaded and nothing runs, whatever stands in a problem.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{words['title']}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{words['title']}</h1>\n"
        f'<p class="count">{words["count"].format(**counts)}</p>\n<main>\n<h2>{words["problems"]}</h2>\n'
    )
    for row in rows():
        yield _worked_out(row)
    yield f'</main>\n<section class="key">\n<h2>{words["answers"]}</h2>\n<ol>\n'
    for row in rows():
        yield _key(row, words)
    yield "</ol>\n</section>\n</body>\n</html>\n"


def _worked_out(row: dict[str, Any]) -> str:
    """A problem with its answer, equation, tree and steps."""
    language = language_of(row["problem"])
    words = _WORDS[language]
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
            pieces.append(f'<p class="others">{words["or"]} {escape(others)}</p>')
    number = f'<div class="number">{row["row"]}.</div>'
    return f'<article lang="{words["lang"]}">{number}<div>{"".join(pieces)}</div></article>\n'


def _key(row: dict[str, Any], words: dict[str, str]) -> str:
    """A line of the page of answers."""
    if "error" in row:
        said = f'<span><span class="unsure">{words["none"]}</span></span>'
    else:
        mark = f' <span class="unsure">{words["mark"]}</span>' if row["unsure"] else ""
        said = f"<span><b>{escape(_answer(row))}</b>{mark}</span>"
    return f'<li><span class="number">{row["row"]}.</span>{said}</li>\n'


def _answer(row: dict[str, Any]) -> str:
    fraction = row["fraction"]
    return f"{row['shown']} ({fraction})" if fraction else str(row["shown"])
