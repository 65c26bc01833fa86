"""Outcomes as JSON Lines, one problem per line, so that any tool can compare the files of two models."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path

from treequation.data.reading import DataError
from treequation.evaluation.scoring import Outcome
from treequation.storage import write_json_lines

_FIELDS = {field.name for field in fields(Outcome)}


class OutcomeFileError(DataError):
    """A file that is not a list of outcomes."""


def write_outcomes(outcomes: Iterable[Outcome], path: Path) -> None:
    """Writes ``outcomes`` in order; the file is complete or absent."""
    write_json_lines(path, map(asdict, outcomes))


def read_outcomes(path: Path) -> list[Outcome]:
    """Reads what :func:`write_outcomes` wrote; raises :class:`OutcomeFileError` for anything else."""
    outcomes: list[Outcome] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise OutcomeFileError(f"{path}, line {number} is not JSON: {error}") from error
            if not isinstance(row, dict) or row.keys() != _FIELDS:
                raise OutcomeFileError(
                    f"{path}, line {number} is not an outcome of this version; write it with `treequation evaluate`"
                )
            outcomes.append(Outcome(**row))
    return outcomes
