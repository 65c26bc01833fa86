"""Reads a text that is itself a calculation, such as "What is (2 + 3) × 4?", so that no model has to guess it."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from unicodedata import normalize

from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, ExpressionGraph, Number, Operand
from treequation.expression.parsing import EquationError, Resolve, parse_infix, read_leaf
from treequation.text.chinese import SIMPLIFIED
from treequation.text.latex import from_latex
from treequation.text.numbers import with_commas
from treequation.text.problem import Problem

_LONGEST = 500  # characters; also bounds the search for the question around it
_LARGEST_FACTORIAL = 100

# Signs for what may also be written in words; the last is a private-use character, since "!" may end a sentence.
_SQUARE_ROOT, _CUBE_ROOT, _FACTORIAL = "√", "∛", "\ue000"
_WORD = r"(?<![A-Za-z])"  # the start of a word; Chinese may come right before it
_VULGAR = "¼½¾⅐-⅞"
_RAISED = "⁰¹²³⁴-⁹"


def _between_numbers(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=[0-9)\]）%{_VULGAR}{_RAISED}])\s*(?:{words})\s*(?=[-−√(（\[0-9{_VULGAR}])", re.IGNORECASE)


_IN_WORDS = [
    (re.compile(rf"{_WORD}one(?![A-Za-z])", re.IGNORECASE), "1"),  # elsewhere it is mostly no number
    (re.compile(rf"{_WORD}negative\s+(?=[0-9])|(?:^|(?<=\sis\s))minus\s+(?=[0-9])|负(?=[0-9])", re.IGNORECASE), "-"),
    (re.compile(r"(?<=[0-9)\]])\s*squared(?![A-Za-z])|(?<=[0-9])\s*的平方(?![根米])", re.IGNORECASE), "^2"),
    (re.compile(r"(?<=[0-9)\]])\s*cubed(?![A-Za-z])|(?<=[0-9])\s*的立方(?![根米])", re.IGNORECASE), "^3"),
    (_between_numbers(r"(?:raised\s+)?to\s+the\s+power(?:\s+of)?"), "^"),
    (re.compile(r"(?<=[0-9)\]])\s*(?:raised\s+)?to\s+the\s+([0-9]+)(?:st|nd|rd|th)\s+power", re.IGNORECASE), r"^\1"),
    (
        re.compile(r"(?:the\s+)?remainder\s+(?:when|of)\s+([0-9]+)\s+(?:is\s+)?divided\s+by\s+([0-9]+)", re.IGNORECASE),
        r"\1 mod \2",
    ),
    (_between_numbers("divided by|除以"), "/"),
    (_between_numbers("times|multiplied by|乘以?"), "*"),
    (_between_numbers("plus|加上?"), "+"),
    (_between_numbers("minus|减去?"), "-"),
    (_between_numbers("equals?|等[于於]"), "="),
    (re.compile(rf"(?:the\s+)?square\s+root\s+of\b|{_WORD}sqrt(?=\s*[(0-9])|根号", re.IGNORECASE), _SQUARE_ROOT),
    (re.compile(rf"(?:the\s+)?cube\s+root\s+of\b|{_WORD}cbrt(?=\s*\()", re.IGNORECASE), _CUBE_ROOT),
    (re.compile(r"([0-9.]+)\s*的(?:算术)?平方根"), rf"{_SQUARE_ROOT}\1"),
    (re.compile(r"([0-9.]+)\s*的立方根"), rf"{_CUBE_ROOT}\1"),
    (re.compile(r"(?:the\s+)?factorial\s+of\s+([0-9]+)", re.IGNORECASE), rf"\1{_FACTORIAL}"),
    (re.compile(r"(?<=[0-9)\]}）⌉⌋])(?:!|\s*factorial\b|\s*的阶乘)", re.IGNORECASE), _FACTORIAL),
    (re.compile(rf"{_WORD}mod(?:ulo)?(?![A-Za-z])", re.IGNORECASE), "mod"),
    (re.compile(rf"{_WORD}ceil(?:ing)?(?=\s*\()", re.IGNORECASE), "ceil"),
    (re.compile(rf"{_WORD}floor(?=\s*\()", re.IGNORECASE), "floor"),
]
_MORE_THAN_ARITHMETIC = re.compile(rf"[{_SQUARE_ROOT}{_CUBE_ROOT}{_FACTORIAL}⌈⌊]|mod|ceil|floor")

# Functions that are not supported. "min" and "sec" are also minutes and seconds: names with another meaning must come
# right before a bracket, and not after a number.
_CLEAR = r"(?:a|arc)?(?:sin|cos|tan)h?|log|ln|lg"
_UNCLEAR = r"abs|cot|csc|exp|gcd|hcf|int|lcm|max|min|round|sec"
_UNSUPPORTED = (
    rf"{_WORD}(?:{_CLEAR})(?=\s*[(0-9π])|(?<![0-9])(?<![0-9]\s){_WORD}(?:{_UNCLEAR})(?=\()|{_WORD}pi(?![A-Za-z])"
)

_TIMES = r"(?<=[0-9)\]\s])[xX](?=[0-9(\[\s])"
_ASKED = re.compile(
    r"(?:what(?:'s|[ ]is)|how[ ]much[ ]is|is|does|calculate|compute|work[ ]out|evaluate|请?计算|算一算|求)?[\s:：=]*"
    rf"(?P<calculation>(?:[^A-Za-z\u4e00-\u9fff]|{_TIMES}|{_WORD}(?:mod|ceil|floor)(?![A-Za-z])|{_UNSUPPORTED})+?)"
    r"\s*(?:[=＝]|equals?|is|等于|等於|是|得)?\s*(?:what|how[ ]much|几|多少|true|right|correct|对?吗)?"
    r"[\s?？.。．!！_＿]*",
    re.IGNORECASE,
)
# What can be read in two ways: 50 + 20 %, 3 ÷ 1/3, a ratio or a time of day, and 3(1/2), which may be a product.
_AMBIGUOUS = re.compile(r"[%％].*[-+＋－−–]|[-+＋－−–].*[%％]|÷.*/|/.*÷|[:：∶]|[0-9)\]]\s*[(（\[［]", re.DOTALL)
# A product without a sign: 3(4 + 5) and (3 + 4)(5 + 6), but not 3 (4). After a division it is ambiguous: 6 ÷ 2(1 + 2).
_PRODUCT = re.compile(r"(?<=[0-9])\s*(?=[(（][^()（）]*[-+＋－−–*×^])|(?<=[)）])\s*(?=[(（])")
_REMAINDER_OR_PERCENT = re.compile(r"([0-9]+)\s*[%％]\s*([0-9]+)")
# What is nothing but a calculation. A list (4, -8, 15) is not, nor is what has an unknown: 3 + □ = 7, 3 + ( ) = 7.
_ONLY_SIGNS = re.compile(
    rf"(?=.*[-+*/^×÷＋－−–√∛])(?!.*,\s)(?!.*[(（\[]\s*[)）\]])(?:[-+*/^×÷=＝＋－−–—∗＊·⋅0-9０-９.．,()（）\[\]［］{{}}｛｝%％$€£¥￥\s⌈⌉⌊⌋"
    rf"xX{_SQUARE_ROOT}{_CUBE_ROOT}{_FACTORIAL}{_VULGAR}{_RAISED}⁻⁺]|mod|ceil|floor)+",
    re.DOTALL,
)
_UNKNOWN = re.compile(r"(?:^|[-+*/×÷^=＝(])\s*[xX]|[xX]\s*(?:$|[-+*/×÷^=＝)])")
_EXERCISE = re.compile(r"(?:[0-9]{1,3}[.)]\s+(?=[0-9(√])|[0-9]{1,3}、\s*|\([0-9]{1,3}\)\s+(?=[0-9√]))")  # "1. 3 + 4"
_GROUPING = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_MONEY = re.compile("[$€£¥￥]+")
_THOUSANDS = re.compile(r"(?<![0-9.,])[1-9][0-9]{0,2}(?: [0-9]{3})* 000(?![0-9])")
_SCALES = (10**2, 10**3, 10**4, 10**6, 10**8, 10**9, 10**12)
_MIXED = re.compile(r"(?<![0-9.,/])([0-9]+)(?:\s+|\s*又\s*)([0-9]+)\s*/\s*([0-9]+)(?![0-9.,])")  # 2 1/3, 2又1/3
_WITH_VULGAR = re.compile(rf"(?:([0-9]+)\s*)?([{_VULGAR}])")
_POWER = re.compile(rf"(?<=[0-9)\]）])([⁻⁺]?[{_RAISED}]+)(?![⁄₀-₉])")

_OPENING, _CLOSING = "([{（［｛⌈⌊", ")]}）］｝⌉⌋"
_OPERAND = re.compile(r"\s*[-−–－]?\s*([a-z]*(?=[([{（［｛⌈⌊])|[0-9][0-9.,]*)")  # a number, a bracket or a function
_NUMBER_BEFORE = re.compile(r"[0-9][0-9.,]*\Z")
_NAMED = {"half": Constant(Fraction(1, 2)), "third": Constant(Fraction(1, 3))}
_FACTOR = re.compile(r"f[0-9]+")


class CalculationError(ValueError):
    """A calculation that cannot be done: what is wrong with it, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


def calculation(problem: Problem) -> ExpressionGraph | None:
    """The equation of a text that is nothing but a calculation, or None if it is not.

    Raises :class:`CalculationError` for a calculation with an unsupported function, or with a number outside a
    function's domain: a model could not guess the answer either.

    >>> from treequation.expression.printing import to_infix
    >>> from treequation.text.numbers import find_numbers
    >>> for text in ("What is 2^3 + 4?", "12 x 8 =", "the square root of 144", "4!", "2 cats and 3 dogs"):
    ...     graph = calculation(Problem("", text, find_numbers(text)))
    ...     print(graph and to_infix(graph))
    n0^n1+n2
    n0*n1
    n0^0.5
    n0*3*2
    None
    """
    text = with_commas(_in_digits(problem)).translate(SIMPLIFIED).strip()
    if len(text) > _LONGEST:
        return None
    text = from_latex(text)
    text = text[exercise.end() :] if (exercise := _EXERCISE.match(text)) else text
    for words, sign in _IN_WORDS:
        text = words.sub(sign, text)
    match = _ASKED.fullmatch(text)
    if match is None:
        return None
    written = match["calculation"]
    _refuse_unsupported(written)
    if written.endswith(_FACTORIAL) and text.startswith("!", match.end("calculation")):
        raise CalculationError("!! can be read in two ways", "write (3!)! for the factorial of a factorial")
    only_signs = _ONLY_SIGNS.fullmatch(written) is not None and not _UNKNOWN.search(written)
    if only_signs and re.search("[=＝]", written):
        raise CalculationError(
            "nothing is asked: the text is an equation without an unknown",
            "leave out one side; `treequation check` checks an equation for a problem",
        )
    if not re.search("[/÷]|mod", written):
        written = _PRODUCT.sub("*", written)
    if _AMBIGUOUS.search(written):
        return None
    written = _plain(written)
    free = list(enumerate(problem.values))

    def number_of_the_text(leaf: str) -> Operand | None:
        """The next unused number with the leaf's value; if there is none, the leaf stays a constant."""
        if leaf in _NAMED or _FACTOR.fullmatch(leaf):
            return _named(leaf)
        in_brackets = leaf.startswith("(")
        constant = read_leaf(leaf[1:-1] if in_brackets else leaf)
        for index, value in free:
            if constant == Constant(value):
                free.remove((index, value))
                return Number(index)
        return None if in_brackets else constant

    try:
        graph = _parse(written, number_of_the_text)
    except EquationError as error:
        if _MORE_THAN_ARITHMETIC.search(written):
            raise CalculationError(
                f"the calculation cannot be read: {error.message}",
                "put brackets around what belongs together, as in sqrt(16), (2 + 3)! or mod(10, 3)",
            ) from error
        if only_signs and not any(number.kind == "word" for number in problem.numbers):
            raise CalculationError(
                f"the calculation cannot be read: {error.message}", "write it in full, such as (3 + 4) × 2 - 1/2"
            ) from error
        return None
    return graph if graph.expressions else None


def _in_digits(problem: Problem) -> str:
    """The text with the numbers that it has in words as digits: "ten minus half" is 10 minus (1/2).

    "2.5 million" has two numbers and becomes (2.5*1000000).
    """
    pieces, end = [], 0
    for before, number in pairwise([None, *problem.numbers]):
        if number is None or number.kind != "word":
            continue
        value = str(number.value) if number.value.denominator == 1 else f"({number.value})"
        start = number.start
        if (
            before
            and before.kind == "digits"
            and number.value in _SCALES
            and not problem.text[before.end : start].strip()
        ):
            start, value = before.start, f"({problem.text[before.start : before.end]}*{value})"
        pieces += [problem.text[end:start], value]
        end = number.end
    return "".join([*pieces, problem.text[end:]])


def typed_equation(text: str, resolve: Resolve) -> ExpressionGraph:
    """Reads an equation as people type it: ``x`` for times, roots, factorials and currency signs.

    ``resolve`` returns the operand of a number. Raises :class:`EquationError` or :class:`CalculationError` if the
    equation cannot be read.

    >>> from treequation.expression.printing import to_infix
    >>> to_infix(typed_equation("3 x 1,200 - $8", read_leaf))
    '3*1200-8'
    """
    text = from_latex(with_commas(text))
    for words, sign in _IN_WORDS:
        text = words.sub(sign, text)
    _refuse_unsupported(text)
    return _parse(_plain(text), lambda leaf: _named(leaf) or resolve(leaf))


def _plain(written: str) -> str:
    """As the parser reads it: without currency signs, with * for x, 10000 for 10 000, 3(1/2) for 3½, 2^(3) for 2³.

    >>> _plain("$10 000 x 3 1/2 + ½ - 2³")
    '10000 * 3(1/2) + (1/2) - 2^(3)'
    """
    written = _MONEY.sub(" ", re.sub(_TIMES, "*", written)).replace("⁄", "/").strip()
    written = _THOUSANDS.sub(lambda number: number[0].replace(" ", ""), written)
    return _POWER.sub(lambda power: f"^({normalize('NFKC', power[1])})", with_mixed_numbers(written))


def with_mixed_numbers(text: str) -> str:
    """The text with 3½, 3 1/2 and 3又1/2 as 3(1/2), which the parser reads as one number.

    >>> with_mixed_numbers("3½ + 2 1/3 - ¼")
    '3(1/2) + 2(1/3) - (1/4)'
    """
    text = _WITH_VULGAR.sub(lambda found: f"{found[1] or ''}({normalize('NFKC', found[2]).replace('⁄', '/')})", text)
    return _MIXED.sub(r"\1(\2/\3)", text)


def _refuse_unsupported(written: str) -> None:
    unsupported = re.search(f"{_UNSUPPORTED}|π", written, re.IGNORECASE)
    if unsupported and unsupported[0].lower() in ("pi", "π"):
        raise CalculationError("π cannot be calculated exactly", "write 3.14, or as many digits as you need")
    if unsupported:
        raise CalculationError(
            f"the function {unsupported[0]} is not supported",
            "write its value as a number; + − × ÷ ^, brackets, sqrt, !, mod, ceil and floor are supported",
        )
    either = _REMAINDER_OR_PERCENT.search(written)
    if either:
        first, second = either.groups()
        raise CalculationError(
            f"{either[0]} could be a remainder or a percentage", f"write {first} mod {second}, or {first}% × {second}"
        )


def _parse(written: str, resolve: Resolve) -> ExpressionGraph:
    """Commas group the digits of a number, but in mod(10,300) the comma may also separate the operands."""
    grouped = _GROUPING.sub("", written)
    if "mod" in written and grouped != written:
        try:
            return parse_infix(_written_out(written), resolve)
        except EquationError:
            pass
    return parse_infix(_written_out(grouped), resolve)


# --- roots and factorials --------------------------------------------------------------------------------------------


def _written_out(text: str) -> str:
    """The calculation with roots as powers and factorials as products.

    >>> _written_out("√(9+16)"), _written_out("3" + _FACTORIAL)
    ('((9+16)^half)', '(3*f2)')
    """
    while (place := text.find(_FACTORIAL)) >= 0:
        start = _start_of_operand(text, place)
        operand = text[start:place]
        text = f"{text[:start]}({_product(operand)}){text[place + 1 :]}"
    return _without_roots(text)


def _product(operand: str) -> str:
    """A factorial as a product. Its further factors, such as ``f2`` for 2, are not numbers of the text."""
    number = evaluate(parse_infix(_without_roots(operand), _named), ()).value.number
    if number is None or number != int(number) or not 0 <= number <= _LARGEST_FACTORIAL:
        raise CalculationError(
            f"{operand}! cannot be calculated",
            f"take the factorial of a whole number from 0 to {_LARGEST_FACTORIAL}",
        )
    if number == 0:
        return f"{operand}+f1"
    factors = range(int(number) - 1, 1, -1) or (1,)
    return "*".join([operand, *(f"f{factor}" for factor in factors)])


def _without_roots(text: str) -> str:
    """Roots as powers, from the last root to the first, so that no operand of a root contains another."""
    while (place := max(text.rfind(_SQUARE_ROOT), text.rfind(_CUBE_ROOT))) >= 0:
        end = _end_of_operand(text, place + 1)
        operand = text[place + 1 : end].strip()
        if not operand.startswith("("):
            operand = f"({operand})"
        exponent = "half" if text[place] == _SQUARE_ROOT else "third"
        before = text[:place].rstrip()
        times = "*" if before and (before[-1].isdigit() or before[-1] in _CLOSING) else ""
        text = f"{before}{times}({operand}^{exponent}){text[end:]}"
    return text


def _named(leaf: str) -> Operand | None:
    return Constant(Fraction(leaf[1:])) if _FACTOR.fullmatch(leaf) else _NAMED.get(leaf)


def _start_of_operand(text: str, end: int) -> int:
    """Where the number, bracket or function that ends before ``end`` begins."""
    if number := _NUMBER_BEFORE.search(text, 0, end):
        return number.start()
    start = end - _length_of_bracket(text[:end][::-1], _CLOSING, _OPENING)
    while start and text[start - 1].isalpha():  # ceil(7/2)!
        start -= 1
    return start


def _end_of_operand(text: str, start: int) -> int:
    """Where the number, bracket or function that begins at ``start`` ends."""
    begins = _OPERAND.match(text, start)
    place = begins.end() if begins else start
    if begins and begins[1][:1].isdigit():
        return place
    return place + _length_of_bracket(text[place:], _OPENING, _CLOSING)


def _length_of_bracket(text: str, opening: str, closing: str) -> int:
    """The length of the bracketed part that the text begins with."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character in opening) - (character in closing)
        if depth <= 0:
            if place == 0:
                break
            return place + 1
    raise EquationError("a root or factorial needs a number or a bracket", text, 0)
