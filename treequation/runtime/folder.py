"""The light model folder: what is in it, and reading it. Everything but the weights is JSON or ONNX."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

from treequation.expression.graph import Operator
from treequation.storage import DamagedFolderError, check_seal
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.problem import NumberFormat

KIND, FORMAT = "treequation light model", 1
METADATA, WEIGHTS, TOKENIZER, GRAPHS = "model.json", "weights.npz", "tokenizer.json", "graphs"
EIGHT_BITS = ".int8"  # behind the name of a graph that multiplies in 8 bits
PROBE, PROBED = "probe", (64, 16)  # the graph that tells whether a processor does so right; its inputs and outputs


@dataclass(frozen=True, slots=True)
class Metadata:
    """What ``model.json`` says.

    ``calibration`` maps the model's own probability of an answer to the share of such answers that are right: pairs
    of both, ascending, with straight lines between them; empty means that the probability is taken as it is.
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
    precision: str  # of the matrices on disk
    graphs: Mapping[str, tuple[str, ...]]  # the weights that each graph takes
    trained_on: tuple[str, ...] = ()
    languages: tuple[str, ...] = ("en", "zh")
    max_numbers: int = 64
    calibration: tuple[tuple[float, float], ...] = ()
    unsure_below: float = 0.5
    amounts: bool = False  # answers are amounts: a difference below zero is turned round

    @property
    def vocabulary(self) -> Vocabulary:
        """The operators and constants that the model knows."""
        return Vocabulary(tuple(map(Fraction, self.constants)), tuple(map(Operator, self.operators)))

    @property
    def format(self) -> NumberFormat:
        """How the model's numbers are read out of a text."""
        return NumberFormat(**self.number_format)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return asdict(self)


def read_metadata(folder: Path) -> Metadata:
    """The metadata of a light model folder that is whole; another is refused."""
    if (folder / "run.json").is_file():  # what training leaves
        raise DamagedFolderError(f"{folder} is a run of training; make it light: treequation export {folder} …")
    check_seal(folder, kind=KIND, version=FORMAT)
    path = folder / METADATA
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        known = {field.name for field in fields(Metadata)}
        plain: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in said.items()}
        metadata = Metadata(**{name: value for name, value in plain.items() if name in known})
        _ = metadata.vocabulary, metadata.format
    except (ValueError, TypeError) as error:
        raise DamagedFolderError(f"{path} is damaged ({error}); take the folder anew") from error
    return metadata
