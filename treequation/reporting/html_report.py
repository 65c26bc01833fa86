"""The report: everything under ``results/`` as one self-contained HTML page, and as Markdown."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from string import Template

from treequation.experiments import paper
from treequation.reporting import figures
from treequation.reporting.charts import Chart
from treequation.reporting.sections import Section
from treequation.reporting.tables import to_markdown
from treequation.storage import write_whole

TITLE = "Treequation: results and analyses"
INTRODUCTION = (
    "Each section names the file under results/ from which our figures are read. The paper's figures "
    f"({paper.CITATION}) are as printed in the paper, measured with larger encoders; they are marked as the paper's. "
    "Accuracy is by the literature's score unless a table says otherwise: the value of the predicted equation against "
    "that of the gold equation. Intervals are 95 % over test problems; ± is the standard deviation over runs; p is "
    "McNemar's exact test on the same problems."
)
HTML, MARKDOWN, FIGURES = "index.html", "README.md", "figures"
_PAGE = Template(Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))


def write_report(sections: Sequence[Section], folder: Path) -> list[Path]:
    """Writes ``index.html``, ``README.md`` and the figures."""
    drawn = figures.save([chart for section in sections for chart in section.charts], folder / FIGURES)

    def image(chart: Chart) -> str:
        text = (folder / FIGURES / f"{chart.name}.svg").read_text(encoding="utf-8")
        return base64.b64encode(text[text.index("<svg") :].encode()).decode()

    write_whole(folder / HTML, to_html(sections, image))
    write_whole(folder / MARKDOWN, to_markdown_page(sections))
    return [folder / HTML, folder / MARKDOWN, *drawn]


def to_html(sections: Sequence[Section], image: Callable[[Chart], str]) -> str:
    """The page, with its styles and figures embedded; ``image`` returns a chart as SVG in base64."""
    links = "".join(f'<li><a href="#{section.name}">{escape(section.title)}</a></li>\n' for section in sections)
    made = "".join(_section(section, image) for section in sections)
    return _PAGE.substitute(title=TITLE, introduction=escape(INTRODUCTION), links=links, sections=made)


def _section(section: Section, image: Callable[[Chart], str]) -> str:
    tables = "".join(f'<div class="wide">{table.to_html()}</div>\n' for table in section.tables)
    drawn = "".join(
        f'<figure><img alt="{escape(chart.title)}" src="data:image/svg+xml;base64,{image(chart)}"></figure>\n'
        for chart in section.charts
    )
    head = f'<section id="{section.name}">\n<h2>{escape(section.title)}</h2>\n'
    return f'{head}{tables}{drawn}<p class="made">{escape(section.made)}</p>\n</section>\n'


def to_markdown_page(sections: Sequence[Section]) -> str:
    """The report as Markdown, to read in the repository; the figures are separate files."""
    parts = [f"# {TITLE}", INTRODUCTION]
    for section in sections:
        parts += [f"## {section.title}", to_markdown(section.tables)]
        parts += [f"![{chart.title}]({FIGURES}/{chart.name}.svg)" for chart in section.charts]
        parts.append(f"*{section.made}*")
    return "\n\n".join(parts) + "\n"
