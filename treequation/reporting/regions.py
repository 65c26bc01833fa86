"""Marked regions of a Markdown page that are filled from files of results, so that the page always agrees with them.

A region begins with ``<!-- made from NAME -->`` and ends with ``<!-- end -->``; NAME is that of a file of results,
without its ending. ``<!-- made from NAME: TITLE -->`` takes only the table of this title. The text around a region is
written by hand and left unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from treequation.errors import TreequationError
from treequation.reporting.sections import Section
from treequation.reporting.tables import to_markdown

_REGION = re.compile(
    r"(<!-- made from (?P<name>[\w-]+)(?:: (?P<title>[^\n]+?))? -->\n).*?(?P<end><!-- end -->)", re.DOTALL
)


def filled(page: str, sections: Iterable[Section]) -> str:
    """The page with its regions filled again; a region whose file is missing says so.

    >>> print(filled("# Us\\n<!-- made from results -->\\nold\\n<!-- end -->", []))
    # Us
    <!-- made from results -->
    <BLANKLINE>
    There is nothing under `results/` to make `results` from yet.
    <BLANKLINE>
    <!-- end -->
    """
    known = {section.name: section for section in sections}

    def made(match: re.Match[str]) -> str:
        section = known.get(match["name"])
        body = (
            f"There is nothing under `results/` to make `{match['name']}` from yet."
            if section is None
            else _body(section, match["title"])
        )
        return f"{match[1]}\n{body}\n\n{match['end']}"

    return _REGION.sub(made, page)


def _body(section: Section, title: str | None) -> str:
    made = f"\n\nMade with `{section.command}`, {section.date}, {section.device}." if section.command else ""
    chosen = [table for table in section.tables if table.title == title] if title else section.brief or section.tables
    if not chosen:
        raise TreequationError(f"{section.name} has no table named {title}")
    return to_markdown(chosen) + made
