"""MAWPS: the five folds published with Jie et al. (2022), with equations as triples over marked numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from treequation.data.binding import bind_marked, marked_numbers
from treequation.data.reading import Code, RowReading, UnreadableError, exact, json_rows, reader
from treequation.expression.notations import from_triples
from treequation.text.problem import NumberFormat

FORMAT = NumberFormat(percent="whole", fraction="one", words=False)

_MARK = re.compile(r"temp_[a-z]+")


def _read_row(id: str, row: Mapping[str, Any]) -> RowReading:
    text = row["sQuestion"].strip()  # as people write it; new_text is the same text, tokenized
    marked = marked_numbers(text, row["text"], _MARK)
    if marked is None:
        raise UnreadableError(Code.BROKEN_ROW, "text and sQuestion differ in more than their numbers")
    graph = from_triples(row["equation_layer"])
    return bind_marked(id, text, marked, graph, exact(row["answer"]), format=FORMAT)


read = reader(partial(json_rows, id_field="iIndex"), _read_row)
"""The problems of a fold's file: a JSON list."""
