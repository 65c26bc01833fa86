"""Searching layers of expressions: against brute force on made-up distributions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from treequation.decoding.assembly import Proposed, assemble
from treequation.decoding.beam_search import decode_with_beam
from treequation.decoding.greedy_search import decode_greedily
from treequation.decoding.search import Bools, Decoded, Distributions, Floats, Ints, Reader
from treequation.expression.graph import Constant, Expression, ExpressionGraph, Number, Operator, Result
from treequation.text.number_vocabulary import NONE, Vocabulary

MASKED = np.finfo(np.float32).min
OPERATORS = (Operator.ADD, Operator.DIVIDE)
DIVIDE = 2  # its id


class MadeUp:
    """An engine whose rows have random distributions that depend on its earlier expressions, so that paths differ."""

    def __init__(self, seeds: list[int], *, queries: int, slots: int, sharpness: float) -> None:
        self.queries, self.sharpness = queries, sharpness
        self.pasts: list[tuple[int, ...]] = [(seed,) for seed in seeds]
        self.open = np.ones((len(seeds), slots), np.bool_)

    def propose(self) -> Distributions:
        rows = [self._row(past, self.open[row]) for row, past in enumerate(self.pasts)]
        return Distributions(*(np.stack(part) for part in zip(*rows, strict=True)))

    def _row(self, past: tuple[int, ...], open_slots: Bools) -> list[Floats]:
        rng = np.random.default_rng(past)
        operator = rng.normal(size=(self.queries, len(OPERATORS) + 1)) * self.sharpness
        sides = [rng.normal(size=(self.queries, len(open_slots))) * self.sharpness for _ in range(2)]
        return [_log_softmax(operator), *(_log_softmax(np.where(open_slots, side, MASKED)) for side in sides)]

    def advance(self, rows: Ints, operator: Ints, left: Ints, right: Ints, valid: Bools) -> None:
        chosen = np.where(valid[:, :, None], np.stack([operator, left, right], axis=-1), 0)
        self.pasts = [(*self.pasts[row], *what.flatten().tolist()) for row, what in zip(rows, chosen, strict=True)]
        self.open = np.concatenate([self.open[rows], valid], axis=1)


def _log_softmax(scores: Floats) -> Floats:
    scores = scores - scores.max(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        return np.maximum(scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True)), MASKED).astype(np.float32)


def reader(slots: int, rows: int = 1, zero: tuple[int, ...] = ()) -> Reader:
    """All slots are numbers; those at ``zero`` are known to be 0."""
    known = np.zeros((rows, slots), np.bool_)
    known[:, list(zero)] = True
    return Reader(Vocabulary((), OPERATORS), slots, known, np.zeros(rows, np.bool_))


seeds = st.integers(0, 2**32 - 1)
Prediction = tuple[int, int, int]  # operator, left, right


def options(predicted: Distributions, query: int, zero: tuple[int, ...]) -> list[tuple[float, Prediction]]:
    """All possible predictions of a query."""
    slots = range(predicted.left.shape[-1])
    real = [
        (float(predicted.operator[0, query, o] + predicted.left[0, query, a] + predicted.right[0, query, b]), (o, a, b))
        for o, a, b in product(range(1, len(OPERATORS) + 1), slots, slots)
        if not (o == DIVIDE and b in zero)
    ]
    return [(float(predicted.operator[0, query, NONE]), (NONE, 0, 0)), *real]


def likeliest_layers(predicted: Distributions, zero: tuple[int, ...], count: int) -> dict[frozenset[Prediction], float]:
    """The ``count`` likeliest combinations of predictions; the probabilities of equal layers are added."""
    queries = predicted.operator.shape[1]
    everything = product(*(options(predicted, query, zero) for query in range(queries)))
    scored = sorted(((sum(p for p, _ in joint), joint) for joint in everything), key=lambda item: -item[0])
    layers: dict[frozenset[Prediction], float] = {}
    for score, joint in islice(scored, count):
        real = frozenset(what for _, what in joint if what[0] != NONE)
        layers[real] = layers.get(real, 0.0) + math.exp(score)
    return layers


def predictions_of(decoded: Decoded) -> frozenset[Prediction]:
    (layer,) = decoded.layers or [[]]
    return frozenset((OPERATORS.index(p.operator) + 1, p.left.index, p.right.index) for p in layer)  # type: ignore[union-attr]


@settings(deadline=None, max_examples=60)
@given(seeds, st.integers(1, 3), st.integers(1, 3), st.integers(1, 6), st.sampled_from([(), (0,)]))
def test_one_layer_of_the_beam_is_the_best_of_all(
    seed: int, queries: int, slots: int, beam: int, zero: tuple[int, ...]
) -> None:
    queries = min(queries, 2) if slots == 3 else queries  # keep brute force small
    engine = MadeUp([seed], queries=queries, slots=slots, sharpness=2.0)
    expected = likeliest_layers(engine.propose(), zero, beam)
    (found,) = decode_with_beam(engine, reader(slots, zero=zero), 1, beam)
    assert {predictions_of(decoded) for decoded in found} == set(expected)
    for decoded in found:
        assert math.exp(decoded.score) == pytest.approx(expected[predictions_of(decoded)], rel=1e-4)
    assert [d.score for d in found] == sorted((d.score for d in found), reverse=True)


@settings(deadline=None, max_examples=15)
@given(seeds)
def test_wide_enough_beam_finds_everything(seed: int) -> None:
    """One query, two slots, two steps: 9 first layers, 19 second ones after each real one; they share probability 1."""
    (found,) = decode_with_beam(MadeUp([seed], queries=1, slots=2, sharpness=1.0), reader(2), 2, 1000)
    assert len(found) == 1 + 8 * 19
    assert sum(math.exp(decoded.score) for decoded in found) == pytest.approx(1, abs=1e-4)
    best = found[0]
    for beam in (20, 50):  # enough for every first layer
        ((first, *_),) = decode_with_beam(MadeUp([seed], queries=1, slots=2, sharpness=1.0), reader(2), 2, beam)
        assert (first.layers, first.score) == (best.layers, pytest.approx(best.score))


@settings(deadline=None, max_examples=60)
@given(seeds, st.integers(1, 4), st.integers(1, 4))
def test_narrowest_beam_is_greedy_where_queries_are_sure(seed: int, queries: int, slots: int) -> None:
    """Greedy asks for the operator alone; the beam weighs an expression as a whole against None.

    They agree where no unsure operand makes a likely expression less likely than None, and no query repeats another.
    """
    (greedy,) = decode_greedily(MadeUp([seed], queries=queries, slots=slots, sharpness=30.0), reader(slots), 3)
    engine = MadeUp([seed], queries=queries, slots=slots, sharpness=30.0)
    assume(all(np.exp(part.max(axis=-1)).min() > 0.8 for part in engine.propose()))
    ((beam,),) = decode_with_beam(engine, reader(slots), 1, 1)
    first = {(p.operator, p.left, p.right) for p in greedy.layers[0]} if greedy.layers else set()
    assert {(p.operator, p.left, p.right) for layer in beam.layers for p in layer} == first


@settings(deadline=None, max_examples=60)
@given(seeds, st.integers(1, 3), st.integers(1, 3), st.integers(1, 4))
def test_no_division_by_a_known_zero_and_no_operand_that_is_not_there(
    seed: int, queries: int, slots: int, beam: int
) -> None:
    zero = tuple(range(0, slots, 2))  # all of them where there is one slot

    def engine() -> MadeUp:
        return MadeUp([seed], queries=queries, slots=slots, sharpness=3.0)

    everything = [
        *decode_greedily(engine(), reader(slots, zero=zero), 3),
        *decode_with_beam(engine(), reader(slots, zero=zero), 3, beam)[0],
    ]
    for decoded in everything:
        places: set[int] = set()
        for layer in decoded.layers:
            assert len({(p.operator, p.left, p.right) for p in layer}) == len(layer), "a layer repeats an expression"
            for p in layer:
                assert not (p.operator is Operator.DIVIDE and isinstance(p.right, Number) and p.right.index in zero)
                for operand in (p.left, p.right):
                    assert operand.index in places if isinstance(operand, Result) else operand.index < slots  # type: ignore[union-attr]
            places |= {p.place for p in layer}


@settings(deadline=None, max_examples=30)
@given(st.lists(seeds, min_size=2, max_size=5, unique=True), st.sampled_from([1, 3]))
def test_rows_do_not_know_of_each_other(batch: list[int], beam: int) -> None:
    """Problems stop at different steps, which must not change those that go on."""

    def run(these: list[int]) -> list[list[Decoded]]:
        engine = MadeUp(these, queries=2, slots=3, sharpness=2.0)
        reading = reader(3, len(these))
        reading.zero[range(len(these)), [seed % 3 for seed in these]] = True  # a zero at another place for each
        if beam == 1:
            return [[one] for one in decode_greedily(engine, reading, 4)]
        return decode_with_beam(engine, reading, 4, beam)

    together = run(batch)
    for seed, found in zip(batch, together, strict=True):
        (alone,) = run([seed])
        assert [(d.layers, d.stopped) for d in alone] == [(d.layers, d.stopped) for d in found]
        assert [d.score for d in alone] == pytest.approx([d.score for d in found])


def test_where_there_is_no_slot_there_is_no_expression() -> None:
    everywhere_masked = np.full((1, 2, 3), MASKED, np.float32)
    sure_of_plus = np.log(np.array([[[0.01, 0.98, 0.01]] * 2], np.float32))

    class NoSlots(MadeUp):
        def propose(self) -> Distributions:
            return Distributions(sure_of_plus, everywhere_masked, everywhere_masked)

    for decoded in (
        decode_greedily(NoSlots([0], queries=2, slots=3, sharpness=1.0), reader(3), 2)[0],
        decode_with_beam(NoSlots([0], queries=2, slots=3, sharpness=1.0), reader(3), 2, 2)[0][0],
    ):
        assert decoded.graph is None
        assert decoded.stopped
        assert decoded.score == pytest.approx(2 * math.log(0.01), rel=1e-4)  # both predicted None, likely or not


def test_query_that_repeats_another_is_dropped() -> None:
    """Both predict n0 + n1; the expression of the more certain one stays."""
    predicted = Distributions(
        np.log(np.array([[[0.1, 0.8, 0.1], [0.05, 0.9, 0.05]]], np.float32)),
        np.log(np.array([[[0.9, 0.1], [0.9, 0.1]]], np.float32)),
        np.log(np.array([[[0.1, 0.9], [0.1, 0.9]]], np.float32)),
    )

    class Repeating(MadeUp):
        def propose(self) -> Distributions:
            return predicted

    (decoded,) = decode_greedily(Repeating([0], queries=2, slots=2, sharpness=1.0), reader(2), 1)
    ((kept,),) = decoded.layers
    assert (kept.place, kept.operator, kept.left, kept.right) == (1, Operator.ADD, Number(0), Number(1))
    assert not decoded.stopped


# --- the answer -----------------------------------------------------------------------------------------------------


def test_answer_is_the_likeliest_of_the_last_layer() -> None:
    first = [Proposed(0, Operator.ADD, Number(0), Number(1), -0.1)]
    second = [
        Proposed(2, Operator.MULTIPLY, Result(0), Number(2), -0.5),
        Proposed(3, Operator.DIVIDE, Result(0), Constant(Fraction(2)), -0.2),
    ]
    graph = assemble([first, second])
    assert graph == ExpressionGraph(
        (
            Expression(Operator.ADD, Number(0), Number(1)),
            Expression(Operator.DIVIDE, Result(0), Constant(Fraction(2))),
        ),
        Result(1),
    )


def test_repeated_expression_that_something_consumes_is_not_the_answer() -> None:
    first = [Proposed(0, Operator.ADD, Number(0), Number(1), -0.1)]
    second = [
        Proposed(2, Operator.MULTIPLY, Result(0), Number(2), -0.5),
        Proposed(3, Operator.ADD, Number(0), Number(1), -0.2),
    ]
    graph = assemble([first, second])
    assert graph is not None
    assert graph.expressions[-1].operator is Operator.MULTIPLY


def test_nothing_proposed_is_no_equation() -> None:
    assert assemble([]) is None
    assert assemble([[], []]) is None
