"""Draws ``method.svg``: how 50 × 5 + 60 × 4 is decoded in two layers, and a third that says stop.

Run ``python docs/figures/method.py``; it needs nothing but Python.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

WIDTH, HEIGHT = 1080, 560
INK, FAINT, LINE = "#1f2933", "#8a96a3", "#c3ccd5"
NUMBER, QUERY, EXPRESSION, LABEL, EMPTY = "#dbeafe", "#ede9fe", "#dcfce7", "#fef3c7", "#f3f5f7"
NUMBERS = ["50", "5", "60", "4"]

# Of each step: what the six queries propose (None where they say None), the label set, and which query each label gets.
STEPS = [
    ([None, "60 × 4", None, "50 × 5", None, None], ["50 × 5", "60 × 4"], [3, 1], ["r₁", "r₂"]),
    ([None, None, None, None, None, "r₁ + r₂"], ["r₁ + r₂"], [5], ["r₃"]),
    ([None] * 6, [], [], []),
]


def text(
    x: float, y: float, words: str, *, size: int = 13, fill: str = INK, anchor: str = "middle", bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor="{anchor}"{weight}>{escape(words)}</text>'
    )


def box(x: float, y: float, width: float, height: float, fill: str, words: str = "", *, faint: bool = False) -> str:
    stroke = LINE if faint else INK
    shape = (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="1"/>'
    )
    return shape + text(x + width / 2, y + height / 2 + 4.5, words, fill=FAINT if faint else INK)


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1},{y1} L{x2},{y2}" stroke="{INK}" fill="none" marker-end="url(#head)"/>'


def match(x1: float, y1: float, x2: float, y2: float, *, faint: bool) -> str:
    style = (
        f'stroke="{LINE}" stroke-dasharray="3 4"'
        if faint
        else f'stroke="{INK}" stroke-dasharray="6 3" stroke-width="1.4"'
    )
    middle = (x1 + x2) / 2
    return f'<path d="M{x1},{y1} C{middle},{y1} {middle},{y2} {x2},{y2}" fill="none" {style}/>'


def problem() -> list[str]:
    lines = ["Tom buys ▸50 pens", "at ▸5 yuan and", "▸60 books at ▸4 yuan.", "What does he pay?"]
    parts = [text(105, 34, "Problem", bold=True, size=14)]
    parts += [box(12, 48, 186, 104, "white")]
    parts += [text(24, 72 + 22 * i, line, anchor="start") for i, line in enumerate(lines)]
    parts += [arrow(105, 154, 105, 182), box(40, 184, 130, 32, EMPTY, "encoder"), arrow(105, 218, 105, 246)]
    parts += [box(12, 250, 186, 32, EMPTY, "problem states P⁰")]
    parts += [arrow(105, 284, 105, 436), text(112, 352, "states at", anchor="start", size=11, fill=FAINT)]
    parts += [text(112, 366, "the markers", anchor="start", size=11, fill=FAINT)]
    return parts


def step(number: int, x: float) -> list[str]:
    said, labels, matched, _ = STEPS[number]
    parts = [text(x + 132, 34, f"Layer {number + 1}", bold=True, size=14)]
    parts += [text(x + 16, 58, "query", size=11, fill=FAINT), text(x + 88, 58, "proposes", size=11, fill=FAINT)]
    parts += [text(x + 224, 58, "label set", size=11, fill=FAINT)]
    rows = [70 + 48 * row for row in range(6)]
    order = [*matched, *(query for query in range(6) if query not in matched)]
    for query, (y, expression) in enumerate(zip(rows, said, strict=True)):
        parts += [box(x, y, 32, 32, QUERY, f"q{'₁₂₃₄₅₆'[query]}"), arrow(x + 33, y + 16, x + 49, y + 16)]
        real = expression is not None
        parts += [box(x + 52, y, 76, 32, EXPRESSION if real else EMPTY, expression or "None", faint=not real)]
    for place, query in enumerate(order):
        real = place < len(labels)
        parts += [match(x + 129, rows[query] + 16, x + 191, rows[place] + 16, faint=not real)]
        parts += [
            box(
                x + 192,
                rows[place],
                68,
                32,
                LABEL if real else EMPTY,
                labels[place] if real else "None",
                faint=not real,
            )
        ]
    return parts


def vocabulary(x: float, results: list[str], *, caption: str) -> list[str]:
    """The slots that the operands of the next layer are chosen from."""
    parts = [text(x, 430, caption, anchor="start", size=11, fill=FAINT)]
    slots = [(n, NUMBER) for n in NUMBERS] + [(r, EXPRESSION) for r in results]
    for place, (words, fill) in enumerate(slots):
        parts += [box(x + 37 * place, 440, 33, 30, fill, words)]
    return parts


def figure() -> str:
    left = [232, 520, 808]
    parts = problem() + vocabulary(22, [], caption="")
    results: list[str] = []
    for number, x in enumerate(left):
        parts += step(number, x)
        if number < 2:
            results += STEPS[number][3]
            parts += [
                arrow(x + 90, 346, x + 90, 412),
                text(x + 98, 374, "results join the numbers", anchor="start", size=11, fill=FAINT),
            ]
            parts += [text(x + 98, 388, "and the problem states", anchor="start", size=11, fill=FAINT)]
            parts += vocabulary(x, results, caption="slots for the operands of the next layer")
    parts += [arrow(898, 346, 898, 436), text(906, 378, "all say None: stop", anchor="start", size=11, fill=FAINT)]
    parts += [box(808, 440, 260, 30, EXPRESSION, "r₃ = 50 × 5 + 60 × 4 = 490")]
    parts += [text(105, 490, "numbers of the text", size=11, fill=FAINT)]
    parts += [text(105, 508, "▸ a marker token", size=11, fill=FAINT)]
    parts += [match(232, 516, 268, 516, faint=False)]
    rule = "matched for the loss: the cheapest assignment of the label set to the queries, in whatever order"
    filling = "None fills the label set up to the number of queries, and costs nothing wherever it stands"
    parts += [text(278, 520, rule, anchor="start", size=12)]
    parts += [match(232, 538, 268, 538, faint=True), text(278, 542, filling, anchor="start", size=12)]
    head = (
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0,0 L8,4 L0,8 z" fill="{INK}"/></marker></defs>'
    )
    title = "<title>Two layers of expressions are decoded in parallel and matched with their label sets</title>"
    body = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="Helvetica, Arial, sans-serif">\n{title}\n{head}\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(figure(), encoding="utf-8")
