"""Batches of few shapes: nothing lost, nothing doubled, nothing cut off."""

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
from treequation.training.examples import DeviceSet, Planner, prepare


class _Sizes(SimpleNamespace):
    """What the planner asks of a data set."""

    def __len__(self) -> int:
        return len(self.tokens)


@given(
    st.lists(st.tuples(st.integers(3, 200), st.integers(1, 9)), min_size=1, max_size=200),
    st.integers(1, 40),
    st.integers(0, 3),
)
def test_an_epoch_has_every_problem_once_in_a_shape_that_holds_it(sizes, batch_size, seed):
    tokens, layers = (np.array(part) for part in zip(*sizes, strict=True))
    planner = Planner(_Sizes(tokens=tokens, layers=layers), batch_size)  # type: ignore[arg-type]
    planned = planner.epoch(np.random.default_rng(seed))
    assert len(planned) == planner.steps
    assert sorted(np.concatenate([step.rows[step.weight > 0] for step in planned])) == list(range(len(sizes)))
    for step in planned:
        assert len(step.rows) == batch_size
        used = step.rows[step.weight > 0]
        assert tokens[used].max() <= step.tokens
        assert layers[used].max() <= step.layers
    assert len({(step.tokens, step.layers) for step in planned}) <= 5 * 4


@pytest.mark.parametrize("decoder", DECODERS)
def test_rows_of_the_set_give_the_losses_of_the_whole_in_every_shape(decoder):
    problems = generate(40, seed=3, level="hard", language="both")
    model = make_model(problems, kind=DECODERS[decoder], label_variants=3, steps=9).eval()
    data = DeviceSet(prepare(model, problems).examples, model)
    planned = Planner(data, 4).epoch(np.random.default_rng(0))
    assert len({(step.tokens, step.layers) for step in planned}) > 3
    laid_out = collate(data.examples, data.shape, constants=len(model.config.constants), padding=model.padding)
    with torch.no_grad():
        whole = model(to_device(laid_out, model.device))
        for step in planned:
            rows, weight = torch.from_numpy(step.rows), torch.from_numpy(step.weight)
            part = model(data.rows(rows, weight, step.tokens, step.layers))
            torch.testing.assert_close(part[weight > 0], whole[rows[weight > 0]], atol=1e-3, rtol=1e-3)
