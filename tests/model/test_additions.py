"""What goes beyond the paper: several right equations, queries that restore noised ones, two passes that must agree."""

from dataclasses import replace

import pytest
import torch

from tests.model.tiny import batch_of, examples_of, make_model, share_solved, train
from treequation.expression.parsing import parse_infix
from treequation.model.criterion import Aligned, Targets
from treequation.model.decoder import Proposal
from treequation.model.regularisers import disagreement, restoring_loss, spoilt_queries
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

TEXT = "There are 7 cats, 5 dogs and 4 birds. How many animals are there?"
SUM = Problem("sum", TEXT, find_numbers(TEXT), graph=parse_infix("n0+n1+n2"))


def test_the_likeliest_of_the_equivalent_equations_is_trained(problems: list[Problem]) -> None:
    model = make_model(problems, label_variants=3).eval()
    (example,) = examples_of(model, [SUM])
    assert len(example.others) == 2
    with torch.no_grad():
        each = [
            float(model(batch_of(model, [replace(example, labels=labels, others=())])))
            for labels in (example.labels, *example.others)
        ]
        best = float(model(batch_of(model, [example])))
    assert len({round(loss, 3) for loss in each}) == 3
    assert best == pytest.approx(min(each), abs=1e-4)


def test_a_problem_with_one_equation_is_not_changed_by_others_that_have_more(problems: list[Problem]) -> None:
    model = make_model(problems, label_variants=4).eval()
    examples = examples_of(model, [SUM, problems[0]])
    assert examples[0].shape.variants == 3
    assert examples[1].shape.variants == 1
    with torch.no_grad():
        together = model(batch_of(model, examples))
        alone = model(batch_of(model, examples[1:]))
    torch.testing.assert_close(together[1:], alone, atol=1e-4, rtol=1e-5)


def test_a_query_that_is_given_the_gold_expression_can_learn_to_say_it(problems: list[Problem]) -> None:
    """With nothing replaced, the loss falls to almost nothing; with everything replaced it cannot."""
    model = make_model(problems, denoising=0.5)
    batch = batch_of(model, examples_of(model, problems))
    targets = Targets(batch.operators[:, 0], batch.left[:, 0], batch.right[:, 0])
    with torch.no_grad():
        state = model.start(batch)  # the problem is kept as it is: only the parts tell what to say
    blind = state._replace(problem=torch.zeros_like(state.problem))

    def loss_of(amount: float) -> torch.Tensor:
        guests = spoilt_queries(model.decoder, blind, targets, amount)
        _, proposal = model.decoder.step(0, blind, guests)
        return restoring_loss(proposal.split(model.config.queries)[1], targets).mean()

    def learn(amount: float) -> float:
        optimizer = torch.optim.Adam(model.decoder.parameters(), lr=3e-3)
        for _ in range(60):
            loss = loss_of(amount)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return float(loss_of(amount).detach())

    told = learn(0.0)
    assert told < 0.3
    assert learn(1.0) > told + 1


def test_what_a_part_is_replaced_by_is_there(problems: list[Problem]) -> None:
    model = make_model(problems, denoising=0.5).train()
    batch = batch_of(model, examples_of(model, problems), numbers=9)
    targets = Targets(batch.operators[:, 0], batch.left[:, 0], batch.right[:, 0])
    state = model.start(batch)
    assert not state.number_mask.all()
    poisoned = state._replace(numbers=state.numbers.masked_fill(~state.number_mask.unsqueeze(-1), torch.nan))
    queries = [spoilt_queries(model.decoder, poisoned, targets, 1.0) for _ in range(2)]
    assert all(one.isfinite().all() for one in queries)
    assert not torch.equal(*queries)


@pytest.mark.parametrize("settings", [{}, {"shared_layers": 1, "update_problem": False}, {"chained": True}])
def test_guests_and_hosts_do_not_see_each_other(problems: list[Problem], settings: dict[str, object]) -> None:
    model = make_model(problems, **{"teacher": "gold", "denoising": 0.5, **settings}).eval()
    with torch.no_grad():
        state = model.start(batch_of(model, examples_of(model, problems[:3])))
        guests = torch.randn(3, 2, state.queries.shape[-1])
        after, together = model.decoder.step(0, state, guests)
        hosts, visitors = together.split(model.config.queries)
        alone, own = model.decoder.step(0, state)
        _, others = model.decoder.step(0, state._replace(queries=guests))
    torch.testing.assert_close(after.queries, alone.queries)
    torch.testing.assert_close(hosts, own)
    torch.testing.assert_close(visitors, others)


def test_two_halves_that_say_the_same_by_other_queries_agree() -> None:
    def halves(first: list[list[float]], second: list[list[float]]) -> torch.Tensor:
        return torch.tensor([first, second]).log()

    said = halves([[0.7, 0.3], [0.2, 0.8]], [[0.2, 0.8], [0.7, 0.3]])  # the second half's queries have changed places
    proposal = Proposal(said, said, said, (said, said, said))
    targets = Targets(*(torch.tensor([[1], [1]]) for _ in range(3)))
    nothing = torch.zeros(2, 2, dtype=torch.long)

    def apart(queries: list[list[int]]) -> list[float]:
        aligned = Aligned(torch.zeros(2), torch.tensor(queries), nothing, nothing, nothing)
        return disagreement(proposal, aligned, targets, slots=2).tolist()

    assert apart([[0], [1]]) == pytest.approx([0.0, 0.0], abs=1e-6)
    # (0.7 − 0.2)(ln 0.7 − ln 0.2) + (0.3 − 0.8)(ln 0.3 − ln 0.8) = 1.1168, halved, for operator, left and right.
    assert apart([[0], [0]]) == pytest.approx([1.6752, 1.6752], abs=1e-3)


@pytest.mark.parametrize(
    "settings",
    [
        {"label_variants": 3},
        {"denoising": 0.3},
        {"denoising": 0.3, "teacher": "gold", "chained": True},
        {"r_drop": 0.5, "dropout": 0.1},
    ],
)
def test_a_model_learns_with_each_addition(problems: list[Problem], settings: dict[str, float]) -> None:
    model = make_model(problems, width=64, **settings)
    train(model, problems, epochs=100, rows=32, rate=3e-3)
    assert share_solved(model, problems) == 1
