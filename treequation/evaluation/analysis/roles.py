"""What each query specialises in: how often it writes an expression, in which step, with which operator."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from treequation.decoding.search import Decoded
from treequation.expression.graph import PAPER_OPERATORS, Constant, Number, Operand, Operator

OPERANDS = ("number", "constant", "result")


def measure(decoded: Sequence[Decoded], queries: int) -> dict[str, Any]:
    """The finding. ``shared`` says how far queries specialise: 0 if all do the same, 1 if each has its own operator.

    ``shared`` is the mutual information of query and operator (or step), as a share of the operator's (step's) entropy.
    """
    written = [
        (proposed.place % queries, step, proposed)
        for each in decoded
        for step, layer in enumerate(each.layers)
        for proposed in layer
    ]
    steps = max((step for _, step, _ in written), default=0) + 1
    used = {proposed.operator for _, _, proposed in written}
    operators = [operator.value for operator in Operator if operator in PAPER_OPERATORS or operator in used]
    by_query: list[dict[str, Any]] = []
    for query in range(queries):
        own = [(step, proposed) for at, step, proposed in written if at == query]
        operands = Counter(_kind(operand) for _, p in own for operand in (p.left, p.right))
        by_query.append(
            {
                "expressions": len(own),
                "operators": _counts((p.operator.value for _, p in own), operators),
                "steps": _counts((str(step + 1) for step, _ in own), [str(step + 1) for step in range(steps)]),
                "operands": {kind: operands[kind] for kind in OPERANDS},
            }
        )
    return {
        "problems": len(decoded),
        "expressions": len(written),
        "queries": by_query,
        "shared": {
            "operator": shared_information([(query, p.operator.value) for query, _, p in written]),
            "step": shared_information([(query, step) for query, step, _ in written]),
        },
    }


def _kind(operand: Operand) -> str:
    return "number" if isinstance(operand, Number) else "constant" if isinstance(operand, Constant) else "result"


def _counts(found: Iterable[str], names: Sequence[str]) -> dict[str, int]:
    counts = Counter(found)
    return {name: counts[name] for name in names}


def shared_information(pairs: Sequence[tuple[object, object]]) -> float:
    """How much the first tells about the second: their mutual information divided by the second's entropy.

    >>> shared_information([(0, "+"), (0, "+"), (1, "*")]), shared_information([(0, "+"), (0, "*")])
    (1.0, 0.0)
    """
    if not pairs:
        return 0.0
    both = Counter(pairs)
    one, other = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    count = len(pairs)
    entropy = -sum(n / count * math.log(n / count) for n in other.values())
    mutual = sum(n / count * math.log(n * count / (one[a] * other[b])) for (a, b), n in both.items())
    return min(1.0, max(0.0, mutual / entropy)) if entropy > 0 else 0.0
