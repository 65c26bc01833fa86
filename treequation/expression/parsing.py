"""Reads equations written the usual way, such as ``x = (11-1)*2`` or ``temp_a × 20%``.

The parser is an operator stack (Dijkstra's shunting yard) rather than a recursive descent, so that no text,
however deeply nested, can exhaust Python's stack. An equation that is too long or too deep raises an
:class:`EquationError`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

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

Resolve = Callable[[str], Operand | None]
"""Returns the operand that a leaf's text stands for, or None to leave it to :func:`read_leaf`."""

MAX_CHARACTERS = 10_000
MAX_EXPRESSIONS = 1_000
MAX_DEPTH = 200
MAX_DIGITS = 1_000

_EXCERPT = 80  # characters of a long equation shown around an error


class EquationError(ValueError):
    """An equation that cannot be read: what is wrong with it, and where.

    >>> print(EquationError("an operand is missing here", "2 + * 3", 4))
    an operand is missing here
      2 + * 3
          ^
    """

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(message, text, position)
        self.message = message
        self.text = text
        self.position = position

    def __str__(self) -> str:
        start = max(0, min(self.position - _EXCERPT // 2, len(self.text) - _EXCERPT))
        excerpt = "".join(c if c.isprintable() else " " for c in self.text[start : start + _EXCERPT])
        # Full-width characters take two columns of a terminal, which moves the caret.
        before = excerpt[: self.position - start]
        columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in before)
        return f"{self.message}\n  {excerpt}\n  {' ' * columns}^"


class BoundedBuilder:
    """Builds a parser's graph, and refuses an equation that exceeds the bounds."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_CHARACTERS:
            raise EquationError(f"the equation is longer than {MAX_CHARACTERS} characters", text, MAX_CHARACTERS)
        self._text = text
        self._builder = GraphBuilder()
        self._depths: list[int] = []

    def add(self, operator: Operator, left: Operand, right: Operand, position: int) -> Result:
        """The result of ``left operator right``, read at ``position`` of the text."""
        result = self._builder.add(operator, left, right)
        if result.index == len(self._depths):
            depth = 1 + max(self._depth(left), self._depth(right))
            if depth > MAX_DEPTH:
                raise EquationError(f"the equation is deeper than {MAX_DEPTH} expressions", self._text, position)
            if result.index == MAX_EXPRESSIONS:
                message = f"the equation has more than {MAX_EXPRESSIONS} expressions"
                raise EquationError(message, self._text, position)
            self._depths.append(depth)
        return result

    def __getitem__(self, result: Result) -> Expression:
        return self._builder[result]

    def _depth(self, operand: Operand) -> int:
        return self._depths[operand.index] if isinstance(operand, Result) else 0

    def graph(self, root: Operand) -> ExpressionGraph:
        """The graph of all that ``root`` depends on."""
        return self._builder.graph(root)


_UNSIGNED = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_BELOW_ONE = r"\((\d+)/(\d+)\)|\(\((\d+)\)/\((\d+)\)\)"  # Math23K writes some mixed numbers as 4((1)/(2))
_LITERAL = re.compile(rf"([+-]?)({_UNSIGNED})(?:(%)|/(\d+)|{_BELOW_ONE})?", re.ASCII)
_NUMBERED_NAME = re.compile(r"(?:n|N|number)([0-9]{1,4})")
_LETTERED_NAME = re.compile(r"temp_([a-z])")


@lru_cache(maxsize=4096)
def read_leaf(text: str) -> Number | Constant | None:
    """The operand that a leaf stands for in every notation: a literal is a constant, ``n0`` or ``temp_a`` a number.

    >>> read_leaf("temp_b")
    Number(index=1)
    >>> read_leaf("20%"), read_leaf("3(1/2)")
    (Constant(value=Fraction(1, 5)), Constant(value=Fraction(7, 2)))
    >>> read_leaf("apples") is None
    True
    """
    if name := _NUMBERED_NAME.fullmatch(text):
        return Number(int(name[1]))
    if name := _LETTERED_NAME.fullmatch(text):
        return Number(ord(name[1]) - ord("a"))
    literal = _LITERAL.fullmatch(text)
    if literal is None or len(text) > MAX_DIGITS:
        return None
    sign, digits, percent, denominator, *below_one = literal.groups()
    value = Fraction(digits)
    if percent:
        value /= 100
    try:
        if denominator:
            value /= int(denominator)
        if part := [int(number) for number in below_one if number]:
            value += Fraction(*part)
    except ZeroDivisionError:
        return None
    return Constant(-value if sign == "-" else value)


# Every spelling and its meaning is a single character, so that positions in the text stay the same.
_SPELLINGS = {
    "+": "＋",
    "-": "－−–—",
    "*": "×∗＊·⋅",
    "/": "÷／∶：:",
    "^": "＾",
    "=": "＝",
    "%": "％",
    ".": "．",
    ",": "，",
}
_SPELLINGS |= {"(": "（", ")": "）", "[": "［【", "]": "］】", "{": "｛", "}": "｝"}
_SPELLINGS |= {str(digit): chr(ord("０") + digit) for digit in range(10)}
_SAME_MEANING = str.maketrans({other: sign for sign, others in _SPELLINGS.items() for other in others})

_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<literal>  [0-9]+ \([0-9]+/[0-9]+\)
                  | [0-9]+ \(\([0-9]+\)/\([0-9]+\)\)
                  | {_UNSIGNED} (?:\s*%)? )
    | (?P<fraction> \(\s*(?P<above>[0-9]+)\s*/\s*(?P<below>[0-9]+)\s*\) )
    | (?P<name>     [^\W0-9]\w* )
    | (?P<operator> \*\*|[-+*/^] )
    | (?P<opening>  [\(\[{{⌈⌊] )
    | (?P<closing>  [\)\]}}⌉⌋] )
    | (?P<comma>    , )
    | (?P<equals>   = )
    )\s*""",
    re.VERBOSE,
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "⌈": "⌉", "⌊": "⌋"}
_FUNCTIONS = {operator.value: operator for operator in (Operator.REMAINDER, Operator.ROUND_UP, Operator.ROUND_DOWN)}
_ROUNDING = {"⌈": Operator.ROUND_UP, "⌊": Operator.ROUND_DOWN}
_CALLS = {Operator.REMAINDER: "mod(a, b)", Operator.ROUND_UP: "ceil(a/b)", Operator.ROUND_DOWN: "floor(a/b)"}
OPERATORS = {operator.value: operator for operator in Operator} | {"**": Operator.POWER}

PRECEDENCE = {
    Operator.ADD: 1,
    Operator.SUBTRACT: 1,
    Operator.MULTIPLY: 2,
    Operator.DIVIDE: 2,
    Operator.POWER: 4,
    Operator.REMAINDER: 2,
    Operator.ROUND_UP: 2,  # that of the division inside; ceil(a/b) itself has brackets of its own
    Operator.ROUND_DOWN: 2,
}
_PRECEDENCE_OF_MINUS = 3  # -2^2 is -(2^2), as in every textbook
_PRECEDENCE_OF_BRACKET = 0


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    position: int
    parts: tuple[str, str] | None = None  # numerator and denominator of a bracketed fraction


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An operator, a minus sign (``operator`` is None) or an open bracket, waiting for its right operand.

    The bracket of a function, ``ceil(`` or ``⌈``, has the function as its operator. ``operands`` counts those before a
    comma.
    """

    precedence: int
    position: int
    operator: Operator | None = None
    closing: str = ""
    operands: int = 0


def parse_infix(text: str, resolve: Resolve | None = None) -> ExpressionGraph:
    """The graph of an equation in the usual notation; an unknown ``x`` may stand alone on one side of ``=``.

    ``^`` and ``**`` group from the right, everything else from the left. ``3(1/2)`` is a mixed number and ``20%`` is
    1/5. ``mod(a, b)`` or ``a mod b``, which binds like a product, is the remainder; ``ceil(a/b)`` or ``⌈a ÷ b⌉`` is
    the division rounded up, and ``floor`` rounds down; anything else in their brackets is divided by 1.

    ``resolve`` gets the text of a leaf, without spaces, and may return its operand. It is also given a bracketed
    fraction, ``(1/5)``, as one leaf; if it returns None, the fraction is a division.

    >>> parse_infix("x = n0*5 + n1*4") == parse_infix("temp_a × 5 + temp_b × 4")
    True
    >>> parse_infix("(1/5)*40", {"(1/5)": Number(0), "40": Number(1)}.get).leaves
    (Number(index=0), Number(index=1))
    >>> parse_infix("ceil((34+9)/16)*85") == parse_infix("⌈(34 + 9) ÷ 16⌉ × 85")
    True
    """
    builder = BoundedBuilder(text)
    tokens, end = _without_unknown(_tokens(text), text)
    return builder.graph(_InfixParser(text, resolve, builder).parse(tokens, end))


def _tokens(text: str) -> list[_Token]:
    plain = text.translate(_SAME_MEANING)
    tokens = []
    position = 0
    while position < len(plain):
        match = _TOKEN.match(plain, position)
        if match is None:
            position += len(plain) - position - len(plain[position:].lstrip())
            if position == len(plain):
                break
            raise EquationError(f"{text[position]!r} is not allowed in an equation", text, position)
        kind = str(match.lastgroup)
        if kind == "below":  # the last group inside a fraction
            kind = "fraction"
        parts = (match["above"], match["below"]) if kind == "fraction" else None
        tokens.append(_Token(kind, "".join(match[kind].split()), match.start(kind), parts))
        position = match.end()
    return tokens


def _without_unknown(tokens: list[_Token], text: str) -> tuple[list[_Token], int]:
    """The side of the equation that holds the expression, and the position at which it ends."""
    equals = [index for index, token in enumerate(tokens) if token.kind == "equals"]
    if not equals:
        return tokens, len(text)
    if len(equals) > 1:
        raise EquationError("the equation has a second '='", text, tokens[equals[1]].position)
    left, right = tokens[: equals[0]], tokens[equals[0] + 1 :]
    position = tokens[equals[0]].position
    if _is_unknown(left):
        return right, len(text)
    if _is_unknown(right):
        return left, position
    raise EquationError("one side of '=' must be the unknown x alone", text, position)


def _is_unknown(side: list[_Token]) -> bool:
    return len(side) == 1 and side[0].text in ("x", "X")


class _InfixParser:
    def __init__(self, text: str, resolve: Resolve | None, builder: BoundedBuilder) -> None:
        self._text = text
        self._resolve = resolve
        self._builder = builder
        self._operands: list[Operand] = []
        self._waiting: list[_Waiting] = []
        self._called: Operator | None = None  # the function whose bracket must come next

    def parse(self, tokens: list[_Token], end: int) -> Operand:
        after_operand = False
        for token in tokens:
            after_operand = self._continue(token) if after_operand else self._start(token)
        if not after_operand:
            raise self._error(self._missing(), end)
        self._apply_down_to(_PRECEDENCE_OF_BRACKET + 1)
        if self._waiting:
            raise self._error("this bracket is never closed", self._waiting[-1].position)
        return self._operands.pop()

    def _start(self, token: _Token) -> bool:
        """Takes a token where an operand must begin; True once the operand is complete."""
        called, self._called = self._called, None
        if called is not None and (token.text == "(" or token.parts):
            self._waiting.append(_Waiting(_PRECEDENCE_OF_BRACKET, token.position, called, closing=")"))
            if not token.parts:
                return False
            left, right = (self._leaf(part, token.position) for part in token.parts)
            self._operands.append(self._builder.add(Operator.DIVIDE, left, right, token.position))
            return self._close(token)
        if called is not None:
            self._called = called
            raise self._error(self._missing(), token.position)
        if token.kind == "name" and token.text in _FUNCTIONS:
            self._called = _FUNCTIONS[token.text]
            return False
        if token.kind in ("literal", "name"):
            self._operands.append(self._leaf(token.text, token.position))
            return True
        if token.parts is not None:
            self._operands.append(self._fraction(token, *token.parts))
            return True
        if token.kind == "opening":
            rounds, closing = _ROUNDING.get(token.text), _CLOSING[token.text]
            self._waiting.append(_Waiting(_PRECEDENCE_OF_BRACKET, token.position, rounds, closing))
        elif token.text == "-":
            self._waiting.append(_Waiting(_PRECEDENCE_OF_MINUS, token.position))
        elif token.text != "+":  # a plus sign before an operand changes nothing
            raise self._error("an operand is missing here", token.position)
        return False

    def _continue(self, token: _Token) -> bool:
        """Takes a token after a complete operand; True while that operand is still the last thing read."""
        if token.kind == "operator" or token.text == Operator.REMAINDER.value:
            operator = OPERATORS[token.text]
            precedence = PRECEDENCE[operator]
            # Of two equal operators the left one goes first, except that powers group from the right.
            self._apply_down_to(precedence + 1 if operator is Operator.POWER else precedence)
            self._waiting.append(_Waiting(precedence, token.position, operator))
            return False
        if token.kind == "closing":
            return self._close(token)
        if token.kind == "comma":
            self._apply_down_to(_PRECEDENCE_OF_BRACKET + 1)
            bracket = self._waiting[-1] if self._waiting else None
            if bracket is None or bracket.operator is not Operator.REMAINDER or bracket.operands:
                raise self._error("a comma is only allowed between the operands of mod(a, b)", token.position)
            self._waiting[-1] = replace(bracket, operands=1)
            return False
        raise self._error("an operator is missing here", token.position)

    def _close(self, token: _Token) -> bool:
        """Takes a closing bracket, or a fraction that ends with one; what is inside becomes an operand."""
        self._apply_down_to(_PRECEDENCE_OF_BRACKET + 1)
        if not self._waiting:
            raise self._error("this bracket was never opened", token.position)
        bracket = self._waiting.pop()
        if bracket.closing != token.text and token.parts is None:
            raise self._error(f"{bracket.closing!r} is expected here", token.position)
        if bracket.operator is Operator.REMAINDER:
            if not bracket.operands:
                raise self._error("mod(a, b) needs two operands, with a comma between them", token.position)
            right, left = self._operands.pop(), self._operands.pop()
            self._operands.append(self._builder.add(bracket.operator, left, right, bracket.position))
        elif bracket.operator is not None:
            left, right = self._divided(self._operands.pop())
            self._operands.append(self._builder.add(bracket.operator, left, right, bracket.position))
        return True

    def _divided(self, operand: Operand) -> tuple[Operand, Operand]:
        """The dividend and divisor of a rounded division."""
        if isinstance(operand, Result):
            expression = self._builder[operand]
            if expression.operator is Operator.DIVIDE:
                return expression.left, expression.right
        return operand, Constant(Fraction(1))

    def _missing(self) -> str:
        if self._called is None:
            return "an operand is missing here"
        return f"an opening bracket is missing here, as in {_CALLS[self._called]}"

    def _apply_down_to(self, precedence: int) -> None:
        while self._waiting and self._waiting[-1].precedence >= precedence:
            waiting = self._waiting.pop()
            right = self._operands.pop()
            if waiting.operator is not None:
                left = self._operands.pop()
                self._operands.append(self._builder.add(waiting.operator, left, right, waiting.position))
            elif isinstance(right, Constant):
                self._operands.append(Constant(-right.value))
            else:
                zero = Constant(Fraction(0))
                self._operands.append(self._builder.add(Operator.SUBTRACT, zero, right, waiting.position))

    def _fraction(self, token: _Token, above: str, below: str) -> Operand:
        whole = self._resolve(token.text) if self._resolve else None
        if whole is not None:
            return whole
        left, right = self._leaf(above, token.position), self._leaf(below, token.position)
        return self._builder.add(Operator.DIVIDE, left, right, token.position)

    def _leaf(self, source: str, position: int) -> Operand:
        operand = (self._resolve(source) if self._resolve else None) or read_leaf(source)
        if operand is None:
            raise self._error(_why_not_a_leaf(source), position)
        return operand

    def _error(self, message: str, position: int) -> EquationError:
        return EquationError(message, self._text, position)


def _why_not_a_leaf(source: str) -> str:
    if source in ("x", "X"):
        return "the unknown x must be alone on one side of '='"
    if len(source) > MAX_DIGITS:
        return f"the number has more than {MAX_DIGITS} digits"
    if source[0].isdigit():
        return f"{source} divides by zero"
    return f"{source!r} is not a number, such as 12, 0.5 or 20%"
