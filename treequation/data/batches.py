"""Problems as arrays: few fixed shapes, so that a device can run the same program over and over.

A batch is a tuple of arrays. The same tuple holds NumPy arrays here and tensors in the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treequation.data.labels import RESULT, LabelSets
from treequation.text.encoding import EncodedProblem


class Group(NamedTuple):
    """Rows of a batch that the encoder reads together, with no more padding than to these tokens."""

    rows: int
    tokens: int


class Layout(NamedTuple):
    """What is known of the rows of every update, so that little is computed for what is only padding."""

    groups: tuple[Group, ...]  # of rows of like length, from the shortest; the last is as long as the longest row
    order: Any  # [B] the rows from the shortest to the longest
    places: Any  # [B] where each row stands in that order
    active: tuple[int, ...] = ()  # how many rows have a first layer, a second, …: those with most layers come first


class Batch(NamedTuple):
    """``B`` problems, padded to ``T`` tokens, ``N`` numbers, ``L`` layers and ``W`` expressions a layer.

    Where only the text is known, there are no labels at all.
    """

    ids: Any  # [B, T] token ids
    lengths: Any  # [B] tokens of each problem
    positions: Any  # [B, N] where each number's marker stands
    numbers: Any  # [B] how many numbers each problem has
    operators: Any = None  # [B, L, W] operator ids; 0 is None
    left: Any = None  # [B, L, W] operand slots
    right: Any = None  # [B, L, W]
    layers: Any = None  # [B] how many layers count: the equation's and the all-None one after it; 0 for no equation
    weight: Any = None  # [B] 1, or 0 for a row that only fills the batch up
    layout: Any = None  # of a training update: a Layout
    ranks: Any = None  # [B, N] the order of the numbers' values: 0 is the least; equal values share a rank
    # What an add-on or an auxiliary loss chose before training:
    tags: Any = None  # [B, K] classes that a problem belongs to
    equations: Any = None  # [B, E, S] prefix symbols of the gold equation and, after it, of wrong ones; 0 fills up
    mates: Any = None  # [A, 4] of the first A rows: the rows of a positive and a negative, and the places of the node
    # that the row's equation shares with the positive's, in either; −1 where there is none. The other rows are mates.

    def active(self, layer: int) -> int:
        """How many rows, the first ones, may have a layer of this number, counted from 0."""
        if self.layout is None or not self.layout.active:
            return len(self.ids)
        return self.layout.active[layer] if layer < len(self.layout.active) else 0


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """The sizes that a batch is padded to."""

    tokens: int
    numbers: int
    layers: int
    width: int

    @classmethod
    def around(cls, shapes: Iterable[Shape], steps: int) -> Shape:
        """The smallest shape that holds all of these, cut to the layers that a model with so many steps has."""
        tokens, numbers, layers, width = map(max, zip(*map(astuple, shapes), strict=True))
        return cls(tokens, numbers, min(steps, layers), width)


@dataclass(frozen=True, slots=True)
class Example:
    """A problem ready to be put into a batch; ``labels`` is empty where only the text is known."""

    encoded: EncodedProblem
    labels: LabelSets = ()
    ranks: tuple[int, ...] = ()  # these three as in :class:`Batch`, where a model asks for them
    tags: tuple[int, ...] = ()
    equations: tuple[tuple[int, ...], ...] = ()

    @property
    def shape(self) -> Shape:
        """The smallest shape that holds it. One layer more than the equation's: the one that says stop."""
        return Shape(
            tokens=len(self.encoded.ids),
            numbers=max(1, len(self.encoded.positions)),
            layers=len(self.labels) + 1,
            width=max(map(len, self.labels), default=1),
        )


def collate(
    examples: Sequence[Example], shape: Shape, *, constants: int | None, padding: int, rows: int | None = None
) -> Batch:
    """Pads ``examples`` to ``shape``, and the batch to ``rows`` with rows of weight 0.

    Without ``constants``, operands that are results are left as they are named, for :func:`with_results`.
    """
    count = len(examples)
    rows = rows or count
    ids, lengths = _laid_out([example.encoded.ids for example in examples], rows, shape.tokens, padding)
    positions, numbers = _laid_out([example.encoded.positions for example in examples], rows, shape.numbers, 0)
    lengths[count:] = 1  # an encoder that has nothing to look at returns NaN
    labels = np.zeros((3, rows, shape.layers, shape.width), np.int64)
    layers = np.zeros(rows, np.int64)
    for row, example in enumerate(examples):
        # The layer after the root's is in the loss only if the model has one.
        layers[row] = min(len(example.labels) + 1, shape.layers)
        for layer, label_set in enumerate(example.labels):
            for place, label in enumerate(label_set):
                labels[:, row, layer, place] = label.operator, label.left, label.right
    if constants is not None:
        labels[1:] = with_results(labels[1:], constants + shape.numbers)
    weight = (np.arange(rows) < count).astype(np.float32)
    batch = Batch(ids, lengths, positions, numbers, labels[0], labels[1], labels[2], layers, weight)
    ranks, tags = [example.ranks for example in examples], [example.tags for example in examples]
    if any(ranks):
        batch = batch._replace(ranks=_laid_out(ranks, rows, shape.numbers, 0)[0])
    if any(tags):
        batch = batch._replace(tags=_laid_out(tags, rows, max(map(len, tags)), 0)[0])
    if any(example.equations for example in examples):
        batch = batch._replace(equations=_in_blocks([example.equations for example in examples], rows))
    return batch


def _in_blocks(equations: Sequence[Sequence[Sequence[int]]], rows: int) -> npt.NDArray[np.int64]:
    """Several rows of symbols for each problem as one array, 0 filling up."""
    most = max(map(len, equations))
    longest = max((len(symbols) for each in equations for symbols in each), default=1)
    blocks = np.zeros((rows, most, longest), np.int64)
    for row, each in enumerate(equations):
        blocks[row, : len(each)] = _laid_out(each, len(each), longest, 0)[0]
    return blocks


def with_ranks(batch: Batch, values: Sequence[Sequence[Any]]) -> Batch:
    """The batch with the order of its problems' values."""
    rows, numbers = batch.positions.shape
    return batch._replace(ranks=_laid_out([ranks_of(each) for each in values], rows, numbers, 0)[0])


def ranks_of(values: Sequence[Any]) -> tuple[int, ...]:
    """The place of each value in their order, equal ones sharing it.

    >>> ranks_of([5, 2, 5, 9])
    (1, 0, 1, 2)
    """
    order = {value: rank for rank, value in enumerate(sorted(set(values)))}
    return tuple(order[value] for value in values)


def with_results(operands: Any, first: int) -> Any:
    """Labels of operands, an array or a tensor, with the results' names turned into slots that begin with ``first``."""
    return operands + (operands >= RESULT) * (first - RESULT)


def collate_texts(
    texts: Sequence[Sequence[int]], *, tokens: int, numbers: int, marker: int, padding: int, rows: int | None = None
) -> Batch:
    """As :func:`collate` for the token ids of problems of which only the text is known, all with array operations.

    >>> batch = collate_texts([[5, 9, 6], [9, 7, 9, 8]], tokens=4, numbers=2, marker=9, padding=0)
    >>> batch.positions.tolist(), batch.numbers.tolist()
    ([[1, 0], [0, 2]], [1, 2])
    """
    rows = rows or len(texts)
    ids, lengths = _laid_out(texts, rows, tokens, padding)
    lengths[len(texts) :] = 1  # an encoder that has nothing to look at returns NaN
    row, place = (ids == marker).nonzero()
    found = np.bincount(row, minlength=rows)
    positions = np.zeros((rows, numbers), np.int64)
    positions[np.arange(numbers) < found[:, None]] = place
    return Batch(ids, lengths, positions, found)


def _laid_out(
    sequences: Sequence[Sequence[int]], rows: int, width: int, filler: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Sequences as rows of one array, filled up to ``width``, and their lengths; all at once, not row by row."""
    lengths = np.zeros(rows, np.int64)
    lengths[: len(sequences)] = [len(sequence) for sequence in sequences]
    laid_out = np.full((rows, width), filler, np.int64)
    laid_out[np.arange(width) < lengths[:, None]] = np.fromiter(chain.from_iterable(sequences), np.int64)
    return laid_out, lengths


def in_order_of_length(lengths: Sequence[int], rows: int) -> Iterator[list[int]]:
    """Places in groups of ``rows`` with like lengths together, so that little is padded.

    >>> list(in_order_of_length([7, 3, 9], 2))
    [[1, 0], [2]]
    """
    order = sorted(range(len(lengths)), key=lambda place: lengths[place])
    for start in range(0, len(order), rows):
        yield order[start : start + rows]
