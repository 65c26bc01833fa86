"""Updates of one shape: a fair sample each; nothing lost, nothing doubled, nothing cut off."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.model.tiny import make_model
from treequation.baselines import DECODERS
from treequation.data.batches import collate
from treequation.data.synthetic import generate
from treequation.model.batch_decoding import to_device
from treequation.training.examples import DeviceSet, Piece, PlannedStep, Planner, prepare


class _Sizes(SimpleNamespace):
    """What the planner asks of a data set."""

    def __len__(self) -> int:
        return len(self.tokens)


def _parts(planner: Planner, step: PlannedStep) -> list[tuple[Piece, np.ndarray, np.ndarray]]:
    """The pieces of an update with their rows and weights."""
    edges = np.cumsum([piece.rows for piece in planner.pieces])[:-1]
    return list(zip(planner.pieces, np.split(step.rows, edges), np.split(step.weight, edges), strict=True))


@given(
    st.lists(st.tuples(st.integers(3, 200), st.integers(1, 9)), min_size=1, max_size=200),
    st.integers(1, 40),
    st.integers(0, 3),
    st.sampled_from([1, 2, 4]),
)
def test_an_epoch_has_every_problem_once_in_a_piece_that_holds_it(sizes, batch_size, seed, multiple):
    tokens, layers = (np.array(part) for part in zip(*sizes, strict=True))
    planner = Planner(_Sizes(tokens=tokens, layers=layers), batch_size, multiple=multiple)  # type: ignore[arg-type]
    planned = planner.epoch(np.random.default_rng(seed))
    assert len(planned) == planner.steps == -(-len(sizes) // batch_size)
    assert sorted(np.concatenate([step.rows[step.weight > 0] for step in planned])) == list(range(len(sizes)))
    for step in planned:
        assert 0 <= len(sizes) / planner.steps - step.weight.sum() + 1 <= 2  # all have as many
        for piece, rows, _ in _parts(planner, step):
            assert len(rows) % multiple == 0
            assert tokens[rows].max() <= piece.tokens  # those that only fill up, too
            assert layers[rows].max() <= piece.layers


def test_every_update_is_a_fair_sample_of_depths_and_lengths():
    random = np.random.default_rng(0)
    layers = random.geometric(0.35, 6000).clip(max=9)
    tokens = (20 + 8 * layers + random.gamma(2, 12, 6000)).astype(int)  # deep problems are long, as in the data sets
    planner = Planner(_Sizes(tokens=tokens, layers=layers), 600)  # type: ignore[arg-type]
    assert len(planner.pieces) > 1, "one piece would be a fair sample by itself"
    for step in planner.epoch(random):
        rows = step.rows[step.weight > 0]
        for depth in range(1, 10):
            share, expected = (layers[rows] == depth).mean(), (layers == depth).mean()
            assert abs(share - expected) < 4.5 * np.sqrt(expected * (1 - expected) / len(rows)) + 1 / len(rows)
        for sizes in (layers, tokens):
            assert abs(sizes[rows].mean() - sizes.mean()) < 4.5 * sizes.std() / np.sqrt(len(rows))


@pytest.mark.parametrize("decoder", DECODERS)
def test_rows_of_the_set_give_the_losses_of_the_whole_in_every_piece(decoder, monkeypatch):
    monkeypatch.setattr("treequation.training.examples.PIECE_COST", 20)
    problems = generate(40, seed=3, level="hard", language="both")
    model = make_model(problems, decoder=decoder, steps=9).eval()
    data = DeviceSet(prepare(model, problems).examples, model)
    planner = Planner(data, 8)
    assert len(planner.pieces) > 3
    laid_out = collate(data.examples, data.shape, constants=len(model.config.constants), padding=model.padding)
    with torch.no_grad():
        whole = model(to_device(laid_out, model.device))
        for step in planner.epoch(np.random.default_rng(0)):
            for piece, rows, weight in _parts(planner, step):
                part = model(data.rows(torch.from_numpy(rows), torch.from_numpy(weight), piece.tokens, piece.layers))
                torch.testing.assert_close(part, whole[rows], atol=1e-3, rtol=1e-3)
