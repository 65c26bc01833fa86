"""Our decoder: parts that follow from one another, all layers taught at once, denoising queries."""

import pytest
import torch
from torch import Tensor

from tests.model.tiny import batch_of, examples_of, make_model, share_solved, train
from treequation.data.batches import Batch
from treequation.data.synthetic import generate
from treequation.model import ChainedModel, decode
from treequation.model.base import pick_all
from treequation.model.chained import ChainedDecoder
from treequation.model.criterion import LabelScores
from treequation.model.decoder import DecoderState, Expressions, scores_at
from treequation.text.problem import Problem

MEMORY = {"shared_layers": 2, "update_problem": False}


def test_chained_parts_are_one_distribution_and_say_what_is_proposed(problems: list[Problem]) -> None:
    model = make_model(problems, decoder="chained").eval()
    with torch.no_grad():
        state, proposal = model.decoder.step(0, model.start(batch_of(model, examples_of(model, problems[:3]))))
        slots = state.numbers.shape[1]
        left, right = torch.cartesian_prod(torch.arange(slots), torch.arange(slots)).T.unsqueeze(1).expand(-1, 3, -1)
        read = model.decoder.query_norm(state.queries).unsqueeze(2)
        each = []  # of every operator and pair of operands, [B, K, S²]
        for operator in range(len(model.decoder.operators)):
            pairs = Expressions(torch.full_like(left, operator), left, right)
            of_operator, of_right = model.decoder.after_gold(read, pairs, state)
            each.append(of_operator)
    rights, operators = of_right, torch.stack(each, dim=-1)
    every = proposal.left[..., left[0]].unsqueeze(-1) + rights.unsqueeze(-1) + operators  # [B, K, S², O + 1]
    torch.testing.assert_close(every.exp().sum(dim=(2, 3)), torch.ones(3, model.config.queries), atol=1e-4, rtol=0)
    first, second = proposal.left.argmax(dim=-1), proposal.right.argmax(dim=-1)  # [B, K]
    pair = (first * slots + second).unsqueeze(-1)
    torch.testing.assert_close(rights.gather(2, pair), proposal.right.gather(2, second.unsqueeze(-1)))
    chosen = operators.gather(2, pair.unsqueeze(-1).expand(-1, -1, -1, operators.shape[-1])).squeeze(2)
    torch.testing.assert_close(chosen, proposal.operator)


@pytest.mark.parametrize("beam", [1, 3])
def test_what_is_remembered_is_what_would_be_read_again(problems: list[Problem], beam: int) -> None:
    """Layer-Shared without MLPᵘ computes the problem's keys and values once; reading anew gives the same."""
    model = make_model(problems, decoder="chained", shared_layers=2, update_problem=False).eval()
    batch = batch_of(model, examples_of(model, problems[:6]))
    assert model.decoder.keeps_memory
    with torch.no_grad():
        loss, found = model(batch), decode(model, problems[:6], beam=beam)
        model.decoder.keeps_memory = False
        torch.testing.assert_close(model(batch), loss, atol=1e-4, rtol=1e-5)
        again = decode(model, problems[:6], beam=beam)
    for one, other in zip(found, again, strict=True):
        assert [d.graph for d in one] == [d.graph for d in other]
        assert [d.score for d in one] == pytest.approx([d.score for d in other], abs=1e-3)


def losses_in_turn(decoder: ChainedDecoder, batch: Batch, state: DecoderState) -> Tensor:
    """The losses of the layers [B, L], computed plainly: one layer after the other, one label after the other.

    With denoising queries, which are given the gold expressions as they are.
    """
    width, queries = batch.operators.shape[2], len(decoder.queries)
    first_result = state.numbers.shape[1]
    losses = []
    for layer in range(batch.operators.shape[1]):
        # A gold result stands where its label does, so that each layer fills its first slots.
        labels = Expressions(*(part[:, layer] for part in (batch.operators, batch.left, batch.right)))
        own = decoder.query_norm(decoder.read(layer, state))
        proposal = decoder.propose(state._replace(queries=decoder.read(layer, state)))
        operators, rights = [], []
        for place in range(width):
            operator, right = _after_gold(decoder, own, labels, state, place)
            operators.append(operator)
            rights.append(right)
        left = scores_at(proposal.left, labels.left)
        scores = LabelScores(torch.stack(operators, 2), left, torch.stack(rights, 2), proposal.none)
        loss = decoder.criterion(scores, labels.real).loss
        if decoder.denoising_mlp is not None:
            parts = (
                decoder.operators[labels.operator],
                pick_all(state.numbers, labels.left),
                pick_all(state.numbers, labels.right),
            )
            given = state._replace(queries=decoder.denoising_mlp(torch.cat(parts, dim=-1)))
            restoring = decoder.query_norm(decoder.read(layer, given))  # [B, W, D]
            lefts = decoder.operand_distribution(decoder.left_head(restoring), state)
            for place in range(width):
                operator, right = _after_gold(decoder, restoring[:, place : place + 1], labels, state, place)
                left = lefts[:, place].gather(1, labels.left[:, place : place + 1])
                loss = loss - (operator + left + right)[:, 0].masked_fill(~labels.real[:, place], 0.0)
        losses.append(loss)
        results = decoder.result_of(state, labels)
        filled = torch.zeros(len(results), queries - width, results.shape[2])  # a slot for every query
        valid = torch.cat([labels.real, torch.zeros(filled.shape[:2], dtype=torch.bool)], dim=1)
        state = decoder.grow(state, torch.cat([results, filled], dim=1), valid)
    assert state.numbers.shape[1] == first_result + batch.operators.shape[1] * queries
    return torch.stack(losses, dim=1)


def _after_gold(
    decoder: ChainedDecoder, read: Tensor, labels: Expressions, state: DecoderState, place: int
) -> tuple[Tensor, Tensor]:
    """What queries [B, Q, D] say of the operator and the right operand of one label, after its operands, [B, Q]."""
    left, right = (
        pick_all(state.numbers, part[:, place : place + 1]) for part in (labels.left, labels.right)
    )  # [B, 1, D]
    slots = decoder.operand_distribution(decoder.right_head(read + decoder.after_left(left)), state)
    both = decoder.after_both(torch.cat([left, right, left * right], dim=-1))
    operators = decoder.operator_distribution(decoder.operator_head(read + both))
    return (
        scores_at(operators, labels.operator[:, place : place + 1]).squeeze(2),
        scores_at(slots, labels.right[:, place : place + 1]).squeeze(2),
    )


@pytest.mark.parametrize("queries", [1, 4])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"update_problem": False},
        {"denoising": 1e-9},  # without a part replaced, so that both ways have the same
        {"denoising": 1e-9, "shared_layers": 2},
        {"denoising": 1e-9, **MEMORY},
        {"layers_per_step": 2},
    ],
)
def test_layers_taught_at_once_are_taught_what_they_are_in_turn(queries: int, settings: dict[str, object]) -> None:
    problems = generate(12, seed=3, level="medium", language="both")
    model = make_model(problems, decoder="chained", queries=queries, steps=12, **settings).train()
    examples = [example for example in examples_of(model, problems) if example.labels]
    batch = batch_of(model, examples)
    assert batch.operators.shape[1] > 3
    assert (batch.operators.shape[2] > 1) == (queries > 1)
    counted = torch.arange(batch.operators.shape[1]) < batch.layers.unsqueeze(1)  # beyond them nothing is meant
    found = []
    for way in (ChainedDecoder.losses, losses_in_turn):
        model.zero_grad()
        losses = way(model.decoder, batch, model.start(batch))[counted]
        losses.sum().backward()  # type: ignore[no-untyped-call]
        slopes = [weight.grad for weight in model.parameters() if weight.grad is not None]
        found.append((losses.detach(), len(slopes), torch.cat([slope.flatten() for slope in slopes])))
    assert found[0][1] == found[1][1]
    torch.testing.assert_close(found[0][0], found[1][0], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(found[0][2], found[1][2], atol=1e-3, rtol=1e-3)


def first_layer(model: ChainedModel, batch: Batch) -> tuple[DecoderState, Expressions]:
    """The state before the first layer, and its labels."""
    return model.start(batch), Expressions(batch.operators[:, 0], batch.left[:, 0], batch.right[:, 0])


def left_loss_learned(problems: list[Problem], denoising: float) -> float:
    """The loss of a left operand after denoising queries that see nothing of the problem have learned it."""
    model = make_model(problems, decoder="chained", denoising=denoising or 1e-9)
    decoder: ChainedDecoder = model.decoder
    with torch.no_grad():
        state, labels = first_layer(model, batch_of(model, examples_of(model, problems)))
    blind = state._replace(problem=torch.zeros_like(state.problem))
    optimizer = torch.optim.Adam(decoder.parameters(), lr=3e-3)
    for _ in range(60):
        queries = decoder.denoising_queries(blind, labels)
        read = decoder.read_all([blind], queries.unsqueeze(1))[:, 0, len(decoder.queries) :]
        left = decoder.operand_distribution(decoder.left_head(decoder.query_norm(read)), blind)
        loss = -left.gather(2, labels.left.unsqueeze(-1)).squeeze(-1)[labels.real].mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return float(loss.detach())


def test_a_query_that_is_given_the_gold_expression_can_learn_to_say_it(problems: list[Problem]) -> None:
    """With nothing replaced, the loss falls to almost nothing; with everything replaced it does not."""
    given, replaced = left_loss_learned(problems, 0.0), left_loss_learned(problems, 1.0)
    assert given < 0.1
    assert replaced > 10 * given


def test_what_a_part_is_replaced_by_is_there(problems: list[Problem]) -> None:
    model = make_model(problems, decoder="chained", denoising=1.0).train()
    state, labels = first_layer(model, batch_of(model, examples_of(model, problems), numbers=9))
    assert not state.number_mask.all()
    poisoned = state._replace(numbers=state.numbers.masked_fill(~state.number_mask.unsqueeze(-1), torch.nan))
    queries = [model.decoder.denoising_queries(poisoned, labels) for _ in range(2)]
    assert all(one.isfinite().all() for one in queries)
    assert not torch.equal(*queries)


@pytest.mark.parametrize("settings", [{}, {"shared_layers": 1}, MEMORY])
def test_denoising_queries_and_the_models_own_do_not_see_each_other(
    problems: list[Problem], settings: dict[str, object]
) -> None:
    model = make_model(problems, decoder="chained", denoising=0.5, **settings).eval()
    decoder: ChainedDecoder = model.decoder
    with torch.no_grad():
        first, labels = first_layer(model, batch_of(model, examples_of(model, problems[:3])))
        states = [first, decoder.grow(first, decoder.result_of(first, labels), labels.real)]
        denoising = torch.randn(3, 2, 5, first.queries.shape[-1])
        together = decoder.read_all(states, denoising)  # [B, L, K + 5, D]
        torch.testing.assert_close(together[:, :, :-5], decoder.read_all(states))
        for layer, state in enumerate(states):
            alone = decoder.read(layer, state._replace(queries=denoising[:, layer]))
            torch.testing.assert_close(together[:, layer, -5:], alone)


def test_denoising_is_for_training_only(problems: list[Problem]) -> None:
    model = make_model(problems, decoder="chained", denoising=0.5)
    batch = batch_of(model, examples_of(model, problems[:5]))
    with torch.no_grad():
        training, solving = model.train()(batch), model.eval()(batch)
        assert (training > solving).all()
        model.decoder.denoising = 0.0
        torch.testing.assert_close(model.train()(batch), solving)


@pytest.mark.parametrize("settings", [{}, {"denoising": 0.3}, {"denoising": 0.3, **MEMORY}])
def test_learns_32_problems_by_heart(problems: list[Problem], settings: dict[str, object]) -> None:
    model = make_model(problems, width=64, layers=1, decoder="chained", **settings)
    train(model, problems, epochs=100, rows=32, rate=3e-3, until_solved=problems)
    assert share_solved(model, problems) == 1
