"""A recipe: everything that decides a training run, read from one TOML file.

An unknown key is an error that names the nearest known one, so that a typing mistake never trains the wrong model for
an hour.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from treequation.baselines import DECODERS
from treequation.errors import TreequationError
from treequation.evaluation.summary import SCORES
from treequation.model.config import PAPER, TreequationConfig, check_choice, check_range, translated
from treequation.model.parts import check_parts

T = TypeVar("T")

PACKAGED = Path(__file__).parents[1] / "recipes"


class RecipeError(TreequationError, ValueError):
    """A recipe that cannot be followed: an unknown key, a value of the wrong kind, a file that is not there."""


@dataclass(frozen=True, slots=True)
class Data:
    """Which problems. A source is ``name:split`` or a ``.jsonl`` file; ``fold`` goes with data sets that have folds."""

    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    fold: int = -1  # −1: none
    pool: tuple[str, ...] = ()  # instead of train and test: all problems, to be cut into folds by a fixed shuffle
    folds: int = 5  # that a pool is cut into
    dev_part: float = 0.0  # share of the training problems held out as dev, where the data set brings no dev split
    min_constant: int = 2  # a constant is known to the model if this many training equations have it
    extra: tuple[str, ...] = ()  # more training problems, from other data sets, except those in dev or test
    exclude: tuple[str, ...] = ()  # problems whose wording, numbers aside, is left out of training
    varied: tuple[str, ...] = ()  # training problems that are added again, with other numbers
    variations: int = 2  # how often
    one_order: bool = False  # training equations are written in one order of commuting operands and steps
    percent: str = ""  # number format; empty: the data set's own
    fraction: str = ""
    words: bool | None = None
    ordinals: bool | None = None
    watch_test: bool = False  # also score the test problems at every evaluation; they choose nothing


@dataclass(frozen=True, slots=True)
class Encoder:
    """A pretrained encoder by name or folder, or ``scratch`` with the sizes of a fresh one."""

    name: str = "scratch"
    layers: int = 0  # 0: all of a pretrained encoder's; of scratch: 2
    width: int = 128
    heads: int = 4
    dropout: float = 0.1
    lowercase: bool = False  # reads capital letters as small ones, for an encoder that would tell them apart


@dataclass(frozen=True, slots=True)
class Training:
    """How to train."""

    epochs: int = 60
    batch_size: int = 256
    accumulate: int = 1  # pieces that a batch is computed in, one after the other, where it is too large for the memory
    learning_rate: float = 8e-4  # of the decoder
    encoder_learning_rate: float = 3e-4
    layer_decay: float = 1.0  # each encoder layer below the top learns this much slower than the one above
    warmup: float = 0.05  # share of the steps
    decay: str = "linear"  # or cosine
    weight_decay: float = 0.01
    clip: float = 1.0  # of the gradient's norm
    beta2: float = 0.999  # AdamW's memory of squared gradients: 0.98 is about fifty updates
    precision: str = "auto"  # bf16 on CUDA, fp32 elsewhere
    graphs: bool = True  # on CUDA, the whole step as one graph a shape
    compile: bool = False  # compiles the whole step: slower to start, then faster
    evaluate_every: int = 5  # epochs
    checkpoint_every: int = 5  # epochs
    keep_best_by: str = "literature_accuracy"  # on dev
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Recipe:
    """A whole recipe. ``model`` holds settings of :class:`~treequation.model.TreequationConfig`."""

    name: str = "run"
    decoder: str = PAPER
    start: str = ""  # a run or model folder whose weights, encoder and tokenizer to begin with, instead of encoder.name
    data: Data = field(default_factory=Data)
    encoder: Encoder = field(default_factory=Encoder)
    model: Mapping[str, Any] = field(default_factory=dict)
    training: Training = field(default_factory=Training)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return dataclasses.asdict(self)


# What a recipe may say under [model], and of which type: the configuration's values, less those from elsewhere.
_FROM_PROBLEMS = {"operators", "constants", "codes", "number_format", "trained_on"}
_FROM_ELSEWHERE = {"encoder", "decoder", "mask_token", "separators", *_FROM_PROBLEMS}
MODEL = {
    name: kind
    for name, kind in get_type_hints(TreequationConfig.__init__).items()
    if name not in _FROM_ELSEWHERE | {"kwargs", "return"}
}

CHOICES = {
    "decoder": DECODERS,
    "data.percent": ("", "whole", "fraction"),
    "data.fraction": ("", "one", "two"),
    "training.decay": ("linear", "cosine"),
    "training.precision": ("auto", "bf16", "fp32"),
    "training.keep_best_by": SCORES,
}
MAX_BATCH = 1 << 16  # problems: a hundred times what helps, and more than any device holds
RANGES = {
    "data.dev_part": (0.0, 0.9),
    "data.folds": (2, 1000),
    "data.fold": (-1, 999),
    "data.min_constant": (1, None),
    "data.variations": (0, 100),
    "encoder.layers": (0, None),
    "encoder.width": (1, None),
    "encoder.heads": (1, None),
    "encoder.dropout": (0.0, 0.99),
    "training.epochs": (1, None),
    "training.batch_size": (1, MAX_BATCH),
    "training.accumulate": (1, MAX_BATCH),
    "training.learning_rate": (0.0, None),
    "training.encoder_learning_rate": (0.0, None),
    "training.layer_decay": (0.0, 1.0),
    "training.warmup": (0.0, 1.0),
    "training.weight_decay": (0.0, None),
    "training.clip": (0.0, None),
    "training.beta2": (0.0, 0.999999),
    "training.evaluate_every": (1, None),
    "training.checkpoint_every": (1, None),
    "training.seed": (0, 2**64 - 1),  # as far as PyTorch counts
}


def recipe_file(path: Path) -> Path:
    """The file at ``path``, or else the packaged recipe of this name: ``synthetic``, ``paper/mathqa``.

    ``recipes/paper/mathqa.toml`` is another way to write the second, as the log of experiments does.

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
    """A recipe file as plain values, whatever it holds."""
    try:
        return tomllib.loads(recipe_file(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        names = sorted(file.relative_to(PACKAGED).with_suffix("").as_posix() for file in PACKAGED.rglob("*.toml"))
        raise RecipeError(f"there is no recipe {path}; {_hint('', str(path), names)}") from error
    except OSError as error:
        raise RecipeError(f"cannot read the recipe {path}: {error.strerror}") from error
    except ValueError as error:
        raise RecipeError(f"{path} is not TOML: {error}") from error


def recipe_from(table: Mapping[str, Any], where: str = "the recipe") -> Recipe:
    """A recipe from plain values.

    >>> recipe_from({"training": {"epoch": 3}})
    Traceback (most recent call last):
    treequation.training.recipe.RecipeError: the recipe: there is no training.epoch; did you mean training.epochs?
    """
    recipe = read_table(Recipe, _in_todays_words(table, where), "", where)
    name, encoder = recipe.name, recipe.encoder
    if name.strip() in ("", "..") or Path(name).name != name or not name.isprintable():
        raise RecipeError(f"{where}: name is {name!r}; it names the run folder, so it must be the name of one folder")
    try:
        for key, allowed in CHOICES.items():
            check_choice(key, _get(recipe, key), allowed)
        for key, limits in RANGES.items():
            check_range(key, _get(recipe, key), *limits)
    except ValueError as error:
        raise RecipeError(f"{where}: {error}") from error
    try:
        check_parts(TreequationConfig(decoder=recipe.decoder, **recipe.model))
    except ValueError as error:
        raise RecipeError(f"{where}: model.{error}") from error
    if encoder.name == "scratch" and encoder.width % encoder.heads:
        raise RecipeError(
            f"{where}: encoder.heads is {encoder.heads}, which does not divide encoder.width, {encoder.width}"
        )
    return recipe


def _in_todays_words(table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A recipe that an earlier version wrote, in the names of today and without the settings that are gone."""
    table = dict(table)
    data, model, training = table.get("data"), table.get("model"), table.get("training")
    if isinstance(data, Mapping):
        table["data"] = {"min_constant" if key == "least_constant" else key: value for key, value in data.items()}
    if isinstance(model, Mapping):
        try:
            table["decoder"], table["model"] = translated(table.get("decoder", PAPER), model)
        except ValueError as error:
            raise RecipeError(f"{where}: model.{error}") from error
    if isinstance(training, Mapping) and training.get("ema") == 0.0:
        table["training"] = {key: value for key, value in training.items() if key != "ema"}
    return table


def same_recipe(recipe: Recipe, stored: Mapping[str, Any]) -> bool:
    """Whether ``stored``, a recipe's :meth:`~Recipe.to_dict` out of a file, is this one.

    What an older version did not write has its default.
    """
    try:
        return recipe_from(stored) == recipe
    except RecipeError:
        return False


def _get(recipe: Any, key: str) -> Any:
    for name in key.split("."):
        recipe = getattr(recipe, name)
    return recipe


def _change(table: dict[str, Any], change: str) -> None:
    key, equals, text = change.partition("=")
    if not equals:
        raise RecipeError(f"--set {change}: write it as key=value, for example training.epochs=3")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        value = text  # a bare word is a string, so that nobody fights the shell over quotes
    *path, last = key.strip().split(".")
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise RecipeError(f"--set {change}: {part} is not a table")
    table[last] = value


def read_table(kind: type[T], table: Mapping[str, Any], prefix: str, where: str) -> T:
    """A dataclass from plain values; :class:`RecipeError` for an unknown key or a value of another type."""
    values = _values(get_type_hints(kind), table, prefix, where)
    missing = [f.name for f in dataclasses.fields(kind) if _needed(f) and f.name not in values]  # type: ignore[arg-type]
    if missing:
        raise RecipeError(f"{where}: {prefix}{missing[0]} is missing")
    return kind(**values)


def _values(kinds: Mapping[str, Any], table: Mapping[str, Any], prefix: str, where: str) -> dict[str, Any]:
    for key in table:
        if key not in kinds:
            raise RecipeError(_unknown(prefix, key, kinds, where))
    return {key: _value(kinds[key], value, f"{prefix}{key}", where) for key, value in table.items()}


def _needed(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _value(kind: Any, value: Any, key: str, where: str) -> Any:
    if dataclasses.is_dataclass(kind) or get_origin(kind) is Mapping:
        if not isinstance(value, Mapping):
            raise RecipeError(f"{where}: {key} must be a table")
        if get_origin(kind) is Mapping:
            return _values(MODEL, value, f"{key}.", where)
        return read_table(kind, value, f"{key}.", where)
    if get_origin(kind) is tuple:
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise RecipeError(f"{where}: {key} must be a list of strings")
        return tuple(value)
    allowed = get_args(kind) or (kind,)
    if float in allowed and type(value) is int:
        value = float(str(value))  # through text, since a number too large is infinite then, and not an error
    if type(value) not in allowed:
        names = " or ".join(t.__name__ for t in allowed if t is not type(None))
        raise RecipeError(f"{where}: {key} is {value!r}; it must be of type {names}")
    if isinstance(value, float) and not isfinite(value):
        raise RecipeError(f"{where}: {key} is {value}; it must be finite")
    return value


def _unknown(prefix: str, key: str, known: Any, where: str) -> str:
    return f"{where}: there is no {prefix}{key}; {_hint(prefix, key, known)}"


def _hint(prefix: str, key: str, known: Iterable[str]) -> str:
    names = list(known)
    close = get_close_matches(key, names, n=1)
    return f"did you mean {prefix}{close[0]}?" if close else f"there are {', '.join(prefix + k for k in names)}"
