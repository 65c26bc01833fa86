"""How settled the matching is: what share of the queries is held to *None*, and whether an expression keeps its query.

Many queries may hurt for two reasons that can be measured on a trained model: nearly all that they learn is to say
*None*, and an expression that could be written by any of several queries is matched now to one and now to another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from treequation.data.batches import Batch, Example, Shape, collate, in_order_of_length
from treequation.data.labels import LabelError
from treequation.model import TreequationModel
from treequation.model.batch_decoding import to_device
from treequation.model.criterion import LabelScores, Matched
from treequation.text.problem import Problem

_BATCH = 64  # problems at a time
MAX_PROBLEMS = 500  # enough for a share to within a point or two


class _Placed(NamedTuple):
    """The gold expressions of a batch: where each was placed in every layer."""

    real: np.ndarray  # [L, B, W]
    query: np.ndarray  # [L, B, W]


def matching_figures(model: TreequationModel, problems: Sequence[Problem]) -> dict[str, Any]:
    """``none_share`` of the queries' labels, ``stability`` of the matching, and the ``used_queries``.

    ``stability`` is the share of gold expressions that two passes with different dropout, as two epochs see them, match
    to the same query. ``used_queries`` is the number of queries that, used evenly, would be as varied as the matching
    is: 1 where one query writes everything, K where all write as much.
    """
    queries = model.config.queries
    real = same = labels = 0
    used = np.zeros(queries)
    was_training, device = model.training, model.device
    kept = torch.random.get_rng_state()
    torch.manual_seed(0)
    try:
        model.train()
        for batch in _batches(model, problems[:MAX_PROBLEMS]):
            with torch.no_grad():
                one, other = _place(model, to_device(batch, device)), _place(model, to_device(batch, device))
            labels += int(batch.layers.sum()) * queries
            real += int(one.real.sum())
            same += int(((one.query == other.query) & one.real).sum())
            used += np.bincount(one.query[one.real], minlength=queries)
    finally:
        model.train(was_training)
        torch.random.set_rng_state(kept)
    shares = used[used > 0] / max(1, used.sum())
    return {
        "queries": queries,
        "expressions": real,
        "none_share": 1 - real / labels if labels else None,
        "stability": same / real if real else None,
        "used_queries": math.exp(-float((shares * np.log(shares)).sum())) if real else None,
    }


def _batches(model: TreequationModel, problems: Sequence[Problem]) -> Iterator[Batch]:
    """The problems that the model can be taught, with their labels."""
    labelled = []
    for problem in problems:
        if problem.graph is not None:
            with suppress(LabelError):
                labelled.append((problem, model.label_sets(problem.graph)))
    encoded = model.problem_encoder.encode([problem for problem, _ in labelled], truncate=True)
    examples = [Example(text, labels) for text, (_, labels) in zip(encoded, labelled, strict=True)]
    for indices in in_order_of_length([len(example.encoded.ids) for example in examples], _BATCH):
        chosen = [examples[index] for index in indices]
        shape = Shape.around((example.shape for example in chosen), model.config.steps)
        yield collate(chosen, shape, constants=len(model.config.constants), padding=model.padding)


def _place(model: TreequationModel, batch: Batch) -> _Placed:
    """Where a pass over the batch, as in training, places the gold expressions."""
    with _recorded(model) as layers:
        model(batch)
    real, assignments = zip(*layers, strict=True)
    return _Placed(*(np.stack([part.cpu().numpy() for part in parts]) for parts in (real, assignments)))


@contextmanager
def _recorded(model: TreequationModel) -> Iterator[list[tuple[Tensor, Tensor]]]:
    """Listens to the decoder's criterion: which labels are real, and the query of each."""
    criterion = model.decoder.criterion
    heard: list[tuple[Tensor, Tensor]] = []

    def listen(scores: LabelScores, real: Tensor) -> Matched:
        matched = criterion(scores, real)
        heard.append((real, matched.assignment))
        return matched

    model.decoder.criterion = listen  # type: ignore[assignment]
    try:
        yield heard
    finally:
        model.decoder.criterion = criterion
