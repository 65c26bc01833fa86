"""The peers that write M-trees, on examples worked by hand."""

import math
from fractions import Fraction
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tests.model.tiny import batch_of, examples_of, make_model
from tests.training.tiny_run import tiny_recipe
from treequation.baselines.codes import Codes
from treequation.baselines.mtree import Kind
from treequation.baselines.nas import END, FIRST_SLOT, MAX_CHILDREN, PLACES, LevelNotation, Nas, PartialTree
from treequation.data import jsonl
from treequation.data.labels import LabelError
from treequation.evaluation.evaluator import evaluate_model
from treequation.expression.equality import equal_up_to_algebra
from treequation.expression.graph import ExpressionGraph
from treequation.expression.parsing import parse_infix
from treequation.model import decode
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem
from treequation.training.examples import prepare
from treequation.training.sources import build_model

TEXT = "A man with 3 cats, 4 dogs and 5 birds"
# An M-tree has no power but small whole ones, and nothing that leaves whole pieces.
NO_MTREE = ("n0^n1", "2^0.5", "mod(n0,n1)", "ceil(n0/n1)", "floor(n0/n1)+n2")


def problem(equation: str, name: str = "p") -> Problem:
    return Problem(name, TEXT, find_numbers(TEXT), graph=parse_infix(equation))


@pytest.mark.parametrize("name", ["codes", "nas"])
def test_what_has_no_mtree_is_not_taught_and_counts_as_wrong(name: str) -> None:
    hard = [problem(equation, str(place)) for place, equation in enumerate(NO_MTREE)]
    known = problem("n0+n1*n2/100", "known")
    model = make_model([known, *hard], decoder=name)
    for one in hard:
        assert one.graph is not None
        with pytest.raises(LabelError) as refused:
            model.label_sets(one.graph)
        assert refused.value.reason == "unknown operator"
    prepared = prepare(model, [known, *hard])
    assert prepared.ids == ["known"]
    assert prepared.left_out == {"unknown operator": len(hard)}
    asked = [Problem(p.id, p.text, p.numbers, graph=p.graph, answer=Fraction(10**9)) for p in hard]
    outcomes = evaluate_model(model, asked)
    assert [outcome.answer_right for outcome in outcomes] == [False] * len(hard)


# --- codes -------------------------------------------------------------------------------------------------------


def test_codes_are_those_of_enough_equations_and_known_ones_keep_their_place() -> None:
    graphs = [parse_infix(text) for text in ("n0-n1", "n0-n1-n2", "n0*n1", "n0*n1-n2", "n0^n1")]
    assert Codes.settings_from(graphs, 2) == {"codes": ["+ -n", "+ * n", "+ n"]}
    model = make_model([problem("n0*n1")], decoder="codes")
    assert model.config.codes == ["+ * n"]
    assert Codes.settings_from(graphs, 3, model.config) == {"codes": ["+ * n", "+ -n"]}
    with pytest.raises(LabelError, match=r"unknown code: \+ n "):
        model.label_sets(parse_infix("n0-n1"))


def test_the_loss_and_the_equation_of_given_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """n0 - n1*n1 where every gold code has the odds 3 to 1, and every other 1 to 3."""
    one = problem("n0-n1*n1")
    model = make_model([one], decoder="codes", constants=["100"]).eval()
    assert model.config.codes == ["+ -* n", "+ -* n2", "+ n"]
    gold = torch.tensor([[[0, 0, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0]]])  # [1, S, C] for 100, n0, n1, n2
    odds = (2 * gold - 1) * math.log(3)
    monkeypatch.setattr(model.decoder, "forward", lambda read: odds.float())
    assert float(model(batch_of(model, examples_of(model, [one])))) == pytest.approx(12 * math.log(4 / 3))
    ((found,),) = decode(model, [one])
    assert found.graph == one.graph
    assert found.steps == 1
    assert found.score == pytest.approx(-12 * math.log(4 / 3))
    odds[0, 2, 1] = -1.0  # the product has one factor only
    ((found,),) = decode(model, [one])
    assert found.graph is None


def test_a_model_that_goes_on_with_other_equations_keeps_its_codes(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path, "decoder=codes", "data.min_constant=1")
    problems = list(jsonl.read(tmp_path / "train.jsonl").problems)
    first = build_model(recipe, problems)
    first.save_pretrained(tmp_path / "first")
    new = Problem("new", TEXT, find_numbers(TEXT), format=problems[0].format, graph=parse_infix("n0/(n1-n2*n2)"))
    changed = tiny_recipe(tmp_path, "decoder=codes", "data.min_constant=1", f"start={tmp_path / 'first'}")
    second = build_model(changed, [*problems, new])
    count = len(first.config.codes)
    assert second.config.codes[:count] == first.config.codes
    assert "+ * /+ -* n2" in second.config.codes[count:]
    torch.testing.assert_close(second.decoder.codes[:count], first.decoder.codes)


# --- levels ------------------------------------------------------------------------------------------------------


def test_levels_worked_by_hand() -> None:
    """Nodes come before leaves, and the second product's children stand at the second nine places."""
    notation = LevelNotation(Vocabulary((Fraction(100),)))
    levels = notation.write(parse_infix("n0*n1-n2/100+n1"), longest=100, levels=2)
    end, product, negated, hundred, n0, n1, n2 = 1, 4, 5, 6, 7, 8, 9
    assert [[(label.operator, label.left, label.right) for label in level] for level in levels] == [
        [(product, 0, 0), (negated, 1, 0), (n1, 2, 0), (end, 3, 0)],
        [(n0, 0, 0), (n1, 1, 0), (end, 2, 0), (hundred, 9, 1), (n2, 10, 0), (end, 11, 0)],
    ]
    with pytest.raises(LabelError, match="too deep: the tree has 2 levels, but the model writes at most 1"):
        notation.write(parse_infix("n0*n1"), longest=100, levels=1)
    with pytest.raises(LabelError, match="too long: a node has 9 children"):
        notation.write(parse_infix("n0" + "+n1" * MAX_CHILDREN), longest=100, levels=8)
    wide = "+".join(f"n0*(n1+n{i})/(n2-n{i})" for i in range(8))
    notation.write(parse_infix(wide), longest=100, levels=8)
    with pytest.raises(LabelError, match="too long: a level has 17 nodes"):
        notation.write(parse_infix("(n0+n1)*" + wide), longest=200, levels=8)


def grown(*levels: list[int]) -> ExpressionGraph | None:
    """What candidates make, level by level; END fills up the places of a goal, and nothing is negated or inverted."""
    tree = PartialTree(LevelNotation(Vocabulary(())), 3)
    for level in levels:
        tree.grow([-1.0] * len(level), level, [-0.5] * len(level), [0] * len(level))
    return tree.graph()


def test_growing_worked_by_hand() -> None:
    product = 1 + list(Kind).index(Kind.PRODUCT)
    n0, n1, n2 = range(FIRST_SLOT, FIRST_SLOT + 3)
    rest = [END] * (PLACES - 3)
    assert grown([product, product, END, *rest], [n0, n1, END, *rest, n1, n2, END, *rest]) == parse_infix("n0*n1+n1*n2")
    assert grown([product, n0, END, *rest]) is None  # the steps are at an end before the product is
    assert grown([product, n0, END, *rest], [n1, END, END, *rest]) is None  # a product with one factor
    assert grown([END] * PLACES) is None
    assert grown([n0] * PLACES) is None  # it never says END
    tree = PartialTree(LevelNotation(Vocabulary(())), 3)
    tree.grow([-1.0] * PLACES, [n0, n1, END, *rest], [-0.5] * PLACES, [0, 2, *[0] * 7])
    assert tree.graph() == parse_infix("n0-n1")
    assert (tree.score, tree.levels) == (-4.0, 1)  # two children with their signs, and END


@pytest.mark.parametrize("equation", ["n1", "n0-n1", "(n0*n1-n2/100)/(n1+n0*n0)-n0*n2", "1/(1/n0+1/(n1-n2))"])
def test_level_by_level_it_gives_the_likelihood_of_any_equation(equation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search expands the nodes that there are; the loss has room for as many as the batch might hold."""
    one, other = problem(equation), problem("n0*n1*(n1+n2)+n1*n2/(n0-n2)+n0*n2+(n1-n0)*n2", "other")
    model: Nas = make_model([one, other], decoder="nas", steps=8).eval()
    examples = examples_of(model, [one, other])
    with torch.no_grad():
        alone = float(model(batch_of(model, examples[:1])))
        beside = float(model(batch_of(model, examples, tokens=40, numbers=7, layers=9))[0])
    assert beside == pytest.approx(alone, abs=1e-3)
    # Whatever it would say, it says the gold tree, at what that costs.
    levels = iter(examples[0].labels)
    plain = model.decoder.predict

    def gold(states: Tensor, candidates: object) -> tuple[Tensor, Tensor]:
        chosen, signed = plain(states, candidates)  # type: ignore[arg-type]
        for label in next(levels):
            for said, index in ((chosen, label.operator - 1), (signed, label.right)):
                own = said[0, label.left, index].item()
                said[0, label.left] = -torch.inf
                said[0, label.left, index] = own
        return chosen, signed

    monkeypatch.setattr(model.decoder, "predict", gold)
    ((found,),) = decode(model, [one])
    assert found.graph is not None
    assert equal_up_to_algebra(found.graph, parse_infix(equation))
    assert -found.score == pytest.approx(alone, abs=1e-3)
    assert found.steps == len(examples[0].labels)
