"""The figures by which the paper describes data sets, and the steps that each family of decoders needs on them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

from treequation.expression.graph import Constant, ExpressionGraph, Result
from treequation.expression.layers import Shape, decoding_steps, layers, shape
from treequation.text.problem import Problem

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\d\u3400-\u9fff]+|\d+(?:[.,]\d+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, standard deviation (of the problems as they are, not of a sample) and greatest value."""

    mean: float
    std: float
    max: int

    @classmethod
    def of(cls, values: Sequence[int]) -> Spread:
        """The spread of ``values``; zero where there are none.

        >>> Spread.of([1, 3])
        Spread(mean=2.0, std=1.0, max=3)
        """
        if not values:
            return cls(0.0, 0.0, 0)
        return cls(fmean(values), pstdev(values), max(values))


@dataclass(frozen=True, slots=True)
class Statistics:
    """The figures of a split.

    ``infix``, ``prefix``, ``expressions`` and ``layers`` are the decoding steps of the four families.
    ``width`` is that of a problem's widest layer; ``shared`` counts the problems that use a result twice.
    """

    problems: int
    tokens: Spread
    numbers: Spread
    infix: Spread
    prefix: Spread
    expressions: Spread
    layers: Spread
    width: Spread
    shapes: dict[str, int]
    shared: int
    constants: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """The figures under flat names: ``mean_layers``, ``std_layers``, ``max_layers``, …"""
        content: dict[str, Any] = {"problems": self.problems}
        for name in ("tokens", "numbers", "infix", "prefix", "expressions", "layers", "width"):
            spread: Spread = getattr(self, name)
            content |= {
                f"mean_{name}": spread.mean,
                f"std_{name}": spread.std,
                f"max_{name}": spread.max,
            }
        return content | {"shapes": self.shapes, "shared_results": self.shared, "constants": self.constants}


def statistics(problems: Iterable[Problem]) -> Statistics:
    """The figures of ``problems``, those without an equation left out.

    A token is a word, a numeral, a Chinese character or a mark.
    """
    solved = [(problem, problem.graph) for problem in problems if problem.graph is not None]
    graphs = [graph for _, graph in solved]
    steps = [decoding_steps(graph) for graph in graphs]
    shapes = Counter(shape(graph) for graph in graphs)
    constants = Counter(str(leaf.value) for graph in graphs for leaf in graph.leaves if isinstance(leaf, Constant))
    return Statistics(
        problems=len(solved),
        tokens=Spread.of([len(_TOKEN.findall(problem.text)) for problem, _ in solved]),
        numbers=Spread.of([len(problem.numbers) for problem, _ in solved]),
        infix=Spread.of([step.infix for step in steps]),
        prefix=Spread.of([step.prefix for step in steps]),
        expressions=Spread.of([step.expressions for step in steps]),
        layers=Spread.of([step.layers for step in steps]),
        width=Spread.of([max(map(len, layers(graph)), default=0) for graph in graphs]),
        shapes={kind.value: shapes[kind] for kind in Shape},
        shared=sum(_shares_a_result(graph) for graph in graphs),
        constants=dict(constants.most_common()),
    )


def _shares_a_result(graph: ExpressionGraph) -> bool:
    uses = Counter(
        operand.index
        for expression in graph.expressions
        for operand in (expression.left, expression.right)
        if isinstance(operand, Result)
    )
    return any(count > 1 for count in uses.values())
