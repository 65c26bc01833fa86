"""The variants that the paper's claims are tested with: a TOML file of recipes, regimes and named changes."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from treequation.errors import TreequationError
from treequation.model.config import TreequationConfig
from treequation.training.recipe import MODEL, Recipe, RecipeError, read_recipe, read_toml

OTHER = "other"  # a run that is none of the variants
_TABLES = ("recipes", "regimes", "variants")
# What says when a run was looked at or saved, or how fast it was computed, and changes nothing that is learnt.
_ASIDE = ("evaluate_every", "checkpoint_every", "accumulate", "graphs", "compile", "seed")


@dataclass(frozen=True, slots=True)
class ClaimVariants:
    """A recipe for each data set, and changes by name: regimes of training, and variants of what is trained."""

    recipes: Mapping[str, Path]
    regimes: Mapping[str, tuple[str, ...]]
    variants: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, path: Path) -> ClaimVariants:
        """The file's content; :class:`RecipeError` if it is not as it should be."""
        table = read_toml(path)
        if table.keys() != set(_TABLES) or not all(isinstance(part, dict) for part in table.values()):
            raise RecipeError(f"{path} must have the tables {', '.join(_TABLES)}, and nothing else")
        for part in ("regimes", "variants"):
            for name, changes in table[part].items():
                if not isinstance(changes, list) or not all(isinstance(change, str) for change in changes):
                    raise RecipeError(f"{path}: {part}.{name} must be a list of changes, such as model.queries=1")
        recipes = {data: path.parent / str(recipe) for data, recipe in table["recipes"].items()}
        regimes, variants = ({name: tuple(each) for name, each in table[part].items()} for part in _TABLES[1:])
        return cls(recipes, regimes, variants)

    def variant_of(self, recipe: Recipe, data: str) -> str:
        """The variant that a recipe is, however it is trained; ``other`` if it is none of them."""
        differing = self.differing(recipe, data)
        return next((name for name, keys in differing.items() if not keys), OTHER)

    def differing(self, recipe: Recipe, data: str) -> dict[str, list[str]]:
        """The settings in which a recipe differs from each variant of a data set, the nearest variant first."""
        if data not in self.recipes:
            return {}
        own, found = trained(recipe), {}
        for name, changes in self.variants.items():
            variant = trained(read_recipe(self.recipes[data], changes))
            found[name] = [key for key, value in own.items() if value != variant[key]]
        return dict(sorted(found.items(), key=lambda item: len(item[1])))

    def command(self, recipe: Recipe, data: str) -> str:
        """The command that makes a run of this recipe; it names what differs from the data set's recipe."""
        path = self.recipes.get(data)
        if path is None:
            raise TreequationError(
                f"there is no recipe for {data} among those of the claims: {', '.join(self.recipes)}"
            )
        base, own = settings(read_recipe(path)), settings(recipe)
        changes = [f"--set {shlex.quote(f'{key}={_toml(value)}')}" for key, value in own.items() if value != base[key]]
        return " ".join(["treequation train", path.as_posix(), "--test", *changes])


def settings(recipe: Recipe) -> dict[str, Any]:
    """Every setting by its key, such as ``model.queries``, those with their defaults included; but for the name.

    An encoder is named without its folder, which differs from machine to machine.
    """
    config = TreequationConfig(decoder=recipe.decoder, **recipe.model)
    found: dict[str, Any] = {"decoder": recipe.decoder, "start": recipe.start}
    for part in ("data", "encoder", "training"):
        found |= {f"{part}.{key}": value for key, value in asdict(getattr(recipe, part)).items()}
    found |= {f"model.{key}": getattr(config, key) for key in MODEL}
    return found | {"encoder.name": Path(recipe.encoder.name).name}


def trained(recipe: Recipe) -> dict[str, Any]:
    """What is trained on what: the settings but for those of the encoder and of the training."""
    aside = ("encoder.", "training.", "data.watch_test")
    return {key: value for key, value in settings(recipe).items() if not key.startswith(aside)}


def regime(recipe: Recipe) -> tuple[tuple[str, Any], ...]:
    """How it is trained, the seed aside."""
    aside = ("encoder.name", "encoder.layers", *(f"training.{name}" for name in _ASIDE))
    own = settings(recipe).items()
    return tuple((key, value) for key, value in own if key.startswith(("encoder.", "training.")) and key not in aside)


def encoder(recipe: Recipe) -> str:
    """The encoder's name and, if it has fewer layers than it might, how many.

    >>> from treequation.training.recipe import Encoder
    >>> encoder(Recipe(encoder=Encoder("models/e5-small", layers=6)))
    'e5-small, 6 layers'
    """
    own = recipe.encoder
    return f"{Path(own.name).name}, {own.layers} layers" if own.layers else Path(own.name).name


def _toml(value: Any) -> str:
    """A value as ``--set`` takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(repr, value))}]"
    return str(value)
