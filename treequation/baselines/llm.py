"""The language-model peer: prompts a model with one demonstration and reads the number in its answer.

With several samples, it is Self-Consistency after Wang et al. (2023): answers are sampled with a temperature, and the
most frequent exact value wins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction

from treequation.baselines.endpoint import Endpoint
from treequation.baselines.prompts import question
from treequation.baselines.written_calculation import read_calculation
from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat, Problem

SAMPLING_TEMPERATURE = 0.7

_ANNOUNCED = re.compile(r"answer\s*(?:is|:|=)\s*:?|答案\s*(?:是|为|：|:)|\\boxed\{", re.IGNORECASE)
_LATEX_FRACTION = re.compile(r"\\[dt]?frac\{\s*(\d+)\s*\}\{\s*(\d+)\s*\}")
_SENTENCE = re.compile(r"\s*(?:(?!\.\s)[^\n。])*")
_SIGN = re.compile(r"[-+*/×÷·−–]")
_AS_WRITTEN = NumberFormat(percent="fraction", fraction="one", words=False)


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a problem: its value, or None, and the share of samples that agree with it."""

    value: Fraction | None
    share: float


def read_answer(text: str) -> Fraction | None:
    """The final number of an answer: the last one announced as the answer, or else the last number.

    If a calculation is announced, its result is taken.

    >>> read_answer("3 × 4 = 12, so the answer is $1,012.50 in 2 years."), read_answer("so 3 × 4 = 12")
    (Fraction(2025, 2), Fraction(12, 1))
    >>> read_answer("The answer is 6 + 7 = 13 apples."), read_answer(r"The answer is \\frac{3}{4}.")
    (Fraction(13, 1), Fraction(3, 4))
    >>> read_answer("I do not know.") is None
    True
    """
    text = _LATEX_FRACTION.sub(r"\1/\2", text)
    numbers = find_numbers(text, _AS_WRITTEN)
    last = numbers[-1].start if numbers else -1
    for announced in reversed(list(_ANNOUNCED.finditer(text))):
        start = announced.end()
        if start <= last:
            sentence = _SENTENCE.match(text, start)
            equals = text.rfind("=", start, sentence.end() if sentence else start)
            if start < equals < last and _SIGN.search(text, start, equals):
                start = equals
            return next(number.value for number in numbers if number.start >= start)
    return numbers[-1].value if numbers else None


def read_by(kind: str, text: str) -> Fraction | None:
    """The value of an answer to a prompt of this kind; a bare number is accepted instead of a calculation.

    >>> read_by("equation", "x = 6 * 7"), read_by("python", "The answer is 42.")
    (Fraction(42, 1), Fraction(42, 1))
    """
    if kind != "steps" and (value := read_calculation(text)) is not None:
        return value
    return read_answer(text)


def vote(values: Sequence[Fraction | None]) -> Answered:
    """The most frequent value of the samples; of equally frequent ones, the first.

    >>> vote([Fraction(3), None, Fraction(4), Fraction(4)])
    Answered(value=Fraction(4, 1), share=0.5)
    """
    counted = Counter(value for value in values if value is not None)
    if not counted:
        return Answered(None, 0.0)
    value, count = max(counted.items(), key=lambda item: item[1])  # a Counter keeps the order of first appearance
    return Answered(value, count / len(values))


def answer_problems(
    endpoint: Endpoint,
    problems: Sequence[Problem],
    *,
    prompt: str = "steps",
    samples: int = 1,
    parallel: int = 4,
    max_tokens: int = 512,
    report: Callable[[int], None] = lambda done: None,
) -> list[Answered]:
    """Sends every problem to the model, ``parallel`` at a time; calls ``report`` with the number done."""

    def answer(problem: Problem) -> Answered:
        messages = question(problem.text, problem.language, prompt)
        temperature = SAMPLING_TEMPERATURE if samples > 1 else 0.0
        answers = (
            endpoint.complete(messages, temperature=temperature, sample=n, max_tokens=max_tokens)
            for n in range(samples)
        )
        return vote([read_by(prompt, drawn.text) for drawn in answers])

    with ThreadPoolExecutor(parallel) as pool:
        answers: Iterator[Answered] = pool.map(answer, problems)
        found: list[Answered] = []
        try:
            for done, answered in enumerate(answers, 1):
                found.append(answered)
                report(done)
        except BaseException:  # a limit, or Ctrl-C: send no further requests
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return found
