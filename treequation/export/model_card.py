"""The README of a light folder: the model card that the Hugging Face hub shows.

The manifest does not list it, so it may be edited.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from treequation import __version__
from treequation.runtime.folder import LANGUAGES, WEIGHTS, read_metadata
from treequation.runtime.weight_file import count_weights
from treequation.storage import MANIFEST, sha256_of, write_whole

CARD = "README.md"
_STORED = {"int8": "8 bits, with a scale for each row or column", "float32": "float32"}


class Score(NamedTuple):
    """The share of ``problems`` that the model solved, by a score such as ``answer_accuracy``."""

    data: str
    split: str
    problems: int
    score: str
    share: float


def write_card(folder: Path, scores: Sequence[Score] = (), *, licence: str | None = None) -> None:
    """Writes the card of a light folder. ``scores`` come from the training run of the model."""
    text = "\n".join([*_front_matter(folder, scores, licence), "", *_text(folder, scores)]) + "\n"
    write_whole(folder / CARD, text)


def _front_matter(folder: Path, scores: Sequence[Score], licence: str | None) -> Iterator[str]:
    """YAML; values are written as JSON, which is valid YAML."""
    metadata = read_metadata(folder)
    yield "---"
    yield f"language: {json.dumps(metadata.languages)}"
    if licence:
        yield f"license: {json.dumps(licence)}"
    yield "library_name: treequation"
    yield "tags: [math-word-problems, expression-tree, onnx]"
    if scores:
        yield "model-index:"
        yield f"- name: {json.dumps(metadata.name)}"
        yield "  results:"
        for score in scores:
            metric = {"type": "accuracy", "name": score.score.replace("_", " "), "value": round(100 * score.share, 2)}
            yield "  - task: {type: text-generation, name: math word problems}"
            yield f"    dataset: {json.dumps({'type': score.data, 'name': score.data, 'split': score.split})}"
            yield f"    metrics: [{json.dumps(metric)}]"
    yield "---"


def _text(folder: Path, scores: Sequence[Score]) -> Iterator[str]:
    metadata = read_metadata(folder)
    languages = " and ".join(LANGUAGES[language] for language in metadata.languages)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and file.name != CARD)
    yield f"# {metadata.name}"
    yield ""
    yield f"Solves math word problems in {languages}: an equation, its exact value, the steps and a confidence."
    yield "It runs on ONNX Runtime, without PyTorch. Check the equation wherever a wrong answer could do harm."
    yield ""
    yield "```"
    yield "pip install 'treequation[hub]'"
    yield f'treequation solve --model ORGANISATION/{folder.name} "Tom has 3 boxes of 12 pencils. How many in all?"'
    yield "```"
    yield ""
    yield "To get exactly these files, add the checksum of `manifest.json`, which lists those of all the others:"
    yield f"`ORGANISATION/{folder.name}#sha256={sha256_of(folder / MANIFEST)}`."
    yield ""
    yield "| | |"
    yield "|---|---|"
    yield f"| weights | {count_weights(folder / WEIGHTS):,}, stored in {_STORED[metadata.precision]} |"
    yield f"| size | {size / 1e6:.1f} MB with the tokenizer |"
    yield f"| input | up to {metadata.max_tokens} tokens and {metadata.max_numbers} numbers |"
    yield f"| operators | {' '.join(f'`{operator}`' for operator in metadata.operators)} |"
    yield f"| constants | {len(metadata.constants)} |"
    yield f"| steps | at most {metadata.steps} layers of expressions |"
    yield f"| trained on | {', '.join(metadata.trained_on) or 'not recorded'} |"
    fitted = f"fitted at {len(metadata.calibration)} points" if metadata.calibration else "the model's own probability"
    yield f"| confidence | {fitted}; an answer below {metadata.unsure_below:.0%} is shown as unsure |"
    yield f"| made by | {metadata.made_by}; card by treequation {__version__} |"
    if scores:
        yield ""
        yield "| data | problems | score | solved |"
        yield "|---|---|---|---|"
        for score in scores:
            name = score.score.replace("_", " ")
            yield f"| {score.data}, {score.split} | {score.problems:,} | {name} | {score.share:.1%} |"
        yield ""
        yield "Measured on the trained model before its weights were rounded for this folder."
