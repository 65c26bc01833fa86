"""M-trees: one tree for all equations that differ only in the order and grouping of sums and products.

After Wang et al., "Structure-Unified M-Tree Coding Solver for Math Word Problem" (EMNLP 2022). A node has any number of
children, in no order: it is a sum, an inverted sum, a product or a negated product. A leaf may be negated, inverted or
both. So a − b is a sum with a negated leaf, and a ÷ b a product with an inverted one. The root is always a sum.

A *code* gives a leaf's position: the path from the root, then whether the leaf is negated or inverted. Of equal
children of a node, the second is marked 2, and so on. The codes of all leaves determine the tree.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import reduce

from treequation.expression.graph import Constant, Expression, ExpressionGraph, GraphBuilder, Number, Operand, Operator

MAX_POWER = 4
"""A constant whole power up to this one is written as a product."""

_ZERO, _ONE = Constant(Fraction(0)), Constant(Fraction(1))
_BITS = {(False, False): "n", (True, False): "-n", (False, True): "1/n", (True, True): "-1/n"}
_READ_BITS = {text: bits for bits, text in _BITS.items()}


class MTreeError(ValueError):
    """An equation without an M-tree, or a tree that is not an equation; ``reason`` names the kind of failure."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class Kind(Enum):
    """How a node combines its children."""

    SUM = "+"
    INVERTED_SUM = "/+"
    PRODUCT = "*"
    NEGATED_PRODUCT = "-*"

    @property
    def multiplies(self) -> bool:
        """Whether it is a product, negated or not."""
        return self in (Kind.PRODUCT, Kind.NEGATED_PRODUCT)

    @property
    def other(self) -> Kind:
        """The inverse of a sum, or the negation of a product."""
        return _OTHER[self]


_OTHER = {
    Kind.SUM: Kind.INVERTED_SUM,
    Kind.INVERTED_SUM: Kind.SUM,
    Kind.PRODUCT: Kind.NEGATED_PRODUCT,
    Kind.NEGATED_PRODUCT: Kind.PRODUCT,
}


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number or constant, perhaps negated, inverted or both."""

    operand: Number | Constant
    negated: bool = False
    inverted: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """A sum or product of its children."""

    kind: Kind
    children: tuple[Tree, ...]


Tree = Leaf | Node


def to_mtree(graph: ExpressionGraph, max_leaves: int = 64) -> Node:
    """The M-tree of an equation; a result that is used twice is written out twice.

    Raises :class:`MTreeError` where a power is not a small whole constant, for remainders and rounding, and where the
    tree would have more than ``max_leaves`` leaves.

    >>> from treequation.expression.parsing import parse_infix
    >>> tree_text(to_mtree(parse_infix("(n0-n1*n2)/n3")))
    '+(*(+(n0,-*(n1,n2)),1/n3))'
    >>> to_mtree(parse_infix("n0-(n1-n2)")) == to_mtree(parse_infix("n2+n0-n1"))
    True
    """

    def join(expression: Expression, one: tuple[Tree, int], other: tuple[Tree, int]) -> tuple[Tree, int]:
        (left, size), (right, more) = one, other
        operator = expression.operator
        if operator is Operator.POWER:
            factors = _factors(left, right)
            size *= len(factors)
        else:
            factors = [left, _invert(right) if operator is Operator.DIVIDE else right]
            size += more
        if size > max_leaves:
            raise MTreeError("too long", f"the equation written out has more than {max_leaves} leaves")
        if operator in (Operator.ADD, Operator.SUBTRACT):
            return _add(left, _negate(right) if operator is Operator.SUBTRACT else right), size
        if operator not in (Operator.MULTIPLY, Operator.DIVIDE, Operator.POWER):
            raise MTreeError("unknown operator", f"an M-tree has no {operator.value}")
        return reduce(_multiply, factors), size

    root, _ = graph.fold(lambda leaf: (Leaf(leaf), 1), join)
    return _in_order(Node(Kind.SUM, _terms(root)))


def _factors(base: Tree, exponent: Tree) -> list[Tree]:
    """The factors of a power."""
    value = None
    if isinstance(exponent, Leaf) and isinstance(exponent.operand, Constant) and exponent.operand != _ZERO:
        value = 1 / exponent.operand.value if exponent.inverted else exponent.operand.value
        value = -value if exponent.negated else value
    if value is None or value.denominator != 1 or not 1 <= abs(value) <= MAX_POWER:
        raise MTreeError("unknown operator", f"an M-tree has only whole powers up to {MAX_POWER}")
    return [base if value > 0 else _invert(base)] * abs(value.numerator)


def _terms(tree: Tree) -> tuple[Tree, ...]:
    return tree.children if isinstance(tree, Node) and tree.kind is Kind.SUM else (tree,)


def _add(left: Tree, right: Tree) -> Tree:
    if _is(left, _ZERO):
        return right
    return left if _is(right, _ZERO) else Node(Kind.SUM, _terms(left) + _terms(right))


def _multiply(left: Tree, right: Tree) -> Tree:
    for one, other in ((left, right), (right, left)):
        if _is(one, _ONE):
            return _negate(other) if _negative(one) else other
    kind, factors = Kind.PRODUCT, list[Tree]()
    for tree in (left, right):
        if _negative(tree):
            kind, tree = kind.other, _negate(tree)
        factors += tree.children if isinstance(tree, Node) and tree.kind is Kind.PRODUCT else [tree]
    return Node(kind, tuple(factors))


def _is(tree: Tree, constant: Constant) -> bool:
    """Whether it is this constant, negated or not: 0 and 1 change at most the sign of a sum or product."""
    return isinstance(tree, Leaf) and tree.operand == constant and (constant == _ONE or not tree.inverted)


def _negative(tree: Tree) -> bool:
    return tree.negated if isinstance(tree, Leaf) else tree.kind is Kind.NEGATED_PRODUCT


def _negate(tree: Tree) -> Tree:
    if isinstance(tree, Leaf):
        return replace(tree, negated=not tree.negated)
    if tree.kind.multiplies:
        return Node(tree.kind.other, tree.children)
    return Node(tree.kind, tuple(map(_negate, tree.children)))


def _invert(tree: Tree) -> Tree:
    if isinstance(tree, Leaf):
        return tree if tree.operand == _ONE else replace(tree, inverted=not tree.inverted)
    if tree.kind.multiplies:
        return Node(tree.kind, tuple(map(_invert, tree.children)))
    return Node(tree.kind.other, tree.children)


def from_mtree(root: Node) -> ExpressionGraph:
    """An equation with this tree. Raises :class:`MTreeError` if an inner node has fewer than two children.

    >>> from treequation.expression.parsing import parse_infix
    >>> from treequation.expression.printing import to_infix
    >>> to_infix(from_mtree(to_mtree(parse_infix("n3/(n2*(n1-n0))"))))
    'n3/(n1-n0)/n2'
    """
    builder = GraphBuilder()

    def read(tree: Tree) -> tuple[bool, bool, Operand]:
        """Whether the tree is negated, whether it is inverted, and the rest of it."""
        if isinstance(tree, Leaf):
            return tree.negated, tree.inverted, tree.operand
        if len(tree.children) < (1 if tree is root else 2):
            raise MTreeError("incomplete", f"a node {tree.kind.value} has {len(tree.children)} children")
        children = [read(child) for child in tree.children]
        if not tree.kind.multiplies:
            return False, tree.kind is Kind.INVERTED_SUM, total(children)
        negated = sum(negated for negated, _, _ in children) % 2 == 1
        above, below = ([o for _, inverted, o in children if inverted is side] for side in (False, True))
        return negated != (tree.kind is Kind.NEGATED_PRODUCT), False, row(Operator.MULTIPLY, above, below)

    def total(children: Sequence[tuple[bool, bool, Operand]]) -> Operand:
        terms = [(negated, row(Operator.MULTIPLY, [], [o]) if inverted else o) for negated, inverted, o in children]
        plus, minus = ([operand for negated, operand in terms if negated is side] for side in (False, True))
        return row(Operator.ADD, plus, minus)

    def row(operator: Operator, first: list[Operand], then: list[Operand]) -> Operand:
        """The sum of ``first`` minus each of ``then``, or their product divided by each of ``then``."""
        back = Operator.SUBTRACT if operator is Operator.ADD else Operator.DIVIDE
        result, *rest = first or [_ZERO if operator is Operator.ADD else _ONE]
        for operand in rest:
            result = builder.add(operator, result, operand)
        for operand in then:
            result = builder.add(back, result, operand)
        return result

    return builder.graph(total([read(root)]))


def codes(root: Node) -> list[tuple[Number | Constant, str]]:
    """Every leaf with its code, none twice.

    >>> from treequation.expression.parsing import parse_infix
    >>> for leaf, code in codes(to_mtree(parse_infix("n0*n1-n2/n3"))):
    ...     print(leaf, code)
    Number(index=0) + * n
    Number(index=1) + * n
    Number(index=2) + -* n
    Number(index=3) + -* 1/n
    >>> [code for _, code in codes(to_mtree(parse_infix("n0*n0+n1*n2")))]  # equal siblings are marked
    ['+ * n', '+ * n2', '+ *2 n', '+ *2 n']
    """
    found: list[tuple[Number | Constant, str]] = []

    def walk(node: Node, way: str) -> None:
        seen: Counter[Kind | Leaf] = Counter()
        for child in node.children:
            like = child if isinstance(child, Leaf) else child.kind
            seen[like] += 1
            mark = str(seen[like]) if seen[like] > 1 else ""
            if isinstance(child, Leaf):
                found.append((child.operand, f"{way} {_BITS[child.negated, child.inverted]}{mark}"))
            else:
                walk(child, f"{way} {child.kind.value}{mark}")

    walk(root, Kind.SUM.value)
    return found


def from_codes(coded: Iterable[tuple[Number | Constant, str]]) -> Node:
    """The tree of these leaves and codes.

    Nothing is checked: :func:`from_mtree` refuses a tree that is not an equation.

    >>> tree_text(from_codes([(Number(0), "+ n"), (Number(1), "+ * n"), (Number(1), "+ * n2")]))
    '+(n0,*(n1,n1))'
    """
    leaves: dict[str, list[Tree]] = defaultdict(list)  # by the path to their node
    inside: dict[str, dict[str, None]] = defaultdict(dict)  # the paths to a node's inner children, each once
    for operand, code in coded:
        *steps, bits = code.split()
        negated, inverted = _READ_BITS[bits.rstrip("0123456789")]
        way = steps[0]
        for step in steps[1:]:
            inside[way].setdefault(f"{way} {step}")
            way = f"{way} {step}"
        leaves[way].append(Leaf(operand, negated, inverted))

    def node(way: str) -> Node:
        kind = Kind(way.split()[-1].rstrip("0123456789"))
        return Node(kind, (*leaves[way], *(node(inner) for inner in inside[way])))

    return _in_order(node(Kind.SUM.value))


def _in_order(root: Node) -> Node:
    """The tree with all children sorted: by their first leaf, numbers of the text before constants."""

    def ordered(tree: Tree) -> tuple[tuple[tuple[int, ...], str], Tree]:
        if isinstance(tree, Leaf):
            leaf = tree.operand
            own = (0, leaf.index) if isinstance(leaf, Number) else (1, leaf.value.numerator, leaf.value.denominator)
            return (own, _BITS[tree.negated, tree.inverted]), tree
        children = sorted(map(ordered, tree.children), key=lambda child: child[0])
        first = children[0][0][0] if children else ()
        node = Node(tree.kind, tuple(child for _, child in children))
        return (first, tree_text(node)), node

    node = ordered(root)[1]
    assert isinstance(node, Node)
    return node


def tree_text(tree: Tree) -> str:
    """The tree in one line.

    >>> tree_text(Node(Kind.SUM, (Leaf(Number(0)), Leaf(Number(1), negated=True))))
    '+(n0,-n1)'
    """
    if isinstance(tree, Node):
        return f"{tree.kind.value}({','.join(map(tree_text, tree.children))})"
    name = f"n{tree.operand.index}" if isinstance(tree.operand, Number) else str(tree.operand.value)
    return _BITS[tree.negated, tree.inverted].replace("n", name)
