"""The reasons why a problem cannot be answered."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from treequation.errors import TreequationError


class SolveError(TreequationError):
    """A problem has no answer: what is wrong (``message``), what to do (``hint``), and a ``code`` for programs.

    ============================  =================================================================================
    ``empty-text``                there is no text
    ``bad-character``             a control character, half of a character, or a numeral such as Ⅳ
    ``decimal-comma``             a number such as 3,50, which would be read as two numbers, or as 350
    ``grouped-digits``            a number such as 1 234 567, €12 500 or 12.500 €, which would be read in another way
    ``too-long``                  the text has more characters or tokens than the model takes
    ``unknown-language``          the text is in a language that the model does not know
    ``no-number``                 there is no number in the text
    ``too-many-numbers``          there are more numbers than the model takes
    ``bad-calculation``           the text is a calculation that cannot be done, such as sin(30), 3 + or 3 + 4 = 7
    ``no-equation``               the model found nothing to compute
    ``undefined-value``           the equation has no value, for example because it divides by zero
    ``bad-equation``              an equation that is to be checked cannot be read
    ``bad-row``                   a row of a file has no text
    ``no-model``                  there is no model to ask
    ============================  =================================================================================
    """

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.code = code
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[SolveError], tuple[str, str, str]]:
        return type(self), (self.code, self.message, self.hint)  # so that it can be sent between processes

    def to_dict(self) -> dict[str, str]:
        """As plain values, for JSON."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


WORDS: dict[str, dict[str, dict[str, str]]] = tomllib.loads(
    Path(__file__).with_name("messages.toml").read_text(encoding="utf-8")
)
"""The texts that people read beside an answer, by language."""


def reason_in(language: str, error: Mapping[str, str]) -> str:
    """The error of :meth:`SolveError.to_dict` as a sentence in this language, or in English if there is no translation.

    >>> reason_in("zh", SolveError("no-number", "there is no number", "write one").to_dict())
    '题目中没有数，请用数写出数量，例如 12 或 3/4'
    """
    return WORDS[language]["errors"].get(error["code"], f"{error['message']}; {error['hint']}")
