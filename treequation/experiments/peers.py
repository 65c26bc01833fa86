"""The rows of a published table as entries of a comparison: the parts of each, and what its paper reports.

A file of rows, such as ``recipes/peers/paper.toml``, has a TOML table for each row. The paper's figures are in
:mod:`.paper`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treequation.experiments import paper
from treequation.records import STRICT, checked
from treequation.training.recipe import RecipeError, read_toml

_TABLES = {
    "mathqa": ("mathqa", "test"),
    "math23k": ("math23k", "test"),
    "math23k_folds": ("math23k", "folds"),
    "mawps": ("mawps", "folds"),
}
FIGURES = (*_TABLES, "svamp")


@dataclass(frozen=True, slots=True)
class PeerRow:
    """One row. It has ``changes`` to the recipe, or it is the ``same_as`` another row once both share an encoder."""

    __pydantic_config__ = STRICT

    name: str
    changes: tuple[str, ...] = ()
    same_as: str = ""
    after: bool = False  # rebuilt without the authors' code, or with a part that cannot be rebuilt
    called: tuple[str, ...] = ()  # in the paper's tables, if not by its name
    encoder: str = ""  # the encoder of its published figures
    reproduced: tuple[str, ...] = ()  # figures that the paper's authors measured themselves
    svamp: float = 0.0  # published accuracy in percent; the paper has no results on SVAMP

    @property
    def rebuilt(self) -> str:
        """How close the row is to the original."""
        return f"same as {self.same_as}" if self.same_as else "after" if self.after else "the decoder"

    def figure(self, which: str) -> float | None:
        """The accuracy in percent that was published for one of :data:`FIGURES`; None if there is none.

        >>> PeerRow("Graph2Tree", called=("G2T",)).figure("math23k_folds")
        75.5
        """
        if which == "svamp":
            return self.svamp or None
        if which not in _TABLES:
            return None
        published = {row.model: row.accuracy for row in paper.RESULTS[_TABLES[which]]}
        return next((published[name] for name in self.called or (self.name,) if name in published), None)

    def about(self, sources: Sequence[str]) -> dict[str, Any]:
        """What tables show of the row, with its published figures for these sources."""
        data = next((source.partition(":")[0] for source in sources), "")
        return {
            "name": self.name,
            "rebuilt": self.rebuilt,
            "encoder": self.encoder,
            "figure": self.figure(data),
            "reproduced": data in self.reproduced,
        }

    def changes_to(self, recipe: str) -> tuple[str, ...]:
        """The changes to a recipe of this name, with a name for the run."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")
        return (f"name={recipe}-{slug}", *self.changes)


def read_rows(path: Path) -> list[PeerRow]:
    """The rows of a file, in order; raises :class:`RecipeError` for an invalid one."""
    rows = []
    for name, table in read_toml(path).items():
        if not isinstance(table, dict):
            raise RecipeError(f"{path}: {name} must be a table, such as [GTS]")
        if "name" in table:
            raise RecipeError(f"{path}: remove {name}.name; a row takes the name of its table")
        rows.append(checked(PeerRow, {"name": name, **table}, str(path), RecipeError, f"{name}."))
    if not rows:
        raise RecipeError(f"{path} has no rows: write a table for each, such as [GTS]")
    trained = {row.name for row in rows if not row.same_as}
    for row in rows:
        if bool(row.same_as) == bool(row.changes):
            raise RecipeError(f"{path}: {row.name} needs either changes, such as decoder=seq2tree, or same_as")
        if row.same_as and row.same_as not in trained:
            raise RecipeError(f"{path}: {row.name} is the same as {row.same_as}, which is not a row with changes")
        if unknown := [each for each in row.reproduced if each not in FIGURES]:
            raise RecipeError(f"{path}: {row.name}.reproduced has {unknown[0]}; it must be one of {', '.join(FIGURES)}")
    return rows
