"""From a problem to what an encoder reads: token ids, and where in them each number stands.

Every number found in the text is announced by a marker token; the encoder's state at the marker is the
number's embedding. This module serves training and the light runtime alike, so it knows the ``tokenizers``
library and not PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tokenizers import Encoding, Tokenizer

from treequation.text.problem import Problem

NUMBER_MARKER = "<number>"


class ProblemTooLongError(ValueError):
    """A problem has more tokens than the encoder takes."""


@dataclass(frozen=True, slots=True)
class EncodedProblem:
    """``ids[positions[i]]`` is the marker of the problem's number ``i``."""

    ids: tuple[int, ...]
    positions: tuple[int, ...]


class ProblemEncoder:
    """Marks the numbers of a problem and turns it into token ids."""

    def __init__(self, tokenizer: Tokenizer, *, max_tokens: int, keep_number_text: bool = True) -> None:
        marker = tokenizer.token_to_id(NUMBER_MARKER)
        if marker is None:
            raise ValueError(f"the tokenizer has no token {NUMBER_MARKER}; add it as a special token first")
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.tokenizer = tokenizer
        self.marker: int = marker
        self.max_tokens = max_tokens
        self.keep_number_text = keep_number_text

    def mark(self, problem: Problem) -> str:
        """The text with the marker before (or, without ``keep_number_text``, in place of) every number."""
        pieces: list[str] = []
        end = 0
        for number in problem.numbers:
            # A marker that stands in the text itself must not pass for one of ours.
            pieces.append(problem.text[end : number.start].replace(NUMBER_MARKER, " "))
            pieces.append(f" {NUMBER_MARKER} ")
            end = number.start if self.keep_number_text else number.end
        pieces.append(problem.text[end:].replace(NUMBER_MARKER, " "))
        return "".join(pieces)

    def encode(self, problems: Sequence[Problem], *, truncate: bool = False) -> list[EncodedProblem]:
        """Encodes problems; a problem over ``max_tokens`` is an error unless ``truncate`` is asked for.

        Truncation drops the earliest tokens that are no markers: every number's marker stays, and the question,
        which tends to stand last.
        """
        encodings: Iterable[Encoding] = self.tokenizer.encode_batch([self.mark(problem) for problem in problems])
        return [self._shape(p, e, truncate) for p, e in zip(problems, encodings, strict=True)]

    def tokens(self, encoded: EncodedProblem) -> tuple[str, ...]:
        """The tokens as people read them, for showing what a model looked at."""
        return tuple(self.tokenizer.decode([token], skip_special_tokens=False).strip() for token in encoded.ids)

    def _shape(self, problem: Problem, encoding: Encoding, truncate: bool) -> EncodedProblem:
        ids: list[int] = encoding.ids
        excess = len(ids) - self.max_tokens
        if excess > 0:
            if not truncate:
                raise ProblemTooLongError(
                    f"the problem has {len(ids)} tokens and the model takes {self.max_tokens}; "
                    "shorten the text, or ask for truncation, which keeps every number"
                )
            special = encoding.special_tokens_mask
            droppable = [i for i, token in enumerate(ids) if token != self.marker and not special[i]]
            if len(droppable) < excess:
                raise ProblemTooLongError(
                    f"the problem has {len(problem.numbers)} numbers, which alone take more than the "
                    f"{self.max_tokens} tokens of the model; split the problem"
                )
            dropped = set(droppable[:excess])
            ids = [token for i, token in enumerate(ids) if i not in dropped]
        positions = tuple(i for i, token in enumerate(ids) if token == self.marker)
        return EncodedProblem(tuple(ids), positions)
