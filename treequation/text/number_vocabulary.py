"""The number vocabulary: a model names operators by id, and operands by slot.

The slots are the constants, then the numbers of the text, then the results: one place for each query of each
layer. Labels, searches and saved models all use these ids and slots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from treequation.expression.graph import PAPER_OPERATORS, Constant, ExpressionGraph, Number, Operand, Operator, Result

NONE = 0  # the id of "no expression"; the vocabulary's operator i has the id i + 1


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The operators and constants that a model knows."""

    constants: tuple[Fraction, ...]
    operators: tuple[Operator, ...] = PAPER_OPERATORS

    @classmethod
    def of(cls, graphs: Iterable[ExpressionGraph], *, min_count: int = 2) -> Vocabulary:
        """The constants that occur in at least ``min_count`` equations, the most frequent first.

        The operators are the paper's, and any others that occur as often.

        >>> hundred = ExpressionGraph((), Constant(Fraction(100)))
        >>> Vocabulary.of([hundred, hundred]).constants
        (Fraction(100, 1),)
        """
        seen: Counter[Fraction] = Counter()
        used: Counter[Operator] = Counter()
        for graph in graphs:
            seen.update(leaf.value for leaf in graph.leaves if isinstance(leaf, Constant))
            used.update({expression.operator for expression in graph.expressions})
        frequent = [(value, count) for value, count in seen.items() if count >= min_count]
        more = (operator for operator in Operator if operator not in PAPER_OPERATORS and used[operator] >= min_count)
        constants = tuple(value for value, _ in sorted(frequent, key=lambda item: (-item[1], item[0])))
        return cls(constants, (*PAPER_OPERATORS, *more))

    def operand(self, slot: int, numbers: int) -> Operand:
        """The operand in a slot, if there are slots for ``numbers`` numbers; a result's index is its place.

        >>> vocabulary = Vocabulary((Fraction(100),))
        >>> [vocabulary.operand(slot, 2) for slot in (0, 1, 4)]
        [Constant(value=Fraction(100, 1)), Number(index=0), Result(index=1)]
        """
        first_number = len(self.constants)
        if slot < first_number:
            return Constant(self.constants[slot])
        if slot < first_number + numbers:
            return Number(slot - first_number)
        return Result(slot - first_number - numbers)
