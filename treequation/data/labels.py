"""Label sets: the expressions of an equation, layer by layer, as the decoder should predict them.

An operand is named by its *slot* in the number vocabulary: constants, then the numbers of the text, then the results,
``queries`` places per layer. How many slots numbers take depends on the batch, so a label names a result by the code
``RESULT + layer * queries + place`` until it is put into a batch.
"""

from __future__ import annotations

from dataclasses import dataclass

from treequation.expression.graph import Constant, ExpressionGraph, Number, Operand, Operator, Result
from treequation.expression.layers import layers
from treequation.text.number_vocabulary import NONE, Vocabulary

RESULT = 1 << 20  # above any constant or number, so that one comparison identifies a result


class LabelError(ValueError):
    """An equation that the decoder cannot express; ``reason`` is the same for all equations that fail alike."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


def check_length(length: int, longest: int, unit: str = "symbols") -> None:
    """Raises :class:`LabelError` if an equation has more symbols, or expressions, than the decoder writes."""
    if length > longest:
        raise LabelError("too long", f"the equation has {length} {unit}, but the model writes at most {longest}")


@dataclass(frozen=True, slots=True)
class Label:
    """One expression of a label set: operator id and operand slots."""

    operator: int
    left: int
    right: int


LabelSets = tuple[tuple[Label, ...], ...]


class Names:
    """The ids of operators and the slots of leaves; raises :class:`LabelError` for one that has none."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._operators = {operator: i for i, operator in enumerate(vocabulary.operators, start=NONE + 1)}
        self._constants = {value: slot for slot, value in enumerate(vocabulary.constants)}
        self._first_number = len(vocabulary.constants)

    def operator(self, operator: Operator) -> int:
        """The id of an operator."""
        if operator not in self._operators:
            raise LabelError("unknown operator", f"{operator.value} is not in the model's vocabulary")
        return self._operators[operator]

    def leaf(self, leaf: Number | Constant) -> int:
        """The slot of a number or constant."""
        if isinstance(leaf, Number):
            return self._first_number + leaf.index
        if leaf.value not in self._constants:
            raise LabelError("unknown constant", f"{leaf.value} is not in the model's vocabulary")
        return self._constants[leaf.value]


class Labeller:
    """Writes an equation as label sets for a decoder with ``queries`` queries and ``steps`` layers."""

    def __init__(self, vocabulary: Vocabulary, *, queries: int, steps: int) -> None:
        self.queries = queries
        self.steps = steps
        self._names = Names(vocabulary)

    def label(self, graph: ExpressionGraph) -> LabelSets:
        """The label sets, from the first layer to the root's; none for a bare number. Raises :class:`LabelError`."""
        by_layer = layers(graph, self.queries)
        if len(by_layer) > self.steps:
            raise LabelError("too deep", f"the equation needs {len(by_layer)} layers and the model has {self.steps}")
        code = {
            index: RESULT + layer * self.queries + place
            for layer, indices in enumerate(by_layer)
            for place, index in enumerate(indices)
        }

        def slot(operand: Operand) -> int:
            return code[operand.index] if isinstance(operand, Result) else self._names.leaf(operand)

        def read(index: int) -> Label:
            expression = graph.expressions[index]
            return Label(self._names.operator(expression.operator), slot(expression.left), slot(expression.right))

        return tuple(tuple(read(index) for index in indices) for indices in by_layer)
