"""Equality up to algebra, checked against a symbolic engine."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.expression.strategies import graphs, values
from treequation.expression.equality import equal_up_to_algebra
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, ExpressionGraph, GraphBuilder, Number, Operand, Operator, Result
from treequation.expression.notations import from_triples
from treequation.expression.parsing import parse_infix

RATIONAL = (Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE)
small = st.integers(-2, 3).map(Fraction)


def symbolic(graph: ExpressionGraph) -> sympy.Expr | None:
    """The equation for SymPy; None if a step has no value there (SymPy goes on from n/0, to 1/(n/0) = 0)."""
    found: list[sympy.Expr] = []

    def of(operand: Operand) -> sympy.Expr:
        if isinstance(operand, Result):
            return found[operand.index]
        if isinstance(operand, Number):
            return sympy.Symbol(f"n{operand.index}", positive=True)
        return sympy.Rational(operand.value.numerator, operand.value.denominator)

    for expression in graph.expressions:
        left, right = of(expression.left), of(expression.right)
        found.append(
            {
                Operator.ADD: lambda a, b: a + b,
                Operator.SUBTRACT: lambda a, b: a - b,
                Operator.MULTIPLY: lambda a, b: a * b,
                Operator.DIVIDE: lambda a, b: a / b,
                Operator.POWER: lambda a, b: a**b,
            }[expression.operator](left, right)
        )
        if sympy.cancel(found[-1]).has(sympy.nan, sympy.zoo, sympy.oo):
            return None
    return of(graph.root)


@settings(max_examples=150, deadline=None)
@given(
    graphs(numbers=2, max_expressions=3, operators=RATIONAL, constants=small),
    graphs(numbers=2, max_expressions=3, operators=RATIONAL, constants=small),
)
def test_agrees_with_a_symbolic_engine(a: ExpressionGraph, b: ExpressionGraph) -> None:
    left, right = symbolic(a), symbolic(b)
    if left is not None and right is not None:
        assert equal_up_to_algebra(a, b) == (sympy.simplify(left - right) == 0)


@settings(max_examples=100, deadline=None)
@given(
    graphs(numbers=3, max_expressions=5, operators=RATIONAL, constants=small),
    st.sampled_from([sympy.expand, sympy.factor, sympy.together, sympy.cancel]),
    st.booleans(),
)
def test_knows_again_what_a_symbolic_engine_rewrote(
    graph: ExpressionGraph, rewrite: Callable[[sympy.Expr], sympy.Expr], spoil: bool
) -> None:
    expression = symbolic(graph)
    if expression is not None:
        other = rewrite(expression) + (1 if spoil else 0)
        assert equal_up_to_algebra(graph, parse_infix(str(other))) is not spoil


def rewritten(draw: Callable[[st.SearchStrategy[bool]], bool], graph: ExpressionGraph) -> ExpressionGraph:
    """The same equation by other steps: a law of algebra applied to each expression, or not."""
    builder = GraphBuilder()
    moved: list[Operand] = []

    def of(operand: Operand) -> Operand:
        return moved[operand.index] if isinstance(operand, Result) else operand

    for expression in graph.expressions:
        operator, left, right = expression.operator, of(expression.left), of(expression.right)
        if not draw(st.booleans()):
            moved.append(builder.add(operator, left, right))
        elif operator.commutes:
            moved.append(builder.add(operator, right, left))
        elif operator is Operator.SUBTRACT:  # a − b = (−b) + a
            negative = builder.add(Operator.MULTIPLY, right, Constant(Fraction(-1)))
            moved.append(builder.add(Operator.ADD, negative, left))
        elif operator is Operator.DIVIDE:  # a ÷ b = b⁻¹ × a
            inverse = builder.add(Operator.POWER, right, Constant(Fraction(-1)))
            moved.append(builder.add(Operator.MULTIPLY, inverse, left))
        else:  # a^b = (2a ÷ 2)^b
            twice = builder.add(Operator.MULTIPLY, left, Constant(Fraction(2)))
            half = builder.add(Operator.DIVIDE, twice, Constant(Fraction(2)))
            moved.append(builder.add(operator, half, right))
    return builder.graph(of(graph.root))


@given(st.data())
def test_the_laws_of_algebra_do_not_change_the_verdict(data: st.DataObject) -> None:
    graph = data.draw(graphs(constants=small))
    other = rewritten(data.draw, graph)
    if evaluate(graph, [Fraction(k) for k in (2, 3, 5, 7)]).value.exact:
        assert equal_up_to_algebra(graph, other)


def test_a_power_of_something_negative_survives_every_rewriting_of_its_steps() -> None:
    # A graph whose verdict once hung on the points at which (−2·n0)^(n0+n1) has a value.
    graph = from_triples(
        [
            *(("a", "a", "+"), ("m_1", "m_1", "-"), ("m_2", "m_1", "-"), ("a", "b", "+")),
            *(("m_3", "m_4", "^"), ("b", "a", "+"), ("a", "m_6", "+"), ("m_5", "m_7", "-")),
        ]
    )
    for choices in product([False, True], repeat=len(graph)):
        chosen = iter(choices)
        other = rewritten(lambda _, chosen=chosen: next(chosen), graph)  # type: ignore[misc]
        assert equal_up_to_algebra(graph, other)


@given(graphs(constants=small), graphs(constants=small), values())
def test_what_is_equal_has_the_same_value(a: ExpressionGraph, b: ExpressionGraph, numbers: list[Fraction]) -> None:
    left, right = evaluate(a, numbers).value, evaluate(b, numbers).value
    if left.exact and right.exact and left != right:
        assert not equal_up_to_algebra(a, b)


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ("n0-n1-n2", "n0-(n1+n2)", True),
        ("n0/n1/n2", "n0/(n1*n2)", True),
        ("(n0+n1)*(n0-n1)", "n0^2-n1^2", True),
        ("1/(1/n0+1/n1)", "n0*n1/(n0+n1)", True),
        ("(n0+n1)^0.5*2", "2*(n1+n0)^(1/2)", True),
        ("n0^n1", "n1^n0", False),
        ("n0^0.5", "n0^0.25", False),
        ("n0+n1", "n0+n1+1/1000000007", False),
        ("n0*n0^-1", "1", True),
        ("n0^64*n0^64", "n0^128", True),
        ("n0/0", "n1/0", False),
        ("9^9^9", "9^9^9+1", False),
        ("n0", "n1", False),
        ("2+3", "5", True),
        ("4^0.5*n0", "2*n0", True),
        ("2^65", "2*2^64", True),
        ("n0^(n1-n1+2)", "n0*n0", True),
        ("n0^2*n0^-3", "1/n0", True),
        ("(n0-n0)^0.5+n1", "n1", True),
        ("(n0-n0)^0", "1", False),
        ("n0+1/2305843009213693951", "1/2305843009213693951+n1", False),  # the prime itself
    ],
)
def test_by_hand(a: str, b: str, equal: bool) -> None:
    assert equal_up_to_algebra(parse_infix(a), parse_infix(b)) is equal


def test_a_power_by_repeated_squaring_does_not_fool_the_prime() -> None:
    # Modulo the prime 2^61 − 1, n^(2^61) is n^2: the degree, not the residue, has to decide.
    squared = from_triples([("a", "a", "*"), *((f"m_{i}", f"m_{i}", "*") for i in range(1, 61))])
    assert not equal_up_to_algebra(squared, parse_infix("n0*n0"))


def test_a_graph_of_shared_results_does_not_blow_up() -> None:
    steps = [("a", "b", "+")]
    for i in range(1, 120):
        steps.append((f"m_{i}", "a" if i % 2 else f"m_{i}", "*" if i % 2 else "+"))
    graph = from_triples(steps)
    assert equal_up_to_algebra(graph, rewritten(lambda _: True, graph))
