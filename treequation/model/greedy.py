"""Greedy search that stays on the device: it chooses and adds the expressions of every step there.

The rules are those of :func:`~treequation.decoding.greedy_search.decode_greedily`, which serves whatever computes on
the host; a test holds the two against each other. There a row that is done leaves. Here every row takes every step that
any row takes: sorting out which rows go on would cost more than computing the rest of them does, and a search of fixed
shape can be captured. What was said is brought to the host once, at the end.

``R`` is the rows, ``L`` the steps, ``K`` the queries, ``S`` the slots.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor

from treequation.data.batches import Batch
from treequation.decoding.assembly import Proposed
from treequation.decoding.search import IMPOSSIBLE, Decoded, Equation, Reader
from treequation.model.decoder import Expressions
from treequation.text.number_vocabulary import NONE

if TYPE_CHECKING:
    from treequation.model.model import TreequationModel

Divisions = tuple[int, ...]
"""Operator ids."""

_SLOT_BITS = 21  # an expression is one number: operator, left and right side by side; there are never 2²¹ slots
_SLOT = (1 << _SLOT_BITS) - 1


class SearchInput(NamedTuple):
    """What the search is given."""

    batch: Batch
    zero: Tensor  # [R, S₀] numbers and constants known to be 0
    several: Tensor  # [R] whether there are several numbers


class StepLogProbabilities(NamedTuple):
    """Log-probabilities of one step, in full precision."""

    operator: Tensor  # [R, K, O + 1]
    left: Tensor  # [R, K, S]
    right: Tensor  # [R, K, S]


class Layer(NamedTuple):
    """What the queries say at one step, [R, K] each."""

    operator: Tensor
    left: Tensor
    right: Tensor
    score: Tensor  # the joint log-probability
    valid: Tensor  # whether it joins: an expression, and no other query says the same with more certainty


class SearchOutput(NamedTuple):
    """What the search found, ready to be read on the host."""

    expressions: Tensor  # [R, L, K] operator, left and right as one number; 0 where none joins
    scores: Tensor  # [R, L, K]
    total: Tensor  # [R] the log-probability of everything that was said
    stopped: Tensor  # [R] whether all queries said None before the steps ran out


Search = Callable[[SearchInput, int, Divisions], SearchOutput]
"""The search of a model: what is asked, how many steps to take, and the ids of the operators that divide."""


def search(
    model: TreequationModel, asked: SearchInput, steps: int, divisions: Divisions, *, ends_early: bool = False
) -> SearchOutput:
    """The search of a model that launches what it computes step by step. Nothing in it waits for the device.

    With ``ends_early`` it does wait, after each step, to see whether any row goes on: that is cheaper than launching
    steps for nothing, where there are few rows.
    """
    state = model.start(asked.batch)
    goes_on = torch.ones_like(asked.several)
    total = torch.zeros(len(goes_on), device=goes_on.device)
    expressions, scores = [], []
    for step in range(steps):
        state, proposal = model.decoder.step(step, state)
        said = StepLogProbabilities(*(part.float() for part in proposal[:3]))
        layer = speak(said, divisions, asked.zero, asked.several if step == 0 else None)
        valid = layer.valid & goes_on.unsqueeze(1)
        total = total + gained(layer, said).masked_fill(~goes_on, 0.0)
        goes_on = valid.any(dim=1)
        expressions.append(_as_one(layer).masked_fill(~valid, 0))
        scores.append(layer.score)
        if ends_early and not goes_on.any():
            break
        if step + 1 < steps:
            results = model.decoder.results(state, proposal, Expressions(layer.operator, layer.left, layer.right))
            state = model.decoder.grow(state, results, valid)
    return SearchOutput(torch.stack(expressions, dim=1), torch.stack(scores, dim=1), total, ~goes_on)


# --- the rules -----------------------------------------------------------------------------------------------------


def speak(said: StepLogProbabilities, divisions: Divisions, zero: Tensor, several: Tensor | None = None) -> Layer:
    """What the queries say. Where ``several`` is given, none of its rows is silent if any query can speak."""
    layer = _best(said, divisions, zero)
    layer = layer._replace(valid=(layer.operator != NONE) & ~_repeated(layer))
    if several is None:
        return layer
    silent = (several & ~layer.valid.any(dim=1)).unsqueeze(1)  # [R, 1]
    spoken = _one_speaks(said, divisions, zero)
    return Layer(*(torch.where(silent, forced, free) for forced, free in zip(spoken, layer, strict=True)))


def gained(layer: Layer, said: StepLogProbabilities) -> Tensor:
    """The log-probability [R] of what all queries say, None included."""
    return torch.where(layer.operator == NONE, said.operator[..., NONE], layer.score).sum(dim=1)


def _best(said: StepLogProbabilities, divisions: Divisions, zero: Tensor) -> Layer:
    """The likeliest operator and operands of each query."""
    operator, left = said.operator.argmax(dim=-1), said.left.argmax(dim=-1)
    known = zero.shape[1]
    divides = torch.zeros_like(operator, dtype=torch.bool)
    for division in divisions:
        divides = divides | (operator == division)
    forbidden = divides.unsqueeze(-1) & zero.unsqueeze(1)  # never divide by what is known to be zero
    right_side = torch.cat([said.right[..., :known].masked_fill(forbidden, -torch.inf), said.right[..., known:]], -1)
    right = right_side.argmax(dim=-1)
    operands = torch.minimum(_at(said.left, left), _at(right_side, right))
    operator = operator.masked_fill(~(operands > IMPOSSIBLE), NONE)  # without an operand there is no expression
    score = _at(said.operator, operator) + _at(said.left, left) + _at(said.right, right)
    return Layer(operator, left, right, score, operator != NONE)


def _one_speaks(said: StepLogProbabilities, divisions: Divisions, zero: Tensor) -> Layer:
    """As :func:`_best` if one query of each row must not say None: the one whose expression is the likeliest."""
    real = torch.cat([torch.full_like(said.operator[..., :1], -torch.inf), said.operator[..., 1:]], dim=-1)
    layer = _best(said._replace(operator=real), divisions, zero)
    others = torch.arange(layer.score.shape[1], device=zero.device) != layer.score.argmax(dim=1, keepdim=True)
    operator = layer.operator.masked_fill(others, NONE)
    return layer._replace(operator=operator, valid=operator != NONE)


def _at(values: Tensor, index: Tensor) -> Tensor:
    return values.gather(-1, index.unsqueeze(-1)).squeeze(-1).clamp(min=IMPOSSIBLE)


def _repeated(layer: Layer) -> Tensor:
    """Which queries say what another query of the layer says with more certainty (or as much, and before it)."""
    expression, score = _as_one(layer), layer.score
    same = expression.unsqueeze(2) == expression.unsqueeze(1)  # [R, K, K]
    one, other = score.unsqueeze(2), score.unsqueeze(1)
    place = torch.arange(score.shape[1], device=score.device)
    earlier = place < place.unsqueeze(1)
    return (same & ((other > one) | ((other == one) & earlier))).any(dim=-1)


def _as_one(layer: Layer) -> Tensor:
    return (layer.operator << 2 * _SLOT_BITS) | (layer.left << _SLOT_BITS) | layer.right


# --- to and from the device ----------------------------------------------------------------------------------------


def to_device(array: np.ndarray, device: torch.device) -> Tensor:
    """An array on the device. From pinned memory, so that the host need not wait until the device has come so far."""
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    if device.type == "cuda":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


def ask(batch: Batch, reader: Reader) -> SearchInput:
    """What the search reads. The batch may have more rows than the reader: such that only fill it up."""
    device, more = batch.ids.device, len(batch.ids) - len(reader.several)
    return SearchInput(
        batch,
        to_device(np.pad(reader.zero, ((0, more), (0, 0))), device),
        to_device(np.pad(reader.several, (0, more)), device),
    )


def begin(search: Search, batch: Batch, reader: Reader, steps: int) -> Callable[[], list[list[Equation]]]:
    """Begins the search of a batch; what comes back waits for it and gives the one equation of each row."""
    home = bring_home(search(ask(batch, reader), steps, reader.divisions))

    def finish() -> list[list[Equation]]:
        found = read(home(), reader)
        for decoded in found:
            _ = decoded.graph  # made now, while the device is at work on what was begun since
        return [[decoded] for decoded in found]

    return finish


def bring_home(found: SearchOutput) -> Callable[[], SearchOutput]:
    """Begins to copy what was found to the host; what comes back waits for it."""
    if found.total.device.type != "cuda":
        return lambda: found
    home = SearchOutput(*(torch.empty_like(part, device="cpu", pin_memory=True) for part in found))
    for part, copy in zip(found, home, strict=True):
        copy.copy_(part, non_blocking=True)
    arrived = torch.cuda.Event()
    arrived.record()

    def wait() -> SearchOutput:
        arrived.synchronize()
        return home

    return wait


def read(found: SearchOutput, reader: Reader) -> list[Decoded]:
    """What was found, in words of the algebra; rows that only fill the batch up are left out."""
    rows = len(reader.several)
    expressions = found.expressions[:rows].numpy()
    row, step, query = expressions.nonzero()
    said = expressions[row, step, query]
    slots = expressions.shape[1] * expressions.shape[2] + reader.zero.shape[1]
    operand = [reader.vocabulary.operand(slot, reader.numbers) for slot in range(slots)]
    operator = (None, *reader.vocabulary.operators)
    layers: list[list[list[Proposed]]] = [[] for _ in range(rows)]
    # As lists: looking a number up in an array costs more than everything else here.
    columns = (
        row,
        step,
        step * expressions.shape[2] + query,
        said >> 2 * _SLOT_BITS,
        (said >> _SLOT_BITS) & _SLOT,
        said & _SLOT,
        found.scores[:rows].numpy()[row, step, query],
    )
    for of, layer, place, which, left, right, score in zip(*(column.tolist() for column in columns), strict=True):
        mine = layers[of]
        if layer == len(mine):
            mine.append([])
        mine[layer].append(Proposed(place, operator[which], operand[left], operand[right], score))
    rest = zip(layers, found.total[:rows].tolist(), found.stopped[:rows].tolist(), strict=True)
    return [Decoded(mine, total, stopped) for mine, total, stopped in rest]
