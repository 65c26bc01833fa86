"""Re-association: every variant has the equation's value, and none is missing that a pupil would think of."""

from hypothesis import given
from hypothesis import strategies as st

from tests.expression.strategies import graphs, values
from treequation.expression import evaluate, parse_infix, to_infix
from treequation.expression.equivalents import variants


@given(graphs(), values())
def test_variants_have_the_same_value(graph, numbers):
    wanted = evaluate(graph, numbers).value
    for variant in variants(graph, 12):
        found = evaluate(variant, numbers).value
        # A quotient may divide by zero on one way and not on the other; where both have a value it is the same.
        if wanted.exact and found.exact:
            assert found == wanted
        assert len(variant) <= len(graph)


@given(graphs(), st.integers(1, 5))
def test_the_equation_itself_comes_first_and_the_limit_holds(graph, limit):
    found = variants(graph, limit)
    assert found[0] == graph
    assert len(found) <= limit
    assert len(set(found)) == len(found)


def test_all_ways_to_add_four_numbers():
    # Without regard to order there are (2·4 − 3)!! = 5 · 3 · 1 ways to put four terms together, two at a time.
    assert len(variants(parse_infix("n0+n1+n2+n3"), 100)) == 15


def test_a_quotient_regroups_as_a_difference_does():
    assert {to_infix(v) for v in variants(parse_infix("n0*n1/n2"), 9)} == {"n0*n1/n2", "n0*(n1/n2)", "n0/n2*n1"}
    assert {to_infix(v) for v in variants(parse_infix("n0-(n1-n2)"), 9)} == {
        "n0-(n1-n2)",
        "n0+(n2-n1)",
        "n0-n1+n2",
        "n0+n2-n1",
    }


def test_a_result_used_twice_stays():
    shared = parse_infix("(n0+n1)*((n0+n1)+n2)")
    assert variants(shared, 9) == (shared,)
