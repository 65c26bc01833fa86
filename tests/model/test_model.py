"""What must not change a prediction or a loss, and what must."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from tests.model.tiny import STEPS, batch_of, examples_of, make_model
from treequation.data.batches import RESULT, Example
from treequation.data.labels import Label, LabelSets
from treequation.expression.graph import Constant, ExpressionGraph, Number
from treequation.model import TreequationConfig, TreequationModel, decode
from treequation.model.base import summed
from treequation.model.decoder import Expressions, Proposal, label_scores
from treequation.model.torch_engine import TorchEngine
from treequation.text.number_vocabulary import NONE
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

VARIANTS = [
    {},
    {"shared_layers": 2},
    {"teacher": "gold"},
    {"none_loss": "operand"},
    {"queries": 2, "none_loss": "off"},
    {"decoder_width": 16, "feed_forward": 2, "attention_heads": 1},
    {"decoder": "chained"},
    {"decoder": "chained", "shared_layers": 1, "update_problem": False},
    {"decoder": "chained", "layers_per_step": 2, "queries": 2},
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


@pytest.mark.parametrize("settings", [each for each in VARIANTS if "decoder" not in each and "none_loss" not in each])
def test_solving_that_takes_the_gold_path_sees_what_training_sees(
    problems: list[Problem], settings: dict[str, object]
) -> None:
    """The search's steps, each followed by the gold expressions at their queries, add up to the loss of training."""
    model = make_model(problems, **settings).eval()
    batch = batch_of(model, examples_of(model, problems))
    rows, layers, width = batch.operators.shape
    queries, first = model.config.queries, len(model.config.constants) + batch.positions.shape[1]
    slots = torch.arange(first + layers * queries).repeat(rows, 1)  # where each operand is; gold results move
    losses = []
    with torch.inference_mode():
        engine = TorchEngine(model, batch)
        for layer in range(layers):
            operator, left, right = (torch.from_numpy(part) for part in engine.propose())
            sides = (slots.gather(1, part[:, layer]) for part in (batch.left, batch.right))
            labels = Expressions(batch.operators[:, layer], *sides)
            proposal = Proposal(operator, left, right, operator[..., NONE], (operator,) * 3)
            loss, assignment = model.decoder.criterion(label_scores(proposal, labels), labels.real)
            losses.append(loss)
            place = first + layer * queries
            slots[:, place : place + width] = place + assignment
            gold = labels.at_queries(assignment, queries)
            if layer + 1 < layers:
                engine.advance(np.arange(rows), *(part.numpy() for part in gold), gold.real.numpy())
        torch.testing.assert_close(summed(torch.stack(losses, dim=1), batch.layers), model(batch), atol=1e-4, rtol=1e-5)


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
        state = model.decoder.grow(state, model.decoder.result(*first.states), keep)
        _, second = model.decoder.step(1, state)
    slots = len(model.config.constants) + batch.positions.shape[1]
    for proposal, results in ((first, []), (second, [slots + 1])):
        for side in (proposal.left, proposal.right):
            for row, example in enumerate((few, many)):
                there = len(model.config.constants) + len(example.encoded.positions)
                probability = side[row].exp()
                open_slots = [*range(there), *results]
                assert (probability[:, open_slots] > 0).all()
                total = probability[:, open_slots].sum(dim=1)
                if none_loss == "operand":  # the rest is the probability of None
                    assert (total < 1).all()
                else:
                    torch.testing.assert_close(total, torch.ones(len(probability)))
                closed = [slot for slot in range(probability.shape[1]) if slot not in open_slots]
                assert (probability[:, closed] == 0).all()


def test_dropped_expressions_are_never_heard_of_again(model: TreequationModel, problems: list[Problem]) -> None:
    with torch.no_grad():
        state, first = model.decoder.step(0, model.start(batch_of(model, examples_of(model, problems[:3]))))
        results = model.decoder.result(*first.states)
        kept = torch.arange(model.config.queries).expand(3, -1) % 2 == 0
        others = torch.where(kept.unsqueeze(-1), results, torch.randn_like(results))
        alone, with_others = (
            model.decoder.step(1, model.decoder.grow(state, these, kept))[1] for these in (results, others)
        )
        for part in ("operator", "left", "right"):
            torch.testing.assert_close(getattr(alone, part), getattr(with_others, part))


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


@pytest.mark.parametrize("settings", [{"teacher": "gold"}, {"decoder": "chained", "denoising": 0.5}])
def test_gradient_reaches_every_part(problems: list[Problem], settings: dict[str, object]) -> None:
    model = make_model(problems, **settings)
    model(batch_of(model, examples_of(model, problems), layers=STEPS)).sum().backward()
    silent = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert silent == []


def test_configuration_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match=r"bipartite, sequence, random"):
        TreequationConfig(matching="hungarian")
    with pytest.raises(ValueError, match="queries"):
        TreequationConfig(queries=0)
    with pytest.raises(ValueError, match=r"denoising need decoder = chained"):
        TreequationConfig(denoising=0.3)
    with pytest.raises(ValueError, match=r"label_variants is 3, but it is no longer a setting: only 1 is supported"):
        TreequationConfig(decoder="chained", label_variants=3)


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
