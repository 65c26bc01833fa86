"""Equations as M-trees and as the codes of their leaves."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.expression.strategies import fractions, graphs, values
from treequation.baselines.mtree import (
    Kind,
    Leaf,
    MTreeError,
    Node,
    codes,
    from_codes,
    from_mtree,
    to_mtree,
    tree_text,
)
from treequation.expression.equality import equal_up_to_algebra
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, ExpressionGraph, Number, Operator
from treequation.expression.parsing import parse_infix

FOUR = (Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE)
whole = st.integers(-3, 4).map(Fraction)  # 0 and 1 often, which an M-tree leaves out


@given(graphs(operators=FOUR, constants=st.one_of(whole, fractions)), values())
def test_tree_and_codes_round_trip(graph: ExpressionGraph, numbers: list[Fraction]) -> None:
    tree = to_mtree(graph)
    coded = codes(tree)
    assert len(set(coded)) == len(coded)
    assert from_codes(coded) == tree
    assert from_codes(reversed(coded)) == tree  # codes are a set
    again = from_mtree(tree)
    assert to_mtree(again) == tree
    before, after = evaluate(graph, numbers).value, evaluate(again, numbers).value
    if before.exact:  # a division by zero may be gone: a / (b / c) is a * c / b
        assert after == before


@given(graphs(operators=FOUR, constants=whole, max_expressions=3), st.sampled_from([-4, -2, -1, 1, 2, 3, 4]))
def test_small_whole_powers_stay_what_they_are(graph: ExpressionGraph, exponent: int) -> None:
    powers = graph.replace_leaves(lambda builder, leaf: builder.add(Operator.POWER, leaf, Constant(Fraction(exponent))))
    assume(evaluate(powers, [Fraction(1, 3), Fraction(5, 7), Fraction(-11, 13), Fraction(17)]).value.defined)
    assert equal_up_to_algebra(powers, from_mtree(to_mtree(powers, max_leaves=1_000)))


@pytest.mark.parametrize(
    ("equation", "tree"),
    [
        ("n0", "+(n0)"),
        ("n0-n1", "+(n0,-n1)"),
        ("n0*n1", "+(*(n0,n1))"),
        ("n0-(n1+n2)", "+(n0,-n1,-n2)"),
        ("n0-n1*n2", "+(n0,-*(n1,n2))"),
        ("n0/(n1*n2)", "+(*(n0,1/n1,1/n2))"),
        ("n0/(n1-n2)", "+(*(n0,/+(n1,-n2)))"),
        ("n0/(n1/(n2+n3))", "+(*(n0,1/n1,+(n2,n3)))"),
        ("1/(1/n0+1/n1)", "+(/+(1/n0,1/n1))"),
        ("n0-1/n1", "+(n0,-1/n1)"),
        ("n0-1/(n1+n2)", "+(n0,/+(-n1,-n2))"),
        ("(0-n0)*n1", "+(-*(n0,n1))"),
        ("n1*(n0-n2)*100", "+(*(+(n0,-n2),n1,100))"),
        ("n0+n0", "+(n0,n0)"),
        ("(n0+n1)^2", "+(*(+(n0,n1),+(n0,n1)))"),
        ("n0*n1^(-2)", "+(*(n0,1/n1,1/n1))"),
        ("n0*n1^(0-2)", "+(*(n0,1/n1,1/n1))"),
        ("n0^(1/(1/2))", "+(*(n0,n0))"),
    ],
)
def test_trees_worked_by_hand(equation: str, tree: str) -> None:
    assert tree_text(to_mtree(parse_infix(equation))) == tree


def test_codes_worked_by_hand() -> None:
    """Two sums of one product, each with a product of two; the second of like siblings is marked."""
    coded = codes(to_mtree(parse_infix("(n0*n1+n2*n3)/(n4-n0)-n0-n0")))
    assert [(f"n{leaf.index}", code) for leaf, code in coded if isinstance(leaf, Number)] == [
        ("n0", "+ * + * n"),
        ("n1", "+ * + * n"),
        ("n2", "+ * + *2 n"),
        ("n3", "+ * + *2 n"),
        ("n0", "+ * /+ -n"),
        ("n4", "+ * /+ n"),
        ("n0", "+ -n"),
        ("n0", "+ -n2"),
    ]


@pytest.mark.parametrize(
    ("equation", "reason"),
    [
        ("n0^n1", "unknown operator"),
        ("n0^0.5", "unknown operator"),
        ("n0^(1/3)", "unknown operator"),  # a root, although the 3 is a leaf
        ("n0^5", "unknown operator"),
        ("n0^0", "unknown operator"),
        ("mod(n0,n1)", "unknown operator"),
        ("ceil(n0/n1)", "unknown operator"),
        ("1+floor(n0/n1)", "unknown operator"),
        ("(((n0^4)^4)^4)^4", "too long"),
        ("n0" + "+n1" * 64, "too long"),
    ],
)
def test_equations_without_a_tree(equation: str, reason: str) -> None:
    with pytest.raises(MTreeError) as raised:
        to_mtree(parse_infix(equation))
    assert raised.value.reason == reason


def test_shared_results_do_not_explode() -> None:
    text = "n0+n1"
    for _ in range(8):
        text = f"({text})*({text})"
    with pytest.raises(MTreeError, match="more than 64 leaves"):
        to_mtree(parse_infix(text))


@pytest.mark.parametrize("coded", [[], [(Number(0), "+ * n")], [(Number(0), "+ n"), (Number(1), "+ * /+ n")]])
def test_a_member_alone_is_no_equation(coded: list[tuple[Number, str]]) -> None:
    with pytest.raises(MTreeError, match="children"):
        from_mtree(from_codes(coded))


def test_any_tree_is_read_by_its_meaning() -> None:
    """Also one that no equation is written as: signs inside products, sums inside sums."""
    zero, one, two = (Leaf(Number(index)) for index in range(3))
    inner = Node(Kind.NEGATED_PRODUCT, (zero, Leaf(Number(1), negated=True)))
    product, inverted = Node(Kind.PRODUCT, (inner, two)), Node(Kind.INVERTED_SUM, (one, two))
    tree = Node(Kind.SUM, (Node(Kind.SUM, (product, one)), inverted))
    assert equal_up_to_algebra(from_mtree(tree), parse_infix("n0*n1*n2+n1+1/(n1+n2)"))
