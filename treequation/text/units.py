"""Units of measurement as texts write them, in English and Chinese, and the unit of each number in a text."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from treequation.text.problem import FoundNumber

Dimension = tuple[tuple[str, int], ...]
"""Units with their exponents, in order: km/h is ``(("h", -1), ("km", 1))``, and a count is ``()``."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its ``key`` in a dimension, what ``kind`` of quantity it measures, and how an answer writes it.

    ``one`` and ``many`` are the words for 1 and for other values; ``spellings`` are other ways a text may write it.
    """

    key: str
    kind: str
    one: str
    many: str
    spellings: tuple[str, ...] = ()

    @property
    def is_symbol(self) -> bool:
        """Whether it is written as a symbol, such as km, which is the same for one and for many."""
        return self.one == self.many


def _symbol(kind: str, symbol: str, *spellings: str) -> Unit:
    return Unit(symbol, kind, symbol, symbol, spellings)


def _word(kind: str, one: str, many: str, *spellings: str) -> Unit:
    return Unit(one, kind, one, many, spellings)


def _metres() -> list[Unit]:
    units = []
    for short, prefix in (("k", "kilo"), ("c", "centi"), ("m", "milli"), ("d", "deci"), ("", "")):
        stems = [f"{prefix}met{end}" for end in ("er", "re", "ers", "res")]
        units.append(_symbol("length", f"{short}m", *stems))
        area = [f"{say} {stem}" for say in ("square", "sq", "sq.") for stem in (*stems, f"{short}m")]
        units.append(_symbol("area", f"{short}m²", f"{short}m2", f"{short}m^2", *area))
        volume = [f"{say} {stem}" for say in ("cubic", "cu", "cu.") for stem in (*stems, f"{short}m")]
        units.append(_symbol("volume", f"{short}m³", f"{short}m3", f"{short}m^3", *volume))
    return units


def _imperial_lengths() -> list[Unit]:
    units = []
    for one, many, *short in (("mile", "miles"), ("foot", "feet", "ft"), ("inch", "inches"), ("yard", "yards", "yd")):
        units.append(_word("length", one, many, *short))
        for say, kind, *brief in (("square", "area", "sq", "sq."), ("cubic", "volume", "cu", "cu.")):
            more = [f"{each} {form}" for each in brief for form in (one, many, *short)]
            units.append(_word(kind, f"{say} {one}", f"{say} {many}", *more, *(f"{say} {each}" for each in short)))
    return units


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_ENGLISH = [
    *_metres(),
    *_imperial_lengths(),
    *(_symbol(kind, *row.split()) for kind, rows in _TABLES["symbols"].items() for row in rows),
    *(_word(kind, *row.split()) for kind, rows in _TABLES["words"].items() for row in rows),
]
_CHINESE = [Unit(name, kind, name, name) for kind, names in _TABLES["chinese"].items() for name in names.split()]
UNITS = {unit.key: unit for unit in (*_ENGLISH, *_CHINESE)}
# A single Chinese character may begin another word (多少年级, 多少米饭). For these few, those words are listed.
_PLAIN_CHARACTERS = {"元": "(?![素旦件首])", "吨": "(?!位)"}
_END = r"(?=\s*(?:$|[?？。，,.;；:：)）、！!]|钱|的))"

_MONEY_SIGNS = {"$": "$", "€": "€", "£": "£", "¥": "¥", "￥": "¥"}
_PER = r"(?:\s*/\s*|\s+per\s+|\s+an?\s+)"
_WRITTEN_RATES = {"kmph": "km/h", "kph": "km/h", "kmh": "km/h", "mph": "mile/hour", "km/hr": "km/h", "km/hrs": "km/h"}


@cache
def _by_spelling() -> dict[str, Unit]:
    return {spelling: unit for unit in _ENGLISH for spelling in (*unit.spellings, unit.one, unit.many)}


def english_unit(spelling: str) -> Unit | None:
    """The unit with this spelling; symbols are case-sensitive, words may be capitalised.

    >>> english_unit("Kilometres").one, english_unit("apples")
    ('km', None)
    """
    words = " ".join(spelling.split())
    return _by_spelling().get(words) or (_by_spelling().get(words.lower()) if len(words) > 2 else None)


def _alternatives(spellings: list[str]) -> str:
    return "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in sorted(spellings, key=len, reverse=True))


@cache
def english_pattern() -> str:
    """A regular expression for the spelling of any English unit."""
    return rf"(?:{_alternatives(list(_by_spelling()))})(?![A-Za-z0-9²³^])"


@cache
def chinese_pattern() -> str:
    """A regular expression for any Chinese unit, the longest first; a single character must not begin a word."""
    long = _alternatives([unit.key for unit in _CHINESE if len(unit.key) > 1])
    short = "|".join(unit.key + _PLAIN_CHARACTERS.get(unit.key, _END) for unit in _CHINESE if len(unit.key) == 1)
    return f"(?:{long}|{short})"


@cache
def _after() -> re.Pattern[str]:
    english, rates = english_pattern(), _alternatives(list(_WRITTEN_RATES))
    chinese = _alternatives([unit.key for unit in _CHINESE])
    return re.compile(
        rf"[\s-]?(?:(?P<rate>{rates})(?![A-Za-z])|(?P<unit>{english})(?:{_PER}(?P<below>{english}))?"
        rf"|(?P<chinese>{chinese})(?:[/／](?P<under>小时|时|分钟|分|秒|{chinese}))?)",
        re.IGNORECASE,
    )


def dimension_of(text: str, number: FoundNumber) -> Dimension:
    """The unit of a number in a text; ``()`` if it has none, as in "3 boxes" or "20 %".

    >>> from treequation.text.numbers import find_numbers
    >>> text = "She drives 3 hours at 45 km/h and pays $12.50 a day."
    >>> [dimension_of(text, number) for number in find_numbers(text)]
    [(('hour', 1),), (('hour', -1), ('km', 1)), (('$', 1), ('day', -1))]
    """
    if number.kind == "percent":
        return ()
    before = text[: number.start].rstrip(" ")
    sign = _MONEY_SIGNS.get(before[-1:])
    if sign:
        if before[-2:-1].isalpha() or text.startswith("$", number.end):  # C$ is not $, and $3$ is LaTeX
            return ()
        below = re.compile(rf"{_PER}(?P<below>{english_pattern()})").match(text, number.end)
        return _quotient(sign, below and english_unit(below["below"]))
    match = _after().match(text, number.end)
    if match is None:
        return ()
    if match["chinese"]:
        under = {"时": "小时", "分": "分钟"}.get(match["under"], match["under"])
        return _quotient(match["chinese"], UNITS.get(under))
    if match["rate"]:
        above, _, below_key = _WRITTEN_RATES[match["rate"].lower()].partition("/")
        return _quotient(above, UNITS["hour" if below_key == "h" else below_key])
    unit = english_unit(match["unit"])
    if unit is None:
        return ()
    return _quotient(unit.key, english_unit(match["below"]) if match["below"] else None)


def _quotient(above: str, below: Unit | None) -> Dimension:
    return ((above, 1),) if below is None else tuple(sorted([(above, 1), (below.key, -1)]))


def kind_of(key: str) -> str:
    """The kind of quantity that a unit, given by its key, measures."""
    return "money" if key in _MONEY_SIGNS.values() else UNITS[key].kind
