"""Changes problems in ways whose effect is known: other numbers or names, another order, no question, a distractor.

A change gives a new problem with its gold equation, or None if it does not apply. The numbers keep their roles in the
equation, wherever they move in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

from treequation.data.synthetic.vocabulary import PEOPLE
from treequation.expression.evaluation import Value, evaluate
from treequation.expression.graph import Constant, GraphBuilder, Number, Operand
from treequation.text.numbers import find_numbers
from treequation.text.problem import FoundNumber, Problem

Span = tuple[int, int]
Change = Callable[[Problem, Random], Problem | None]

_NUMERAL = re.compile(r"[0-9]+(?:\.[0-9]+)?")
# A full stop after a single letter or an abbreviation does not end a sentence: "s . i .", "rs . 100".
_NO_END = "".join(rf"(?<!\b{word})(?<!\b{word} )" for word in ("[a-z]", "rs", "no", "sq", "mr", "mrs", "dr"))
_SENTENCE = {"en": re.compile(rf"{_NO_END}[.!?]+(?:\s+|$)", re.IGNORECASE), "zh": re.compile(r"[。．！？!?；;]+\s*")}
_CLAUSE = re.compile(r"[，,]\s*")
_QUESTION = re.compile("[?？]|多少|几|how |what |find ", re.IGNORECASE)
_DISTRACTORS = {"en": "There are also {} red umbrellas in the hall. ", "zh": "大厅里还有{}把红色的雨伞。"}
_SPACED = re.compile(r" [.?](?: |$)")  # a tokenized text
_TRIES = 200


def change_numbers(problem: Problem, random: Random) -> Problem | None:
    """Other numbers with as many digits; different numbers stay different.

    The value of the gold equation stays positive if it was, and whole if it was.
    """
    if problem.graph is None:
        return None
    before = evaluate(problem.graph, problem.values).value
    written = [problem.text[number.start : number.end] for number in problem.numbers]
    plain = {
        text
        for text, n in zip(written, problem.numbers, strict=True)
        if n.kind == "digits" and _NUMERAL.fullmatch(text)
    }
    if not plain or not before.defined:
        return None
    for _ in range(_TRIES):
        new = {text: _other_numeral(text, random) for text in sorted(plain)}
        numbers = [Fraction(new[t]) if t in new else n.value for t, n in zip(written, problem.numbers, strict=True)]
        distinct = len({Fraction(numeral) for numeral in new.values()}) == len(new)
        if distinct and _alike(before, evaluate(problem.graph, numbers).value):
            return _with_numerals(problem, [new.get(text, text) for text in written], numbers)
    return None


def _other_numeral(text: str, random: Random) -> str:
    """Another numeral with as many digits before and after the point; never 0, and never the same."""
    while True:
        other = "".join(digit if digit == "." else str(random.randrange(10)) for digit in text)
        if other != text and other[0] != "0" and other[-1] != "0":
            return other


def _alike(before: Value, after: Value) -> bool:
    if before.number is None or after.number is None:
        return False
    old, new = Fraction(before.number), Fraction(after.number)
    return (old > 0) == (new > 0) and (old.denominator == 1) == (new.denominator == 1)


def _with_numerals(problem: Problem, texts: Sequence[str], values: Sequence[Fraction]) -> Problem:
    text, end, numbers = "", 0, []
    for number, numeral, value in zip(problem.numbers, texts, values, strict=True):
        text += problem.text[end : number.start]
        numbers.append(replace(number, value=value, start=len(text), end=len(text) + len(numeral)))
        text, end = text + numeral, number.end
    return replace(problem, text=text + problem.text[end:], numbers=tuple(numbers), answer=None)


def change_names(problem: Problem, random: Random) -> Problem | None:
    """Other people of the same gender; in a lower-case text, the new names are also in lower case."""
    english = problem.language == "en"
    lower = english and problem.text == problem.text.lower()
    people = [replace(p, name=p.name.lower()) if lower else p for p in PEOPLE[problem.language]]
    names = sorted((person.name for person in people), key=len, reverse=True)
    pattern = "|".join(map(re.escape, names))
    found = list(re.finditer(rf"\b(?:{pattern})\b" if english else pattern, problem.text))
    known = {person.name: person for person in people}
    present = list(dict.fromkeys(match[0] for match in found))
    others: dict[str, str] = {}
    for name in present:
        free = [
            p.name for p in people if p.he == known[name].he and p.name not in present and p.name not in others.values()
        ]
        if not free:
            return None
        others[name] = random.choice(free)
    parts: list[Span | str] = []
    end = 0
    for match in found:
        parts += [(end, match.start()), others[match[0]]]
        end = match.end()
    return _assembled(problem, [*parts, (end, len(problem.text))]) if found else None


def swap_sentences(problem: Problem, random: Random) -> Problem | None:
    """The first two sentences in the other order, where a question follows them."""
    sentences = sentences_of(problem)
    if len(sentences) < 3 or not _QUESTION.search(problem.text[slice(*sentences[-1])]):
        return None
    first, second, *rest = sentences
    return _assembled(problem, [second, first, *rest])


def remove_question(problem: Problem, random: Random) -> Problem | None:
    """Drops the question: a model that still answers right was guessing."""
    *facts, question = _facts_and_question(problem)
    return _assembled(problem, facts) if facts and _QUESTION.search(problem.text[slice(*question)]) else None


def add_distractor(problem: Problem, random: Random) -> Problem | None:
    """Adds an irrelevant sentence with a number before the question."""
    *facts, question = _facts_and_question(problem)
    if not facts:
        return None
    number = random.choice([n for n in range(11, 98) if Fraction(n) not in problem.values])
    sentence = _DISTRACTORS[problem.language].format(number)
    if problem.text == problem.text.lower():
        sentence = sentence.lower()
    if _SPACED.search(problem.text):
        sentence = sentence.replace(".", " .")
    return _assembled(problem, [*facts, sentence, question])


CHANGES: dict[str, Change] = {
    "changed numbers": change_numbers,
    "changed names": change_names,
    "swapped sentences": swap_sentences,
    "removed question": remove_question,
    "added distractor": add_distractor,
}


def sentences_of(problem: Problem) -> list[Span]:
    """The span of each sentence, including the space after it; a point within a number does not end a sentence.

    >>> text = "Tom has 1.5 litres. He drinks 0.5. How much is left?"
    >>> [text[a:b] for a, b in sentences_of(Problem("", text, find_numbers(text)))]
    ['Tom has 1.5 litres. ', 'He drinks 0.5. ', 'How much is left?']
    """
    return _cut(problem, _SENTENCE[problem.language])


def _cut(problem: Problem, at: re.Pattern[str]) -> list[Span]:
    text, spans, start = problem.text, [], 0
    for match in at.finditer(text):
        if not any(number.start < match.end() and match.start() < number.end for number in problem.numbers):
            spans.append((start, match.end()))
            start = match.end()
    return [*spans, (start, len(text))] if text[start:].strip() else spans


def _facts_and_question(problem: Problem) -> list[Span]:
    """The sentences, or the clauses of a Chinese problem that is a single sentence."""
    sentences = sentences_of(problem)
    if len(sentences) > 1 or problem.language == "en":
        return sentences
    return _cut(problem, _CLAUSE)


def _assembled(problem: Problem, parts: Sequence[Span | str]) -> Problem | None:
    """The problem assembled from spans of its text and new text; None if the equation loses a number."""
    text = ""
    numbers: list[FoundNumber] = []
    places: dict[int, int] = {}
    for part in parts:
        for old, number in _numbers_of(problem, part):
            if old is not None:
                places[old] = len(numbers)
            numbers.append(replace(number, start=number.start + len(text), end=number.end + len(text)))
        text += part if isinstance(part, str) else problem.text[slice(*part)]

    def moved(builder: GraphBuilder, leaf: Number | Constant) -> Operand:
        return Number(places[leaf.index]) if isinstance(leaf, Number) else leaf

    graph = problem.graph
    if graph is None or any(isinstance(leaf, Number) and leaf.index not in places for leaf in graph.leaves):
        return None
    return replace(problem, text=text, numbers=tuple(numbers), graph=graph.replace_leaves(moved))


def _numbers_of(problem: Problem, part: Span | str) -> Iterator[tuple[int | None, FoundNumber]]:
    """The numbers of a part, with positions relative to its start; those of the problem come with their indices."""
    if isinstance(part, str):
        yield from ((None, number) for number in find_numbers(part, problem.format))
        return
    start, end = part
    for index, number in enumerate(problem.numbers):
        if start <= number.start and number.end <= end:
            yield index, replace(number, start=number.start - start, end=number.end - start)
