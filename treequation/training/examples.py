"""The training set: problems labelled and encoded once, laid on the device, and cut into updates of one shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch

from treequation.data.batches import Batch, Example, Shape, collate, ranks_of, with_results
from treequation.data.labels import LabelError, LabelSets
from treequation.evaluation.evaluator import too_long
from treequation.model.base import WordProblemModel
from treequation.model.batch_decoding import to_device
from treequation.text.encoding import ProblemTooLongError
from treequation.text.problem import Problem


@dataclass(frozen=True, slots=True)
class Prepared:
    """Examples ready for training, and what was left out and why."""

    examples: list[Example]
    ids: list[str]
    left_out: Counter[str]
    mates: np.ndarray | None = None  # [N, C, 4] of the examples, where the model's auxiliary loss chose some


def prepare(model: WordProblemModel, problems: Sequence[Problem]) -> Prepared:
    """Labels and encodes the problems. What the model cannot be taught is left out and counted."""
    prepared = Prepared([], [], Counter())
    usable: list[tuple[Problem, LabelSets]] = []
    for problem in problems:
        if problem.graph is None:
            prepared.left_out["no equation"] += 1
            continue
        try:
            usable.append((problem, model.label_sets(problem.graph)))
        except LabelError as error:
            prepared.left_out[error.reason] += 1
    encoder = model.problem_encoder
    try:
        encoded = encoder.encode([problem for problem, _ in usable], truncate=True)
    except ProblemTooLongError:  # rare, so finding out which ones may cost something
        reasons = too_long(encoder, [problem for problem, _ in usable], truncate=True)
        prepared.left_out["too many numbers"] += len(reasons)
        usable = [one for place, one in enumerate(usable) if place not in reasons]
        encoded = encoder.encode([problem for problem, _ in usable], truncate=True)
    chosen = model.choose([problem for problem, _ in usable], encoded)
    for place, ((problem, labels), text) in enumerate(zip(usable, encoded, strict=True)):
        ranks = ranks_of(problem.values) if model.reads_ranks else ()
        tags = tuple(chosen.tags[place]) if chosen.tags else ()
        equations = tuple(map(tuple, chosen.equations[place])) if chosen.equations else ()
        prepared.examples.append(Example(text, labels, ranks, tags, equations))
        prepared.ids.append(problem.id)
    return replace(prepared, mates=chosen.mates)


class DeviceSet:
    """All examples on the device in one padded batch, from which rows of any smaller shape are taken."""

    def __init__(self, examples: Sequence[Example], model: WordProblemModel, mates: np.ndarray | None = None) -> None:
        """``mates`` [N, C, 4] are rows that must be in a batch with each: see :class:`~treequation.data.Batch`."""
        self.examples = examples
        self.constants = len(model.config.constants)
        steps = model.max_steps
        shapes = [example.shape for example in examples]
        self.shape = Shape(
            max(shape.tokens for shape in shapes),
            max(shape.numbers for shape in shapes),
            min(steps, max(shape.layers for shape in shapes)),
            max(shape.width for shape in shapes),
        )
        self.tokens = np.array([shape.tokens for shape in shapes])
        self.layers = np.array([min(steps, shape.layers) for shape in shapes])
        self._numbers = np.array([shape.numbers for shape in shapes])
        self._mates = None if mates is None else torch.from_numpy(mates).to(model.device)
        if mates is not None:  # a problem takes the room of the largest of its mates
            own = np.arange(len(examples))[:, None]
            others = mates[:, :, :2].reshape(len(own), -1)
            group = np.concatenate([own, np.where(others < 0, own, others)], axis=1)
            self.tokens, self.layers = self.tokens[group].max(axis=1), self.layers[group].max(axis=1)
            self._numbers = self._numbers[group].max(axis=1)
        whole = collate(examples, self.shape, constants=None, padding=model.padding)
        self.batch = to_device(whole, model.device)

    def __len__(self) -> int:
        return len(self.examples)

    def rows(self, rows: torch.Tensor, weight: torch.Tensor, tokens: int, layers: int) -> Batch:
        """These rows, cut to this many tokens and layers and to the numbers that such problems have.

        ``weight`` 0 marks a row that only fills up.
        """
        batch, mates = self.batch, None
        if self._mates is not None:
            rows, weight, mates = self._with_mates(rows, weight, self._mates)
        numbers = int(self._numbers[(self.tokens <= tokens) & (self.layers <= layers)].max(initial=1))
        first_result = self.constants + numbers
        return Batch(
            batch.ids[:, :tokens][rows],
            batch.lengths[rows],
            batch.positions[:, :numbers][rows],
            batch.numbers[rows],
            batch.operators[:, :layers][rows],
            with_results(batch.left[:, :layers][rows], first_result),
            with_results(batch.right[:, :layers][rows], first_result),
            batch.layers[rows],
            weight,
            None if batch.ranks is None else batch.ranks[:, :numbers][rows],
            None if batch.tags is None else batch.tags[rows],
            None if batch.equations is None else batch.equations[rows],
            mates,
        )

    def _with_mates(
        self, rows: torch.Tensor, weight: torch.Tensor, mates: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The rows [R] and, after them, a positive and a negative for each, drawn anew each time, of no weight."""
        count = len(rows)
        drawn = mates[rows, torch.randint(mates.shape[1], (count,), device=rows.device)]  # [R, 4]
        there = drawn[:, :2] >= 0
        chosen = torch.where(there, drawn[:, :2], rows.unsqueeze(1))
        places = torch.arange(count, 3 * count, device=rows.device).view(2, count).T  # in the batch
        drawn = torch.cat([places.masked_fill(~there, -1), drawn[:, 2:]], dim=1)
        return torch.cat([rows, *chosen.T]), torch.cat([weight, weight.new_zeros(2 * count)]), drawn


class PlannedStep(NamedTuple):
    """One update: its rows, piece after piece."""

    rows: np.ndarray  # [R]
    weight: np.ndarray  # [R] 0 for a row that only fills a piece up


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of every update: so many rows of problems that fit into these sizes."""

    rows: int
    tokens: int
    layers: int


# What one more piece costs: a step has some three thousand small kernels, and in the time that they need to start, an
# H200 computes so many tokens. Pieces of few rows do not pay.
PIECE_COST = 30_000
# A decoder layer costs about a third of an encoder layer for each token, and a small encoder has six.
ENCODER_COST = 18


class Planner:
    """Cuts an epoch into updates of one shape, each a fair sample of all lengths and depths.

    An update that held only shallow or only deep problems would teach the decoder badly: when to stop is learned
    against the alternative, and the layers of late steps need a gradient from every update. So problems of like size
    form a piece of every update, in their natural proportion, and the pieces' gradients add up.
    """

    def __init__(self, data: DeviceSet, batch_size: int, *, multiple: int = 1) -> None:
        self.steps = -(-len(data.tokens) // batch_size)
        groups = _cut(np.arange(len(data.tokens)), data.tokens, data.layers, self.steps)
        self.pieces = [
            Piece(
                rows=-(-len(group) // (self.steps * multiple)) * multiple,  # as many in each process
                tokens=_up(data.tokens[group].max(), 8),
                layers=int(data.layers[group].max()),
            )
            for group in groups
        ]
        self._groups = groups

    def epoch(self, random: np.random.Generator) -> list[PlannedStep]:
        """A fresh shuffle of everything, each problem once."""
        size = sum(piece.rows for piece in self.pieces)
        rows = np.zeros((self.steps, size), np.int64)
        weight = np.zeros((self.steps, size), np.float32)
        update = random.permutation(self.steps)
        dealt = column = 0
        for group, piece in zip(self._groups, self.pieces, strict=True):
            # Dealt like cards, going on where the group before ended: all updates have as many problems.
            turn = dealt + np.arange(len(group))
            place = update[turn % self.steps], column + np.arange(len(group)) // self.steps
            rows[:, column : column + piece.rows] = group[0]  # what fills up fits into the piece
            rows[place] = random.permutation(group)
            weight[place] = 1.0
            dealt, column = dealt + len(group), column + piece.rows
        return [PlannedStep(*step) for step in zip(rows, weight, strict=True)]


def _cut(rows: np.ndarray, tokens: np.ndarray, layers: np.ndarray, steps: int) -> list[np.ndarray]:
    """Groups of like size, as many as pay: what is saved in padding against what another piece costs."""

    def cost(rows: np.ndarray) -> int:
        each = _up(tokens[rows].max(), 8) * int(ENCODER_COST + layers[rows].max())
        return -(-len(rows) // steps) * each + PIECE_COST * ENCODER_COST

    cheapest, halves = cost(rows), None
    for sizes in (tokens, layers):
        for edge in np.unique(sizes[rows])[:-1]:
            small = sizes[rows] <= edge
            total = cost(rows[small]) + cost(rows[~small])
            if total < cheapest:
                cheapest, halves = total, (rows[small], rows[~small])
    if halves is None:
        return [rows]
    return [group for half in halves for group in _cut(half, tokens, layers, steps)]


def _up(size: int, multiple: int) -> int:
    return int(-(-size // multiple) * multiple)
