"""GSM8K: grade-school problems whose solutions mark their steps as ``<<48/2=24>>``.

A solution becomes one equation if its steps chain and the last one gives the answer; others are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from treequation.data.binding import bind_literals
from treequation.data.reading import Code, RowReading, UnreadableError, exact, json_lines, reader
from treequation.data.solution_steps import chain
from treequation.text.problem import NumberFormat

FORMAT = NumberFormat(percent="whole", fraction="two", words=True)

_STEP = re.compile(r"<<([^<>=]*)=([^<>=]*)>>")


def _read_row(id: str, row: Mapping[str, Any]) -> RowReading:
    solution, mark, last_line = row["answer"].rpartition("####")
    if not mark:
        raise UnreadableError(Code.BROKEN_ROW, "the solution has no #### before its answer")
    answer = exact(last_line.strip().replace(",", ""))
    steps = [(left_side, exact(result)) for left_side, result in _STEP.findall(solution)]
    if not steps:
        raise UnreadableError(Code.NO_EQUATION, "the solution marks no step")
    if steps[-1][1] != answer:
        raise UnreadableError(Code.NO_EQUATION, f"the last step gives {steps[-1][1]}, not the answer {answer}")
    return bind_literals(
        id,
        row["question"],
        lambda binder: chain(steps, binder),
        answer,
        language="en",
        format=FORMAT,
    )


read = reader(json_lines, _read_row)
"""The problems of ``train.jsonl`` or ``test.jsonl``."""
