"""How stable the matching is: how many queries get the label *None*, and whether an expression keeps its query.

Many queries may hurt for two reasons that can be measured on a trained model: most of what they learn is to predict
*None*, and an expression that several queries could write is matched to a different one each time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

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
MAX_PROBLEMS = 500  # enough to know a share to within a point or two


def matching_figures(model: TreequationModel, problems: Sequence[Problem]) -> dict[str, Any]:
    """``none_share``, the share of *None* labels; the ``stability`` of the matching; and ``used_queries``.

    ``stability`` is the share of gold expressions that two passes with different dropout, as in two epochs, match to
    the same query. ``used_queries`` is the effective number of queries, the exponential of the entropy of their use: 1
    if one query writes everything, K if all K write equally much.
    """
    queries = model.config.queries
    real = same = labels = 0
    used = np.zeros(queries)
    was_training, device = model.training, model.device
    random_state = torch.random.get_rng_state()
    torch.manual_seed(0)
    try:
        model.train()
        for batch in _batches(model, problems[:MAX_PROBLEMS]):
            with torch.no_grad():
                (is_real, one), (_, other) = (_match(model, to_device(batch, device)) for _ in range(2))
            labels += int(batch.layers.sum()) * queries
            real += int(is_real.sum())
            same += int(((one == other) & is_real).sum())
            used += np.bincount(one[is_real], minlength=queries)
    finally:
        model.train(was_training)
        torch.random.set_rng_state(random_state)
    shares = used[used > 0] / max(1, used.sum())
    return {
        "queries": queries,
        "expressions": real,
        "none_share": 1 - real / labels if labels else None,
        "stability": same / real if real else None,
        "used_queries": math.exp(-float((shares * np.log(shares)).sum())) if real else None,
    }


def _batches(model: TreequationModel, problems: Sequence[Problem]) -> Iterator[Batch]:
    """The problems whose equations the model can express, with their labels."""
    labelled = []
    for problem in problems:
        if problem.graph is not None:
            with suppress(LabelError):
                labelled.append((problem, model.label_sets(problem.graph)))
    encoded = model.problem_encoder.encode([problem for problem, _ in labelled], truncate=True)
    examples = [Example(text, labels) for text, (_, labels) in zip(encoded, labelled, strict=True)]
    for indices in in_order_of_length([len(example.encoded.ids) for example in examples], _BATCH):
        chosen = [examples[index] for index in indices]
        shape = Shape.around([example.shape for example in chosen], model.config.steps)
        yield collate(chosen, shape, constants=len(model.config.constants), padding=model.padding)


def _match(model: TreequationModel, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """Which labels are real, and the query of each [L, B, W], in one forward pass over the batch, as in training."""
    with _recorded(model) as layers:
        model(batch)
    real, assignments = (np.stack([part.cpu().numpy() for part in parts]) for parts in zip(*layers, strict=True))
    return real, assignments


@contextmanager
def _recorded(model: TreequationModel) -> Iterator[list[tuple[Tensor, Tensor]]]:
    """Records, for each call of the decoder's criterion, which labels are real and the query of each."""
    criterion = model.decoder.criterion
    recorded: list[tuple[Tensor, Tensor]] = []

    def record(scores: LabelScores, real: Tensor) -> Matched:
        matched = criterion(scores, real)
        recorded.append((real, matched.assignment))
        return matched

    model.decoder.criterion = record  # type: ignore[assignment]
    try:
        yield recorded
    finally:
        model.decoder.criterion = criterion
