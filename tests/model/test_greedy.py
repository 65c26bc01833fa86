"""The search that stays on the device decides as the one on the host does."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

from tests.model.tiny import make_model
from treequation.data.batches import Batch
from treequation.decoding.greedy_search import decode_greedily
from treequation.decoding.search import Bools, Decoded, Distributions, Equation, Floats, Ints, Reader
from treequation.expression.graph import Operator
from treequation.model import decode, greedy
from treequation.model.batch_decoding import batches
from treequation.model.captured import CapturedSearch
from treequation.model.decoder import MASKED
from treequation.model.greedy import SearchInput
from treequation.text.number_vocabulary import NONE, Vocabulary
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

OPERATORS = (Operator.ADD, Operator.DIVIDE, Operator.ROUND_UP)


class Recorded:
    """Says what it is told to say, and remembers who goes on."""

    def __init__(self, said: Distributions) -> None:
        self.said, self.joined = said, np.zeros(said.operator.shape[:2], np.bool_)

    def propose(self) -> Distributions:
        return self.said

    def advance(self, rows: Ints, operator: Ints, left: Ints, right: Ints, valid: Bools) -> None:
        self.joined[rows] = valid
        self.said = Distributions(*(part[rows] for part in self.said))


@settings(deadline=None, max_examples=300)
@given(
    st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 3), st.floats(0, 1), st.floats(0, 1), st.floats(0, 4)
)
def test_a_step_follows_the_rules_of_the_host(
    seed: int, queries: int, slots: int, masked: float, zeros: float, silence: float
) -> None:
    """Log-probabilities are drawn from a few values only, so that ties and repetitions abound."""
    random, rows = np.random.default_rng(seed), 8

    def some(size: int) -> Floats:
        return random.choice(np.float32([-0.5, -1.0, -2.0]), (rows, queries, size))

    operator, left, right = some(len(OPERATORS) + 1), some(slots), some(slots)
    operator[..., NONE] += np.float32(silence - 2) * random.integers(0, 2, (rows, 1))
    absent = random.random((rows, 1, slots)) < masked
    left, right = (np.where(absent, np.float32(MASKED), side) for side in (left, right))
    reader = Reader(Vocabulary((), OPERATORS), slots, random.random((rows, slots)) < zeros, random.random(rows) < 0.5)
    engine = Recorded(Distributions(operator, left, right))
    expected = decode_greedily(engine, reader, 2)  # the second step has a rule less

    said = greedy.StepLogProbabilities(*(torch.from_numpy(part) for part in (operator, left, right)))
    zero, several = torch.from_numpy(reader.zero), torch.from_numpy(reader.several)
    first = greedy.choose_expressions(said, reader.divisions, zero, several)
    second = greedy.choose_expressions(said, reader.divisions, zero)
    assert first.valid.numpy().tolist() == engine.joined.tolist()
    for row, decoded in enumerate(expected):
        layers = [first, second] if first.valid[row].any() else [first]
        for step, layer in enumerate(layers):
            mine = [
                (
                    step * queries + q,
                    OPERATORS[int(layer.operator[row, q]) - 1],
                    int(layer.left[row, q]),
                    int(layer.right[row, q]),
                )
                for q in range(queries)
                if layer.valid[row, q]
            ]
            theirs = decoded.layers[step] if step < len(decoded.layers) else []
            assert mine == [(p.place, p.operator, p.left.index, p.right.index) for p in theirs]  # type: ignore[union-attr]
        total = sum(float(greedy.gained(layer, said)[row]) for layer in layers)
        assert total == pytest.approx(decoded.score)


def problem(text: str) -> Problem:
    return Problem("made", text, find_numbers(text))


def plain(decoded: Equation) -> tuple[list[list[tuple[object, ...]]], bool, float]:
    """The expressions of each layer, whether it stopped by itself, and the score of all."""
    assert isinstance(decoded, Decoded)
    layers = [[(p.place, p.operator, p.left, p.right) for p in layer] for layer in decoded.layers]
    return layers, decoded.stopped, decoded.score


TEXTS = [
    "How many are there?",
    "He has 7 pens. How many pens has he?",
    "There are 0 apples, 0 pears and 4 plums.",
    "Tom has 3 boxes with 12 eggs each and 5 eggs more. He sells 8 of them for 1/2 of what 20 cost.",
    "What are 0 and 0 and 0?",
]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"shared_layers": 2},
        {"teacher": "gold"},
        {"decoder": "chained"},
        {"decoder": "chained", "shared_layers": 2, "update_problem": False},
        {"none_loss": "operand"},
        {"queries": 1, "operators": ["/"], "layers": 1},
    ],
)
def test_whole_search_finds_what_the_host_finds(problems: list[Problem], settings: dict[str, object]) -> None:
    asked = [*problems[:12], *map(problem, TEXTS)]
    model = make_model(asked, **{"constants": ["0", "100"], **settings}).eval()
    lengths: set[int] = set()
    (_, batch, _), *_ = batches(model, asked, len(asked))
    with torch.inference_mode():
        usual = model.decoder.step(0, model.start(batch))[1].states[0].mean(dim=(0, 1))
    for silence in (
        0,
        0.25,
        0.5,
        0.75,
        1,
        1.5,
        2,
        3,
        4,
        6,
    ):  # how much None looks like what the queries look for: untrained, they never stop
        with torch.no_grad():
            model.decoder.operators[NONE] = silence * usual / usual.norm()
        expected = [plain(one) for (one,) in decode(model, asked, batch_size=8)]
        search = partial(greedy.search, model, ends_early=silence % 2 == 1)  # either way it finds the same
        found = [plain(one) for (one,) in decode(model, asked, batch_size=8, captured=search)]
        lengths |= {len(layers) for layers, _, _ in expected}
        assert [(layers, stopped) for layers, stopped, _ in found] == [
            (layers, stopped) for layers, stopped, _ in expected
        ]
        assert [score for *_, score in found] == pytest.approx([score for *_, score in expected], abs=1e-3)
    assert len(lengths) > 2, "problems must take different numbers of steps"


@pytest.mark.parametrize(
    "settings", [{}, {"teacher": "gold"}, {"decoder": "chained", "shared_layers": 2, "update_problem": False}]
)
def test_nothing_in_the_search_waits_for_the_device(problems: list[Problem], settings: dict[str, object]) -> None:
    """Tensors without content: whoever looks into one gets an error, as when a graph is captured."""
    model = make_model(problems, **settings).eval()
    ((_, batch, reader),) = batches(model, problems[:4], 4, filled=True)
    with torch.inference_mode(), FakeTensorMode(allow_non_fake_inputs=True) as empty:
        asked = greedy.search_input(batch, reader)
        asked = SearchInput(Batch(*map(empty.from_tensor, asked.batch[:4])), *map(empty.from_tensor, asked[1:]))
        found = greedy.search(model, asked, model.max_steps, reader.divisions)
        assert found.expressions.shape == (64, model.max_steps, model.config.queries)
        with pytest.raises(DataDependentOutputException):
            found.total[0].item()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_captured_search_finds_what_the_host_finds(problems: list[Problem]) -> None:
    model = make_model(problems).eval()
    expected = [plain(one) for (one,) in decode(model, problems, batch_size=8)]
    model.to("cuda")
    captured = CapturedSearch(model)
    with torch.no_grad():
        for _ in range(2):  # captures, then runs what was captured
            found = [plain(one) for (one,) in decode(model, problems, batch_size=8, captured=captured)]
            assert [layers for layers, *_ in found] == [layers for layers, *_ in expected]
        model.decoder.operators.copy_(model.decoder.operators.flip(0))  # weights may change in place
        one_by_one = [plain(one) for (one,) in decode(model, problems, batch_size=8)]
        found = [plain(one) for (one,) in decode(model, problems, batch_size=8, captured=captured)]
    assert [layers for layers, *_ in found] == [layers for layers, *_ in one_by_one]
    assert [layers for layers, *_ in found] != [layers for layers, *_ in expected]
