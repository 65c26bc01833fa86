"""The training set: problems labelled and encoded once, laid on the device, and cut into batches of few shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from treequation.data.batches import Batch, Example, Shape, collate, with_results
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


def prepare(model: WordProblemModel, problems: Sequence[Problem]) -> Prepared:
    """Labels and encodes the problems. What the model cannot be taught is left out and counted."""
    prepared = Prepared([], [], Counter())
    usable: list[tuple[Problem, tuple[LabelSets, ...]]] = []
    for problem in problems:
        if problem.graph is None:
            prepared.left_out["no equation"] += 1
            continue
        try:
            usable.append((problem, model.labellings(problem.graph)))
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
    for (problem, (labels, *others)), text in zip(usable, encoded, strict=True):
        prepared.examples.append(Example(text, labels, tuple(others)))
        prepared.ids.append(problem.id)
    return prepared


class DeviceSet:
    """All examples on the device in one padded batch, from which rows of any smaller shape are taken."""

    def __init__(self, examples: Sequence[Example], model: WordProblemModel) -> None:
        self.examples = examples
        self.constants = len(model.config.constants)
        steps = model.most_steps
        shapes = [example.shape for example in examples]
        self.shape = Shape(
            max(shape.tokens for shape in shapes),
            max(shape.numbers for shape in shapes),
            min(steps, max(shape.layers for shape in shapes)),
            max(shape.width for shape in shapes),
            max(shape.variants for shape in shapes),
        )
        self.tokens = np.array([shape.tokens for shape in shapes])
        self.layers = np.array([min(steps, shape.layers) for shape in shapes])
        self._numbers = np.array([shape.numbers for shape in shapes])
        whole = collate(examples, self.shape, constants=None, padding=model.padding)
        self.batch = to_device(whole, model.device)

    def __len__(self) -> int:
        return len(self.examples)

    def rows(self, rows: torch.Tensor, weight: torch.Tensor, tokens: int, layers: int) -> Batch:
        """These rows, cut to this many tokens and layers and to the numbers that such problems have.

        ``weight`` 0 marks a row that only fills up.
        """
        batch, variants = self.batch, self.shape.variants
        numbers = int(self._numbers[(self.tokens <= tokens) & (self.layers <= layers)].max(initial=1))
        first_result = self.constants + numbers
        labels = (rows.unsqueeze(1) * variants + torch.arange(variants, device=rows.device)).flatten()  # [B·V]
        return Batch(
            batch.ids[:, :tokens][rows],
            batch.lengths[rows],
            batch.positions[:, :numbers][rows],
            batch.numbers[rows],
            batch.operators[:, :layers][labels],
            with_results(batch.left[:, :layers][labels], first_result),
            with_results(batch.right[:, :layers][labels], first_result),
            batch.layers[labels],
            weight,
        )


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One step of an epoch: the rows of a batch and the sizes that hold them."""

    rows: np.ndarray  # [B]
    weight: np.ndarray  # [B]
    tokens: int
    layers: int


class Planner:
    """Cuts an epoch into batches of few shapes, by length and by number of layers.

    What is left over of a shape moves up to the next larger one, so that only the last batch is not full.
    """

    def __init__(self, data: DeviceSet, batch_size: int, *, token_sizes: int = 5, layer_sizes: int = 4) -> None:
        self.batch_size = batch_size
        self.tokens = _edges(data.tokens, token_sizes, multiple=8)
        self.layers = _edges(data.layers, layer_sizes, multiple=1)
        token_size = np.searchsorted(self.tokens, data.tokens)
        layer_size = np.searchsorted(self.layers, data.layers)
        self._groups = [
            [np.flatnonzero((layer_size == layer) & (token_size == token)) for token in range(len(self.tokens))]
            for layer in range(len(self.layers))
        ]
        self.steps = -(-len(data) // batch_size)

    def epoch(self, random: np.random.Generator) -> list[PlannedStep]:
        """A fresh shuffle of everything."""
        size = self.batch_size
        planned: list[PlannedStep] = []
        deeper = np.empty(0, np.int64)  # left over of fewer layers: of any length, so it waits for the longest
        for groups, layers in zip(self._groups, self.layers, strict=True):
            over = np.empty(0, np.int64)
            for group, tokens in zip(groups, self.tokens, strict=True):
                waiting = deeper if tokens == self.tokens[-1] else np.empty(0, np.int64)
                rows = random.permutation(np.concatenate([over, waiting, group]))
                full = len(rows) // size * size
                planned += [self._step(part, tokens, layers) for part in rows[:full].reshape(-1, size)]
                over = rows[full:]
            deeper = over
        if len(deeper):
            planned.append(self._step(deeper, self.tokens[-1], self.layers[-1]))
        return [planned[i] for i in random.permutation(len(planned))]

    def _step(self, rows: np.ndarray, tokens: int, layers: int) -> PlannedStep:
        missing = self.batch_size - len(rows)
        weight = np.concatenate([np.ones(len(rows), np.float32), np.zeros(missing, np.float32)])
        filled = np.concatenate([rows, np.zeros(missing, np.int64)])
        return PlannedStep(filled, weight, int(tokens), int(layers))


def _edges(sizes: np.ndarray, count: int, multiple: int) -> list[int]:
    """At most ``count`` sizes that hold everything, chosen so that each holds about as many problems."""
    # The last quantile but one is high: a few very long problems get a shape of their own and slow nobody down.
    quantiles = [(i + 1) / (count - 1) * 0.97 for i in range(count - 1)] + [1.0] if count > 1 else [1.0]
    edges = {int(-(-np.quantile(sizes, q) // multiple) * multiple) for q in quantiles}
    return sorted(edges)
