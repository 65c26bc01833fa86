"""Add-ons and auxiliary losses: each trains with a decoder to the end, and does by itself what its paper says."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from tests.baselines.parts import losses_without_values, trained, whole_batch, with_parts
from tests.model.tiny import assert_same_equations, batch_of, examples_of, share_solved
from tests.training.tiny_run import tiny_recipe
from treequation.baselines import ADDONS, AUXILIARIES, DECODERS, load_model
from treequation.baselines.addons.clauses import Clauses
from treequation.baselines.addons.group import GroupAttention, group_masks
from treequation.baselines.addons.hierarchy import Hierarchy
from treequation.baselines.addons.rules import operations
from treequation.baselines.addons.token_graph import QuantityGraph, attribute_graph, comparison_graph
from treequation.baselines.losses.contrast import Analogy, PatternMargin, TextualContrast
from treequation.baselines.losses.discriminator import EquationReader, SolutionDiscriminator
from treequation.baselines.losses.symbolic import SymbolicTasks
from treequation.data.batches import Batch, Group, Layout
from treequation.data.synthetic import generate
from treequation.errors import TreequationError
from treequation.evaluation.evaluator import load_model as load_run
from treequation.export.graphs import floats_of
from treequation.export.light_folder import export
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, Number
from treequation.expression.notations import Symbol, from_prefix_symbols
from treequation.expression.parsing import parse_infix
from treequation.model import decode
from treequation.model.base import Read
from treequation.model.config import TreequationConfig
from treequation.model.parts import Traced, check_parts, register_part
from treequation.text.numbers import find_numbers
from treequation.text.problem import FoundNumber, Problem
from treequation.training import train
from treequation.training.examples import DeviceSet, prepare
from treequation.training.recipe import RecipeError, recipe_from

# Every part is in one of these, and our own decoder in two of them.
COMBINED = [
    {"addon": "group", "auxiliary": "textual+symbolic"},
    {"addon": "graph", "auxiliary": "analogy+discriminator"},
    {"addon": "hierarchy", "auxiliary": "pattern"},
    {"addon": "rules", "decoder": "chained", "auxiliary": "pattern"},
]
ALONE = [{"addon": name} for name in ADDONS] + [{"auxiliary": name} for name in AUXILIARIES]


def test_every_part_is_among_those_that_are_trained() -> None:
    assert {each["addon"] for each in COMBINED} == set(ADDONS)
    assert {name for each in COMBINED for name in each.get("auxiliary", "").split("+") if name} == set(AUXILIARIES)


@pytest.mark.parametrize("settings", COMBINED, ids=lambda each: "-".join(each.values()))
def test_learns_speaks_alike_in_a_batch_and_can_be_kept(settings: dict[str, str], tmp_path: Path) -> None:
    problems = generate(650, seed=1, level="easy", language="en")
    known, dev, new = problems[:500], problems[500:550], problems[550:]
    model = trained(with_parts(known, width=32, **settings), known, epochs=14, rows=20, until_solved=dev)
    assert share_solved(model, new) >= 0.95
    together = decode(model, new[:30], beam=1, batch_size=13)
    for problem, (found, *_) in zip(new[:30], together, strict=True):
        ((alone, *_),) = decode(model, [problem], beam=1)
        assert alone.graph == found.graph
        assert alone.score == pytest.approx(found.score, abs=1e-2)
    model.save_pretrained(tmp_path)
    loaded = load_model(tmp_path)
    assert_same_equations(decode(loaded, new[:30], beam=1), decode(model, new[:30], beam=1))


@pytest.mark.parametrize("settings", ALONE, ids=lambda each: "-".join(each.values()))
def test_a_step_asks_nothing_of_the_device(settings: dict[str, str], problems: list[Problem]) -> None:
    """Tensors on the device "meta" have no values: a step that looked at one could not be captured as a graph."""
    model = with_parts(problems, width=32, **settings)
    batch = whole_batch(model, prepare(model, problems))
    losses = losses_without_values(model, batch)
    assert len(losses) == len(batch.ids)


@pytest.mark.parametrize("settings", ALONE, ids=lambda each: "-".join(each.values()))
def test_computes_in_bf16_and_every_weight_learns(settings: dict[str, str], problems: list[Problem]) -> None:
    model = with_parts(problems, width=32, **settings)
    batch = whole_batch(model, prepare(model, problems))
    model.to(torch.bfloat16).train()
    losses = model(batch)
    assert losses.dtype == torch.float32
    (losses * batch.weight).sum().backward()
    own = [(n, p) for n, p in model.named_parameters() if n.startswith(("addon.", "auxiliaries."))]
    for name, parameter in own:
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize("decoder", sorted(DECODERS))
@pytest.mark.parametrize(
    "settings",
    [{"addon": "rules", "auxiliary": "pattern"}, {"addon": "graph", "auxiliary": "textual"}],
    ids=lambda each: "-".join(each.values()),
)
def test_any_decoder_reads_any_states_and_its_losses_are_added(
    decoder: str, settings: dict[str, str], problems: list[Problem]
) -> None:
    if decoder == "ranking":
        settings = {**settings, "addon": "group"}  # it chooses what `rules` does
    small = {"width": 32, "queries": 3, "expressions": 5}
    model = with_parts(problems[:12], decoder=decoder, **small, **settings)
    batch = whole_batch(model, prepare(model, problems[:12]))
    model.train()(batch).sum().backward()
    assert model.addon is not None
    unused = [name for name, each in model.addon.named_parameters() if each.grad is None or not each.grad.abs().sum()]
    # These look only at the summary and the numbers, so that they do not see the rules.
    assert unused == (["rules"] if model.addon.NAME == "rules" and decoder in {"codes", "nas", "re-ext", "dag"} else [])
    together = decode(model.eval(), problems[:12], beam=1)
    alone = [decode(model, [problem], beam=1)[0] for problem in problems[:12]]
    assert [found.graph for found, *_ in together] == [found.graph for found, *_ in alone]


def test_in_evaluation_the_loss_is_the_decoders_own(problems: list[Problem]) -> None:
    model = with_parts(problems, auxiliary="analogy+discriminator")
    batch = whole_batch(model, prepare(model, problems))
    with torch.no_grad():
        assert (model.train()(batch) > model.eval()(batch)).all()
        model.auxiliaries.clear()
        plain = model.train()(batch)
    torch.testing.assert_close(plain, model.eval()(batch))


def test_a_loss_grows_with_the_run_and_weighs_what_its_paper_says(problems: list[Problem]) -> None:
    part = PatternMargin(TreequationConfig(decoder="seq2tree"), 8)
    assert part.weight(None) == pytest.approx(5 / 3)
    weights = [float(part.weight(torch.tensor(share))) for share in (0.0, 0.04, 0.12, 0.2, 1.0)]
    assert weights == pytest.approx([0, 0, 5 / 6, 5 / 3, 5 / 3])
    equations = [Problem("p", "", (), graph=parse_infix(text)) for text in ("n0+n1", "n0+n1+n2")]
    for _ in range(2):  # however often it is told
        part.weigh(equations)  # three symbols and five
    assert part.weight(None) == pytest.approx(4 * 5 / 3)


# --- the losses ----------------------------------------------------------------------------------------------------


def loss_of(part: torch.nn.Module, states: list[list[float]], **fields: torch.Tensor) -> torch.Tensor:
    """What a loss says of these summaries."""
    problem = torch.tensor(states).unsqueeze(1)
    rows = len(problem)
    batch = Batch(torch.zeros(rows, 1), *[None] * 3, weight=torch.ones(rows), **fields)
    traced = Traced(torch.zeros(rows), problem[:, 0])
    loss: torch.Tensor = part(traced, Read(problem, *[None] * 3), batch).weighted  # type: ignore[arg-type]
    return loss


CHAINED = TreequationConfig(decoder="chained")
# An anchor, one that has no mates, then their positives and negatives.
MATES = torch.tensor([[2, 4, 0, 0], [-1, -1, 0, 0]])


def test_the_margin_worked_by_hand() -> None:
    part = PatternMargin(CHAINED, 2)
    near = [[1.0, 0.0], [1.0, 1.0], [2.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    assert loss_of(part, near, mates=MATES).tolist() == [0.0, 0.0]
    far = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [3.0, 0.0], [0.0, 0.0]]
    assert loss_of(part, far, mates=MATES).tolist() == pytest.approx([1.2, 0.0])


def test_the_margin_looks_at_the_goals_that_are_shared() -> None:
    part = PatternMargin(TreequationConfig(decoder="seq2tree"), 2)
    goals = torch.zeros(3, 2, 2)
    goals[0, 1] = goals[1, 0] = torch.tensor([1.0, 0.0])  # place 1 of the anchor, place 0 of the positive
    goals[2, 0] = torch.tensor([0.0, 1.0])  # the negative's root
    batch = Batch(torch.zeros(3, 1), *[None] * 3, mates=torch.tensor([[1, 2, 1, 0]]))
    traced = Traced(torch.zeros(3), goals[:, 0], goals)
    assert part(traced, None, batch).weighted.tolist() == [0.0]
    batch = batch._replace(mates=torch.tensor([[2, 1, 1, 0]]))
    assert part(traced, None, batch).weighted.tolist() == pytest.approx([1.2])


def test_the_contrast_worked_by_hand() -> None:
    part = TextualContrast(CHAINED, 2)
    states = [[1.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    said = loss_of(part, states, mates=MATES).tolist()
    assert said == pytest.approx([np.log1p(np.exp(-1 / 0.05)), 0.0], abs=1e-6)
    states[2], states[4] = states[4], states[2]
    assert loss_of(part, states, mates=MATES).tolist() == pytest.approx([20.0, 0.0], abs=1e-4)


def test_analogies_are_between_classmates() -> None:
    part = Analogy(CHAINED, 1)
    equations = ["n0+n1", "n0+n1+n2", "n0+n2", "n0*n1"]
    problems = [Problem("p", "", (), graph=parse_infix(text)) for text in equations]
    assert part.choose(problems).tags == [[1, 1], [1, 2], [1, 1], [3, 3]]
    part.head.forward = lambda pair: 100 * (pair[:, :1] * pair[:, 1:])  # type: ignore[assignment]  # of one sign
    tags = torch.tensor([[1, 1], [2, 2], [1, 1], [2, 2]])
    assert loss_of(part, [[1.0], [-1.0], [1.0], [-1.0]], tags=tags).tolist() == pytest.approx([0] * 4, abs=1e-6)
    assert loss_of(part, [[1.0], [-1.0], [-1.0], [1.0]], tags=tags).min() > 100
    alone = torch.tensor([[1, 1]])
    assert loss_of(part, [[1.0]], tags=alone).tolist() == [0.0]  # neither classmates nor strangers


def test_an_equation_is_read_the_same_whatever_fills_it_up() -> None:
    reader = EquationReader(9, 4)
    alone, filled = torch.tensor([[3, 1, 2]]), torch.tensor([[3, 1, 2, 0, 0], [1, 2, 3, 4, 5]])
    torch.testing.assert_close(reader(filled)[:1], reader(alone))
    assert not torch.allclose(reader(torch.tensor([[3, 2, 1]])), reader(alone))


def test_the_discriminator_learns_from_wrong_equations_and_the_encoder_from_it(problems: list[Problem]) -> None:
    model = with_parts(problems, auxiliary="discriminator")
    part = model.auxiliaries["discriminator"]
    assert isinstance(part, SolutionDiscriminator)
    equations = part.choose(problems).equations
    for row, problem in zip(equations, problems, strict=True):
        assert problem.graph is not None
        assert list(row[0]) == part.symbols(problem.graph)
        assert 3 <= len(row) <= 6
        assert row[0] not in row[1:]
    whole = whole_batch(model, prepare(model, problems))
    summary = torch.randn(len(problems), 1, 64, requires_grad=True)
    traced = Traced(torch.zeros(len(problems)), summary[:, 0])
    given = part(traced, Read(summary, *[None] * 3), whole)  # type: ignore[arg-type]
    given.weighted.sum().backward(retain_graph=True)
    assert summary.grad is not None
    assert all(parameter.grad is None for parameter in part.parameters())
    summary.grad = None
    given.own.sum().backward()
    assert summary.grad is None
    optimizer = torch.optim.Adam(part.parameters(), lr=1e-2)
    for _ in range(40):
        optimizer.zero_grad()
        loss = part(traced, Read(summary, *[None] * 3), whole).own.mean()  # type: ignore[arg-type]
        loss.backward()
        optimizer.step()
    assert loss < 0.5 < 2 * np.log(2)


EQUATIONS = ("n0+n1", "n1+n0", "n0*n1", "n0-n1", "n0*2", "n0+n0", "n0+n1+n2", "n2+n1+n0", "n0")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(EQUATIONS), st.tuples(*[st.integers(1, 4)] * 3)), min_size=1, max_size=6))
def test_nothing_with_the_gold_value_is_taught_as_wrong(drawn: list[tuple[str, tuple[int, ...]]]) -> None:
    """Another problem's equation, or a copy of it with one symbol replaced, may be the gold one or its mirror image."""
    config = TreequationConfig(operators=list("+-*"), constants=["2"])
    part = SolutionDiscriminator(config, 8)
    problems = [
        Problem(str(place), "", tuple(FoundNumber(Fraction(value), 0, 0) for value in values), graph=parse_infix(text))
        for place, (text, values) in enumerate(drawn)
    ]
    leaves: list[Symbol] = [Number(0), Number(1), Number(2), Constant(Fraction(2))]
    names = {part.symbols(from_prefix_symbols([leaf]))[0]: leaf for leaf in leaves}
    for operator in config.vocabulary.operators:
        names[part.symbols(from_prefix_symbols([operator, Number(0), Number(0)]))[0]] = operator
    for problem, (gold, *wrong) in zip(problems, part.choose(problems).equations, strict=True):
        right, *others = (
            evaluate(from_prefix_symbols([names[id] for id in each]), problem.values).value for each in (gold, *wrong)
        )
        assert right not in others


def test_the_consistency_worked_by_hand(problems: list[Problem]) -> None:
    part = with_parts(problems, auxiliary="symbolic").auxiliaries["symbolic"]
    assert isinstance(part, SymbolicTasks)
    said = [torch.tensor([[0.5, 0.25, 0.25]]).log(), torch.tensor([[0.1, 0.1, 0.8]]).log()]
    traced = Traced(torch.zeros(1), torch.zeros(1, 2), log_probabilities=said)
    gold, there = torch.tensor([[0, 2]]), torch.tensor([[True, True]])
    first, second = np.log(0.5 * 0.75 * 0.75), np.log(0.8 * 0.9 * 0.9)
    assert part._consistency(traced, gold, there).item() == pytest.approx(-(first + second) / 2, abs=1e-5)
    there[0, 1] = False
    assert part._consistency(traced, gold, there).item() == pytest.approx(-first, abs=1e-5)


def test_the_writer_leaves_the_model_alone_and_padding_changes_nothing(problems: list[Problem]) -> None:
    model = with_parts(problems, auxiliary="symbolic")
    part = model.auxiliaries["symbolic"]
    prepared = prepare(model, problems)
    model.eval()
    whole = whole_batch(model, prepared)
    with torch.no_grad():
        together = part(model.loss(read := model.read(whole, model.constants), whole), read, whole)
        for place in range(3):
            batch = batch_of(model, prepared.examples[place : place + 1])
            alone = part(model.loss(read := model.read(batch, model.constants), batch), read, batch)
            for one, all_of_them in zip(alone, together, strict=True):
                assert one.item() == pytest.approx(all_of_them[place].item(), rel=1e-3)
    traced = model.loss(read := model.read(whole, model.constants), whole)
    part(traced, read, whole).own.sum().backward()
    assert all(p.grad is None for name, p in model.named_parameters() if not name.startswith("auxiliaries."))


# --- the add-ons ---------------------------------------------------------------------------------------------------


def test_clauses_and_what_the_heads_see() -> None:
    #                    [CLS] a  ,  b  .  c  ?  [SEP]
    ids = torch.tensor([[2, 9, 5, 9, 6, 9, 7, 3], [2, 9, 6, 3, 0, 0, 0, 0]])
    batch = Batch(ids, torch.tensor([8, 4]), None, None)
    clause, question = Clauses([5, 6])(batch)
    assert clause[0].tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    assert question.tolist() == [2, 0]
    assert clause[1, :4].tolist() == [0, 0, 0, 0]  # a full stop that ends the text opens no clause
    mask = torch.arange(8) < batch.lengths.unsqueeze(1)
    everything, own, others, asked = group_masks(clause, question, mask)[0]
    assert everything.all()
    assert own[3].nonzero().flatten().tolist() == [3, 4]
    assert others[3].nonzero().flatten().tolist() == [0, 1, 2, 3]  # itself, and the clauses that are not the question
    assert asked[3].nonzero().flatten().tolist() == [3, 5, 6, 7]
    assert asked[6].nonzero().flatten().tolist() == [0, 1, 2, 3, 4, 6]
    alone = group_masks(clause, question, mask)[1]
    assert not alone[:, :4, 4:].any()  # what fills up is not seen
    assert alone.any(dim=-1).all()


def test_a_clause_ends_with_any_stop_whatever_comes_before_it() -> None:
    text = "甲有 4 个．乙有 3 个，丙有几个？"  # the full stop of Math23K
    problem = Problem("p", text, find_numbers(text), graph=parse_infix("n0+n1"))
    model = with_parts([problem], addon="group")
    _, question = Clauses(model.config.separators)(batch_of(model, examples_of(model, [problem])))
    assert question.tolist() == [2]
    # RoBERTa and SentencePiece have other tokens for a sign after a space, as all of MathQA's are.
    known = Tokenizer(WordLevel({"[UNK]": 0, ",": 1, "Ġ,": 2, "▁.": 3, "a": 4}, unk_token="[UNK]"))
    model = DECODERS["seq2seq"].around(model.encoder, known, addon="group")
    assert sorted(model.config.separators) == [1, 2, 3]


@pytest.mark.parametrize("addon", ["group", "hierarchy"])
def test_a_decimal_is_in_one_clause(addon: str, tmp_path: Path) -> None:
    text = "He has 3.5 litres, she 1,250 of 36. Who has 25,4 or 8?"
    problem = Problem("p", text, find_numbers(text), graph=parse_infix("n0+n1"))
    model = with_parts([problem], addon=addon, keep_number_text=True)
    model.save_pretrained(tmp_path)
    for each in (model, load_model(tmp_path)):
        assert isinstance(each.addon, GroupAttention | Hierarchy)
        clause, question = each.addon.clauses(batch_of(each, examples_of(each, [problem])))
        assert clause[0, list(examples_of(each, [problem])[0].encoded.positions)].tolist() == [0, 1, 1, 2, 3, 3]
        assert question.tolist() == [3]  # a comma between two numbers ends a clause


def test_the_graphs_of_a_problem() -> None:
    #            [CLS] n  w  w  w  w  n  w  [SEP]; the numbers are 5 and 3
    ids = torch.tensor([[2, 9, 11, 12, 13, 14, 9, 11, 3]])
    batch = Batch(ids, torch.tensor([9]), torch.tensor([[1, 6, 0]]), torch.tensor([2]), ranks=torch.tensor([[1, 0, 0]]))
    compared = comparison_graph(batch, 9)[0]
    expected = torch.eye(9, dtype=torch.bool)
    expected[1, 6] = True  # the larger one gathers from the smaller
    assert torch.equal(compared, expected)
    attributes = attribute_graph(batch, 9)[0]
    assert attributes[1].nonzero().flatten().tolist() == [0, 1, 2, 3, 4]
    assert attributes[6].nonzero().flatten().tolist() == [3, 4, 5, 6, 7, 8]
    assert attributes[2].nonzero().flatten().tolist() == [1, 2, 7]  # its number, itself, and the same word elsewhere
    assert torch.equal(attributes, attributes.T)


def test_the_words_near_a_number_are_not_its_own_digits() -> None:
    text = "Each of them has 3.5 litres of milk and 1/4 of the water."
    problem = Problem("p", text, find_numbers(text), graph=parse_infix("n0+n1"))
    model = with_parts([problem], addon="graph", keep_number_text=True)
    (example,) = examples_of(model, [problem])
    assert isinstance(model.addon, QuantityGraph)
    graph = attribute_graph(batch := batch_of(model, [example]), batch.ids.shape[1], model.addon.figures)[0]
    words = model.problem_encoder.tokens(example.encoded)
    near = [[words[place] for place in graph[at].nonzero().flatten()] for at in example.encoded.positions]
    assert near[0] == ["of", "them", "has", "<number>", "litres", "of", "milk"]
    assert near[1] == ["of", "milk", "and", "<number>", "of", "the", "water"]


def test_rules_are_the_commonest_operations(problems: list[Problem]) -> None:
    model = with_parts(problems, addon="rules")
    assert model.addon is not None
    tags = np.array(model.addon.choose(problems).tags)
    assert tags.shape == (len(problems), 64)
    counts = tags.sum(axis=0)
    assert (np.diff(counts) <= 0).all()
    for row, problem in zip(tags, problems, strict=True):
        assert problem.graph is not None
        assert row.sum() == len(operations(problem.graph))
    scores = torch.zeros(1, 64)
    model.addon.head.forward = lambda _: scores  # type: ignore[assignment, union-attr]
    batch = Batch(None, None, None, None, tags=torch.eye(64)[:1].long())
    read = Read(torch.zeros(1, 1, 64), *[None] * 3)  # type: ignore[arg-type]
    assert model.addon.loss(read, batch).item() == pytest.approx(np.log(64) + np.log(2))  # type: ignore[union-attr]


# --- recipes -------------------------------------------------------------------------------------------------------


def test_a_run_with_parts_resumes_and_another_starts_from_it(tmp_path: Path) -> None:
    small = ("decoder=seq2tree", "model.symbols=15", "training.epochs=2")
    first = tiny_recipe(tmp_path, *small, "model.auxiliary=pattern", "model.addon=graph", "name=first")
    train(first, tmp_path / "first", device="cpu")
    train(first, tmp_path / "first", device="cpu", resume=True)
    assert load_run(tmp_path / "first").config.auxiliary == "pattern"
    # Prototype's second stage: the pairs go, and what was learnt stays.
    again = tiny_recipe(tmp_path, *small, "model.addon=graph", f"start={tmp_path / 'first'}/best", "name=second")
    train(again, tmp_path / "second", device="cpu")
    # And the other way round: what joins begins fresh.
    more = tiny_recipe(
        tmp_path, *small, "model.addon=graph", "model.auxiliary=analogy", f"start={tmp_path / 'second'}/best"
    )
    train(more, tmp_path / "third", device="cpu")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"addon": "grap"}, r"model.addon is 'grap'; it must be one of .*graph"),
        ({"auxiliary": "analogy+patern"}, r"model.auxiliary is 'patern'; it must be one of .*pattern"),
        ({"auxiliary": "pattern+textual"}, "pattern and textual cannot be combined: both choose mates"),
        ({"auxiliary": "analogy", "addon": "rules"}, "rules and analogy cannot be combined: both choose tags"),
        ({"decoder": "chained", "auxiliary": "symbolic"}, "auxiliary symbolic needs the decoder seq2tree"),
        (
            {"decoder": "ranking", "addon": "rules"},
            "decoder ranking and rules cannot be combined: both choose tags",
        ),
        ({"auxiliary_weight": 2.0}, "model.auxiliary_weight is 2.0, but it is no longer a setting"),
    ],
)
def test_mistakes_in_a_recipe_are_named(model: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        recipe_from({"decoder": model.pop("decoder", "seq2tree"), "model": model})


def test_no_two_parts_have_one_name() -> None:
    with pytest.raises(ValueError, match="graph is already registered, as QuantityGraph"):
        register_part(type("Other", (ADDONS["graph"],), {}))
    check_parts(TreequationConfig(addon="graph"))


def test_an_add_on_cannot_be_exported_and_a_loss_leaves_nothing_behind(problems: list[Problem], tmp_path: Path) -> None:
    with pytest.raises(TreequationError, match="addon = group cannot be exported"):
        export(with_parts(problems, decoder="chained", addon="group"), tmp_path / "light", name="m")
    weights = floats_of(with_parts(problems, decoder="chained", auxiliary="discriminator"))
    assert {name.partition(".")[0] for name in weights} == {"encoder", "problem_norm", "decoder"}


def test_mates_are_in_the_batch_uncut_and_count_for_nothing(problems: list[Problem]) -> None:
    model = with_parts(problems, auxiliary="pattern")
    prepared = prepare(model, problems)
    mates = prepared.mates
    assert mates is not None
    data = DeviceSet(prepared.examples, model, mates)
    for row in np.flatnonzero(mates[:, 0, 0] >= 0)[:8]:
        layout = Layout((Group(2, int(data.tokens[row])),), torch.arange(2), torch.arange(2))
        batch = data.rows(torch.tensor([row, row]), torch.ones(2), layout)
        assert len(batch.ids) == 6
        assert batch.weight.tolist() == [1, 1, 0, 0, 0, 0]
        for place, (positive, negative, own, its) in enumerate(batch.mates.tolist()):
            assert (positive, negative) == (2 + place, 4 + place)
            ids = [tuple(batch.ids[i, : batch.lengths[i]].tolist()) for i in (place, positive, negative)]
            drawn = [(data.examples[p].encoded.ids, data.examples[n].encoded.ids, a, b) for p, n, a, b in mates[row]]
            assert ids[0] == data.examples[row].encoded.ids
            assert (ids[1], ids[2], own, its) in drawn
            assert int(batch.lengths[[place, positive, negative]].max()) <= batch.layout.groups[0].tokens
    model.eval()
    with torch.no_grad():
        losses = model(batch)
    assert losses[:2].min() > 0
    assert losses[2:].tolist() == [0] * 4
