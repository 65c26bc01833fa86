"""Why a problem cannot be answered."""

from __future__ import annotations

from collections.abc import Mapping

from treequation.errors import TreequationError


class SolveError(TreequationError):
    """A problem has no answer: what is wrong (``message``), what to do (``hint``), and a ``code`` for programs.

    ============================  =====================================================================
    ``empty-text``                there is no text
    ``bad-character``             a control character, half of a character, or a numeral such as Ⅳ
    ``too-long``                  the text has more characters or tokens than the model takes
    ``unknown-language``          the text is in a language that the model does not know
    ``no-number``                 there is no number in the text
    ``too-many-numbers``          there are more numbers than the model takes
    ``bad-calculation``           the text is a calculation with something that is not calculated, such as sin(30)
    ``no-equation``               the model found nothing to compute
    ``undefined-value``           the equation has no value, for example because it divides by zero
    ``bad-equation``              an equation that is to be checked cannot be read
    ``bad-row``                   a row of a file has no text
    ``no-model``                  there is no model to ask
    ============================  =====================================================================
    """

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.code = code
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[SolveError], tuple[str, str, str]]:
        return type(self), (self.code, self.message, self.hint)  # so that it goes from one process to another

    def to_dict(self) -> dict[str, str]:
        """As plain values, for JSON."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


_IN_CHINESE = {
    "empty-text": "还没有题目，请用文字写出题目",
    "bad-character": "题目中有无法识别的字符，请把它删掉",
    "too-long": "题目太长了，请一次只写一道题",
    "unknown-language": "模型不懂这种语言，请用中文或英文写题目",
    "no-number": "题目中没有数，请用数写出数量，例如 12 或 3/4",
    "too-many-numbers": "题目中的数太多了，请删去用不到的部分",
    "no-equation": "模型没有找到可以计算的内容，请写清已知条件和问题",
    "undefined-value": "找到的算式没有值，请检查题目中的数",
}


def reason_in(language: str, error: Mapping[str, str]) -> str:
    """What :meth:`SolveError.to_dict` tells, as a sentence for a reader of this language; English where there is none.

    >>> reason_in("zh", SolveError("no-number", "there is no number", "say one").to_dict())
    '题目中没有数，请用数写出数量，例如 12 或 3/4'
    """
    known = _IN_CHINESE.get(error["code"]) if language == "zh" else None
    return known or f"{error['message']}; {error['hint']}"
