"""Problems as arrays of a few fixed shapes, so that a device can run the same program over and over.

A batch is a tuple of arrays. The same tuple holds NumPy arrays here and tensors in the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treequation.data.labels import RESULT, LabelSets
from treequation.text.encoding import EncodedProblem


class Group(NamedTuple):
    """Rows of a batch that the encoder reads together, padded to ``tokens``."""

    rows: int
    tokens: int


class Packing(NamedTuple):
    """The rows of a batch one after the other, ``P`` tokens in all: each row has room for its longest problem."""

    rows: Any  # [P] the row of each token
    places: Any  # [P] its place in the row
    starts: Any  # [B] where each row begins
    padded: Any  # [B, T] which of the P stands at each place of a padded batch; beyond a row's room, its last one
    longest: int  # the largest room


class Layout(NamedTuple):
    """How the rows of an update are arranged, the same in all updates, so that little is computed on padding."""

    groups: tuple[Group, ...]  # of rows of similar length, shortest first; the last is as long as the longest row
    order: Any  # [B] the rows from the shortest to the longest
    places: Any  # [B] the position of each row in that order
    active: tuple[int, ...] = ()  # how many rows have a first layer, a second, …; rows with most layers come first
    packing: Packing | None = None  # for an encoder that can read packed rows


class Batch(NamedTuple):
    """``B`` problems, padded to ``T`` tokens, ``N`` numbers, ``L`` layers and ``W`` expressions per layer.

    If only the text is known, there are no labels.
    """

    ids: Any  # [B, T] token ids
    lengths: Any  # [B] tokens of each problem
    positions: Any  # [B, N] the position of each number's marker
    numbers: Any  # [B] how many numbers each problem has
    operators: Any = None  # [B, L, W] operator ids; 0 is None
    left: Any = None  # [B, L, W] operand slots
    right: Any = None  # [B, L, W]
    layers: Any = None  # [B] layers in the loss: the equation's and the all-None one after it; 0 for no equation
    weight: Any = None  # [B] 1, or 0 for a padding row
    layout: Any = None  # of a training update: a Layout
    ranks: Any = None  # [B, N] the ranks of the numbers' values; 0 is the smallest, and equal values share a rank
    # Chosen by an add-on or an auxiliary loss before training:
    tags: Any = None  # [B, K] classes that a problem belongs to
    equations: Any = None  # [B, E, S] the symbols of the gold equation, then of wrong ones; 0 is padding
    mates: Any = None  # [A, 4] for the first A rows: the rows of a positive and a negative, and the places, in the two
    # equations, of the node that the row shares with the positive; −1 if there is none. The other rows are mates.

    @property
    def own(self) -> int:
        """How many rows are not mates; they come first."""
        return len(self.ids if self.mates is None else self.mates)

    def active(self, layer: int) -> int:
        """How many rows, counted from the first, may have the layer with this index."""
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
    def around(cls, shapes: Sequence[Shape], steps: int) -> Shape:
        """The smallest shape that holds all of these, with at most ``steps`` layers."""
        return cls(
            max(shape.tokens for shape in shapes),
            max(shape.numbers for shape in shapes),
            min(steps, max(shape.layers for shape in shapes)),
            max(shape.width for shape in shapes),
        )


@dataclass(frozen=True, slots=True)
class Example:
    """A problem ready for a batch; ``labels`` is empty if only the text is known."""

    encoded: EncodedProblem
    labels: LabelSets = ()
    ranks: tuple[int, ...] = ()  # this and the next two as in :class:`Batch`, if the model needs them
    tags: tuple[int, ...] = ()
    equations: tuple[tuple[int, ...], ...] = ()

    @property
    def shape(self) -> Shape:
        """The smallest shape that holds it, with one layer more than the equation has: the one that says stop."""
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

    Without ``constants``, operands that are results keep their label codes, for :func:`with_results` to convert.
    """
    count = len(examples)
    rows = rows or count
    ids, lengths = _padded([example.encoded.ids for example in examples], rows, shape.tokens, padding)
    positions, numbers = _padded([example.encoded.positions for example in examples], rows, shape.numbers, 0)
    lengths[count:] = 1  # attention over no tokens at all gives NaN
    labels = np.zeros((3, rows, shape.layers, shape.width), np.int64)
    layers = np.zeros(rows, np.int64)
    # The layer after the root's is in the loss only if the model has one.
    layers[:count] = [min(len(example.labels) + 1, shape.layers) for example in examples]
    places = [
        (row, layer, place, label.operator, label.left, label.right)
        for row, example in enumerate(examples)
        for layer, label_set in enumerate(example.labels)
        for place, label in enumerate(label_set)
    ]
    if places:
        row, layer, place, *values = np.array(places, np.int64).T
        labels[:, row, layer, place] = values
    if constants is not None:
        labels[1:] = with_results(labels[1:], constants + shape.numbers)
    weight = (np.arange(rows) < count).astype(np.float32)
    batch = Batch(ids, lengths, positions, numbers, labels[0], labels[1], labels[2], layers, weight)
    ranks, tags = [example.ranks for example in examples], [example.tags for example in examples]
    if any(ranks):
        batch = batch._replace(ranks=_padded(ranks, rows, shape.numbers, 0)[0])
    if any(tags):
        batch = batch._replace(tags=_padded(tags, rows, max(map(len, tags)), 0)[0])
    if any(example.equations for example in examples):
        batch = batch._replace(equations=in_blocks([example.equations for example in examples], rows))
    return batch


def in_blocks(equations: Sequence[Sequence[Sequence[int]]], rows: int) -> npt.NDArray[np.int64]:
    """Several sequences of symbols per problem as one array, padded with 0."""
    most = max(map(len, equations))
    longest = max((len(symbols) for each in equations for symbols in each), default=1)
    blocks = np.zeros((rows, most, longest), np.int64)
    for row, each in enumerate(equations):
        blocks[row, : len(each)] = _padded(each, len(each), longest, 0)[0]
    return blocks


def with_ranks(batch: Batch, values: Sequence[Sequence[Any]]) -> Batch:
    """The batch with the ranks of its problems' values."""
    rows, numbers = batch.positions.shape
    return batch._replace(ranks=_padded([ranks_of(each) for each in values], rows, numbers, 0)[0])


def ranks_of(values: Sequence[Any]) -> tuple[int, ...]:
    """The rank of each value; equal values share a rank.

    >>> ranks_of([5, 2, 5, 9])
    (1, 0, 1, 2)
    """
    order = {value: rank for rank, value in enumerate(sorted(set(values)))}
    return tuple(order[value] for value in values)


def with_results(operands: Any, first: int) -> Any:
    """Operand labels (an array or a tensor) with the codes of results turned into slots, which begin at ``first``."""
    return operands + (operands >= RESULT) * (first - RESULT)


def collate_texts(
    texts: Sequence[Sequence[int]], *, tokens: int, numbers: int, marker: int, padding: int, rows: int | None = None
) -> Batch:
    """Like :func:`collate`, for the token ids of problems without labels; uses array operations only.

    >>> batch = collate_texts([[5, 9, 6], [9, 7, 9, 8]], tokens=4, numbers=2, marker=9, padding=0)
    >>> batch.positions.tolist(), batch.numbers.tolist()
    ([[1, 0], [0, 2]], [1, 2])
    """
    rows = rows or len(texts)
    ids, lengths = _padded(texts, rows, tokens, padding)
    lengths[len(texts) :] = 1  # attention over no tokens at all gives NaN
    row, place = (ids == marker).nonzero()
    counts = np.bincount(row, minlength=rows)
    positions = np.zeros((rows, numbers), np.int64)
    positions[np.arange(numbers) < counts[:, None]] = place
    return Batch(ids, lengths, positions, counts)


def _padded(
    sequences: Sequence[Sequence[int]], rows: int, width: int, padding: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Sequences as rows of one array, padded to ``width``, and their lengths; vectorised for speed."""
    lengths = np.zeros(rows, np.int64)
    lengths[: len(sequences)] = [len(sequence) for sequence in sequences]
    padded = np.full((rows, width), padding, np.int64)
    padded[np.arange(width) < lengths[:, None]] = np.fromiter(chain.from_iterable(sequences), np.int64)
    return padded, lengths


def in_order_of_length(lengths: Sequence[int], rows: int) -> Iterator[list[int]]:
    """Indices in groups of ``rows``, sorted by length, so that there is little padding.

    >>> list(in_order_of_length([7, 3, 9], 2))
    [[1, 0], [2]]
    """
    order = sorted(range(len(lengths)), key=lambda place: lengths[place])
    for start in range(0, len(order), rows):
        yield order[start : start + rows]
