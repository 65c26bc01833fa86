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
    max_expressions: int = 6,
    operators: tuple[Operator, ...] = tuple(Operator),
    constants: st.SearchStrategy[Fraction] = fractions,
) -> ExpressionGraph:
    """A graph of every shape: an operand is a number, a constant, or any result so far, used before or not."""
    builder = GraphBuilder()
    leaves = st.one_of(st.builds(Number, st.integers(0, numbers - 1)), st.builds(Constant, constants))
    unused: list[Operand] = [draw(leaves)]
    used: list[Operand] = []

    def operand() -> Operand:
        pools = [leaves, *(st.sampled_from(pool) for pool in (unused, used) if pool)]
        drawn = draw(st.one_of(*pools))
        if drawn in unused:
            unused.remove(drawn)
            used.append(drawn)
        return drawn

    for _ in range(draw(st.integers(0, max_expressions))):
        unused.append(builder.add(draw(st.sampled_from(operators)), operand(), operand()))
    while len(unused) > 1:  # join what is left over, so that the root needs every expression
        unused.append(builder.add(draw(st.sampled_from(operators)), unused.pop(), unused.pop()))
    return builder.graph(unused[0])


@st.composite
def values(draw: st.DrawFn, count: int = 4) -> list[Fraction]:
    """A value for each number of a graph."""
    return [draw(fractions) for _ in range(count)]
