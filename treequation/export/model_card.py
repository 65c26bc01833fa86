"""The README of a light folder: the model card that the Hugging Face hub shows.

The manifest does not list it, so it may be edited.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from treequation import __version__
from treequation.runtime.folder import LANGUAGES, WEIGHTS, Metadata, read_metadata
from treequation.runtime.weight_file import WeightFile
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
    metadata = read_metadata(folder)
    write_whole(folder / CARD, "\n".join(_front_matter(metadata, scores, licence)) + _text(folder, metadata, scores))


def _front_matter(metadata: Metadata, scores: Sequence[Score], licence: str | None) -> Iterator[str]:
    """YAML; values are written as JSON, which is valid YAML."""
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
    yield "---\n\n"


def _text(folder: Path, metadata: Metadata, scores: Sequence[Score]) -> str:
    languages = " and ".join(LANGUAGES[language] for language in metadata.languages)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and file.name != CARD)
    operators = " ".join(f"`{operator}`" for operator in metadata.operators)
    fitted = f"fitted at {len(metadata.calibration)} points" if metadata.calibration else "the model's own probability"
    with WeightFile(folder / WEIGHTS) as weights:
        count = weights.count
    text = f"""# {metadata.name}

Solves math word problems in {languages}: an equation, its exact value, the steps and a confidence.
It runs on ONNX Runtime, without PyTorch. Check the equation wherever a wrong answer could do harm.

```
pip install 'treequation[hub]'
treequation solve --model ORGANISATION/{folder.name} "Tom has 3 boxes of 12 pencils. How many in all?"
```

To get exactly these files, add the checksum of `manifest.json`, which lists those of all the others:
`ORGANISATION/{folder.name}#sha256={sha256_of(folder / MANIFEST)}`.

| | |
|---|---|
| weights | {count:,}, stored in {_STORED[metadata.precision]} |
| size | {size / 1e6:.1f} MB with the tokenizer |
| input | up to {metadata.max_tokens} tokens and {metadata.max_numbers} numbers |
| operators | {operators} |
| constants | {len(metadata.constants)} |
| steps | at most {metadata.steps} layers of expressions |
| trained on | {", ".join(metadata.trained_on) or "not recorded"} |
| confidence | {fitted}; an answer below {metadata.unsure_below:.0%} is shown as unsure |
| made by | {metadata.made_by}; card by treequation {__version__} |
"""
    if not scores:
        return text
    rows = "".join(
        f"| {each.data}, {each.split} | {each.problems:,} | {each.score.replace('_', ' ')} | {each.share:.1%} |\n"
        for each in scores
    )
    return f"""{text}
| data | problems | score | solved |
|---|---|---|---|
{rows}
Measured on the trained model before its weights were rounded for this folder.
"""
