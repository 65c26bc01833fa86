"""The special pieces of the decoders that write expressions, on examples worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.baselines.test_decoders import peer
from tests.model.tiny import batch_of, examples_of
from treequation.baselines.dag import Cell, Child, Nodes, PartialGraph
from treequation.baselines.elastic import Elastic
from treequation.baselines.pointer import STRIDE, Pointer, PointerDecoder, smoothed_loss
from treequation.baselines.re_ext import PairNotation
from treequation.baselines.symbol_search import END, selected
from treequation.baselines.triples import Gold, TripleNotation
from treequation.baselines.two_views import NOTHING, Agreement
from treequation.data.labels import RESULT, Label, LabelError
from treequation.expression.graph import ExpressionGraph, Operand, Result
from treequation.expression.parsing import parse_infix
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

EQUATIONS = ["n0+n1", "n1-n0", "(n0+n1)/(n0-n1)", "n0*n1-(n2-(n0*n1)^n2)", "100*(n2-n1)/(n2*n0)", "(n0-n1)*(n2/n0-n1)"]


def problem_of(equation: str) -> Problem:
    text = "A man with 3 cats, 4 dogs and 5 birds"
    return Problem("p", text, find_numbers(text), graph=parse_infix(equation))


@pytest.mark.parametrize("kind", [TripleNotation, PairNotation])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_any_equation_survives_being_written_as_triples_and_read(
    kind: type[TripleNotation], data: st.DataObject
) -> None:
    texts = ["n0", "n1", "n2", "100"]
    for _ in range(data.draw(st.integers(1, 6))):
        left, right = (data.draw(st.sampled_from(texts)) for _ in range(2))
        texts.append(f"({left}{data.draw(st.sampled_from('+-*/^'))}{right})")
    graph, numbers = parse_infix(texts[-1]), 3
    notation = kind(Vocabulary.of([parse_infix("100")], min_count=1))
    first_result = 1 + numbers
    triples = [
        (label.operator, *(s - RESULT + first_result if s >= RESULT else s for s in (label.left, label.right)))
        for label in notation.write(graph, 99)
    ]
    read = notation.read(triples, numbers)  # type: ignore[arg-type]
    assert read is not None
    if kind is TripleNotation:
        assert read == graph
    else:  # the operands of + and × come back in the order of their slots
        assert unordered(read, read.root) == unordered(graph, graph.root)


def unordered(graph: ExpressionGraph, operand: Operand) -> str:
    """The equation, with the operands of + and × in the order of the alphabet."""
    if not isinstance(operand, Result):
        return str(operand)
    expression = graph.expressions[operand.index]
    sides = [unordered(graph, side) for side in (expression.left, expression.right)]
    return f"({expression.operator})".join(sorted(sides) if expression.operator.commutes else sides).join("[]")


@pytest.mark.parametrize("kind", [TripleNotation, PairNotation])
def test_nothing_and_a_bare_number_are_no_triples(kind: type[TripleNotation]) -> None:
    notation = kind(Vocabulary(()))
    assert notation.read([], 3) is None
    with pytest.raises(LabelError, match="bare number"):
        notation.write(parse_infix("n0"), 16)


# --- pointer -------------------------------------------------------------------------------------------------------


def test_a_smoothed_class_is_shared_by_those_that_are_possible() -> None:
    said = torch.tensor([[[0.5, 0.25, 0.25, 0.0]]]).log().clamp(min=torch.finfo(torch.float32).min)
    gold = torch.tensor([[0]])
    assert smoothed_loss(said, gold, 0.0).item() == pytest.approx(math.log(2))
    by_hand = 0.9 * math.log(2) + 0.1 * (math.log(2) + 2 * math.log(4)) / 3
    assert smoothed_loss(said, gold, 0.1).item() == pytest.approx(by_hand)


@pytest.mark.parametrize("equation", EQUATIONS)
@pytest.mark.parametrize("name", ["pointer", "elastic"])
def test_step_by_step_it_gives_the_likelihood_of_any_equation(name: str, equation: str) -> None:
    """The search keeps memories that one pass over the labels does without."""
    problem = problem_of(equation)
    model = peer(name, [problem], width=32).eval()
    (example,) = examples_of(model, [problem])
    batch = batch_of(model, [example])
    triples = [tuple(int(part[0, step, 0]) for part in batch[4:7]) for step in range(len(example.labels))]
    with torch.no_grad():
        assert isinstance(model, Pointer | Elastic)
        if isinstance(model, Pointer):
            symbols = [(operator * STRIDE + left) * STRIDE + right for operator, left, right in triples]
        else:
            first = model.first_slot
            symbols = [symbol for o, left, right in triples for symbol in (o, first + left, first + right)]
        state = model.begin(model.read(batch, model.constants), batch, model.max_steps)
        total, both = 0.0, np.array([0, 0])
        for symbol in [*symbols, END]:
            scores, likeliest, state = model.propose(state, 1_000)
            total += float(scores[0][likeliest[0] == symbol].item())
            if symbol != END:  # beside a row that goes on as it is, one that goes another way
                state = selected(state, both, torch.from_numpy(both))
                state = model.write(state, np.array([symbol, symbols[0] if name == "pointer" else symbol]))
        assert total == pytest.approx(-float(model(batch)), abs=1e-3)


def test_a_step_of_the_pointer_shows_its_place_beside_its_operator() -> None:
    decoder = peer("pointer", [problem_of("n0+n1")], width=64).decoder
    assert isinstance(decoder, PointerDecoder)
    step = Gold(*torch.tensor([1, 0, 0])[:, None, None])
    first, fifth = (decoder.embed(torch.zeros(1, 1, 64), step, place) for place in (1, 5))
    assert (first - fifth).norm() > 0.3 * first.norm()


def test_a_step_of_the_pointer_sees_only_results_before_it() -> None:
    problem = problem_of("(n0+n1)*n2-n0")
    model = peer("pointer", [problem], width=32).eval()
    batch = batch_of(model, examples_of(model, [problem]))
    with torch.no_grad():
        said = model.decoder(model.read(batch, model.constants), Gold.of(batch))
    leaves = len(model.config.constants) + 3
    seen = (said.left[0] > -1e9)[:, leaves:]
    assert seen.tolist() == [[later > earlier for earlier in range(4)] for later in range(4)]


# --- graph -----------------------------------------------------------------------------------------------------------


def test_the_order_of_children_makes_no_difference_where_the_operator_commutes() -> None:
    one, other = (Child(torch.randn(2, 8), torch.randn(2, 8)) for _ in range(2))
    for commutes in (True, False):
        cell = Cell(8, commutes=commutes)
        this, turned = cell(one, other), cell(other, one)
        assert all(torch.equal(a, b) for a, b in zip(this, turned, strict=True)) is commutes


def test_pairs_have_a_new_node_and_stand_where_their_place_says() -> None:
    def nodes(count: int, old: int) -> Nodes:
        return Nodes(torch.zeros(1, count, 2), torch.zeros(1, count, 2), torch.ones(1, count).bool(), old)

    assert nodes(2, 0).pairs.T.tolist() == [[0, 0], [0, 1], [1, 1]]
    later = nodes(4, 2)
    assert later.pairs.T.tolist() == [[0, 2], [1, 2], [2, 2], [0, 3], [1, 3], [2, 3], [3, 3]]
    for graph in (nodes(5, 0), later, nodes(9, 4)):
        assert graph.place(*graph.pairs).tolist() == list(range(graph.pairs.shape[1]))


def test_layers_of_labels_by_hand() -> None:
    problem = problem_of("(n2-n1)*(n0+n1)-n0")
    model = peer("dag", [problem], width=32)
    constants = len(model.config.constants)
    n0, n1, n2 = range(constants, constants + 3)
    first, second, third = model.label_sets(parse_infix("(n2-n1)*(n0+n1)-n0"))
    # n0 + n1 comes first, since its candidate does, whatever the equation's order.
    assert first == (Label(1, n0, n1), Label(2, n2, n1))
    assert second == (Label(3, RESULT + 1, RESULT),)
    assert third == (Label(2, RESULT + model.config.queries, n0),)
    with pytest.raises(LabelError, match="too wide"):
        peer("dag", [problem], width=32, queries=1).label_sets(parse_infix("(n2-n1)*(n0+n1)"))
    with pytest.raises(LabelError, match="bare number"):
        model.label_sets(parse_infix("n1"))


def test_the_likeliest_node_of_the_last_layer_is_the_root() -> None:
    found = PartialGraph(base=3)
    # Slots are by candidate: 0 + 1 has slot 3 and 1 × 2 slot 4, which is the likelier one.
    assert found.add([Label(2, 1, 2), Label(0, 0, 1)], first_slot=3) == [Label(0, 0, 1), Label(2, 1, 2)]
    found.add([Label(1, 3, 4), Label(0, 0, 3)], first_slot=9)
    graph = PairNotation(Vocabulary(())).read(found.triples, numbers=3)
    assert graph == parse_infix("(n0+n1)-(n1*n2)")
    assert found.layers == 2


def test_a_graph_is_scored_as_all_that_is_accepted_and_refused() -> None:
    """Worked by hand: the loss is the cross-entropy of every yes and no of every layer."""
    problem = problem_of("(n0+n1)/(n1-n0)")
    model = peer("dag", [problem], width=32).eval()
    batch = batch_of(model, examples_of(model, [problem]))
    assert batch.layers.item() == 3
    with torch.no_grad():
        nodes = model.decoder.start(model.read(batch, model.constants))
        total, operators = 0.0, len(model.notation.operators)
        for layer in range(3):
            scores = model.decoder.score(nodes)[0].view(-1, operators)
            yes = {
                (min(left, right), max(left, right), model.notation.paired(Label(operator, left, right)).operator)
                for operator, left, right in zip(*(part[0, layer].tolist() for part in batch[4:7]), strict=True)
                if operator
            }
            for pair, (first, second) in enumerate(nodes.pairs.T.tolist()):
                for operator in range(operators):
                    if nodes.mask[0, first] and nodes.mask[0, second]:
                        score = scores[pair, operator].item()
                        total += math.log1p(math.exp(-score if (first, second, operator) in yes else score))
            nodes = model.decoder.grow(nodes, *(part[:, layer] for part in batch[4:7]))
        assert float(model(batch)) == pytest.approx(total, rel=1e-4)
        model.train()
        assert float(model(batch)) < total  # what is to be refused counts less


# --- two views ------------------------------------------------------------------------------------------------------


def test_views_that_point_one_way_agree_and_operands_do_not_count() -> None:
    agreement = Agreement(2)
    for part in (agreement.of_tree, agreement.of_expression):
        torch.nn.init.eye_(part.weight)
        torch.nn.init.zeros_(part.bias)
    expressions = torch.tensor([[[1.0, 0.0], [0.0, 3.0]]])
    trees = torch.tensor([[[0.0, 5.0], [0.0, 1.0], [9.0, 9.0], [1.0, 1.0]]])
    nodes = torch.tensor([[2, 1, 0, 1]])  # alike, at a right angle, an operand, at 45 degrees
    assert agreement(trees, expressions, nodes).item() == pytest.approx(0 + 1 + 1 - math.sqrt(0.5))


def test_the_loss_of_two_views_is_both_and_their_distance() -> None:
    problem = problem_of("(n0+n1)*(n2-(n0+n1))")
    model = peer("two-views", [problem], width=32).eval()
    (example,) = examples_of(model, [problem])
    symbols, expressions, nodes = zip(*example.labels, strict=True)
    assert [label.operator for label in nodes] == [3, 1, 0, 0, 2, 0, 1, 0, 0]
    assert len(symbols) == 9
    assert [label != NOTHING for label in expressions] == [True] * 3 + [False] * 6
    batch = batch_of(model, [example])
    with torch.no_grad():
        whole = float(model(batch))
        tree = peer("seq2tree", [problem], width=32).eval()
        tree.load_state_dict(model.state_dict(), strict=False)
        pairs = peer("re-ext", [problem], width=32).eval()
        pairs.load_state_dict(
            {name.replace("pairs.", "decoder.", 1): weight for name, weight in model.state_dict().items()}, strict=False
        )
        parts = [float(one(batch_of(one, examples_of(one, [problem])))) for one in (tree, pairs)]
    distance = whole - sum(parts)
    assert 0 < distance < 2 * 5  # of five inner nodes, the shared one twice
