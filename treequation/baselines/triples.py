"""What decoders share that write one expression per step: an operator and two operands.

``B`` is the batch, ``L`` the steps, ``S`` the slots (constants, numbers, then one result per step), ``D`` the width.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from torch import Tensor

from treequation.data.batches import Batch
from treequation.data.labels import RESULT, Label, LabelError, LabelSets, Names, check_length
from treequation.errors import TreequationError
from treequation.expression.graph import ExpressionGraph, GraphBuilder, Operand, Result
from treequation.model.base import WordProblemModel
from treequation.text.number_vocabulary import Vocabulary

Triple = tuple[int, int, int]
"""An operator and the slots of its left and right operand."""


class TripleNotation:
    """An equation as triples, each after its operands. Operators are numbered from 1; 0 is stop."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._names = Names(vocabulary)

    def write(self, graph: ExpressionGraph, longest: int) -> list[Label]:
        """One label per expression; each comes after its operands.

        >>> from treequation.expression.parsing import parse_infix
        >>> first, second = TripleNotation(Vocabulary(())).write(parse_infix("n2-(n0+n1)"), 16)
        >>> first, second.operator, second.left, second.right - RESULT
        (Label(operator=1, left=0, right=1), 2, 2, 0)
        """
        if not graph.expressions:
            raise LabelError("no expression", "a decoder that writes expressions cannot write a bare number")
        check_length(len(graph), longest, "expressions")

        def slot(operand: Operand) -> int:
            return RESULT + operand.index if isinstance(operand, Result) else self._names.leaf(operand)

        return [Label(self._names.operator(e.operator), slot(e.left), slot(e.right)) for e in graph.expressions]

    def read(self, triples: Iterable[Triple], numbers: int) -> ExpressionGraph | None:
        """The equation that ends with the last of the triples, or None if there is none.

        >>> notation = TripleNotation(Vocabulary(()))
        >>> from treequation.expression.printing import to_infix
        >>> to_infix(notation.read([(1, 0, 1), (2, 2, 3)], numbers=3))
        'n2-(n0+n1)'
        """
        builder = GraphBuilder()
        results: list[Result] = []

        def operand(slot: int) -> Operand:
            found = self.vocabulary.operand(slot, numbers)
            return results[found.index] if isinstance(found, Result) else found

        for operator, left, right in triples:
            results.append(builder.add(self.vocabulary.operators[operator - 1], operand(left), operand(right)))
        return builder.graph(results[-1]) if results else None


class Gold(NamedTuple):
    """The gold triples of a batch, [B, L] each; operator 0 after the last one is stop."""

    operator: Tensor
    left: Tensor
    right: Tensor

    @classmethod
    def of(cls, batch: Batch) -> Gold:
        """The first label of every set."""
        return cls(*(part[:, :, 0] for part in (batch.operators, batch.left, batch.right)))


class TripleModel(WordProblemModel):
    """An encoder and a decoder that writes an equation expression by expression."""

    @cached_property
    def notation(self) -> TripleNotation:
        """How equations are written."""
        return TripleNotation(self.config.vocabulary)

    @property
    def max_steps(self) -> int:
        """The maximum number of expressions, plus one for stop."""
        return self.config.expressions + 1

    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """One label per expression."""
        return tuple((label,) for label in self.notation.write(graph, self.config.expressions))


def check_greedy(model: WordProblemModel, beam: int) -> None:
    """Raises an error for a beam above 1, for a decoder that only decodes greedily."""
    if beam > 1:
        raise TreequationError(f"the decoder {model.DECODER} decodes greedily, as its paper does: use a beam of 1")
