"""Problems as arrays: few fixed shapes, so that a device can run the same program over and over.

A batch is a tuple of arrays. The same tuple holds NumPy arrays here and tensors in the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from treequation.data.labels import RESULT, LabelSets
from treequation.text.encoding import EncodedProblem


class Batch(NamedTuple):
    """``B`` problems, padded to ``T`` tokens, ``N`` numbers, ``L`` layers and ``W`` expressions a layer."""

    ids: Any  # [B, T] token ids
    lengths: Any  # [B] tokens of each problem
    positions: Any  # [B, N] where each number's marker stands
    numbers: Any  # [B] how many numbers each problem has
    operators: Any  # [B, L, W] operator ids; 0 is None
    left: Any  # [B, L, W] operand slots
    right: Any  # [B, L, W]
    layers: Any  # [B] how many layers count in the loss: the equation's and the all-None one that follows
    weight: Any  # [B] 1, or 0 for a row that only fills the batch up


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """The sizes that a batch is padded to."""

    tokens: int
    numbers: int
    layers: int
    width: int


@dataclass(frozen=True, slots=True)
class Example:
    """A problem ready to be put into a batch; ``labels`` is empty where only the text is known."""

    encoded: EncodedProblem
    labels: LabelSets = ()

    @property
    def shape(self) -> Shape:
        """The smallest shape that holds it. One layer more than the equation's: the one that says stop."""
        return Shape(
            tokens=len(self.encoded.ids),
            numbers=max(1, len(self.encoded.positions)),
            layers=len(self.labels) + 1,
            width=max((len(layer) for layer in self.labels), default=1),
        )


def collate(examples: Sequence[Example], shape: Shape, *, constants: int, padding: int, rows: int = 0) -> Batch:
    """Pads ``examples`` to ``shape`` and, with ``rows``, to that many rows."""
    rows = max(rows, len(examples))
    ids = np.full((rows, shape.tokens), padding, np.int64)
    lengths = np.ones(rows, np.int64)
    positions = np.zeros((rows, shape.numbers), np.int64)
    numbers = np.zeros(rows, np.int64)
    labels = np.zeros((3, rows, shape.layers, shape.width), np.int64)
    layers = np.zeros(rows, np.int64)
    weight = np.zeros(rows, np.float32)
    first_result = constants + shape.numbers
    for row, example in enumerate(examples):
        encoded = example.encoded
        ids[row, : len(encoded.ids)] = encoded.ids
        lengths[row] = len(encoded.ids)
        positions[row, : len(encoded.positions)] = encoded.positions
        numbers[row] = len(encoded.positions)
        # The layer after the root's is in the loss only if the model has one.
        layers[row] = min(len(example.labels) + 1, shape.layers)
        weight[row] = 1.0
        for layer, label_set in enumerate(example.labels):
            for place, label in enumerate(label_set):
                labels[:, row, layer, place] = label.operator, label.left, label.right
    operands = labels[1:]
    operands[operands >= RESULT] += first_result - RESULT
    return Batch(ids, lengths, positions, numbers, labels[0], labels[1], labels[2], layers, weight)


def buckets(
    shapes: Sequence[Shape], *, token_edges: Sequence[int], layer_edges: Sequence[int], most_layers: int
) -> dict[Shape, list[int]]:
    """Sorts problems into few shapes by length and by layers; returns the indices for each shape.

    Within a bucket the numbers and the width are padded to the largest of its problems, since both are small.
    """
    groups: dict[tuple[int, int], list[int]] = {}
    for index, shape in enumerate(shapes):
        tokens = next((edge for edge in token_edges if shape.tokens <= edge), shape.tokens)
        depth = min(shape.layers, most_layers)
        layers = next((edge for edge in layer_edges if depth <= edge), most_layers)
        groups.setdefault((tokens, layers), []).append(index)
    return {
        Shape(
            tokens,
            max(shapes[i].numbers for i in indices),
            layers,
            max(shapes[i].width for i in indices),
        ): indices
        for (tokens, layers), indices in sorted(groups.items())
    }


def in_order_of_length(examples: Sequence[Example], rows: int) -> Iterator[list[int]]:
    """Indices in groups of ``rows`` with problems of like length together, so that little is padded."""
    order = sorted(range(len(examples)), key=lambda index: len(examples[index].encoded.ids))
    for start in range(0, len(order), rows):
        yield order[start : start + rows]
