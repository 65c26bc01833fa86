"""Which equation answers a problem, given what a decoder said about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from treequation.expression.evaluation import evaluate
from treequation.expression.graph import ExpressionGraph, Number
from treequation.expression.search import Decoded, Engine, Equation, Reader, decode_greedily, decode_with_beam


def answer_graph(decoded: Equation, numbers: int) -> ExpressionGraph | None:
    """The decoded equation of a text with ``numbers`` numbers, or None where there is no answer.

    A decoder that proposes nothing says that there is nothing to compute. Where the text has one number alone,
    that number is the answer; among several there is nothing to choose by. An equation over a number that the
    text does not have, which a text without any number can lead to, is no answer either.

    >>> from treequation.expression.search import Decoded
    >>> answer_graph(Decoded(), numbers=1)
    ExpressionGraph(expressions=(), root=Number(index=0))
    >>> answer_graph(Decoded(), numbers=2) is None
    True
    """
    graph = decoded.graph
    if graph is None:
        return ExpressionGraph((), Number(0)) if numbers == 1 else None
    if any(isinstance(leaf, Number) and leaf.index >= numbers for leaf in graph.leaves):
        return None
    return graph


def find_equations(
    engine: Engine, reader: Reader, steps: int, *, beam: int = 1, second_thoughts: int = 0
) -> list[list[Decoded]]:
    """What a decoder says about each problem: the ``beam`` likeliest equations, or with a beam of 1 the greedy one.

    People ask for amounts, and an amount is not below zero: of 70,000 training equations of seven data sets, five
    are. So with ``second_thoughts`` a greedy equation whose value is below zero, or that has none, is thought over:
    that many equations are followed from the start, and the likeliest one with a value above zero is taken, if any.
    """
    if beam > 1:
        return decode_with_beam(engine, reader, steps, beam)
    found = decode_greedily(engine, reader, steps)
    doubtful = [
        row
        for row, (decoded, values) in enumerate(zip(found, reader.values, strict=False))
        if second_thoughts > 1 and ((value := _value(decoded, values)) is None or value < 0)
    ]
    if doubtful:
        since = engine.restart(np.array(doubtful))
        again = decode_with_beam(engine, reader.of_rows(doubtful), steps, second_thoughts)
        for row, hypotheses in zip(doubtful, again, strict=True):
            for other in hypotheses:
                if (value := _value(other, reader.values[row])) is not None and value > 0:
                    found[row] = replace(other, since=since)
                    break
    return [[decoded] for decoded in found]


def _value(decoded: Decoded, values: Sequence[Fraction]) -> Fraction | float | None:
    graph = answer_graph(decoded, len(values))
    return None if graph is None else evaluate(graph, values).value.number
