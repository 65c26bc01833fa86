"""Random expression graphs, for the property tests."""

from fractions import Fraction

from hypothesis import strategies as st

from treequation.expression.graph import Constant, ExpressionGraph, GraphBuilder, Number, Operand, Operator

fractions = st.builds(Fraction, st.integers(-60, 60), st.integers(1, 12))


@st.composite
def graphs(
    draw: st.DrawFn,
    *,
    numbers: int = 4,
    max_expressions: int = 8,
    operators: tuple[Operator, ...] = tuple(Operator),
    constants: st.SearchStrategy[Fraction] = fractions,
) -> ExpressionGraph:
    """A graph of every shape: an operand is a number, a constant, or any result so far, used before or not."""
    builder = GraphBuilder()
    leaves = st.one_of(st.builds(Number, st.integers(0, numbers - 1)), st.builds(Constant, constants))
    operands: list[Operand] = [draw(leaves)]
    for _ in range(draw(st.integers(0, max_expressions))):
        any_operand = st.one_of(leaves, st.sampled_from(operands))
        operands.append(builder.add(draw(st.sampled_from(operators)), draw(any_operand), draw(any_operand)))
    return builder.graph(operands[-1])


@st.composite
def values(draw: st.DrawFn, count: int = 4) -> list[Fraction]:
    """A value for each number of a graph."""
    return [draw(fractions) for _ in range(count)]
