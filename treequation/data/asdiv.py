"""ASDiv: English problems of diverse kinds in one XML file, with five folds of its arithmetic part, ASDiv-A.

Formulas carry units (``3 (nickel)*5 (cent/nickel)``) and may come in steps (``95/6=15 r5; 5/5=1``). Formulas that are
not a single expression with one number as the answer (ratios, remainders, equations in x, …) are left out.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from treequation.data.binding import bind_literals
from treequation.data.reading import Code, DataError, Reading, RowReading, UnreadableError, exact, read_rows, reader
from treequation.data.solution_steps import chain
from treequation.text.problem import NumberFormat

FORMAT = NumberFormat(percent="fraction", fraction="one", words=True)

_UNIT = re.compile(r"\([^()\d]*[A-Za-z][^()\d]*\)|(?<=[\d\s)])[a-z]+(?=\s*$)")
_STEP = re.compile(r"([\d\s.+*/()-]+)=\s*([\d.]+)")
_ANSWER = re.compile(r"([\d.,]+(?:/\d+)?)\s*(?:\([^()]*\))?")


def read_fold(path: Path) -> Reading:
    """The problems whose ids the fold's file lists; the file is in ``nfolds/asdiv-a``, beside ``ASDiv.xml``."""
    return _read_ids(path, _ids(path))


def read_other_folds(path: Path) -> Reading:
    """The problems of all other folds: the training set when this fold is the test set."""
    others = sorted(other for other in path.parent.glob("fold*.txt") if other != path)
    return _read_ids(path, {id for other in others for id in _ids(other)})


def _read_ids(fold: Path, ids: Collection[str]) -> Reading:
    path = fold.parents[2] / "ASDiv.xml"
    rows = [row for row in _rows(path) if row[1] in ids]
    return read_rows(path, rows, _read_row)


def _ids(path: Path) -> set[str]:
    return set(path.read_text(encoding="utf-8").split())


def _rows(path: Path) -> Iterable[tuple[int, str, Any]]:
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise DataError(f"{path} is not an XML file: {error}") from error
    for row, problem in enumerate(root.iter("Problem"), 1):
        yield row, problem.get("ID", str(row)), problem


def _read_row(id: str, problem: ElementTree.Element) -> RowReading:
    body, question, formula, answer = (
        " ".join(_field(problem, name).split()) for name in ("Body", "Question", "Formula", "Answer")
    )
    value = _ANSWER.fullmatch(answer)
    if value is None:
        raise UnreadableError(Code.NO_EQUATION, f"the answer {answer!r} is not one number")
    steps = _steps(formula)
    if steps is None:
        raise UnreadableError(Code.NO_EQUATION, f"{formula!r} is not an expression with its value")
    return bind_literals(
        id,
        f"{body} {question}",
        lambda binder: chain(steps, binder),
        exact(value[1].replace(",", "")),
        language="en",
        format=FORMAT,
    )


def _field(problem: ElementTree.Element, name: str) -> str:
    text = problem.findtext(name)
    if text is None:
        raise UnreadableError(Code.BROKEN_ROW, f"the field {name} is missing")
    return text


def _steps(formula: str) -> list[tuple[str, Fraction]] | None:
    """The steps of a formula, or None if it is of another kind.

    >>> _steps("3 (nickel)*5 (cent/nickel) = 15 (cent); 15+1=16")
    [('3 *5  ', Fraction(15, 1)), ('15+1', Fraction(16, 1))]
    >>> _steps("47/6=7 r5") is None
    True
    """
    steps = []
    for part in formula.split(";"):
        step = _STEP.fullmatch(_UNIT.sub("", part).strip())
        if step is None:
            return None
        steps.append((step[1], Fraction(step[2])))
    return steps


read = reader(_rows, _read_row)
"""All problems of ``ASDiv.xml``."""
