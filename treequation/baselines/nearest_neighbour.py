"""A peer without a network: copies the equation of the most similar training text.

Texts are compared with their numbers masked, by the cosine of their TF-IDF vectors over words and word bigrams (in
Chinese, characters and bigrams of them). A problem that it solves can be solved by memorisation.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from treequation.data.reading import DataError
from treequation.expression.graph import ExpressionGraph
from treequation.text.problem import Problem

_WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+|#")
_ROWS = 256  # problems at a time, since their similarities to all training texts are a dense array


class CopiedEquation(NamedTuple):
    """The equation of the nearest training text, with the interface of a decoder's output."""

    graph: ExpressionGraph
    similarity: float  # of the two texts, from 0 to 1
    steps: int = 0

    @property
    def score(self) -> float:
        """The logarithm of the similarity, in place of a log-probability."""
        return math.log(self.similarity) if self.similarity > 0 else -math.inf

    @property
    def is_empty(self) -> bool:
        """False: there is always an equation to copy."""
        return False


class NearestNeighbour:
    """An index of the texts and equations of training problems."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        known = [problem for problem in problems if problem.graph is not None]
        if not known:
            raise DataError("no training problem has an equation, so there is none to copy")
        counts = [_terms(problem) for problem in known]
        self.graphs = [problem.graph for problem in known]
        found = Counter(term for each in counts for term in each)  # the number of texts with each term
        self._columns = {term: column for column, term in enumerate(found)}
        self._weights = np.log((1 + len(known)) / (1 + np.fromiter(found.values(), float))) + 1
        self._texts = self._vectors(counts)  # [problems, terms]

    def copy(self, problems: Sequence[Problem]) -> list[CopiedEquation]:
        """The equation of the most similar training text for each problem; the first one if several tie.

        >>> from treequation.expression.parsing import parse_infix
        >>> from treequation.expression.printing import to_infix
        >>> from treequation.text.numbers import find_numbers
        >>> texts = ["Ann has 3 pens and buys 4.", "A shelf has 4 rows of 6 books.", "A crate has 2 rows of 9 jars."]
        >>> first, second, new = (Problem("", text, find_numbers(text)) for text in texts)
        >>> from dataclasses import replace
        >>> taught = [replace(first, graph=parse_infix("n0+n1")), replace(second, graph=parse_infix("n0*n1"))]
        >>> (copied,) = NearestNeighbour(taught).copy([new])
        >>> to_infix(copied.graph), round(copied.similarity, 1)
        ('n0*n1', 0.8)
        """
        vectors = self._vectors([_terms(problem) for problem in problems])
        copied = []
        for start in range(0, len(problems), _ROWS):
            similarities = (vectors[start : start + _ROWS] @ self._texts.T).toarray()
            nearest = similarities.argmax(axis=1)
            for row, place in enumerate(nearest.tolist()):
                graph = self.graphs[place]
                assert graph is not None
                copied.append(CopiedEquation(graph, min(1.0, float(similarities[row, place]))))
        return copied

    def _vectors(self, counts: Sequence[Counter[str]]) -> sparse.csr_matrix:
        """TF-IDF vectors of length 1; terms that are in no training text are ignored."""
        rows, columns, values = [], [], []
        for row, terms in enumerate(counts):
            for term, count in terms.items():
                column = self._columns.get(term)
                if column is not None:
                    rows.append(row)
                    columns.append(column)
                    values.append((1 + math.log(count)) * self._weights[column])
        vectors = sparse.csr_matrix((values, (rows, columns)), shape=(len(counts), len(self._columns)), dtype=float)
        lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
        return (sparse.diags(1 / np.where(lengths > 0, lengths, 1)) @ vectors).tocsr()


def _terms(problem: Problem) -> Counter[str]:
    words = _WORD.findall(problem.masked_text)
    return Counter([*words, *(f"{one} {after}" for one, after in pairwise(words))])
