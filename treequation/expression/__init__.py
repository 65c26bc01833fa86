"""The algebra: expressions, graphs of them, their values, notations, layers and equality.

Everything is exact and bounded: values are fractions, and no equation, however long or odd, makes a function
here hang or raise an undocumented error.
"""

from treequation.expression.equality import equal_up_to_algebra
from treequation.expression.evaluation import Evaluation, Value, calculate, evaluate, format_value
from treequation.expression.graph import (
    Constant,
    Expression,
    ExpressionGraph,
    GraphBuilder,
    Number,
    Operand,
    Operator,
    Result,
)

# The function layers() is imported from its module: here it would hide the module of the same name.
from treequation.expression.layers import DecodingSteps, Shape, decoding_steps, shape
from treequation.expression.notations import (
    from_triples,
    parse_prefix,
    to_prefix,
)
from treequation.expression.parsing import EquationError, parse_infix
from treequation.expression.printing import to_infix, to_latex
from treequation.expression.words import steps_in_words

__all__ = [
    "Constant",
    "DecodingSteps",
    "EquationError",
    "Evaluation",
    "Expression",
    "ExpressionGraph",
    "GraphBuilder",
    "Number",
    "Operand",
    "Operator",
    "Result",
    "Shape",
    "Value",
    "calculate",
    "decoding_steps",
    "equal_up_to_algebra",
    "evaluate",
    "format_value",
    "from_triples",
    "parse_infix",
    "parse_prefix",
    "shape",
    "steps_in_words",
    "to_infix",
    "to_latex",
    "to_prefix",
]
