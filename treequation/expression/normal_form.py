"""A normal form: the same graph for all equations that differ only in the order and grouping of their steps.

The order of terms and factors does not matter, a−b is a+(−b), a÷b is a×b⁻¹, and constants are folded. Internally, an
equation is a *form*: a sum of products with coefficients. The factors of a product are *atoms*: numbers of the text,
sums, powers that cannot be simplified, remainders and rounded quotients. Products of sums are not multiplied out.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from hashlib import blake2b

from treequation.expression.evaluation import Value, calculate
from treequation.expression.graph import (
    Constant,
    ExpressionGraph,
    GraphBuilder,
    Number,
    Operand,
    Operator,
    Result,
)

_Atom = str  # a name that depends only on the atom's content, so that atoms can be sorted by it
_Product = tuple[tuple[_Atom, int], ...]  # atoms with their exponents, in order; () is the constant 1
_Form = Mapping[_Product, Fraction]  # the terms of a sum with their coefficients; {} is 0

_MAX_EXPONENT = 64  # a larger power is kept as a power
_ONE = Fraction(1)


def canonical(graph: ExpressionGraph) -> ExpressionGraph:
    """The normal form, itself a graph, so that it can be hashed, compared, printed and evaluated.

    An equation without an exact value, such as one that divides by zero, is its own normal form.

    >>> from treequation.expression.parsing import parse_infix
    >>> from treequation.expression.printing import to_infix
    >>> to_infix(canonical(parse_infix("(n2-(n1-n0))*3/6")))
    'n0*0.5+n2*0.5-n1*0.5'
    >>> canonical(parse_infix("n0/(n1/n2)")) == canonical(parse_infix("n2*n0/n1"))
    True
    """
    forms = _Forms()
    try:
        return forms.graph(graph.fold(forms.leaf, lambda step, left, right: forms.combine(step.operator, left, right)))
    except ArithmeticError:
        return graph


class _Forms:
    """Combines forms, and records what each atom stands for."""

    def __init__(self) -> None:
        self._numbers: dict[_Atom, Number] = {}
        self._sums: dict[_Atom, _Form] = {}
        self._functions: dict[_Atom, tuple[Operator, _Form, _Form]] = {}  # powers, remainders, rounded quotients
        self._compound: list[_Atom] = []  # sums and functions, each after those that it contains

    def leaf(self, leaf: Number | Constant) -> _Form:
        if isinstance(leaf, Constant):
            return {(): leaf.value} if leaf.value else {}
        atom = f"{leaf.index:09}"
        self._numbers[atom] = leaf
        return {((atom, 1),): _ONE}

    def combine(self, operator: Operator, left: _Form, right: _Form) -> _Form:
        if operator is Operator.ADD:
            return _sum(left, right, _ONE)
        if operator is Operator.SUBTRACT:
            return _sum(left, right, -_ONE)
        if operator is Operator.MULTIPLY:
            return self._multiply(left, right, 1)
        if operator is Operator.DIVIDE:
            return self._multiply(left, right, -1)
        if operator.rounds:
            return self._function(operator, self._multiply(left, right, -1), {(): _ONE})
        if operator is Operator.REMAINDER:
            self._multiply(left, right, -1)  # raises if it divides by zero
            return self._function(operator, left, right)
        return self._power(left, right)

    def _multiply(self, left: _Form, right: _Form, exponent: int) -> _Form:
        """``left × right^exponent``."""
        (a, product), (b, other) = self._as_product(left), self._as_product(right)
        coefficient = _exact(Operator.MULTIPLY, a, _exact(Operator.POWER, b, Fraction(exponent)))
        exponents = dict(product)
        for atom, power in other:
            exponents[atom] = exponents.get(atom, 0) + power * exponent
        return self._as_form(coefficient, tuple(sorted(item for item in exponents.items() if item[1])))

    def _power(self, base: _Form, exponent: _Form) -> _Form:
        constant = exponent.get((), Fraction(0)) if set(exponent) <= {()} else None
        if constant is not None and set(base) <= {()}:
            value = calculate(Operator.POWER, Value(base.get((), Fraction(0))), Value(constant)).number
            if value is None:
                raise ArithmeticError
            if isinstance(value, Fraction):
                return {(): value} if value else {}
        elif constant is not None and constant.denominator == 1 and abs(constant) <= _MAX_EXPONENT:
            return self._multiply({(): _ONE}, base, constant.numerator)
        return self._atom(Operator.POWER, base, exponent)

    def _function(self, operator: Operator, left: _Form, right: _Form) -> _Form:
        """An opaque function of its operands' forms; a constant if both are constants."""
        if not left:
            return {}
        if set(left) | set(right) <= {()}:
            value = _exact(operator, left.get((), Fraction(0)), right.get((), Fraction(0)))
            return {(): value} if value else {}
        return self._atom(operator, left, right)

    def _atom(self, operator: Operator, left: _Form, right: _Form) -> _Form:
        atom = _name(operator.value, left, right)
        if atom not in self._functions:
            self._functions[atom] = operator, left, right
            self._compound.append(atom)
        return {((atom, 1),): _ONE}

    def _as_product(self, form: _Form) -> tuple[Fraction, _Product]:
        """A form as a coefficient and a product; a sum becomes an atom whose first coefficient is 1."""
        if len(form) <= 1:
            return next(((coefficient, product) for product, coefficient in form.items()), (Fraction(0), ()))
        first = form[min(form)]
        scaled = {product: _exact(Operator.DIVIDE, c, first) for product, c in form.items()}
        atom = _name("+", scaled)
        if atom not in self._sums:
            self._sums[atom] = scaled
            self._compound.append(atom)
        return first, ((atom, 1),)

    def _as_form(self, coefficient: Fraction, product: _Product) -> _Form:
        """The inverse of :meth:`_as_product`: a sum that is the only factor becomes a sum again."""
        if not coefficient:
            return {}
        if len(product) == 1 and product[0][1] == 1 and product[0][0] in self._sums:
            terms = self._sums[product[0][0]]
            return {term: _exact(Operator.MULTIPLY, c, coefficient) for term, c in terms.items()}
        return {product: coefficient}

    def graph(self, root: _Form) -> ExpressionGraph:
        builder = GraphBuilder()
        operands: dict[_Atom, Operand] = dict(self._numbers)
        for atom in self._compound:
            if atom in self._sums:
                operands[atom] = _write_sum(self._sums[atom], operands, builder)
            else:
                operator, *forms = self._functions[atom]
                left, right = (_write_sum(form, operands, builder) for form in forms)
                quotient = builder[left] if operator.rounds and isinstance(left, Result) else None
                if quotient is not None and quotient.operator is Operator.DIVIDE:
                    left, right = quotient.left, quotient.right
                operands[atom] = builder.add(operator, left, right)
        return builder.graph(_write_sum(root, operands, builder))


def _sum(left: _Form, right: _Form, factor: Fraction) -> _Form:
    terms = dict(left)
    for product, coefficient in right.items():
        operator = Operator.ADD if factor > 0 else Operator.SUBTRACT
        terms[product] = _exact(operator, terms.get(product, Fraction(0)), coefficient)
    return {product: coefficient for product, coefficient in terms.items() if coefficient}


def _exact(operator: Operator, left: Fraction, right: Fraction) -> Fraction:
    value = calculate(operator, Value(left), Value(right)).number
    if not isinstance(value, Fraction):
        raise ArithmeticError
    return value


def _name(kind: str, *forms: _Form) -> _Atom:
    content = [sorted((product, str(c)) for product, c in form.items()) for form in forms]
    return kind + blake2b(repr(content).encode(), digest_size=16).hexdigest()


def _write_sum(form: _Form, operands: Mapping[_Atom, Operand], builder: GraphBuilder) -> Operand:
    """Positive terms come before negative ones, and the constant is the last of its sign."""
    total: Operand | None = None
    for product in sorted(form, key=lambda product: (form[product] < 0, product == (), product)):
        coefficient = form[product]
        if total is None and (coefficient > 0 or product == ()):
            total = _write_product(coefficient, product, operands, builder)
            continue
        operator = Operator.ADD if coefficient > 0 else Operator.SUBTRACT
        term = _write_product(abs(coefficient), product, operands, builder)
        total = builder.add(operator, Constant(Fraction(0)) if total is None else total, term)
    return Constant(Fraction(0)) if total is None else total


def _write_product(
    coefficient: Fraction, product: _Product, operands: Mapping[_Atom, Operand], builder: GraphBuilder
) -> Operand:
    total: Operand | None = None
    for atom, exponent in product:
        if exponent > 0:
            factor = _write_power(operands[atom], exponent, builder)
            total = factor if total is None else builder.add(Operator.MULTIPLY, total, factor)
    if total is None:
        total = Constant(coefficient)
    elif coefficient != 1:
        total = builder.add(Operator.MULTIPLY, total, Constant(coefficient))
    for atom, exponent in product:
        if exponent < 0:
            total = builder.add(Operator.DIVIDE, total, _write_power(operands[atom], -exponent, builder))
    return total


def _write_power(base: Operand, exponent: int, builder: GraphBuilder) -> Operand:
    return base if exponent == 1 else builder.add(Operator.POWER, base, Constant(Fraction(exponent)))
