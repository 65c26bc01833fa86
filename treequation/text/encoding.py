"""Turns a problem into encoder input: token ids, and the position of each number among them.

Every number found in the text gets a marker token; the encoder's state at the marker is the number's embedding.
Training and the light runtime share this module, so it uses the ``tokenizers`` library but not PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tokenizers import Encoding, Tokenizer

from treequation.text.problem import Problem

NUMBER_MARKER = "<number>"
Span = tuple[int, int]
"""Start and end of a range of characters; the end is exclusive."""


_BLOCK = 10_000  # problems that the tokenizer encodes at once, on all cores; it needs much more memory than their ids


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
        """The text with the marker before (or, without ``keep_number_text``, in place of) every number.

        The same text as the pieces of :meth:`_pieces`, but much faster, since no positions are tracked.
        """
        plain, end = [], 0
        for number in problem.numbers:
            plain.append(problem.text[end : number.start].replace(NUMBER_MARKER, " "))
            end = number.start if self.keep_number_text else number.end
        plain.append(problem.text[end:].replace(NUMBER_MARKER, " "))
        return f" {NUMBER_MARKER} ".join(plain)

    def _pieces(self, problem: Problem) -> Iterator[tuple[str, Span]]:
        """The marked text in pieces, each with the span of the problem's text that it comes from."""

        def plain(start: int, end: int) -> Iterator[tuple[str, Span]]:
            # A marker in the user's own text must not be mistaken for one of ours.
            for place, piece in enumerate(problem.text[start:end].split(NUMBER_MARKER)):
                if place:
                    yield " ", (start, start + len(NUMBER_MARKER))
                    start += len(NUMBER_MARKER)
                yield piece, (start, start + len(piece))
                start += len(piece)

        end = 0
        for number in problem.numbers:
            yield from plain(end, number.start)
            yield f" {NUMBER_MARKER} ", (number.start, number.end)
            end = number.start if self.keep_number_text else number.end
        yield from plain(end, len(problem.text))

    def encode(self, problems: Sequence[Problem], *, truncate: bool = False) -> list[EncodedProblem]:
        """Encodes problems; a problem over ``max_tokens`` is an error unless ``truncate`` is set.

        Truncation drops the earliest tokens that are not markers. It keeps every number's marker and the question,
        which usually comes last.
        """
        return [EncodedProblem(tuple(ids), _places(self.marker, ids)) for ids in self.ids(problems, truncate=truncate)]

    def ids(self, problems: Sequence[Problem], *, truncate: bool = False) -> list[list[int]]:
        """The token ids alone, for callers that find the markers themselves; otherwise as :meth:`encode`."""
        ids: list[list[int]] = []
        for start in range(0, len(problems), _BLOCK):
            block = problems[start : start + _BLOCK]
            encodings: Iterable[Encoding] = self.tokenizer.encode_batch_fast([self.mark(problem) for problem in block])
            ids += [self._fitted_ids(p, e, truncate) for p, e in zip(block, encodings, strict=True)]
        return ids

    def tokens(self, encoded: EncodedProblem) -> tuple[str, ...]:
        """The tokens as text, for showing what a model attends to."""
        return tuple(self.tokenizer.decode([token], skip_special_tokens=False).strip() for token in encoded.ids)

    def spans(self, problem: Problem) -> tuple[Span | None, ...]:
        """The span of the text that each token covers; a marker covers its number.

        Special tokens, such as the one that ends the text, have none.
        """
        starts: list[int] = []  # for each character of the marked text, the span that it comes from
        ends: list[int] = []
        for piece, (start, end) in self._pieces(problem):
            is_plain = len(piece) == end - start and NUMBER_MARKER not in piece
            starts += range(start, end) if is_plain else [start] * len(piece)
            ends += range(start + 1, end + 1) if is_plain else [end] * len(piece)
        offsets: list[Span] = self.tokenizer.encode(self.mark(problem)).offsets
        return tuple((starts[first], ends[last - 1]) if first < last else None for first, last in offsets)

    def _fitted_ids(self, problem: Problem, encoding: Encoding, truncate: bool) -> list[int]:
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
                    f"the problem has {len(problem.numbers)} numbers, which alone take more than the model's "
                    f"{self.max_tokens} tokens; split the problem"
                )
            dropped = set(droppable[:excess])
            ids = [token for i, token in enumerate(ids) if i not in dropped]
        return ids


def _places(token: int, ids: list[int]) -> tuple[int, ...]:
    """Where the token is among the ids."""
    places, place = [], -1
    for _ in range(ids.count(token)):
        place = ids.index(token, place + 1)
        places.append(place)
    return tuple(places)
