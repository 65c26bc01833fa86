"""Greedy search that stays on the device until the end: no step copies anything to the host.

It follows the rules of :func:`~treequation.decoding.greedy_search.decode_greedily`, which runs on the host; a test
compares the two. That one drops rows when they are done. Here every row takes every step: selecting rows would cost
more than computing them, and a search of fixed shape can be captured as a CUDA graph.

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
"""Ids of the operators that divide."""

_SLOT_BITS = 21  # an expression is packed into one integer; there are never 2²¹ slots
_SLOT = (1 << _SLOT_BITS) - 1


class SearchInput(NamedTuple):
    """The input of a search."""

    batch: Batch
    zero: Tensor  # [R, S₀] numbers and constants known to be 0
    several: Tensor  # [R] whether the text has several numbers


class StepLogProbabilities(NamedTuple):
    """Log-probabilities of one step, in full precision."""

    operator: Tensor  # [R, K, O + 1]
    left: Tensor  # [R, K, S]
    right: Tensor  # [R, K, S]


class Layer(NamedTuple):
    """The likeliest expressions of one step, [R, K] each."""

    operator: Tensor
    left: Tensor
    right: Tensor
    score: Tensor  # the joint log-probability
    valid: Tensor  # whether it is added: not None, and not a repeat of a more certain query


class SearchOutput(NamedTuple):
    """The output of a search, ready to be copied to the host."""

    expressions: Tensor  # [R, L, K] operator, left and right packed into one integer; 0 if none is added
    scores: Tensor  # [R, L, K]
    total: Tensor  # [R] the log-probability of all predictions
    stopped: Tensor  # [R] whether all queries predicted None before the steps ran out


Search = Callable[[SearchInput, int, Divisions], SearchOutput]
"""The search of a model: takes the input, the number of steps and the ids of the operators that divide."""


def search(
    model: TreequationModel, given: SearchInput, steps: int, divisions: Divisions, *, ends_early: bool = False
) -> SearchOutput:
    """Runs the search, without synchronising with the device.

    With ``ends_early``, it synchronises after each step to see whether any row continues. With few rows, that is
    cheaper than launching steps that change nothing.
    """
    state = model.start(given.batch)
    continues = torch.ones_like(given.several)
    total = torch.zeros(len(continues), device=continues.device)
    expressions, scores = [], []
    for step in range(steps):
        state, proposal = model.decoder.step(step, state)
        predicted = StepLogProbabilities(*(part.float() for part in proposal[:3]))
        layer = choose_expressions(predicted, divisions, given.zero, given.several if step == 0 else None)
        valid = layer.valid & continues.unsqueeze(1)
        total = total + gained(layer, predicted).masked_fill(~continues, 0.0)
        continues = valid.any(dim=1)
        expressions.append(_packed(layer).masked_fill(~valid, 0))
        scores.append(layer.score)
        if ends_early and not continues.any():
            break
        if step + 1 < steps:
            results = model.decoder.results(state, proposal, Expressions(layer.operator, layer.left, layer.right))
            state = model.decoder.grow(state, results, valid)
    return SearchOutput(torch.stack(expressions, dim=1), torch.stack(scores, dim=1), total, ~continues)


# --- the rules -----------------------------------------------------------------------------------------------------


def choose_expressions(
    predicted: StepLogProbabilities, divisions: Divisions, zero: Tensor, several: Tensor | None = None
) -> Layer:
    """The expressions that the queries choose. A row marked in ``several`` gets at least one if any is possible."""
    layer = _best(predicted, divisions, zero)
    layer = layer._replace(valid=(layer.operator != NONE) & ~_repeated(layer))
    if several is None:
        return layer
    empty = (several & ~layer.valid.any(dim=1)).unsqueeze(1)  # [R, 1]
    forced = _force_one(predicted, divisions, zero)
    return Layer(*(torch.where(empty, one, free) for one, free in zip(forced, layer, strict=True)))


def gained(layer: Layer, predicted: StepLogProbabilities) -> Tensor:
    """The log-probability [R] of the predictions of all queries, None included."""
    return torch.where(layer.operator == NONE, predicted.operator[..., NONE], layer.score).sum(dim=1)


def _best(predicted: StepLogProbabilities, divisions: Divisions, zero: Tensor) -> Layer:
    """The likeliest operator and operands of each query."""
    operator, left = predicted.operator.argmax(dim=-1), predicted.left.argmax(dim=-1)
    known = zero.shape[1]
    divides = torch.zeros_like(operator, dtype=torch.bool)
    for division in divisions:
        divides = divides | (operator == division)
    forbidden = divides.unsqueeze(-1) & zero.unsqueeze(1)  # never divide by a known zero
    right_side = torch.cat(
        [predicted.right[..., :known].masked_fill(forbidden, -torch.inf), predicted.right[..., known:]], -1
    )
    right = right_side.argmax(dim=-1)
    operands = torch.minimum(_at(predicted.left, left), _at(right_side, right))
    operator = operator.masked_fill(~(operands > IMPOSSIBLE), NONE)  # every operand is masked
    score = _at(predicted.operator, operator) + _at(predicted.left, left) + _at(predicted.right, right)
    return Layer(operator, left, right, score, operator != NONE)


def _force_one(predicted: StepLogProbabilities, divisions: Divisions, zero: Tensor) -> Layer:
    """As :func:`_best`, but the query with the likeliest expression of each row chooses it, and the others None."""
    real = torch.cat([torch.full_like(predicted.operator[..., :1], -torch.inf), predicted.operator[..., 1:]], dim=-1)
    layer = _best(predicted._replace(operator=real), divisions, zero)
    others = torch.arange(layer.score.shape[1], device=zero.device) != layer.score.argmax(dim=1, keepdim=True)
    operator = layer.operator.masked_fill(others, NONE)
    return layer._replace(operator=operator, valid=operator != NONE)


def _at(values: Tensor, index: Tensor) -> Tensor:
    return values.gather(-1, index.unsqueeze(-1)).squeeze(-1).clamp(min=IMPOSSIBLE)


def _repeated(layer: Layer) -> Tensor:
    """Which queries repeat the expression of another that is more certain, or as certain and earlier."""
    expression, score = _packed(layer), layer.score
    same = expression.unsqueeze(2) == expression.unsqueeze(1)  # [R, K, K]
    one, other = score.unsqueeze(2), score.unsqueeze(1)
    place = torch.arange(score.shape[1], device=score.device)
    earlier = place < place.unsqueeze(1)
    return (same & ((other > one) | ((other == one) & earlier))).any(dim=-1)


def _packed(layer: Layer) -> Tensor:
    return (layer.operator << 2 * _SLOT_BITS) | (layer.left << _SLOT_BITS) | layer.right


# --- to and from the device ----------------------------------------------------------------------------------------


def to_device(array: np.ndarray, device: torch.device) -> Tensor:
    """Copies an array to the device, from pinned memory, so that the host does not wait for the device."""
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    if device.type == "cuda":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


def search_input(batch: Batch, reader: Reader) -> SearchInput:
    """The input of the search for a batch, which may have more rows than the reader: padding."""
    device, more = batch.ids.device, len(batch.ids) - len(reader.several)
    return SearchInput(
        batch,
        to_device(np.pad(reader.zero, ((0, more), (0, 0))), device),
        to_device(np.pad(reader.several, (0, more)), device),
    )


def begin(search: Search, batch: Batch, reader: Reader, steps: int) -> Callable[[], list[list[Equation]]]:
    """Starts the search of a batch. Call the returned function to wait for it and get the equation of each row."""
    output = copy_to_host(search(search_input(batch, reader), steps, reader.divisions))

    def finish() -> list[list[Equation]]:
        equations = read(output(), reader)
        for decoded in equations:
            _ = decoded.graph  # assembled now, while the device works on the next batch
        return [[decoded] for decoded in equations]

    return finish


def copy_to_host(output: SearchOutput) -> Callable[[], SearchOutput]:
    """Starts copying the output to the host. Call the returned function to wait for it."""
    if output.total.device.type != "cuda":
        return lambda: output
    on_host = SearchOutput(*(torch.empty_like(part, device="cpu", pin_memory=True) for part in output))
    for part, copy in zip(output, on_host, strict=True):
        copy.copy_(part, non_blocking=True)
    arrived = torch.cuda.Event()
    arrived.record()

    def wait() -> SearchOutput:
        arrived.synchronize()
        return on_host

    return wait


def read(output: SearchOutput, reader: Reader) -> list[Decoded]:
    """Unpacks the output into expressions; leaves out rows that are padding."""
    rows = len(reader.several)
    expressions = output.expressions[:rows].numpy()
    row, step, query = expressions.nonzero()
    packed = expressions[row, step, query]
    slots = expressions.shape[1] * expressions.shape[2] + reader.zero.shape[1]
    operand = [reader.vocabulary.operand(slot, reader.numbers) for slot in range(slots)]
    operator = (None, *reader.vocabulary.operators)
    layers: list[list[list[Proposed]]] = [[] for _ in range(rows)]
    # As lists: indexing arrays one element at a time would take most of the time here.
    columns = (
        row,
        step,
        step * expressions.shape[2] + query,
        packed >> 2 * _SLOT_BITS,
        (packed >> _SLOT_BITS) & _SLOT,
        packed & _SLOT,
        output.scores[:rows].numpy()[row, step, query],
    )
    for problem, layer, place, which, left, right, score in zip(*(column.tolist() for column in columns), strict=True):
        its_layers = layers[problem]
        if layer == len(its_layers):
            its_layers.append([])
        its_layers[layer].append(Proposed(place, operator[which], operand[left], operand[right], score))
    rest = zip(layers, output.total[:rows].tolist(), output.stopped[:rows].tolist(), strict=True)
    return [Decoded(its_layers, total, stopped) for its_layers, total, stopped in rest]
