"""Every notation reads back what it wrote; the foreign ones mean what their data sets say."""

from fractions import Fraction

import pytest
from hypothesis import given

from tests.expression.strategies import graphs
from treequation.data.linear_formula import parse_linear_formula
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import ExpressionGraph, Number, Operator, Result
from treequation.expression.notations import from_triples, parse_prefix, to_prefix
from treequation.expression.parsing import EquationError, parse_infix
from treequation.expression.printing import to_infix, to_latex


@given(graphs())
def test_print_then_parse_is_the_identity(graph: ExpressionGraph) -> None:
    assert parse_infix(to_infix(graph)) == graph
    assert parse_infix(to_infix(graph, symbols="unicode")) == graph
    assert parse_prefix(to_prefix(graph)) == graph


@given(graphs())
def test_infix_has_no_needless_bracket(graph: ExpressionGraph) -> None:
    text = to_infix(graph)
    opened = []
    for position, character in enumerate(text):
        if character == "(":
            opened.append(position)
        elif character == ")":
            start = opened.pop()
            inside = text[start + 1 : position]
            mixed_number = start > 0 and text[start - 1].isdigit()
            function = start > 0 and text[start - 1].isalpha()
            if mixed_number or function or inside.startswith("-"):
                continue
            without = f"{text[:start]} {inside} {text[position + 1 :]}"
            assert parse_infix(without) != graph, f"{text} needs no brackets around {inside}"


@pytest.mark.parametrize(
    ("triples", "infix"),
    [
        ([["a", "b", "-_rev"]], "n1-n0"),
        ([["a", "b", "/_rev"], ["m_1", "100.0", "*"]], "n1/n0*100"),
        ([["a", "0.5", "^"], ["m_1", "m_1", "+"]], "n0^0.5+n0^0.5"),
        ([["a", "b", "+"], ["c", "2", "**"]], "n2^2"),
    ],
)
def test_triples_of_the_published_data(triples: list[list[str]], infix: str) -> None:
    assert from_triples(triples) == parse_infix(infix)


@pytest.mark.parametrize(
    "triples",
    [[], [["a", "b"]], [["a", "m_1", "+"]], [["a", "b", "?"]], [["a", "m_x", "+"]], [["a", "?", "+"]]],
)
def test_a_broken_triple_is_refused(triples: list[list[str]]) -> None:
    with pytest.raises(EquationError):
        from_triples(triples)


@pytest.mark.parametrize("text", ["", "+", "+ n0", "n0 n1", "+ n0 n1 n2", "n0 n1 +", "+ n0 apples"])
def test_broken_prefix_is_refused(text: str) -> None:
    with pytest.raises(EquationError):
        parse_prefix(text)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("circle_area(n0)|", Fraction("28.2744")),
        ("multiply(n0,const_3_6)|add(#0,const_0_25)", Fraction("11.05")),
        ("rectangle_perimeter(n0,n1)", 14),
        ("diagonal(n0,n1)", 5),
        ("triangle_area_three_edges(n0,n1,const_5)", 6),
        ("volume_cone(n0,n1)|divide(#0,const_pi)", 12),
        ("original_price_before_loss(const_20,n1)", 5),
        ("p_after_gain(const_50,n1)", 6),
        ("surface_rectangular_prism(n0,n1,const_1)", 38),
        ("quadrilateral_area(const_2,n0,n1)", 7),
        ("inverse(n1)|negate_prob(#0)", Fraction(3, 4)),
    ],
)
def test_linear_formulas_mean_what_geometry_and_trade_say(formula: str, value: Fraction) -> None:
    assert evaluate(parse_linear_formula(formula), [Fraction(3), Fraction(4)]).value.number == value


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("gcd(n0,n1)", "'gcd' cannot be written"),
        ("add(n0)", "takes 2 operands"),
        ("add(n0,#0)", "not an earlier call"),
        ("add(n0,n1)|oops", "is expected here"),
        ("", "empty"),
    ],
)
def test_a_linear_formula_that_cannot_be_read_is_named(formula: str, message: str) -> None:
    with pytest.raises(EquationError, match=message):
        parse_linear_formula(formula)


def test_a_graph_that_would_be_exponentially_long_is_refused_at_once() -> None:
    doubled = from_triples([("a", "a", "+"), *((f"m_{i}", f"m_{i}", "*") for i in range(1, 150))])
    for write in (to_infix, to_prefix, to_latex):
        with pytest.raises(ValueError, match="more than"):
            write(doubled)


def test_numbers_may_be_printed_as_the_text_has_them() -> None:
    graph = parse_infix("n0/n1-n2")
    assert to_infix(graph, ["1/2", "20%", "-3"].__getitem__) == "(1/2)/20%-(-3)"


def test_latex_brackets_what_a_fraction_does_not_hold_together() -> None:
    assert to_latex(parse_infix("n0*(n1-2)^2/3")) == r"\frac{n_{0} \times \left(n_{1} - 2\right)^{2}}{3}"
    assert to_latex(parse_infix("n0^n1"), ["2/3", "5"].__getitem__) == r"\left(2/3\right)^{5}"
    assert to_latex(parse_infix("(n0/n1)^2")) == r"\left(\frac{n_{0}}{n_{1}}\right)^{2}"
    assert to_latex(parse_infix("n0-(n1-n2)/2")) == r"n_{0} - \frac{n_{1} - n_{2}}{2}"


def test_a_bare_number_prints_in_every_notation() -> None:
    graph = ExpressionGraph((), Number(3))
    assert to_infix(graph) == to_prefix(graph) == to_latex(graph, "n{}".format) == "n3"


def test_prefix_keeps_the_order_of_operands() -> None:
    graph = parse_prefix("- number1 number0")
    assert graph.expressions[0].operator is Operator.SUBTRACT
    assert (graph.expressions[0].left, graph.root) == (Number(1), Result(0))
