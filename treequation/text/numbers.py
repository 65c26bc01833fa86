"""Finds the numbers in a problem's text, with their positions and exact values.

Training and solving use the same finder, so that a model sees the same kinds of numbers in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from unicodedata import normalize

from treequation.text.chinese import AFTER_TENTHS, SIMPLIFIED, find_chinese, tenths_value
from treequation.text.compound import joined
from treequation.text.english import OF_THE_REST, PARTS, PER_CENT, find_english
from treequation.text.problem import FoundNumber, NumberFormat

#: A numeral with more digits is a serial number or noise, not an amount; it is skipped entirely.
MAX_DIGITS = 40

# One character becomes one character, so that positions in the plain text are those of the original. The full-width
# full stop and comma stay: they separate sentences and the items of a list.
_PLAIN = dict(zip(map(ord, "／％٪٫（）　\u00a0\u2009\u202f⁄∕−–－‐‑’"), "/%%.()    //-----'", strict=True))
# Digits of other scripts, and bold, double-struck, sans-serif and monospace ones, are read as 0 to 9.
_DIGITS = {ord(zero) + digit: str(digit) for zero in "０٠۰०০੦૦୦௦౦೦൦๐໐༠၀០᠐𝟎𝟘𝟢𝟬𝟶" for digit in range(10)}
_VULGAR = {character: Fraction(normalize("NFKC", character).replace("⁄", "/")) for character in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒"}
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_EXPONENTS = str.maketrans(f"{_RAISED}⁺⁻", "0123456789+-")
# An apostrophe or a non-breaking space before three digits groups them; an ordinary space may separate two numbers.
_GROUPING = re.compile("(?<=[0-9])['’\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9/]|[ ][0-9]{3}(?![0-9])))")

# Every repetition is possessive or bounded, which keeps the search linear in the length of the text.
_INTEGER = "[0-9]++"
_GROUPED = (
    "[0-9]{1,3}(?:,[0-9]{2,3}){0,8},[0-9]{3}(?!,?[0-9])"  # 1,234,567 and the Indian 12,34,567
    "|[1-9][0-9]{0,2}(?:[ ][0-9]{3}){0,8}[ ]000(?![0-9])"  # 26 000, 1 500 000; no amount is written 000
)
_NUMERAL = rf"(?:{_GROUPED}|{_INTEGER})(?:[.．][0-9]++)?|(?<![0-9A-Za-z\u4e00-\u9fff])\.[0-9]++"
_EXPONENT = rf"e[-+]?[0-9]++(?![A-Za-z]|[.,][0-9])|[⁺⁻]?[{_RAISED}]++(?!/[₀-₉])"  # 3e8, 10⁻³, but not 2³⁄₄
# A minus sign may follow these: "气温-4℃", "是-4". After other words, such as 5月-8月, it is a dash.
_BEFORE_MINUS = "(?<![^ ($€£¥₹,:：，为是到至从由在得于温低高约和与及或比加减乘以])(?<![0-9)%][ ])"
_MINUS = f"{_BEFORE_MINUS}-"
_PERCENT = rf"(?:[ ]?\\?(?:%|‰)|{PER_CENT})"
# The fraction in "2-1/2 feet" and 2-1/2"; in "5-1/2 is" the hyphen is a minus sign.
_NO_UNIT = "is|are|of|equals?|plus|minus|times|divided|if|when|and|then|in|by"
_BEFORE_UNIT = rf"[0-9]{{1,3}}/[0-9]{{1,3}}(?:[ -]?(?!(?:{_NO_UNIT})\b)[A-Za-z]|[\"'])"
_CURRENCY = "Rs|INR|USD|EUR|GBP|CHF|CAD|AUD|HKD|JPY|CNY|RMB|RM"
# In 5" x7" and 10 cm x4 cm, the x is a sign of multiplication, and x7 is no name.
_SIDES = ("[ ]", "['\"]", "['\"][ ]", "m[ ]", "(?:[cdkm]m|ft|in)[ ]", "[ ]m[ ]", "[ ](?:[cdkm]m|ft|in)[ ]")
_BY = rf"(?:{'|'.join(f'(?<=[0-9]{side})' for side in _SIDES)})x[0-9]"
# What a match can begin with: a cheap test that rules out most positions.
_BEGINS = rf"(?=[-.(0-9百\\{''.join(_VULGAR)}]|(?<![0-9A-Za-z])[A-Za-z_]{{1,20}}-?[0-9]|(?<=[0-9])[mcdk])"
_NUMBER = re.compile(
    rf"""
      {_BEGINS}(?:
      (?P<name>
        (?<![0-9A-Za-z])(?!(?:{_CURRENCY})[0-9]|{_BY})
        [A-Za-z][A-Za-z_]{{0,19}}[0-9]{{1,2}}(?![.]?[0-9])                             # "mp3", not "kg12.5"
      | (?<=[0-9])[mcdk]?m[23](?![0-9A-Za-z])                                          # the m2 of "20m2"
      | (?<![0-9A-Za-z])(?-i:[A-Z])[A-Za-z]{{2,19}}-[0-9]{{1,3}}(?![.,/]?[0-9]|%)      # "COVID-19"
      | (?<![-0-9])(?:\([0-9]{{3}}\)[ ]?|[0-9]{{3}}-)[0-9]{{3}}-[0-9]{{4}}(?![-0-9=])  # a telephone number
      )
    | (?:
        (?P<whole>{_INTEGER})?(?P<bracket>\()(?P<top>{_INTEGER})/(?P<bottom>{_INTEGER})\)
      | (?:(?P<above>{_INTEGER})[ ]?)?\\[dt]?frac\{{(?P<over>{_INTEGER})\}}\{{(?P<under>{_INTEGER})\}}    # LaTeX
      | (?:(?P<minus>{_MINUS})|(?<![-+*/×÷=])(?<!/[ ]))                         # but not in a longer calculation
        (?:(?P<units>{_INTEGER})(?:[ ]|又|[ ]and[ ]|-(?={_BEFORE_UNIT})))?
        (?P<numerator>{_INTEGER})[ ]?/[ ]?(?P<denominator>{_INTEGER})
        (?![.]?[0-9]|[ ]?[+*/×÷=]|-[0-9]|[{_RAISED}⁻]|e[-+]?[0-9])
      | (?P<negative>{_MINUS})?(?:(?P<ones>{_INTEGER})[ ]?)?(?P<vulgar>[{"".join(_VULGAR)}])
      )
      (?P<hundredth>{_PERCENT})?
    | (?P<hundredths>百分之)?(?P<numeral>(?:{_MINUS})?(?:{_NUMERAL}))(?P<exponent>{_EXPONENT})?
      (?:
        (?P<ordinal>(?:(?<=1)[ ]?st|(?<=2)[ ]?nd|(?<=3)[ ]?rd|[ ]?th|(?<=\b(?:1[0-9]|20)[0-9]0)'?s)\b)
      | (?P<percent>{_PERCENT})
      | [ ]and[ ]a[ ](?P<extra>half|third|quarter)\b(?!{OF_THE_REST})(?P<extra_percent>{PER_CENT})?
      )?)
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_PIECES = (
    ("whole", "top", "bottom"),
    ("above", "over", "under"),
    ("units", "numerator", "denominator"),
    ("ones", "vulgar"),
)
_IN_TENTHS = re.compile("[1-9](?:[.．]?[1-9])?")
_WITHOUT_POINT = str.maketrans("", "", ".．")
# What makes the numeral after it a label; in "12 # 16", however, the sign is a made-up operation.
_BEFORE_LABEL = re.compile(r"(?:第|\bno\.[ ]?|№[ ]?|(?<![0-9)])(?<![0-9)][ ])#[ ]?)$", re.IGNORECASE | re.ASCII)
_LONGEST_BEFORE_LABEL = 6
_MONEY = tuple("$€£¥￥₹")
_ABBREVIATIONS = {"k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9}
_SHORT = re.compile(r"(?:k|mn?|bn)\b", re.IGNORECASE | re.ASCII)
# In "2 and 1/2 cups" the two make one number. In "the product of 6 and 2/3" and "10 and 1/3 of the rest" they do not.
_OF_TWO = re.compile(r"(?:\b(?:sum|product|difference|quotient|ratio|average|mean)[ ]of|\bbetween)[ ]$", re.IGNORECASE)
_LONGEST_OF_TWO = 16
_REST = re.compile(OF_THE_REST, re.IGNORECASE)
_THOUSANDS = re.compile("-?[1-9][0-9]{0,2} 000")
# The exercise in "3) Tom has", "Question 5: Tom has" and 例1：小明有, at the beginning of a text.
_EXERCISE = re.compile(
    r"\s{0,9}(?:\(?(?P<bare>[0-9]{1,3})(?:[ ]?[.．)][ ]?|、)(?=[A-Za-z\u4e00-\u9fff])"
    r"|(?:question|exercise|problem|example|task|例题?|习题|练习)[ ]?(?P<named>[0-9]{1,3})[ ]?[:：.．、)\n](?![0-9]))",
    re.ASCII | re.IGNORECASE,
)
_ITEM = re.compile(
    r"^[ \t]*+(?:\((?P<inside>[0-9]{1,2})\)|(?P<before>[0-9]{1,2})(?:[.．)](?=[ A-Za-z\u4e00-\u9fff])|、))",
    re.ASCII | re.MULTILINE,
)
_DEFAULT_FORMAT = NumberFormat()


def find_numbers(text: str, format: NumberFormat = _DEFAULT_FORMAT) -> tuple[FoundNumber, ...]:
    """The numbers of any text, in order and without overlaps.

    >>> for number in find_numbers("Ann buys 1 1/2 kg of figs at $5.00, twenty-three nuts, and saves 20 %."):
    ...     print(number.value, number.kind)
    3/2 fraction
    5 digits
    23 word
    1/5 percent
    >>> text = "The 3rd of 5 % is 2/3."
    >>> print(*(number.value for number in find_numbers(text, NumberFormat(percent="whole", fraction="two"))))
    5 2 3

    ``text[start:end]`` is the part that has the value; with ``percent="whole"`` it does not include the percent sign.
    """
    plain = with_commas(text.translate(_DIGITS)).translate(_PLAIN)
    found: list[FoundNumber] = []
    for match in _NUMBER.finditer(plain):
        if match["numeral"]:
            found.extend(_numeral(plain, match, format))
        elif not match["name"]:
            found.extend(_fraction(plain, match, format))
    if not format.ordinals and "\n" in plain:
        labels = _numbers_of_items(plain)
        found = [number for number in found if number.start not in labels]
    if format.words:
        plain = plain.replace("\n", " ")  # a number in words may begin at the end of a line
        found += find_english(plain, format)
        if not plain.isascii():
            plain = plain.translate(SIMPLIFIED)
            found += find_chinese(plain, format)
        found.sort(key=lambda number: number.start)
        return tuple(_said_once(plain, joined(plain, found)))
    return tuple(found)


def with_commas(text: str) -> str:
    """The text with commas for the apostrophes and non-breaking spaces that group digits.

    >>> with_commas("1'234'567 or 12’500, and 5'6")
    "1,234,567 or 12,500, and 5'6"
    """
    return _GROUPING.sub(",", text)


def _value(numeral: str) -> Fraction | None:
    if len(numeral) > MAX_DIGITS:
        return None
    return _VULGAR.get(numeral) or Fraction(numeral.replace(",", "").replace(" ", "").replace("．", "."))


def _numeral(plain: str, match: re.Match[str], format: NumberFormat) -> Iterator[FoundNumber]:
    start, end = match.span("numeral")
    value = _value(match["numeral"])
    in_name = plain[start - 1 : start].isalpha()  # the 1e5 of 0x1e5
    if value is not None and match["exponent"] and not in_name:
        value, end = _raised(value, match["exponent"].lower()), match.end("exponent")
    if value is None:
        return
    if match["percent"] or match["hundredths"]:
        yield format.percentage(value, (start, end), match.span(), parts=_parts(match["percent"]))
    elif match["extra"] and format.words and not match["exponent"]:
        value += Fraction(1, PARTS[match["extra"].lower()])
        if match["extra_percent"]:
            yield format.percentage(value, (start, match.start("extra_percent")), (start, match.end()))
        else:
            yield FoundNumber(value, start, match.end(), "word")
    elif format.words and _IN_TENTHS.fullmatch(match["numeral"]) and (tenths := AFTER_TENTHS.match(plain, end)):
        yield FoundNumber(tenths_value(match["numeral"].translate(_WITHOUT_POINT), tenths), start, tenths.end(), "word")
    elif format.fraction == "two" and _THOUSANDS.fullmatch(match["numeral"]):  # where 2/3 is two numbers, so is 26 000
        yield FoundNumber(value / 1000, start, end - 4)
        yield FoundNumber(Fraction(0), end - 3, end)
    elif format.ordinals or not (match["ordinal"] or _is_label(plain, start)):
        short = _SHORT.match(plain, end) if plain[start - 1 : start] in _MONEY else None
        if short:  # $5k and £2m; without the sign, 5k may be a distance
            value, end = value * _ABBREVIATIONS[short[0].lower()], short.end()
        yield FoundNumber(value, start, end, "digits")


def _said_once(plain: str, found: Sequence[FoundNumber]) -> Iterator[FoundNumber]:
    """The numbers without those in brackets that repeat the one before: "seven (7) apples"."""
    before: FoundNumber | None = None
    for number in found:
        repeats = before is not None and before.value == number.value and before.kind != number.kind
        if not (repeats and before and plain[before.end : number.start] == " (" and plain.startswith(")", number.end)):
            yield number
        before = number


def _numbers_of_items(plain: str) -> set[int]:
    """Where the numbers 1, 2, 3, … at the beginnings of lines are, which number the items of a list."""
    items: list[int] = []
    for item in _ITEM.finditer(plain):
        if int(item["inside"] or item["before"]) == len(items) + 1:
            items.append(item.start(item.lastgroup or 0))
    return set(items) if len(items) > 1 else set()


def _parts(sign: str | None) -> int:
    return 1000 if sign and "‰" in sign else 100


def _raised(value: Fraction, exponent: str) -> Fraction | None:
    """The value of 3e8 or 5²; None if it has too many digits or divides by zero."""
    if len(exponent) > 4:
        return None
    times = int(exponent.removeprefix("e").translate(_EXPONENTS))
    bits = max(abs(value.numerator), value.denominator).bit_length()
    if exponent.startswith("e"):
        value *= Fraction(10) ** times
    elif (bits - 1) * abs(times) > 4 * MAX_DIGITS or (not value and times < 0):  # before computing it
        return None
    else:
        value = abs(value) ** times * (-1 if value < 0 else 1)  # −3² is −9
    return value if max(abs(value.numerator), value.denominator) < 10**MAX_DIGITS else None


def _is_label(plain: str, start: int) -> bool:
    """Whether the numeral names a thing: 第3, "bus No. 7", "box #2", or the exercise in "3) Tom has"."""
    if _BEFORE_LABEL.search(plain, max(0, start - _LONGEST_BEFORE_LABEL), start):
        return True
    exercise = _EXERCISE.match(plain)
    return exercise is not None and exercise.start(exercise.lastgroup or 0) == start


def _fraction(plain: str, match: re.Match[str], format: NumberFormat) -> Iterator[FoundNumber]:
    """A written fraction: one number, or its parts, of which 3½ has two."""
    names = next(names for names in _PIECES if match[names[-1]])
    pieces = []
    for name in names:
        if match[name]:
            value = _value(match[name])
            if value is None:
                return
            pieces.append(FoundNumber(value, *match.span(name), "fraction"))
    start, sign = match.start(), -1 if match["minus"] or match["negative"] else 1
    and_between = len(pieces) == 3 and plain[pieces[0].end : pieces[1].start] == " and "
    of_the_rest = and_between and not match["hundredth"] and _REST.match(plain, match.end())
    if and_between and (of_the_rest or _OF_TWO.search(plain, max(0, start - _LONGEST_OF_TWO), start)):
        first = pieces.pop(0)
        yield FoundNumber(sign * first.value, start, first.end, "digits")
        start, sign = pieces[0].start, 1
    value = _of_pieces([piece.value for piece in pieces], match)
    if sign < 0:
        pieces[0] = FoundNumber(-pieces[0].value, start, pieces[0].end, "fraction")
        value = None if value is None else -value
    if value is None or (format.fraction == "two" and len(pieces) > 1):
        yield from pieces
    elif match["hundredth"]:
        bare, signed = (start, match.start("hundredth")), (start, match.end())
        yield format.percentage(value, bare, signed, parts=_parts(match["hundredth"]))
    else:
        yield FoundNumber(value, start, match.end(), "fraction")


def _of_pieces(pieces: list[Fraction], match: re.Match[str]) -> Fraction | None:
    """The value, or None for a division rather than a fraction, such as 36/12 without brackets."""
    if match["vulgar"]:
        return sum(pieces, Fraction(0))
    *whole, numerator, denominator = pieces
    if numerator < denominator or ((match["bracket"] or match["under"]) and denominator):
        return sum(whole, Fraction(0)) + numerator / denominator
    return None
