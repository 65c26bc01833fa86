"""The variants that test the paper's claims: a TOML file of recipes, regimes and named changes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from treequation.errors import TreequationError
from treequation.experiments.peers import PeerRow, read_rows
from treequation.model.config import PAPER, TreequationConfig
from treequation.records import STRICT, checked
from treequation.training.recipe import MODEL, Recipe, RecipeError, read_recipe, read_toml

Settings = Mapping[str, Any]
OTHER = "other"  # a run that is none of the variants
# Settings of evaluation, checkpoints and speed, which do not change what is learnt.
_ASIDE = ("evaluate_every", "checkpoint_every", "accumulate", "compile", "seed")


@dataclass(frozen=True, slots=True)
class _File:
    __pydantic_config__ = STRICT

    recipes: Mapping[str, str]
    regimes: Mapping[str, tuple[str, ...]]
    variants: Mapping[str, tuple[str, ...]]
    peers: str = ""  # a file of rows whose changes are variants as well


@dataclass(frozen=True, slots=True)
class ClaimVariants:
    """A recipe for each data set, and named changes: training regimes, and variants of the model or data."""

    recipes: Mapping[str, Path]
    regimes: Mapping[str, tuple[str, ...]]
    variants: Mapping[str, tuple[str, ...]]
    peers: Sequence[PeerRow] = ()
    _trained: dict[str, dict[str, Settings]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def read(cls, path: Path) -> ClaimVariants:
        """The file's content; raises :class:`RecipeError` if it is not valid."""
        file = checked(_File, read_toml(path), str(path), RecipeError)
        recipes = {data: path.parent / recipe for data, recipe in file.recipes.items()}
        rows = read_rows(path.parent.parent / file.peers) if file.peers else []
        variants = {**file.variants, **{row.name: row.changes for row in rows if row.changes}}
        return cls(recipes, file.regimes, variants, rows)

    def recipe_for(self, data: str) -> Path:
        """The recipe of a data set; raises an error if there is none."""
        if data not in self.recipes:
            raise TreequationError(f"the claims have no recipe for {data}, only for {', '.join(self.recipes)}")
        return self.recipes[data]

    def variant_of(self, own: Settings, data: str) -> str:
        """The variant that matches a recipe's settings, in any training regime; ``other`` if none does."""
        differing = self.differing(own, data)
        return next((name for name, keys in differing.items() if not keys), OTHER)

    def differing(self, own: Settings, data: str) -> dict[str, list[str]]:
        """The settings that differ from each variant of a data set, the nearest variant first."""
        if data not in self.recipes:
            return {}
        own, found = trained(own), {}
        for name, variant in self._variants_of(data).items():
            found[name] = [key for key in own if key not in variant or own[key] != variant[key]]
        return dict(sorted(found.items(), key=lambda item: len(item[1])))

    def _variants_of(self, data: str) -> dict[str, Settings]:
        """What each variant of a data set trains. Read once: a report asks for hundreds of runs."""
        if data not in self._trained:
            recipes = {name: read_recipe(self.recipes[data], changes) for name, changes in self.variants.items()}
            self._trained[data] = {name: trained(settings(recipe)) for name, recipe in recipes.items()}
        return self._trained[data]

    def command(self, own: Settings, data: str) -> str:
        """The command that trains with these settings, given as changes to the data set's recipe."""
        path = self.recipe_for(data)
        base = settings(read_recipe(path))
        changes = [f"--set {shlex.quote(f'{key}={_toml(value)}')}" for key, value in own.items() if value != base[key]]
        return " ".join(["treequation train", path.as_posix(), "--test", *changes])


def settings(recipe: Recipe) -> Settings:
    """Every setting by its key, such as ``model.queries``, including defaults, except the recipe's name.

    An encoder's name has no folder, since folders differ between machines.
    """
    default = TreequationConfig()  # of a run with `start`, only the settings that its recipe names are known
    found: dict[str, Any] = {"decoder": recipe.decoder, "start": recipe.start}
    for part in ("data", "encoder", "training"):
        found |= {f"{part}.{key}": value for key, value in asdict(getattr(recipe, part)).items()}
    found |= {f"model.{key}": recipe.model.get(key, getattr(default, key)) for key in MODEL}
    found["encoder.name"] = recipe.encoder_name
    return {key: list(value) if isinstance(value, tuple) else value for key, value in found.items()}  # as JSON has it


def trained(own: Settings) -> Settings:
    """The settings of the model and its data, without those of the encoder and of training.

    The teacher is left out for all decoders but the paper's, which alone has one. So is the limit on the length of
    equations: like the paper's number of steps, it decides which problems are trained on, not what the variant is.
    """
    lengths = "model.symbols", "model.expressions"
    teacher = () if own["decoder"] == PAPER else ("model.teacher",)
    aside = ("encoder.", "training.", "data.watch_test", *lengths, *teacher)
    return {key: value for key, value in own.items() if not key.startswith(aside)}


def regime(own: Settings) -> Settings:
    """The training settings, without the seed."""
    aside = ("encoder.name", "encoder.layers", *(f"training.{name}" for name in _ASIDE))
    return {key: value for key, value in own.items() if key.startswith(("encoder.", "training.")) and key not in aside}


def _toml(value: Any) -> str:
    """A value in the notation of ``--set``."""
    return json.dumps(value) if isinstance(value, bool | list) else str(value)
