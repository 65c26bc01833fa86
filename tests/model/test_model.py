"""What must not change a prediction or a loss, and what must."""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from tests.model.tiny import STEPS, batch_of, examples_of, make_model
from treequation.data.batches import RESULT, Example
from treequation.data.labels import Label, LabelSets
from treequation.data.synthetic import generate
from treequation.expression.graph import Constant, ExpressionGraph, Number
from treequation.model import TreequationConfig, TreequationModel, decode
from treequation.text.number_vocabulary import NONE
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

VARIANTS = [
    {},
    {"shared_layers": 2},
    {"teacher": "gold", "norm": "post"},
    {"teacher": "gold", "chained": True, "fresh_queries": True, "shared_layers": 1, "update_problem": False},
    {"none_loss": "operand"},
    {"queries": 2, "swap_operands": True, "label_smoothing": 0.1},
    {"update_problem": False, "decoder_width": 16, "feed_forward": 2, "attention_heads": 1},
]


def problem(text: str, graph: ExpressionGraph | None = None) -> Problem:
    return Problem("made", text, find_numbers(text), graph=graph)


@pytest.mark.parametrize("settings", VARIANTS)
def test_batch_gives_what_single_problems_give(problems: list[Problem], settings: dict[str, object]) -> None:
    model = make_model(problems, **settings).eval()
    examples = examples_of(model, problems[:5])
    with torch.no_grad():
        together = model(batch_of(model, examples))
        alone = torch.cat([model(batch_of(model, [example])) for example in examples])
    torch.testing.assert_close(together, alone, atol=1e-4, rtol=1e-5)
    for beam in (1, 3):
        in_batch = decode(model, problems[:5], beam=beam)
        for one, found in zip(problems, in_batch, strict=False):
            (single,) = decode(model, [one], beam=beam)
            assert [d.graph for d in single] == [d.graph for d in found]
            assert [d.score for d in single] == pytest.approx([d.score for d in found], abs=1e-3)


def test_chained_parts_are_one_distribution_and_say_what_is_proposed(problems: list[Problem]) -> None:
    model = make_model(problems, teacher="gold", chained=True).eval()
    with torch.no_grad():
        state, proposal = model.decoder.step(0, model.start(batch_of(model, examples_of(model, problems[:3]))))
        slots = state.numbers.shape[1]
        left, right = torch.cartesian_prod(torch.arange(slots), torch.arange(slots)).T.unsqueeze(1).expand(-1, 3, -1)
        assert proposal.read is not None
        said, operators = model.decoder.after_gold(proposal.read.unsqueeze(2), left, right, state)  # [B, K, S², ·]
    every = proposal.left[..., left[0]].unsqueeze(-1) + said.unsqueeze(-1) + operators  # [B, K, S², O + 1]
    torch.testing.assert_close(every.exp().sum(dim=(2, 3)), torch.ones(3, model.config.queries), atol=1e-4, rtol=0)
    first, second = proposal.left.argmax(dim=-1), proposal.right.argmax(dim=-1)  # [B, K]
    pair = (first * slots + second).unsqueeze(-1)
    torch.testing.assert_close(said.gather(2, pair), proposal.right.gather(2, second.unsqueeze(-1)))
    chosen = operators.gather(2, pair.unsqueeze(-1).expand(-1, -1, -1, operators.shape[-1])).squeeze(2)
    torch.testing.assert_close(chosen, proposal.operator)


def test_padding_changes_nothing(model: TreequationModel, problems: list[Problem]) -> None:
    examples = examples_of(model, problems[:6])
    with torch.no_grad():
        tight = model(batch_of(model, examples))
        wide = model(batch_of(model, examples, tokens=60, numbers=9, layers=STEPS, width=6))
    torch.testing.assert_close(wide, tight, atol=1e-4, rtol=1e-5)


def shuffled(labels: LabelSets, queries: int) -> LabelSets:
    """The same label sets with every layer's expressions in reverse order, and results renamed accordingly."""
    renamed = {
        RESULT + layer * queries + place: RESULT + layer * queries + len(label_set) - 1 - place
        for layer, label_set in enumerate(labels)
        for place in range(len(label_set))
    }
    return tuple(
        tuple(
            Label(label.operator, renamed.get(label.left, label.left), renamed.get(label.right, label.right))
            for label in reversed(label_set)
        )
        for label_set in labels
    )


@pytest.mark.parametrize("settings", VARIANTS)
def test_order_within_label_sets_does_not_matter(problems: list[Problem], settings: dict[str, object]) -> None:
    model = make_model(problems, **settings).eval()
    examples = [e for e in examples_of(model, problems) if any(len(layer) > 1 for layer in e.labels)]
    assert examples, "there must be a layer with two expressions"
    others = [replace(example, labels=shuffled(example.labels, model.config.queries)) for example in examples]
    with torch.no_grad():
        torch.testing.assert_close(model(batch_of(model, examples)), model(batch_of(model, others)))


def test_later_gold_never_reaches_an_earlier_layer(model: TreequationModel, problems: list[Problem]) -> None:
    examples = [e for e in examples_of(model, problems) if len(e.labels) == 2][:4]
    other_ends = [Example(e.encoded, (e.labels[0], (Label(2, 0, 0),))) for e in examples]
    with torch.no_grad():
        for layers, equal in ((1, True), (2, False)):
            counted = torch.full((len(examples),), layers)  # how many layers are in the loss
            losses = [model(batch_of(model, these)._replace(layers=counted)) for these in (examples, other_ends)]
            assert torch.equal(*losses) == equal


@pytest.mark.parametrize("none_loss", ["operator", "operand"])
def test_masked_slots_have_no_probability_at_all(problems: list[Problem], none_loss: str) -> None:
    model = make_model(problems, none_loss=none_loss).eval()
    few, many = sorted(examples_of(model, problems), key=lambda e: e.shape.numbers)[:: len(problems) - 1]
    batch = batch_of(model, [few, many])
    with torch.no_grad():
        state = model.start(batch)
        _, first = model.decoder.step(0, state)
        keep = torch.zeros(2, model.config.queries, dtype=torch.bool)
        keep[:, 1] = True
        state = model.decoder.grow(state, model.results(state, first, lambda: pytest.fail("not asked")), keep)
        _, second = model.decoder.step(1, state)
    slots = len(model.config.constants) + batch.positions.shape[1]
    for proposal, results in ((first, []), (second, [slots + 1])):
        for side in (proposal.left, proposal.right):
            for row, example in enumerate((few, many)):
                there = len(model.config.constants) + len(example.encoded.positions)
                probability = side[row].exp()
                none = [probability.shape[1] - 1] if none_loss == "operand" else []
                open_slots = [*range(there), *results, *none]
                assert (probability[:, open_slots] > 0).all()
                torch.testing.assert_close(probability[:, open_slots].sum(dim=1), torch.ones(len(probability)))
                closed = [slot for slot in range(probability.shape[1]) if slot not in open_slots]
                assert (probability[:, closed] == 0).all()


def test_dropped_expressions_are_never_heard_of_again(model: TreequationModel, problems: list[Problem]) -> None:
    with torch.no_grad():
        state, first = model.decoder.step(0, model.start(batch_of(model, examples_of(model, problems[:3]))))
        results = model.decoder.results(*first.states)
        kept = torch.arange(model.config.queries).expand(3, -1) % 2 == 0
        others = torch.where(kept.unsqueeze(-1), results, torch.randn_like(results))
        said, said_with_others = (
            model.decoder.step(1, model.decoder.grow(state, these, kept))[1] for these in (results, others)
        )
        for part in ("operator", "left", "right"):
            torch.testing.assert_close(getattr(said, part), getattr(said_with_others, part))


def test_problem_without_numbers_has_no_equation() -> None:
    """And neither has it operands that are not there, whatever the operator says."""
    nothing = problem("How many are there?")
    model = make_model([nothing], constants=[])
    with torch.no_grad():
        proposal = model.decoder.step(
            0, model.start(batch_of(model, [Example(*model.problem_encoder.encode([nothing]))]))
        )[1]
        assert (proposal.left.exp() == 0).all()
        model.decoder.operators[NONE] = -1000 * model.decoder.operator_head[-1].bias  # None as unlikely as can be
    for beam in (1, 2):
        ((first, *_),) = decode(model, [nothing], beam=beam)
        assert first.graph is None


def test_bare_number_is_taught_to_stop_at_once(model: TreequationModel) -> None:
    bare = problem("He has 7 pens. How many pens has he?", ExpressionGraph((), Number(0)))
    loss = model(batch_of(model, examples_of(model, [bare])))
    loss.backward()  # type: ignore[no-untyped-call]
    assert loss.item() > 0
    assert decode(model, [bare])


def test_deepest_equation_a_model_can_hold_is_trained(problems: list[Problem]) -> None:
    """The layer that says stop is left out where the model has no step for it."""
    deep = next(p for p in problems if p.graph is not None and len(p.graph) == 3)
    model = make_model([deep], steps=3)
    (example,) = examples_of(model, [deep])
    steps = len(example.labels)
    assert torch.isfinite(model(batch_of(model, [example], layers=steps)))


def test_standard_model_refuses_more_steps_than_it_has_layers(problems: list[Problem]) -> None:
    model = make_model(problems, steps=1)
    with pytest.raises(ValueError, match="1 steps"):
        model(batch_of(model, examples_of(make_model(problems), problems[:4])))
    shared = make_model(problems, steps=1, shared_layers=1).eval()
    assert len(decode(shared, problems[:2], steps=6)) == 2


@pytest.mark.parametrize("teacher", ["query", "gold"])
def test_sampled_results_join_in_training_only(problems: list[Problem], teacher: str) -> None:
    model = make_model(problems, teacher=teacher, sampled_results=1.0)
    with torch.no_grad():
        model.decoder.operators[NONE] *= 0.01  # or an untrained model might say None everywhere
        batch = batch_of(model, examples_of(model, problems[:5]))
        trained, asked = model.train()(batch), model.eval()(batch)
        model.config.sampled_results = 0.0
        torch.testing.assert_close(model.train()(batch), asked)
    assert torch.isfinite(trained).all()
    assert not torch.allclose(trained, asked)


def test_sampled_results_leave_gold_expressions_alone(problems: list[Problem]) -> None:
    model = make_model(problems, sampled_results=1.0)
    batch = batch_of(model, examples_of(model, problems[:4]))
    with torch.no_grad():
        state, proposal = model.decoder.step(0, model.start(batch))
    gold = tuple(torch.tensor([[2, NONE, 1, NONE, NONE, NONE]] * 4) for _ in range(3))
    joined = model._with_surplus(gold, proposal, state.numbers.shape[1])  # type: ignore[arg-type]
    for part, known, said in zip(joined, gold, (proposal.operator, proposal.left, proposal.right), strict=True):
        assert torch.equal(part[:, [0, 2]], known[:, [0, 2]])
        assert torch.equal(part[:, [1, 3]], said.argmax(dim=-1)[:, [1, 3]])


def test_gradient_reaches_every_part(problems: list[Problem]) -> None:
    model = make_model(problems, teacher="gold")
    model(batch_of(model, examples_of(model, problems), layers=STEPS)).sum().backward()
    silent = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert silent == []


def test_configuration_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match=r"bipartite, sequence, random"):
        TreequationConfig(matching="hungarian")
    with pytest.raises(ValueError, match="queries"):
        TreequationConfig(queries=0)


def test_known_zero_is_never_a_divisor(problems: list[Problem]) -> None:
    """All that the model can say is ÷, and all numbers of this problem but one are 0."""
    zeros = problem("There are 0 apples, 0 pears and 4 plums.")
    model = make_model([zeros], constants=["0", "1/2"], operators=["/"])
    with torch.no_grad():
        model.decoder.operators[NONE] *= 0.0
    for beam in (1, 4):
        for decoded in decode(model, [zeros], beam=beam)[0]:
            for proposed in (p for layer in decoded.layers for p in layer):
                assert proposed.right not in (Number(0), Number(1), Constant(Fraction(0)))
    assert zeros.values == (Fraction(0), Fraction(0), Fraction(4))


@pytest.mark.parametrize("beam", [1, 3])
def test_what_is_remembered_is_what_would_be_read_again(problems: list[Problem], beam: int) -> None:
    """Layer-Shared without MLPᵘ computes the problem's keys and values once; reading anew gives the same."""
    model = make_model(problems, shared_layers=2, update_problem=False, label_variants=2).eval()
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


@pytest.mark.parametrize("queries", [1, 4])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"update_problem": False, "norm": "post", "label_variants": 2},
        {"chained": True, "denoising": 1e-9},  # guests without a part replaced, so that both ways have the same
        {"chained": True, "denoising": 1e-9, "shared_layers": 2},
        {"chained": True, "denoising": 1e-9, "shared_layers": 2, "update_problem": False},
    ],
)
def test_layers_taught_at_once_are_taught_what_they_are_in_turn(queries: int, settings: dict[str, object]) -> None:
    problems = generate(12, seed=3, level="medium", language="both")
    model = make_model(problems, teacher="gold", fresh_queries=True, queries=queries, steps=12, **settings).train()
    examples = [example for example in examples_of(model, problems) if example.labels]
    batch = batch_of(model, examples)
    assert batch.operators.shape[1] > 3
    assert (batch.operators.shape[2] > 1) == (queries > 1)
    counted = torch.arange(batch.operators.shape[1]) < batch.layers.unsqueeze(1)  # beyond them nothing is meant
    repeats = len(batch.operators) // len(batch.ids)
    found = []
    for way in (model._losses_at_once, model._losses_in_turn):
        model.zero_grad()
        state = model.start(batch)
        losses = way(batch, state.each(lambda part: part.repeat_interleave(repeats, dim=0)))[counted]
        losses.sum().backward()  # type: ignore[no-untyped-call]
        slopes = [weight.grad for weight in model.parameters() if weight.grad is not None]
        found.append((losses.detach(), len(slopes), torch.cat([slope.flatten() for slope in slopes])))
    assert found[0][1] == found[1][1]
    torch.testing.assert_close(found[0][0], found[1][0], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(found[0][2], found[1][2], atol=1e-3, rtol=1e-3)


def test_operands_that_may_be_swapped_are_taught_in_turn(problems: list[Problem]) -> None:
    """A result is made of its operands in the order that its query found likelier."""
    model = make_model(problems, teacher="gold", fresh_queries=True, swap_operands=True).eval()
    batch = batch_of(model, examples_of(model, problems[:8]))
    counted = torch.arange(batch.operators.shape[1]) < batch.layers.unsqueeze(1)
    with torch.no_grad():
        in_turn = model._losses_in_turn(batch, model.start(batch)).masked_fill(~counted, 0.0).sum(dim=1)
        at_once = model._losses_at_once(batch, model.start(batch)).masked_fill(~counted, 0.0).sum(dim=1)
        torch.testing.assert_close(model(batch), in_turn)
    assert not torch.allclose(at_once, in_turn)
