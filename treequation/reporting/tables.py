"""A table of text and figures, for the terminal, Markdown pages and the HTML report alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

_FIGURE = re.compile(r"(?:[<+−-]? ?[0-9][^ ]*(?: ± [0-9.]+| M)?)?")


@dataclass(frozen=True, slots=True)
class Table:
    """A title, the names of the columns, and rows of cells that are already formatted."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
        """Makes a table; checks that every row has a cell for each column."""
        for row in rows:
            if len(row) != len(columns):
                raise ValueError(f"{title}: a row has {len(row)} cells for {len(columns)} columns: {row}")
        return cls(title, tuple(columns), tuple(tuple(row) for row in rows))

    def has_figures(self, column: int) -> bool:
        """Whether a column holds figures, which are aligned right; text is aligned left."""
        cells = [row[column] for row in self.rows]
        return column > 0 and any(cells) and all(_FIGURE.fullmatch(cell) for cell in cells)

    def to_markdown(self) -> str:
        """The table without its title.

        >>> print(Table.of("", ["model", "accuracy"], [["ours", "79.5"]]).to_markdown())
        | model | accuracy |
        |---|---:|
        | ours | 79.5 |
        """
        if len(self.columns) == 1:  # consecutive lines of text, such as a drawn tree
            return "\n".join(["```text", *(row[0] for row in self.rows), "```"])
        rule = ["---:" if self.has_figures(column) else "---" for column in range(len(self.columns))]
        lines = [f"| {' | '.join(map(_cell, line))} |" for line in (self.columns, *self.rows)]
        return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])

    def to_html(self) -> str:
        """The table with its title as caption."""
        right = [' class="figures"' if self.has_figures(column) else "" for column in range(len(self.columns))]

        def cells(tag: str, row: Sequence[str]) -> str:
            return "".join(f"<{tag}{side}>{escape(cell)}</{tag}>" for side, cell in zip(right, row, strict=True))

        head = cells("th", self.columns)
        body = "".join(f"<tr>{cells('td', row)}</tr>\n" for row in self.rows)
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        lines = ' class="lines"' if len(self.columns) == 1 else ""
        return f"<table{lines}>{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>"


def to_markdown(tables: Iterable[Table]) -> str:
    """The tables as Markdown, each below its title."""
    return "\n\n".join(f"**{table.title}**\n\n{table.to_markdown()}" for table in tables)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def percent(share: float | None, places: int = 1) -> str:
    """A share in percent; empty for None.

    >>> percent(0.7951), percent(None)
    ('79.5', '')
    """
    return "" if share is None else f"{100 * share:.{places}f}"


def spread(mean: float | None, std: float | None) -> str:
    """A mean share and its standard deviation in percent; only the mean if there is one run.

    >>> spread(0.795, 0.0041), spread(0.795, None)
    ('79.5 ± 0.4', '79.5')
    """
    return percent(mean) if mean is None or std is None else f"{percent(mean)} ± {percent(std)}"


def probability(p_value: float | None) -> str:
    """A p-value; empty for None.

    >>> probability(0.0312), probability(1e-9)
    ('0.031', '< 0.001')
    """
    if p_value is None:
        return ""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.2g}"
