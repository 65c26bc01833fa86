"""Every peer, by the same tests: it learns, says in a batch what it says alone, and can be kept."""

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.baselines.parts import losses_without_values
from tests.model.tiny import assert_same_equations, batch_of, examples_of, make_model, share_solved, train
from treequation.baselines import DECODERS, load_model
from treequation.baselines.seq2seq import InfixModel, Seq2Seq
from treequation.baselines.seq2tree import Seq2Tree
from treequation.baselines.symbol_search import END, selected
from treequation.data.labels import LabelError
from treequation.data.synthetic import generate
from treequation.errors import TreequationError
from treequation.evaluation.evaluator import evaluate_model
from treequation.expression.layers import decoding_steps
from treequation.expression.parsing import parse_infix
from treequation.model import TreequationModel, WordProblemModel, decode
from treequation.model.registry import register
from treequation.storage import DamagedFolderError
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem
from treequation.training.recipe import RecipeError, recipe_from

PEERS = [name for name, kind in DECODERS.items() if not issubclass(kind, TreequationModel)]
# How the steps of each are counted; an M-tree's codes are one step, and its levels are in no table of the paper.
WAYS = {
    "seq2seq": ("infix",),
    "ranking": ("infix",),
    "copying": ("infix",),
    "seq2tree": ("prefix",),
    "re-ext": ("expressions",),
    "pointer": ("expressions",),
    "elastic": ("expressions",),
    "dag": ("layers",),
    "two-views": ("prefix", "expressions"),  # by the view that wins
}
GREEDY = {"re-ext", "dag", "codes", "nas"}


def peer(name: str, problems: list[Problem], **settings: object) -> WordProblemModel:
    """A tiny one, untrained."""
    small = {"width": 48, "layers": 1, "decoder_layers": 2, "symbols": 15, "expressions": 5, "queries": 3}
    settings = small | settings
    return make_model(problems, decoder=name, **settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=PEERS)
def learned(request: pytest.FixtureRequest, problems: list[Problem]) -> WordProblemModel:
    """A peer that has learned the problems."""
    torch.manual_seed(0)
    model = peer(request.param, problems, width=48)
    return train(model, problems, epochs=100, rows=32, rate=4e-3, until_solved=problems).eval()


def test_learns_32_problems_by_heart(learned: WordProblemModel, problems: list[Problem]) -> None:
    assert share_solved(learned, problems) == 1
    # It writes each equation in as many steps as the paper's table counts for its family.
    for problem, (found, *_) in zip(problems, decode(learned, problems), strict=True):
        assert problem.graph is not None
        if found.graph == problem.graph:
            if learned.DECODER in WAYS:
                counted = decoding_steps(problem.graph)
                assert found.steps in [getattr(counted, way) for way in WAYS[learned.DECODER]]
            else:
                assert found.steps == len(learned.label_sets(problem.graph))


def test_loaded_it_is_the_same(learned: WordProblemModel, problems: list[Problem], tmp_path: Path) -> None:
    learned.save_pretrained(tmp_path)
    loaded = load_model(tmp_path)
    assert type(loaded) is type(learned)
    weights = learned.state_dict()
    assert loaded.state_dict().keys() == weights.keys()
    assert all(torch.equal(weight, weights[name]) for name, weight in loaded.state_dict().items())
    assert_same_equations(decode(loaded, problems), decode(learned, problems))
    with pytest.raises(DamagedFolderError, match=learned.DECODER):
        TreequationModel.from_pretrained(tmp_path)


@pytest.mark.parametrize("beam", [1, 3])
def test_says_in_a_batch_what_it_says_alone(learned: WordProblemModel, beam: int, problems: list[Problem]) -> None:
    if learned.DECODER in GREEDY and beam > 1:
        with pytest.raises(TreequationError, match="greedily"):
            decode(learned, problems, beam=beam)
        return
    new = generate(20, seed=5, level="easy", language="both")  # of which it is unsure
    together = decode(learned, [*problems, *new], beam=beam, batch_size=13)
    assert len({found.steps for found, *_ in together}) > 1 or learned.DECODER == "codes"
    for problem, found in zip([*problems, *new], together, strict=True):
        (alone,) = decode(learned, [problem], beam=beam)
        assert [one.graph for one in found] == [one.graph for one in alone]
        assert [one.score for one in found] == pytest.approx([one.score for one in alone], abs=1e-2)
        scores = [one.score for one in found]
        assert found[0].graph is None or scores[0] == max(scores)


def test_padding_changes_no_loss_and_the_score_is_that_of_the_loss(
    learned: WordProblemModel, problems: list[Problem]
) -> None:
    examples = examples_of(learned, problems)
    with torch.no_grad():
        whole = learned(batch_of(learned, examples, tokens=60, numbers=9, layers=12))
        alone = torch.cat([learned(batch_of(learned, [example])) for example in examples])
    torch.testing.assert_close(whole, alone, atol=1e-3, rtol=1e-3)
    if learned.DECODER == "two-views":
        return  # an equation's score is that of one view, and the loss that of both
    said = [found[0] for found in decode(learned, problems, beam=1)]
    for loss, one, problem in zip(alone.tolist(), said, problems, strict=True):
        if one.graph == problem.graph:  # what search finds step by step is what one pass over the labels gives
            assert -one.score == pytest.approx(loss, abs=1e-3)


@pytest.mark.parametrize("name", ["seq2seq", "ranking", "copying", "seq2tree"])
@pytest.mark.parametrize(
    "equation",
    [
        "n1",
        "n0+n1",
        "n0-(n1-(n2-(n0-n1)))",
        "((n0+n1)*(n2-n0))/(n1-(n0+n2)*(n1/100))",
        "((n0+n1)*n2-n0)^n1-n1",
        "n0*ceil((n0+n1)/n2)-mod(n0*n1,floor(n2/n1))",
    ],
)
def test_step_by_step_it_gives_the_likelihood_of_any_equation(name: str, equation: str) -> None:
    """The search keeps stacks and memories that one pass over the labels does without."""
    text = "A man with 3 cats, 4 dogs and 5 birds"
    problem = Problem("p", text, find_numbers(text), graph=parse_infix(equation))
    model = peer(name, [problem], width=32, symbols=40).eval()
    (example,) = examples_of(model, [problem])
    batch = batch_of(model, [example])
    symbols = [label.operator for (label,) in example.labels] + ([END] if name != "seq2tree" else [])
    with torch.no_grad():
        assert isinstance(model, InfixModel | Seq2Tree)
        state = model.begin(model.read(batch, model.constants), batch, model.max_steps)
        total, both = 0.0, np.array([0, 0])
        for place, symbol in enumerate(symbols):
            scores, likeliest, state = model.propose(state, 1_000)
            total += float(scores[0][likeliest[0] == symbol].item())
            if place + 1 < len(symbols):
                # Beside a row that goes on as it is, one that goes another way.
                state = selected(state, both, torch.from_numpy(both))
                state = model.write(state, np.array([symbol, symbols[0]]))
        loss = float(model(batch))
    assert total == pytest.approx(-loss, abs=1e-3)
    assert model.notation.read(tuple(symbols[: len(example.labels)]), 3) == problem.graph


@pytest.mark.parametrize("name", PEERS)
def test_equations_that_it_cannot_be_taught(name: str, problems: list[Problem]) -> None:
    model = peer(name, problems)
    for equation, reason in (("n0" + "+n1" * 20, "too (long|deep)"), ("n0*77", "unknown constant")):
        with pytest.raises(LabelError, match=reason):
            model.label_sets(parse_infix(equation))
    text = "n0+n1"
    for _ in range(6):  # six expressions more; as symbols twice as many each time
        text = f"({text})*({text})"
    with pytest.raises(LabelError, match=r"too (long|deep)"):
        model.label_sets(parse_infix(text))


@pytest.mark.parametrize("name", PEERS)
def test_computes_in_bf16(name: str, problems: list[Problem]) -> None:
    model = peer(name, problems, width=32).to(torch.bfloat16)
    losses = model(batch_of(model, examples_of(model, problems[:8])))
    assert losses.dtype == torch.float32
    losses.mean().backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)
    assert len(decode(model, problems[:8])) == 8


@pytest.mark.parametrize("name", sorted(DECODERS))
def test_a_step_asks_nothing_of_the_device(name: str, problems: list[Problem]) -> None:
    """Tensors on the device "meta" have no values: a step that looked at one could not be captured as a graph."""
    model = peer(name, problems, width=32)
    batch = batch_of(model, examples_of(model, problems[:4]))
    losses = losses_without_values(model, batch)
    assert losses.shape == (4,)


@pytest.mark.parametrize("name", PEERS)
def test_solves_new_problems_after_two_thousand(name: str) -> None:
    problems = generate(2_300, seed=1, level="easy", language="en")
    known, dev, new = problems[:2_000], problems[2_000:2_100], problems[2_100:]
    width, rate = (48, 3e-3) if name in {"re-ext", "dag"} else (32, 5e-3)
    model = peer(name, known, width=width, keep_number_text=False)
    train(model, known, epochs=4, rows=20, rate=rate, until_solved=dev)
    assert share_solved(model, new) >= 0.95


@pytest.mark.parametrize("name", PEERS)
def test_weights_that_are_no_numbers_answer_nothing_right_and_break_nothing(name: str) -> None:
    problems = generate(4, seed=1, level="easy", language="en")
    model = peer(name, problems)
    for weight in model.parameters():
        weight.data.fill_(torch.nan)
    outcomes = evaluate_model(model, problems)
    assert not any(outcome.answer_right for outcome in outcomes)


@pytest.mark.parametrize("name", ["expression-tree", "seq2seq", "seq2tree", "re-ext"])
def test_recipes_know_every_registered_decoder(name: str) -> None:
    assert recipe_from({"decoder": name}).decoder == DECODERS[name].DECODER


def test_a_recipe_with_an_unknown_decoder_is_told_those_that_there_are() -> None:
    with pytest.raises(RecipeError, match=r"decoder is 'seq2graph'; it must be one of expression-tree, .*seq2tree"):
        recipe_from({"decoder": "seq2graph"})


def test_no_two_decoders_have_one_name() -> None:
    other = type("Other", (Seq2Seq,), {})
    with pytest.raises(ValueError, match="seq2seq is already registered, as Seq2Seq"):
        register(other)
    assert DECODERS["seq2seq"] is Seq2Seq
