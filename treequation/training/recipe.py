"""A recipe: everything that decides a training run, read from one TOML file."""

from __future__ import annotations

import dataclasses
import logging
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BeforeValidator, Field, create_model

from treequation.baselines import DECODERS
from treequation.errors import TreequationError
from treequation.model.config import PAPER, TreequationConfig, check_choice, translated
from treequation.model.parts import check_parts
from treequation.records import STRICT, Count, NonNegative, Share, checked, nearest

# A list of strings; one alone needs no brackets.
_in_brackets = BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
Sources = Annotated[tuple[str, ...], Field(strict=False), _in_brackets]
BatchSize = Annotated[int, Field(ge=1, le=1 << 16)]  # far more than helps, and more than any device holds
Dropout = Annotated[float, Field(ge=0.0, le=0.99)]

PACKAGED = Path(__file__).parents[1] / "recipes"
logger = logging.getLogger(__name__)


class RecipeError(TreequationError, ValueError):
    """A recipe that cannot be used: an unknown key, a value of the wrong type, a missing file."""


@dataclass(frozen=True, slots=True)
class Data:
    """Which problems. A source is ``name:split`` or a ``.jsonl`` file; ``fold`` is for data sets that have folds."""

    __pydantic_config__ = STRICT

    train: Sources = ()
    dev: Sources = ()
    test: Sources = ()
    fold: Annotated[int, Field(ge=-1, le=999)] = -1  # −1: none
    pool: Sources = ()  # instead of train and test: all problems, split into folds by a fixed shuffle
    folds: Annotated[int, Field(ge=2, le=1000)] = 5  # that a pool is split into
    dev_part: Annotated[float, Field(ge=0.0, le=0.9)] = 0.0  # share of the training problems to hold out as dev
    min_constant: Count = 2  # the model knows a constant if at least this many training equations have it
    extra: Sources = ()  # more training problems, from other data sets, except those in dev or test
    exclude: Sources = ()  # training problems with the wording of one of these, numbers aside, are left out
    varied: Sources = ()  # problems that are added to training twice more, with other numbers
    one_order: bool = False  # rewrite training equations in one standard order of operands and steps
    percent: Literal["", "whole", "fraction"] = ""  # number format; empty: the data set's own
    fraction: Literal["", "one", "two"] = ""
    words: bool | None = None
    ordinals: bool | None = None
    watch_test: bool = False  # also score the test problems at every evaluation; no choice depends on them


SCRATCH = "scratch"  # the name of an untrained encoder


@dataclass(frozen=True, slots=True)
class Encoder:
    """A pretrained encoder, by name or folder, or ``scratch`` for an untrained one of the given sizes."""

    __pydantic_config__ = STRICT

    name: str = SCRATCH
    layers: Annotated[int, Field(ge=0)] = 0  # 0: all layers of a pretrained encoder, or 2 for scratch
    width: Count = 128
    heads: Count = 4
    dropout: Dropout = 0.1
    lowercase: bool = False  # lower-cases the text, for a cased encoder


@dataclass(frozen=True, slots=True)
class Training:
    """How to train."""

    __pydantic_config__ = STRICT

    epochs: Count = 60
    batch_size: BatchSize = 256
    accumulate: BatchSize = 1  # gradient accumulation: the pieces of a batch that does not fit into memory
    learning_rate: NonNegative = 8e-4  # of the decoder
    encoder_learning_rate: NonNegative = 3e-4
    layer_decay: Share = 1.0  # each encoder layer's learning rate is that of the layer above, times this
    warmup: Share = 0.05  # share of the steps; then the rates fall to zero
    weight_decay: NonNegative = 0.01
    clip: NonNegative = 1.0  # gradient clipping: the largest norm
    precision: Literal["auto", "bf16", "fp32"] = "auto"  # bf16 on CUDA, fp32 elsewhere
    compile: bool = False  # compiles the whole step: minutes at the start, then faster
    evaluate_every: Count = 5  # epochs
    checkpoint_every: Count = 5  # epochs
    seed: Annotated[int, Field(ge=0, le=2**64 - 1)] = 0


@dataclass(frozen=True, slots=True)
class Recipe:
    """A whole recipe. ``model`` holds settings of :class:`~treequation.model.TreequationConfig`."""

    __pydantic_config__ = STRICT

    name: str = "run"
    decoder: str = ""  # by default that of `start`, or else the paper's
    # A run or model folder to begin with: its weights, encoder and tokenizer replace encoder.name, and settings of
    # [model] that are not given are its own.
    start: str = ""
    data: Data = field(default_factory=Data)
    encoder: Encoder = field(default_factory=Encoder)
    model: Mapping[str, Any] = field(default_factory=dict)
    training: Training = field(default_factory=Training)

    @property
    def encoder_name(self) -> str:
        """The encoder's name in results, without folders; with ``start`` and no name, whose encoder it is.

        >>> Recipe(encoder=Encoder("org/small")).encoder_name, Recipe(start="runs/first").encoder_name
        ('small', 'of first')
        """
        unnamed = self.start and self.encoder.name == SCRATCH
        return f"of {Path(self.start).name}" if unnamed else Path(self.encoder.name).name

    def to_dict(self) -> dict[str, Any]:
        """The recipe as plain values, for JSON."""
        return dataclasses.asdict(self)


# The keys and types of [model] in a recipe: those of the configuration, except what is set elsewhere.
_FROM_PROBLEMS = {"operators", "constants", "codes", "number_format", "trained_on"}
_FROM_ELSEWHERE = {"encoder", "decoder", "mask_token", "separators", *_FROM_PROBLEMS}
MODEL = {
    name: kind
    for name, kind in get_type_hints(TreequationConfig.__init__).items()
    if name not in _FROM_ELSEWHERE | {"kwargs", "return"}
}
_fields: dict[str, Any] = {name: (kind, None) for name, kind in MODEL.items()}
_ModelTable = create_model("_ModelTable", __config__=STRICT, **_fields)


def recipe_file(path: Path) -> Path:
    """The file at ``path``, or else the packaged recipe of this name: ``synthetic``, ``paper/mathqa``.

    ``recipes/paper/mathqa.toml`` also names the second, since the log of experiments writes it so.

    >>> recipe_file(Path("paper/mathqa")) == recipe_file(Path("recipes/paper/mathqa.toml")) != Path("paper/mathqa")
    True
    """
    if path.is_file() or path.is_absolute():
        return path
    name = path.relative_to("recipes") if path.is_relative_to("recipes") else path
    packaged = PACKAGED / name.parent / f"{name.name.removesuffix('.toml')}.toml"
    return packaged if packaged.is_file() else path


def read_recipe(path: Path, changes: Sequence[str] = ()) -> Recipe:
    """The recipe in ``path``, a file or the name of a packaged one, with ``changes`` such as ``training.epochs=3``."""
    table = read_toml(path)
    table.setdefault("name", path.stem)
    for change in changes:
        _change(table, change)
    return recipe_from(table, str(path))


def read_toml(path: Path) -> dict[str, Any]:
    """A recipe file as plain values, not checked."""
    try:
        return tomllib.loads(recipe_file(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        names = sorted(file.relative_to(PACKAGED).with_suffix("").as_posix() for file in PACKAGED.rglob("*.toml"))
        raise RecipeError(f"there is no recipe {path}; {nearest(str(path), names)}") from error
    except OSError as error:
        raise RecipeError(f"cannot read the recipe {path}: {error.strerror}") from error
    except ValueError as error:
        raise RecipeError(f"{path} is not TOML: {error}") from error


def recipe_from(table: Mapping[str, Any], where: str = "the recipe", *, finished: bool = False) -> Recipe:
    """A recipe from plain values. That of a ``finished`` run may have any value for a setting that no longer exists.

    >>> recipe_from({"training": {"epoch": 3}})
    Traceback (most recent call last):
    treequation.training.recipe.RecipeError: the recipe: there is no training.epoch; did you mean training.epochs?
    """
    table = _upgraded(table, where, finished)
    model = checked(_ModelTable, table.get("model", {}), where, RecipeError, "model.").model_dump(exclude_unset=True)
    recipe = checked(Recipe, {**table, "model": model}, where, RecipeError)
    if not (recipe.decoder or recipe.start):
        recipe = dataclasses.replace(recipe, decoder=PAPER)
    name, encoder = recipe.name, recipe.encoder
    if name.strip() in ("", "..") or Path(name).name != name or not name.isprintable():
        raise RecipeError(f"{where}: name is {name!r}; it names the run folder, so it must be the name of one folder")
    try:
        if recipe.decoder:
            check_choice("decoder", recipe.decoder, DECODERS)
    except ValueError as error:
        raise RecipeError(f"{where}: {error}") from error
    try:
        if recipe.decoder:
            check_parts(TreequationConfig(decoder=recipe.decoder, **recipe.model), DECODERS[recipe.decoder].CHOOSES)
    except ValueError as error:
        raise RecipeError(f"{where}: model.{error}") from error
    if encoder.name == SCRATCH and encoder.width % encoder.heads:
        raise RecipeError(
            f"{where}: encoder.heads is {encoder.heads}, which does not divide encoder.width, {encoder.width}"
        )
    return recipe


# Settings that no longer exist, with the one value that a recipe may still give; ANY if none changed what was learnt.
ANY = object()
_GONE: Mapping[str, Mapping[str, object]] = {
    "data": {"variations": 2},
    "training": {"ema": 0.0, "decay": "linear", "beta2": 0.999, "graphs": ANY, "keep_best_by": "literature_accuracy"},
}


def _upgraded(table: Mapping[str, Any], where: str, finished: bool) -> dict[str, Any]:
    """A recipe of an earlier version with today's names, and without settings that no longer exist."""
    table = dict(table)
    data, model = table.get("data"), table.get("model")
    if isinstance(data, Mapping):
        table["data"] = {"min_constant" if key == "least_constant" else key: value for key, value in data.items()}
    if isinstance(model, Mapping):
        try:
            decoder, table["model"] = translated(table.get("decoder") or PAPER, model)
        except ValueError as error:
            raise RecipeError(f"{where}: model.{error}") from error
        if table.get("decoder") or decoder != PAPER:
            table["decoder"] = decoder
    for part, gone in _GONE.items():
        if not isinstance(table.get(part), Mapping):
            continue
        for name, only in gone.items():
            value = table[part].get(name, only)
            if only in (value, ANY):
                continue
            message = f"{where}: {part}.{name} is {value!r}, but it is no longer a setting"
            if not finished:
                raise RecipeError(f"{message}: only {only!r} is supported")
            logger.warning("%s; it is ignored", message)
        table[part] = {key: value for key, value in table[part].items() if key not in gone}
    return table


def same_recipe(recipe: Recipe, stored: Mapping[str, Any]) -> bool:
    """Whether ``stored``, a recipe's :meth:`~Recipe.to_dict` read from a file, is this recipe.

    Keys that an older version did not write have their defaults.
    """
    try:
        return recipe_from(stored) == recipe
    except RecipeError:
        return False


def _change(table: dict[str, Any], change: str) -> None:
    key, equals, text = change.partition("=")
    *path, last = (part.strip() for part in key.split("."))
    if not equals or not all([*path, last]):
        raise RecipeError(f"--set {change}: write it as key=value, for example training.epochs=3")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        value = text  # a bare word is a string, so that nobody has to quote it twice for the shell
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise RecipeError(f"--set {change}: {part} is not a table")
    table[last] = value
