"""The training set: problems are labelled and encoded once, copied to the device, and cut into updates of one shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import torch

from treequation.data.batches import Batch, Example, Group, Layout, Packing, Shape, collate, ranks_of, with_results
from treequation.data.labels import LabelError, LabelSets
from treequation.evaluation.evaluator import too_long
from treequation.expression.graph import ExpressionGraph
from treequation.model.base import WordProblemModel
from treequation.model.batch_decoding import to_device
from treequation.model.packed import PACKABLE
from treequation.text.encoding import ProblemTooLongError
from treequation.text.problem import Problem


@dataclass(frozen=True, slots=True)
class Prepared:
    """Examples ready for training, and how many problems were left out, by reason."""

    examples: Sequence[Example]
    ids: Sequence[str]
    left_out: Mapping[str, int]
    mates: np.ndarray | None = None  # [N, C, 4], if an auxiliary loss chose some


def prepare(model: WordProblemModel, problems: Sequence[Problem]) -> Prepared:
    """Labels and encodes the problems; leaves out and counts those that the model cannot learn from."""
    left_out: Counter[str] = Counter()
    usable: list[tuple[Problem, LabelSets]] = []
    label_sets = cache(lambda graph: _label_sets(model, graph))  # many problems have the same equation
    for problem in problems:
        labels = "no equation" if problem.graph is None else label_sets(problem.graph)
        if isinstance(labels, str):
            left_out[labels] += 1
        else:
            usable.append((problem, labels))
    encoder = model.problem_encoder
    try:
        encoded = encoder.encode([problem for problem, _ in usable], truncate=True)
    except ProblemTooLongError:  # rare, so it may take time to find out which ones
        reasons = too_long(encoder, [problem for problem, _ in usable], truncate=True)
        left_out["too many numbers"] += len(reasons)
        usable = [one for place, one in enumerate(usable) if place not in reasons]
        encoded = encoder.encode([problem for problem, _ in usable], truncate=True)
    chosen = model.choose([problem for problem, _ in usable], encoded)
    examples = []
    for place, ((problem, labels), text) in enumerate(zip(usable, encoded, strict=True)):
        ranks = ranks_of(problem.values) if model.reads_ranks else ()
        tags = tuple(chosen.tags[place]) if chosen.tags else ()
        equations = tuple(map(tuple, chosen.equations[place])) if chosen.equations else ()
        examples.append(Example(text, labels, ranks, tags, equations))
    return Prepared(examples, [problem.id for problem, _ in usable], left_out, chosen.mates)


def _label_sets(model: WordProblemModel, graph: ExpressionGraph) -> LabelSets | str:
    """The labels of an equation, or the reason why it has none."""
    try:
        return model.label_sets(graph)
    except LabelError as error:
        return error.reason


class DeviceSet:
    """All examples in one padded batch on the device, from which updates take rows."""

    def __init__(self, examples: Sequence[Example], model: WordProblemModel, mates: np.ndarray | None = None) -> None:
        """``mates`` [N, C, 4] are rows to add to a batch with each example: see :class:`~treequation.data.Batch`."""
        self.examples = examples
        self.constants = len(model.config.constants)
        shapes = [example.shape for example in examples]
        self.shape = Shape.around(shapes, model.max_steps)
        self.tokens = np.array([shape.tokens for shape in shapes])
        self.layers = np.array([min(shape.layers, self.shape.layers) for shape in shapes])
        self._mates = None if mates is None else torch.from_numpy(mates).to(model.device)
        if mates is not None:  # a problem is padded to the longest of its mates
            own = np.arange(len(examples))[:, None]
            others = mates[:, :, :2].reshape(len(own), -1)
            self.tokens = self.tokens[np.concatenate([own, np.where(others < 0, own, others)], axis=1)].max(axis=1)
        whole = collate(examples, self.shape, constants=None, padding=model.padding)
        self.batch = to_device(whole, model.device)

    def __len__(self) -> int:
        return len(self.examples)

    def embedded(self, model: WordProblemModel) -> dict[str, torch.Tensor]:
        """The rows of a BERT-like encoder's table of words that training reads, by the table's name."""
        if not isinstance(model.encoder, PACKABLE):
            return {}
        table = model.encoder.embeddings.word_embeddings.weight
        hidden = self.batch.ids.new_tensor([model.config.mask_token])
        seen = torch.cat([self.batch.ids.flatten(), hidden]).unique()
        return {name: seen for name, weight in model.named_parameters() if weight is table}

    def rows(self, rows: torch.Tensor, weight: torch.Tensor, layout: Layout | None = None) -> Batch:
        """These rows as a batch; ``layout`` must fit them, and ``weight`` is 0 for padding rows."""
        batch, mates, first_result = self.batch, None, self.constants + self.shape.numbers
        if self._mates is not None:  # positives and negatives follow, padded like the row that they belong to
            rows, weight, mates = self._with_mates(rows, weight, self._mates)
            layout = None if layout is None else _three_times(layout)
        return Batch(
            batch.ids[rows],
            batch.lengths[rows],
            batch.positions[rows],
            batch.numbers[rows],
            batch.operators[rows],
            with_results(batch.left[rows], first_result),
            with_results(batch.right[rows], first_result),
            batch.layers[rows],
            weight,
            layout,
            None if batch.ranks is None else batch.ranks[rows],
            None if batch.tags is None else batch.tags[rows],
            None if batch.equations is None else batch.equations[rows],
            mates,
        )

    def _with_mates(
        self, rows: torch.Tensor, weight: torch.Tensor, mates: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Appends a random positive and negative, of weight 0, for each of the rows [R]."""
        count = len(rows)
        drawn = mates[rows, torch.randint(mates.shape[1], (count,), device=rows.device)]  # [R, 4]
        there = drawn[:, :2] >= 0
        chosen = torch.where(there, drawn[:, :2], rows.unsqueeze(1))
        places = torch.arange(count, 3 * count, device=rows.device).view(2, count).T  # in the batch
        drawn = torch.cat([places.masked_fill(~there, -1), drawn[:, 2:]], dim=1)
        return torch.cat([rows, *chosen.T]), torch.cat([weight, weight.new_zeros(2 * count)]), drawn


def _three_times(layout: Layout) -> Layout:
    """The layout of the rows, then their positives, then their negatives."""
    count = len(layout.order)
    order, places = (torch.cat([part, part + count, part + 2 * count]) for part in (layout.order, layout.places))
    packing = layout.packing
    if packing is not None:
        tokens = len(packing.rows)
        steps = (packing.rows, count), (packing.starts, tokens), (packing.padded, tokens)
        rows, starts, padded = (torch.cat([part, part + step, part + 2 * step]) for part, step in steps)
        packing = Packing(rows, packing.places.repeat(3), starts, padded, packing.longest)
    return Layout(3 * layout.groups, order, places, layout.active, packing)


class PlannedStep(NamedTuple):
    """One update: its rows, sorted from most layers to fewest."""

    rows: np.ndarray  # [R]
    weight: np.ndarray  # [R] 0 for padding


# The number of tokens that could be encoded in the time that one more group takes: to launch its kernels on an H200, to
# call its operators on a processor.
GROUP_COST = {"cuda": 2_000, "cpu": 300}
GRAIN = 8  # lengths are padded to a multiple of this, which suits matrix products on the device


class Planner:
    """Splits an epoch into updates of one shape, each a stratified sample of all lengths and depths.

    An update with only shallow or only deep problems would train the decoder badly: it learns when to stop from seeing
    both, and the layers of late steps need a gradient from every update. So the problems are sorted by layers, then by
    length, and divided into as many strata as an update has rows; every update draws one problem from each stratum. A
    row then has the same layers and nearly the same length in every update, so the encoder needs little padding, and
    the decoder computes a layer only for the rows that may have it.
    """

    def __init__(self, data: DeviceSet, batch_size: int, *, multiple: int = 1) -> None:
        """``multiple`` is how many parts an update is divided into; they take turns row by row, to get equal sizes."""
        self._problem_layers, self._problem_tokens = data.layers, data.tokens
        self.steps = -(-len(data) // batch_size)
        self._strata = -(-len(data) // self.steps)
        self.rows = -(-self._strata // multiple) * multiple
        self._missing = self.rows * self.steps - len(data)
        self._longest = int(data.tokens.max())
        ordered = np.lexsort((self._problem_tokens, -self._problem_layers))
        sizes = (data.layers, data.tokens)
        row_sizes = (self._laid_out(size[ordered]).max(axis=0) for size in sizes)  # the largest in any update
        # Of the rows of one part: the k-th row of every part is as large as the largest of them.
        self._row_layers, self._row_tokens = (size.reshape(-1, multiple).max(axis=1) for size in row_sizes)

    def layout(self, device: torch.device | str = "cpu", *, packs: bool = False) -> Layout:
        """The layout of one part's rows, which is the same in every update; ``packs`` if the encoder can read it so."""
        order = np.argsort(self._row_tokens, kind="stable")
        active = tuple(int((self._row_layers > layer).sum()) for layer in range(self._row_layers.max()))
        row, place = (torch.from_numpy(each).to(device) for each in (order, np.argsort(order)))
        cost = GROUP_COST["cpu" if torch.device(device).type == "cpu" else "cuda"]
        packing = packed_rows(self._row_tokens, self._longest, device) if packs else None
        return Layout(_groups(self._row_tokens[order], cost), row, place, active, packing)

    def _laid_out(self, ordered: np.ndarray) -> np.ndarray:
        """Sorted values [N] as [steps, R], one stratum per column; padded with the last value."""
        filled = np.concatenate([ordered, np.repeat(ordered[-1:], self._missing)])
        return filled.reshape(self.rows, self.steps).T

    def epoch(self, random: np.random.Generator) -> list[PlannedStep]:
        """A random epoch, in which each problem occurs once. It does not depend on the number of parts.

        For example, the problems a to g, sorted by size, in batches of three. There are three updates, so each row
        draws from a stratum of three problems. The last stratum is filled up with copies of g of weight 0, in brackets:

            row 1    row 2    row 3
            a b c    d e f    g (g) (g)    the strata
              b        d         (g)       first update
              a        f          g        second update
              c        e         (g)       third update
        """
        # Problems of equal size are shuffled.
        order = np.lexsort((random.random(len(self._problem_tokens)), self._problem_tokens, -self._problem_layers))
        update = np.tile(np.arange(self.steps), (self.rows, 1))  # the update that each problem of a stratum goes to
        update[: self._strata] = random.permuted(update[: self._strata], axis=1)
        counts = (np.arange(self.rows * self.steps) < len(order)).astype(np.float32)
        laid_out = self._laid_out(order), counts.reshape(self.rows, self.steps).T
        rows, weight = (np.take_along_axis(part, update.T, axis=0) for part in laid_out)
        return [PlannedStep(*step) for step in zip(rows, weight, strict=True)]


def packed_rows(room: np.ndarray, tokens: int, device: torch.device | str = "cpu") -> Packing:
    """Rows with room for this many tokens each [B], packed; a padded batch of them has ``tokens`` tokens a row."""
    starts = np.cumsum(room) - room
    rows = np.repeat(np.arange(len(room)), room)
    padded = starts[:, None] + np.minimum(np.arange(tokens), room[:, None] - 1)
    arrays = rows, np.arange(len(rows)) - starts[rows], starts, padded
    row, place, start, index = (torch.from_numpy(array).to(device) for array in arrays)
    return Packing(row, place, start, index, int(room.max()))


def _groups(longest: np.ndarray, group_cost: int) -> tuple[Group, ...]:
    """The cheapest grouping of rows with these lengths, sorted: more groups save padding, but each has its cost."""
    padded = np.minimum(-(-longest // GRAIN) * GRAIN, longest[-1])
    steps_up = np.flatnonzero(np.diff(padded)) + 1
    edges = sorted({0, len(padded), *steps_up.tolist()})
    best: dict[int, tuple[int, tuple[Group, ...]]] = {0: (0, ())}  # up to an edge: the cost, and the groups
    for end in edges[1:]:
        ways = []
        for start in edges[: edges.index(end)]:
            cost, before = best[start]
            group = Group(end - start, int(padded[end - 1]))
            ways.append((cost + group.rows * group.tokens + group_cost, (*before, group)))
        best[end] = min(ways)
    return best[len(padded)][1]
