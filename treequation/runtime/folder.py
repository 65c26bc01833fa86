"""The light model folder: its content and its checks. Everything but the weights is JSON or ONNX."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

from treequation.expression.graph import Operator
from treequation.storage import MANIFEST, DamagedFolderError, check_seal
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.problem import NumberFormat

KIND, FORMAT = "treequation light model", 1
METADATA, WEIGHTS, TOKENIZER, GRAPHS = "model.json", "weights.npz", "tokenizer.json", "graphs"
INT16 = "start.int16"  # the graph of the encoder with integer products
LANGUAGES = {"en": "English", "zh": "Chinese"}
PROBE, PROBED = "probe", (64, 16)  # the graph that tests such products on a processor; its inputs and outputs

# Limits on file sizes and on the values in model.json: far more than any model needs, and safe on any machine.
_MAX_METADATA, _MAX_TOKENIZER, _MAX_GRAPH = 1 << 24, 1 << 27, 1 << 26
_NUMBERS: Mapping[str, tuple[tuple[type, ...], float, float]] = {
    "max_tokens": ((int,), 1, 1 << 20),
    "padding": ((int,), 0, 1 << 30),
    "steps": ((int,), 1, 1000),
    "shared_layers": ((int,), 0, 1000),
    "max_numbers": ((int,), 1, 1 << 16),
    "unsure_below": ((int, float), 0.0, 1.0),
}
_FORMAT: Mapping[str, tuple[object, ...]] = {
    "percent": ("whole", "fraction"),
    "fraction": ("one", "two"),
    "words": (True, False),
    "ordinals": (True, False),
}
_CONSTANT = re.compile(r"-?\d{1,50}(?:/\d{1,50}|\.\d{1,50})?")


@dataclass(frozen=True, slots=True)
class Metadata:
    """The content of ``model.json``.

    ``calibration`` maps the model's probability of an answer to the share of such answers that are right: ascending
    pairs of both, interpolated linearly; if it is empty, the probability is used unchanged.
    An answer whose confidence is below ``unsure_below`` is shown as unsure.
    """

    name: str
    made_by: str
    constants: tuple[str, ...]
    operators: tuple[str, ...]
    number_format: Mapping[str, Any]
    keep_number_text: bool
    max_tokens: int
    padding: int
    steps: int
    shared_layers: int
    precision: str  # precision of the matrices on disk
    graphs: Mapping[str, tuple[str, ...]]  # the weights that each graph takes
    trained_on: tuple[str, ...] = ()
    languages: tuple[str, ...] = ("en", "zh")
    max_numbers: int = 64
    calibration: tuple[tuple[float, float], ...] = ()
    unsure_below: float = 0.5
    amounts: bool = False  # answers are amounts: the operands of a difference below zero are swapped
    settings: Mapping[str, Any] = field(default_factory=dict)  # to build the model again; older versions wrote none

    @property
    def vocabulary(self) -> Vocabulary:
        """The operators and constants that the model knows."""
        return Vocabulary(tuple(map(Fraction, self.constants)), tuple(map(Operator, self.operators)))

    @property
    def format(self) -> NumberFormat:
        """How numbers are found in a text for this model."""
        return NumberFormat(**self.number_format)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return asdict(self)


def is_light(folder: Path) -> bool:
    """Whether a folder looks like a light model folder, damaged or not."""
    return (folder / METADATA).is_file()


def read_metadata(folder: Path) -> Metadata:
    """The metadata of a light model folder; refuses a folder that is incomplete or damaged."""
    if (folder / "run.json").is_file():  # files of a training run
        raise DamagedFolderError(f"{folder} is a training run; export it first: treequation export {folder} …")
    sealed = check_seal(folder, kind=KIND, version=FORMAT)
    for name, most in ((METADATA, _MAX_METADATA), (WEIGHTS, None), (TOKENIZER, _MAX_TOKENIZER)):
        _check_file(folder, name, sealed, most)
    path = folder / METADATA
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        known = {each.name for each in fields(Metadata)}
        plain: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in content.items()}
        metadata = Metadata(**{name: value for name, value in plain.items() if name in known})
        _check(metadata)
    except (ValueError, TypeError, AttributeError, RecursionError, ZeroDivisionError) as error:
        raise DamagedFolderError(f"{path} is damaged ({error}); export or download the folder again") from error
    for name in (*metadata.graphs, *([PROBE] if INT16 in metadata.graphs else [])):
        _check_file(folder, f"{GRAPHS}/{name}.onnx", sealed, _MAX_GRAPH)
    return metadata


def _check_file(folder: Path, name: str, sealed: Container[str], most: int | None) -> None:
    if name not in sealed:
        raise DamagedFolderError(f"{folder / MANIFEST} does not list {name}; export or download the folder again")
    size = (folder / name).stat().st_size
    if most is not None and size > most:
        raise DamagedFolderError(f"{folder / name} has {size:,} bytes; the limit is {most:,}")


def _check(metadata: Metadata) -> None:
    """Raises ValueError for a value of the wrong type, or larger than any model needs."""
    for name, (kind, low, high) in _NUMBERS.items():
        value = getattr(metadata, name)
        if type(value) not in kind or not low <= value <= high:  # false for NaN as well
            raise ValueError(f"{name} is {value!r}; it must be from {low} to {high}")
    for name in ("keep_number_text", "amounts"):
        if type(getattr(metadata, name)) is not bool:
            raise ValueError(f"{name} must be true or false")
    for name in ("name", "made_by", "precision"):
        if type(getattr(metadata, name)) is not str:
            raise ValueError(f"{name} must be text")
    if type(metadata.settings) is not dict:
        raise ValueError("settings must be an object")
    for name in ("constants", "operators", "trained_on", "languages"):
        values = getattr(metadata, name)
        if type(values) is not tuple or not all(type(value) is str for value in values):
            raise ValueError(f"{name} must be a list of texts")
    long = next((value for value in metadata.constants if not _CONSTANT.fullmatch(value)), None)
    if long is not None:
        raise ValueError(f"the constant {long[:40]!r} is not a number, or has too many digits")
    if not metadata.languages or not set(metadata.languages) <= set(LANGUAGES):
        raise ValueError(f"languages must be some of {', '.join(LANGUAGES)}")
    _ = metadata.vocabulary
    for name, choices in _FORMAT.items():
        if getattr(metadata.format, name) not in choices:
            raise ValueError(f"number_format.{name} is unknown")
    if not all(name in metadata.graphs for name in ("start", "read", "propose", "advance")):
        raise ValueError("a graph is missing")
    for name, weights in metadata.graphs.items():
        if not name.replace(".", "").isalnum() or not all(type(weight) is str for weight in weights):
            raise ValueError("graphs must list the names of weights")
    curve = [(float(given), float(right)) for given, right in metadata.calibration]
    if not all(0 <= value <= 1 for pair in curve for value in pair) or curve != sorted(curve):
        raise ValueError("calibration must have ascending pairs of shares from 0 to 1")
