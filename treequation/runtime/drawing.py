"""Draws an expression tree layer by layer, as SVG and as lines of text, without a graph library.

In SVG, the numbers are in the top row, each layer is below its operands, and the answer is at the bottom. The text
drawing begins with the answer, as trees in a terminal do. A result used twice is drawn in full only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Literal

from treequation.expression.evaluation import Evaluation, Value, evaluate, format_value, operand_value
from treequation.expression.graph import ExpressionGraph, Operand, Operator, Result
from treequation.expression.layers import layers

_LONGEST = 18  # characters of a value in a drawing; the answer is shown in full elsewhere
_CHARACTER, _PADDING, _GAP = 9, 14, 18  # pixels
_HEIGHT, _ROW, _MARGIN = 32, 74, 16
_LAYER = {"en": "layer {}", "zh": "第 {} 层"}


def _shown(value: Value) -> str:
    """A value, cut in the middle if it is too long for a drawing."""
    text = format_value(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 + 1 :]}"


def draw_text(
    graph: ExpressionGraph, numbers: Sequence[Fraction], *, evaluation: Evaluation | None = None
) -> list[str]:
    """The tree as lines of text, the answer first, with the layer of each expression at the end of its line.

    >>> from treequation.expression.parsing import parse_infix
    >>> print("\\n".join(draw_text(parse_infix("n0*n1 + n2*n3"), [Fraction(n) for n in (50, 5, 60, 4)])))
    490 = 250 + 240      layer 2
    ├── 250 = 50 × 5     layer 1
    └── 240 = 60 × 4     layer 1

    ``evaluation`` is the graph's, if it has been evaluated already.
    """
    values = (evaluation or evaluate(graph, numbers)).values
    layer_of = {index: layer for layer, indices in enumerate(layers(graph), start=1) for index in indices}

    def written(operand: Operand) -> str:
        return _shown(operand_value(operand, numbers, values))

    if not isinstance(graph.root, Result):
        return [written(graph.root)]
    rows: list[tuple[str, str]] = []
    drawn: set[int] = set()

    def draw(index: int, first: str, rest: str) -> None:
        expression = graph.expressions[index]
        left, right = written(expression.left), written(expression.right)
        if expression.operator is Operator.POWER and ("/" in left or left.startswith("-")):
            left = f"({left})"
        line = f"{_shown(values[index])} = {expression.operator.between(left, right)}"
        if index in drawn:
            rows.append((f"{first}{line}", "as above"))
            return
        drawn.add(index)
        rows.append((f"{first}{line}", f"layer {layer_of[index]}"))
        below = [o.index for o in dict.fromkeys((expression.left, expression.right)) if isinstance(o, Result)]
        for place, operand in enumerate(below):
            last = place + 1 == len(below)
            draw(operand, rest + ("└── " if last else "├── "), rest + ("    " if last else "│   "))

    draw(graph.root.index, "", "")
    width = max(len(line) for line, _ in rows)
    return [f"{line:<{width}}     {where}" for line, where in rows]


@dataclass(slots=True)
class _Box:
    """A box of the drawing: a number or an expression, in a row, with the boxes of its operands."""

    text: str
    row: int
    operands: list[_Box]
    centre: float = 0.0

    @property
    def width(self) -> float:
        return len(self.text) * _CHARACTER + 2 * _PADDING


def draw_svg(
    graph: ExpressionGraph,
    numbers: Sequence[Fraction],
    language: Literal["en", "zh"] = "en",
    *,
    evaluation: Evaluation | None = None,
    title: str = "",
) -> str:
    """The tree as an SVG image, with the answer at the bottom; for ``evaluation`` see :func:`draw_text`.

    A screen reader says the ``title``.

    >>> from treequation.expression.parsing import parse_infix
    >>> image = draw_svg(parse_infix("n0*2"), [Fraction(7)])
    >>> image.startswith("<svg"), "× = 14" in image
    (True, True)
    """
    rows = _place(_boxes(graph, numbers, (evaluation or evaluate(graph, numbers)).values))
    boxes = [box for row in rows for box in row]
    left = min(box.centre - box.width / 2 for box in boxes) - _MARGIN - 60  # space for the layers' names
    width = max(box.centre + box.width / 2 for box in boxes) + _MARGIN - left
    height = len(rows) * _ROW - (_ROW - _HEIGHT) + 2 * _MARGIN

    def across(box: _Box) -> float:
        return box.centre - left

    def down(row: int) -> float:
        return _MARGIN + row * _ROW

    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    style = 'role="img" font-family="system-ui, sans-serif" font-size="15"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>'
    pieces = [f"{opening}<title>{escape(title or rows[-1][0].text)}</title>"]
    for row in range(1, len(rows)):
        layer = _LAYER[language].format(row)
        pieces.append(f'<text x="{_MARGIN}" y="{down(row) + 21:.0f}" font-size="11" fill="#666">{layer}</text>')
    for box in boxes:
        for operand in box.operands:
            pieces.append(
                f'<line x1="{across(operand):.1f}" y1="{down(operand.row) + _HEIGHT:.0f}" '
                f'x2="{across(box):.1f}" y2="{down(box.row):.0f}" stroke="#999"/>'
            )
    for box in boxes:
        fill = "#f3f3f3" if not box.operands else "#dbe9ff" if box.row + 1 < len(rows) else "#c9efd2"
        pieces.append(
            f'<rect x="{across(box) - box.width / 2:.1f}" y="{down(box.row):.0f}" width="{box.width:.0f}" '
            f'height="{_HEIGHT}" rx="8" fill="{fill}" stroke="#666"/>'
            f'<text x="{across(box):.1f}" y="{down(box.row) + 21:.0f}" text-anchor="middle" fill="#111">'
            f"{escape(box.text)}</text>"
        )
    return "".join([*pieces, "</svg>"])


def _boxes(graph: ExpressionGraph, numbers: Sequence[Fraction], values: Sequence[Value]) -> list[list[_Box]]:
    """The rows of the drawing: a box for each use of a number, in the order of use, then the layers."""
    layer_of = {index: layer for layer, indices in enumerate(layers(graph), start=1) for index in indices}
    rows: list[list[_Box]] = [[] for _ in range(1 + max(layer_of.values(), default=0))]
    made: dict[int, _Box] = {}

    def box_of(operand: Operand) -> _Box:
        if isinstance(operand, Result):
            return made.get(operand.index) or make(operand.index)
        return placed(_Box(_shown(operand_value(operand, numbers, values)), 0, []))

    def make(index: int) -> _Box:
        expression = graph.expressions[index]
        operands = [box_of(expression.left), box_of(expression.right)]
        text = _shown(values[index])
        equals = text.replace("≈", "≈ ") if text.startswith("≈") else f"= {text}"
        made[index] = placed(_Box(f"{expression.operator.sign} {equals}", layer_of[index], operands))
        return made[index]

    def placed(box: _Box) -> _Box:
        rows[box.row].append(box)
        return box

    box_of(graph.root)
    return rows


def _place(rows: list[list[_Box]]) -> list[list[_Box]]:
    """Positions each box: centred under its operands, without overlapping its neighbours."""
    for row in rows:
        for box in row:
            if box.operands:
                box.centre = sum(operand.centre for operand in box.operands) / len(box.operands)
        end = -float("inf")
        for box in sorted(row, key=lambda box: box.centre):  # numbers keep their order: the sort is stable
            box.centre = max(box.centre, end + _GAP + box.width / 2)
            end = box.centre + box.width / 2
    return rows
