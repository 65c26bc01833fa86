"""The prompts for a language model: the task, and one demonstration in the problem's language.

There are four kinds:

*steps*
    Chain of thought after Wei et al. (2022): the model works step by step and ends with a number.
*equation*
    The model writes only the equation, and we compute it.
*reasoned*
    The model reasons briefly and ends with an equation, and we compute it.
*python*
    The model writes a few lines of Python arithmetic, after Gao et al. (2023), and we compute them.
"""

from __future__ import annotations

from treequation.baselines.endpoint import Message
from treequation.text.problem import Language

_DEMONSTRATION = {
    "en": "A farmer fills 12 crates with 30 apples each and 5 crates with 26 pears each. How many fruits are there?",
    "zh": "农民装了12箱苹果，每箱30个，又装了5箱梨，每箱26个。一共有多少个水果？",
}
_EQUATION = "x = 12 * 30 + 5 * 26"
_CODE = "apples = 12 * 30\npears = 5 * 26\nanswer = apples + pears"

PROMPTS: dict[str, dict[Language, tuple[str, str]]] = {
    "steps": {
        "en": (
            'Solve the problem step by step. End with "The answer is" and the number.',
            (
                "There are 12 × 30 = 360 apples and 5 × 26 = 130 pears. In all there are 360 + 130 = 490. "
                "The answer is 490."
            ),
        ),
        "zh": (
            "请一步一步地解题，最后以“答案是”加上数字结尾。",
            "苹果有 12 × 30 = 360 个。梨有 5 × 26 = 130 个。一共有 360 + 130 = 490 个。答案是 490。",
        ),
    },
    "equation": {
        "en": (
            "Write one equation that solves the problem, with numbers, + - * / and brackets. Write nothing else.",
            _EQUATION,
        ),
        "zh": ("请写出解这道题的一个算式，只用数字、+ - * / 和括号，不要写别的。", _EQUATION),
    },
    "reasoned": {
        "en": (
            (
                'Think briefly. End with "Equation:" and one equation that solves the problem, with numbers, + - * / '
                "and brackets."
            ),
            f"There are 12 * 30 apples and 5 * 26 pears. The fruits are both together.\nEquation: {_EQUATION}",
        ),
        "zh": (
            "请先简短地思考，最后以“算式：”加上一个算式结尾，算式只用数字、+ - * / 和括号。",
            f"苹果有 12 * 30 个，梨有 5 * 26 个，水果是两者之和。\n算式：{_EQUATION}",
        ),
    },
    "python": {
        "en": (
            (
                'Solve the problem with a few lines of Python arithmetic. The last line begins with "answer =". '
                "Write only the code."
            ),
            _CODE,
        ),
        "zh": ("请用几行 Python 算术解题，最后一行以“answer =”开头，只写代码。", _CODE),
    },
}
"""The task and the answer to the demonstration, by kind and language."""


def question(problem_text: str, language: Language, kind: str = "steps") -> list[Message]:
    """The whole prompt: the task, one demonstration, the problem."""
    task, answered = PROMPTS[kind][language]
    return [
        {"role": "system", "content": task},
        {"role": "user", "content": _DEMONSTRATION[language]},
        {"role": "assistant", "content": answered},
        {"role": "user", "content": problem_text},
    ]
