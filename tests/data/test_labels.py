"""Label sets and batches hold the equation: read back, they are it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.expression.strategies import graphs
from treequation.data.batches import Example, Shape, collate, collate_texts
from treequation.data.labels import LabelError, Labeller
from treequation.decoding.assembly import Proposed, assemble
from treequation.expression.graph import ExpressionGraph, Number, Operator
from treequation.expression.parsing import parse_infix
from treequation.text.encoding import EncodedProblem
from treequation.text.number_vocabulary import NONE, Vocabulary


@settings(deadline=None)
@given(graphs(), st.integers(1, 4), st.integers(0, 2))
def test_batch_reads_back_as_the_equation(graph: ExpressionGraph, queries: int, spare: int) -> None:
    """Every label put at the query of its own place, as a decoder might, gives the same graph."""
    vocabulary = Vocabulary.of([graph], min_count=1)
    labels = Labeller(vocabulary, queries=queries, steps=100).label(graph)
    numbers = 1 + max((leaf.index for leaf in graph.leaves if isinstance(leaf, Number)), default=0)
    example = Example(EncodedProblem(tuple(range(5)), tuple(0 for _ in range(numbers))), labels)
    shape = Shape(tokens=5, numbers=numbers + spare, layers=len(labels) + 1, width=queries)
    batch = collate([example], shape, constants=len(vocabulary.constants), padding=0)
    layers = []
    for layer in range(len(labels) + 1):
        real = np.flatnonzero(batch.operators[0, layer] != NONE).tolist()
        layers.append(
            [
                Proposed(
                    layer * queries + place,
                    vocabulary.operators[batch.operators[0, layer, place] - 1],
                    vocabulary.operand(int(batch.left[0, layer, place]), shape.numbers),
                    vocabulary.operand(int(batch.right[0, layer, place]), shape.numbers),
                )
                for place in real
            ]
        )
    assert layers[-1] == [], "the last layer says stop"
    if graph.expressions:
        assert assemble(layers) == graph
    assert batch.layers.tolist() == [len(labels) + 1]


def test_shared_expression_is_labelled_once() -> None:
    labels = Labeller(Vocabulary(()), queries=6, steps=8).label(parse_infix("(n0+n1)*(n0+n1)"))
    assert [len(layer) for layer in labels] == [1, 1]


def test_what_cannot_be_taught_is_refused_with_the_reason() -> None:
    labeller = Labeller(Vocabulary((Fraction(100),), (Operator.ADD, Operator.MULTIPLY)), queries=2, steps=2)
    with pytest.raises(LabelError, match="3 layers and the model has 2"):
        labeller.label(parse_infix("n0+n1+n2+n3"))
    with pytest.raises(LabelError, match=r"constant.*7"):
        labeller.label(parse_infix("n0+7"))
    with pytest.raises(LabelError, match=r"operator.*/"):
        labeller.label(parse_infix("n0/n1"))
    assert labeller.label(parse_infix("n0+n1+100"))


def test_bare_number_has_no_label_but_a_layer_that_says_stop() -> None:
    assert Labeller(Vocabulary(()), queries=6, steps=8).label(parse_infix("n0")) == ()
    assert Example(EncodedProblem((1, 2), (0,))).shape == Shape(tokens=2, numbers=1, layers=1, width=1)


def test_texts_without_labels_are_laid_out_as_those_with() -> None:
    marker, texts = 9, [[1, 9, 5, 9, 2], [1, 2], [9, 9, 9]]
    examples = [Example(EncodedProblem(tuple(ids), tuple(np.flatnonzero(np.equal(ids, marker))))) for ids in texts]
    labelled = collate(examples, Shape(6, 4, layers=1, width=1), constants=0, padding=7, rows=5)
    bare = collate_texts(texts, tokens=6, numbers=4, marker=marker, padding=7, rows=5)
    for part in ("ids", "lengths", "positions", "numbers"):
        assert getattr(bare, part).tolist() == getattr(labelled, part).tolist(), part
    assert not any(bare[4:])  # no labels, and nothing that belongs to them
