r"""Calculations in LaTeX, such as ``$\frac{3}{4} \times 8$``, in ordinary signs."""

from __future__ import annotations

import re

_NOTHING = re.compile(r"\\(?:left|right|displaystyle|[,;:!()\[\]])")
_TIMES, _DIVIDED = re.compile(r"\\(?:times|cdot)(?![A-Za-z])"), re.compile(r"\\div(?![A-Za-z])")
_ROOT, _CUBE_ROOT = re.compile(r"\\sqrt\s*(?=\{)"), re.compile(r"\\sqrt\s*\[3\]\s*(?=\{)")
_FRACTION = re.compile(r"(?:(?<![0-9])([0-9]++)\s*+)?\\[dt]?frac\{([^{}]*+)\}\{([^{}]*+)\}")


def from_latex(text: str) -> str:
    r"""The text with signs for the commands of LaTeX; a fraction has the sign ⁄, so that ÷ keeps its own meaning.

    >>> from_latex(r"$1\frac{1}{2} \times \sqrt{16} - 5\%$"), from_latex("3 + 4")
    ('(1 1⁄2) × √{16} - 5%', '3 + 4')
    """
    if "\\" not in text:
        return text
    text = _NOTHING.sub("", text).replace("\\%", "%").replace("\\$", "$")
    text = _DIVIDED.sub("÷", _TIMES.sub("×", text))
    text = _ROOT.sub("√", _CUBE_ROOT.sub("∛", text))
    found = 1
    while found:
        text, found = _FRACTION.subn(_fraction, text)
    return text.strip("$ ")


def _fraction(found: re.Match[str]) -> str:
    whole, *parts = found.groups()
    if all(part.strip().isdecimal() for part in parts):
        return f"({whole + ' ' if whole else ''}{parts[0].strip()}⁄{parts[1].strip()})"
    return f"{whole or ''}(({parts[0]})⁄({parts[1]}))"
