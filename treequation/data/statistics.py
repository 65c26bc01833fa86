"""The figures by which the paper describes data sets, and the steps that each family of decoders needs on them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from statistics import fmean, pstdev
from typing import Any

from treequation.expression.layers import Shape, decoding_steps, layers, shape
from treequation.text.problem import Problem

SPREAD = ("mean", "std", "max")
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\d\u3400-\u9fff]+|\d+(?:[.,]\d+)*|[^\w\s]")


def spread_of(values: Sequence[int]) -> dict[str, float]:
    """Mean, population standard deviation and maximum; zeros if there are no values.

    >>> spread_of([1, 3])
    {'mean': 2.0, 'std': 1.0, 'max': 3}
    """
    return {"mean": fmean(values), "std": pstdev(values), "max": max(values)} if values else dict.fromkeys(SPREAD, 0.0)


def statistics(problems: Iterable[Problem]) -> dict[str, Any]:
    """The figures of all ``problems`` with an equation: ``mean_layers``, ``std_layers``, ….

    ``infix``, ``prefix``, ``expressions`` and ``layers`` are the decoding steps of the four families, ``width`` is that
    of a problem's widest layer, and ``shared_results`` counts the problems that use a result twice. A token is a word,
    a numeral, a Chinese character or a punctuation mark.
    """
    solved = [(problem, problem.graph) for problem in problems if problem.graph is not None]
    graphs = [graph for _, graph in solved]
    steps = [asdict(decoding_steps(graph)) for graph in graphs]
    counted = {
        "tokens": [len(_TOKEN.findall(problem.text)) for problem, _ in solved],
        "numbers": [len(problem.numbers) for problem, _ in solved],
        **{family: [each[family] for each in steps] for family in ("infix", "prefix", "expressions", "layers")},
        "width": [max(map(len, layers(graph)), default=0) for graph in graphs],
    }
    shapes = Counter(shape(graph) for graph in graphs)
    return {
        "problems": len(solved),
        **{f"{m}_{name}": value for name, values in counted.items() for m, value in spread_of(values).items()},
        "shapes": {kind.value: shapes[kind] for kind in Shape},
        "shared_results": sum(any(count > 1 for count in graph.uses.values()) for graph in graphs),
    }
