"""Updates of one shape: a fair sample each; nothing lost, nothing doubled, nothing cut off."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.model.tiny import make_model
from treequation.baselines import DECODERS
from treequation.data.batches import Group, collate
from treequation.data.synthetic import generate
from treequation.expression.parsing import parse_infix
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
    st.sampled_from([1, 2, 4]),
    st.sampled_from([10, 2_000]),
)
def test_an_epoch_has_every_problem_once_in_a_group_that_holds_it(sizes, batch_size, seed, multiple, cost):
    tokens, layers = np.array(sizes).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treequation.training.examples.GROUP_COST", {"cpu": cost})
        planner = Planner(_Sizes(tokens=tokens, layers=layers), batch_size, multiple=multiple)  # type: ignore[arg-type]
        layout = planner.layout()
    planned = planner.epoch(np.random.default_rng(seed))
    assert len(planned) == planner.steps == -(-len(sizes) // batch_size)
    assert sorted(np.concatenate([step.rows[step.weight > 0] for step in planned])) == list(range(len(sizes)))
    assert layout.groups[-1].tokens == tokens.max()
    room = np.repeat([group.tokens for group in layout.groups], [group.rows for group in layout.groups])[layout.places]
    for step in planned:
        assert 0 <= len(sizes) / planner.steps - step.weight.sum() + 1 <= 2  # all have as many
        for part in range(multiple):
            rows = step.rows[part::multiple]
            assert (tokens[rows] <= room).all()  # those that only fill up as well
            for layer, active in enumerate(layout.active):
                assert (layers[rows][active:] <= layer).all()  # who is left out has no such layer
            assert len(layout.active) == layers.max()


def test_problems_of_two_lengths_are_read_in_two_groups_if_that_is_cheaper(monkeypatch):
    monkeypatch.setattr("treequation.training.examples.GROUP_COST", {"cpu": 2_000})
    for tokens, groups in (([24, 120], (Group(100, 24), Group(100, 120))), ([24, 32], (Group(200, 32),))):
        sizes = _Sizes(tokens=np.array(tokens * 3_000), layers=np.full(6_000, 2))
        assert Planner(sizes, 200).layout().groups == groups  # type: ignore[arg-type]


def test_every_update_is_a_fair_sample_of_depths_and_lengths():
    random = np.random.default_rng(0)
    layers = random.geometric(0.35, 6000).clip(max=9)
    tokens = (20 + 8 * layers + random.gamma(2, 12, 6000)).astype(int)  # deep problems are long, as in the data sets
    planner = Planner(_Sizes(tokens=tokens, layers=layers), 600)  # type: ignore[arg-type]
    for step in planner.epoch(random):
        rows = step.rows[step.weight > 0]
        for depth in range(1, 10):
            share, expected = (layers[rows] == depth).mean(), (layers == depth).mean()
            assert abs(share - expected) < 4.5 * np.sqrt(expected * (1 - expected) / len(rows)) + 1 / len(rows)
        for sizes in (layers, tokens):
            assert abs(sizes[rows].mean() - sizes.mean()) < 4.5 * sizes.std() / np.sqrt(len(rows))


@pytest.mark.parametrize("decoder", DECODERS)
def test_problems_read_in_groups_have_the_losses_of_the_whole_set(decoder, monkeypatch):
    monkeypatch.setattr("treequation.training.examples.GROUP_COST", {"cpu": 20})
    problems = generate(40, seed=3, level="hard", language="both")
    model = make_model(problems, decoder=decoder, steps=9).eval()
    data = DeviceSet(prepare(model, problems).examples, model)
    planner = Planner(data, 8)
    layout = planner.layout()
    assert len(layout.groups) > 2
    assert decoder == "codes" or layout.active[-1] < layout.active[0]  # that one says everything at once
    laid_out = collate(data.examples, data.shape, constants=len(model.config.constants), padding=model.padding)
    with torch.no_grad():
        whole = model(to_device(laid_out, model.device))
        for rows, weight in planner.epoch(np.random.default_rng(0)):
            part = model(data.rows(torch.from_numpy(rows), torch.from_numpy(weight), layout))
            torch.testing.assert_close(part, whole[rows], atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("decoder", ["expression-tree", "chained", "seq2tree"])
def test_leaving_padding_out_changes_no_gradient(decoder, monkeypatch):
    monkeypatch.setattr("treequation.training.examples.GROUP_COST", {"cpu": 20})
    problems = generate(24, seed=4, level="hard")
    model = make_model(problems, decoder=decoder, steps=9).eval()
    data = DeviceSet(prepare(model, problems).examples, model)
    planner = Planner(data, 8)
    rows, weight = (torch.from_numpy(part) for part in planner.epoch(np.random.default_rng(0))[0])
    gradients = []
    for layout in (None, planner.layout()):
        model.zero_grad()
        (model(data.rows(rows, weight, layout)) * weight).sum().backward()
        gradients.append([p.grad.clone() for p in model.parameters() if p.grad is not None])
    for padded, tight in zip(*gradients, strict=True):
        torch.testing.assert_close(tight, padded, atol=1e-4, rtol=1e-3)


def test_problems_with_one_equation_are_labelled_alike_and_left_out_alike(monkeypatch):
    monkeypatch.setattr("treequation.text.encoding._BLOCK", 7)
    problems = generate(30, seed=3, level="hard", language="both")
    model = make_model(problems, steps=9)
    unknown = replace(problems[0], graph=parse_infix("n0*0.123"))
    without = replace(problems[0], graph=None)
    prepared = prepare(model, [*problems, unknown, *problems, without, unknown])
    assert prepared.left_out == {"unknown constant": 2, "no equation": 1}
    assert list(prepared.ids) == [problem.id for problem in problems] * 2
    assert prepared.examples[:30] == prepared.examples[30:]
    for problem, example in zip(problems, prepared.examples, strict=False):
        assert example.labels == model.label_sets(problem.graph)
        assert example.encoded == model.problem_encoder.encode([problem])[0]
        assert [example.encoded.ids[place] for place in example.encoded.positions] == [
            model.problem_encoder.marker
        ] * len(problem.numbers)
