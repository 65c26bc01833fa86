"""Pairs of training problems for contrastive losses: some are alike, others only look alike.

- By *pattern*, after Li et al., "Seeking Patterns, Not just Memorizing Procedures" (2021): the whole operator tree of
  one equation is part of the other's. The negative has the same operator at its root, but another number of operands.
- By *text and equation*, after Shen et al., "Textual Enhanced Contrastive Learning" (2022): the positive has the same
  equation and the least similar text; the negative has the nearest other equation and the most similar text.

A mate is four numbers: the indices of the positive and the negative among the problems, and the places of the node that
the equation shares with the positive, in its own prefix notation and in the positive's. −1 means none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import numpy.typing as npt

from treequation.baselines.losses.disturb import end_of
from treequation.expression.graph import ExpressionGraph, Operator
from treequation.expression.notations import Symbol, prefix_symbols, to_prefix

Mates = npt.NDArray[np.int64]

PAIRS = 4  # at most per problem, each with its own negative
TRIED = 24  # texts to search for the least or the most similar one
FREQUENT = 10  # problems that an equation must have to serve as a negative
COMPARED = 12  # equations to search for the nearest one
_LONGEST = 4  # the longest run of characters to compare
_BUCKETS = 1024


def operator_tree(symbols: Sequence[Symbol]) -> str:
    """The operators of a prefix equation, with a dot for each leaf.

    >>> from treequation.expression.parsing import parse_infix
    >>> operator_tree(prefix_symbols(parse_infix("(n0+n1)*100")))
    '* + . . .'
    """
    return " ".join(symbol.value if isinstance(symbol, Operator) else "." for symbol in symbols)


def subtrees(graph: ExpressionGraph) -> dict[str, int]:
    """The operator trees in an equation, its own included, each with the first place where it begins.

    >>> from treequation.expression.parsing import parse_infix
    >>> subtrees(parse_infix("(n0+n1)*(n2+n3)"))
    {'* + . . + . .': 0, '+ . .': 1}
    """
    symbols = prefix_symbols(graph)
    found: dict[str, int] = {}
    for place, symbol in enumerate(symbols):
        if isinstance(symbol, Operator):
            found.setdefault(operator_tree(symbols[place : end_of(symbols, place)]), place)
    return found


def first_operators(graph: ExpressionGraph, count: int) -> tuple[str, ...]:
    """The first operators of the prefix notation: the class of an equation.

    >>> from treequation.expression.parsing import parse_infix
    >>> first_operators(parse_infix("n0*n1 - n2/n3"), 2)
    ('-', '*')
    """
    found = (symbol.value for symbol in prefix_symbols(graph) if isinstance(symbol, Operator))
    return tuple(value for value, _ in zip(found, range(count), strict=False))


def mates_by_pattern(graphs: Sequence[ExpressionGraph], random: Random, *, whole: bool = False) -> Mates:
    """For each equation, up to :data:`PAIRS` mates by pattern, [N, PAIRS, 4]; repeated if there are fewer.

    With ``whole``, only equations with the same operator tree are positives, for decoders without goals of sub-trees.
    """
    trees = [subtrees(graph) for graph in graphs]
    own = [next(iter(each), "") for each in trees]
    by_tree: dict[str, list[int]] = defaultdict(list)  # equations with this whole tree
    holding: dict[str, list[int]] = defaultdict(list)  # equations that contain it
    by_root: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))  # by root and operand count
    for index, tree in enumerate(own):
        by_tree[tree].append(index)
        by_root[tree[:1]][tree.count(".")].append(index)
        for each in trees[index]:
            holding[each].append(index)
    mates = np.full((len(graphs), PAIRS, 4), -1, np.int64)
    for index, tree in enumerate(own):
        if not tree:
            continue
        found: list[tuple[int, int, int]] = []
        if whole:
            found = [(other, 0, 0) for other in _some(by_tree[tree], index, random)]
        else:
            found = [(other, 0, trees[other][tree]) for other in _some(holding[tree], index, random)]
            for part, place in trees[index].items():
                if place:
                    found += [(other, place, 0) for other in _some(by_tree[part], index, random)]
        others = {count: rows for count, rows in by_root[tree[:1]].items() if count != tree.count(".")}
        if not found or not others:
            continue
        random.shuffle(found)
        for pair in range(PAIRS):
            other, place, its_place = found[pair % min(len(found), PAIRS)]
            negative = random.choice(others[random.choice(list(others))])
            mates[index, pair] = other, negative, place, its_place
    return mates


def _some(rows: Sequence[int], own: int, random: Random) -> list[int]:
    """A few of the rows, except ``own``."""
    drawn = rows if len(rows) <= PAIRS + 1 else random.sample(rows, PAIRS + 1)
    return [row for row in drawn if row != own]


def mates_by_text(texts: Sequence[str], graphs: Sequence[ExpressionGraph], random: Random) -> Mates:
    """For each problem, its mate by text and equation, [N, 1, 4]; the nodes are the roots."""
    equations = [to_prefix(graph) for graph in graphs]
    groups: dict[str, list[int]] = defaultdict(list)
    for index, equation in enumerate(equations):
        groups[equation].append(index)
    symbols = {equation: prefix_symbols(graphs[rows[0]]) for equation, rows in groups.items()}
    frequent = [equation for equation, rows in groups.items() if len(rows) >= FREQUENT]
    if len(frequent) < 2:  # in a small set, any equation may serve
        frequent = list(groups)
    shared = [equation for equation, rows in groups.items() if len(rows) > 1]
    nearest = dict(zip(shared, _nearest(shared, frequent, symbols), strict=True))
    grams = character_runs(texts)
    mates = np.full((len(texts), 1, 4), -1, np.int64)
    for index, equation in enumerate(equations):
        near = nearest.get(equation)
        if near is None:
            continue
        alike = [row for row in _drawn(groups[equation], random) if row != index]
        others = _drawn(groups[near], random)
        similarity = text_similarities(grams[index], grams[[*alike, *others]])
        positive, negative = int(similarity[: len(alike)].argmin()), int(similarity[len(alike) :].argmax())
        mates[index, 0] = alike[positive], others[negative], 0, 0
    return mates


def _drawn(rows: Sequence[int], random: Random) -> Sequence[int]:
    return rows if len(rows) <= TRIED else random.sample(rows, TRIED)


def _nearest(
    equations: Sequence[str], frequent: Sequence[str], symbols: Mapping[str, Sequence[Symbol]]
) -> list[str | None]:
    """The most similar other equation of each, by 1 − distance / both lengths.

    A distance is at least the length of the longer one without the symbols that both have, so those are looked at in
    the order of this bound, and at most :data:`COMPARED` of them.
    """
    known: dict[Symbol, int] = {}
    counts = {each: Counter(known.setdefault(s, len(known)) for s in symbols[each]) for each in {*equations, *frequent}}
    table = np.zeros((len(frequent), len(known)), np.int16)
    for row, each in enumerate(frequent):
        for symbol, count in counts[each].items():
            table[row, symbol] = count
    lengths = table.sum(axis=1)
    found: list[str | None] = []
    for equation in equations:
        own = np.zeros(len(known), np.int16)
        own[list(counts[equation])] = list(counts[equation].values())
        both = lengths + own.sum()
        bound = 1 - (np.maximum(lengths, own.sum()) - np.minimum(table, own).sum(axis=1)) / both
        best, nearest = -1.0, None
        for row in np.argsort(-bound, kind="stable")[: COMPARED + 1]:
            if frequent[row] == equation:
                continue
            if bound[row] <= best:
                break
            similarity = 1 - tree_distance(symbols[equation], symbols[frequent[row]]) / both[row]
            if similarity > best:
                best, nearest = similarity, frequent[row]
        found.append(nearest)
    return found


def tree_distance(a: Sequence[Symbol], b: Sequence[Symbol]) -> int:
    """How many nodes must be inserted, deleted or renamed to turn one prefix equation into another (Zhang and Shasha).

    >>> from treequation.expression.parsing import parse_infix
    >>> of = lambda text: prefix_symbols(parse_infix(text))
    >>> tree_distance(of("n0+n1"), of("n0-n1")), tree_distance(of("n0+n1"), of("(n0+n1)*n2"))
    (1, 2)
    """
    (left_a, keys_a), (left_b, keys_b) = _postorder(a), _postorder(b)
    a, b = a[::-1], b[::-1]  # the postfix of the mirrored tree, which has the same distances
    trees = np.zeros((len(a), len(b)), np.int64).tolist()
    for i in keys_a:
        for j in keys_b:
            first_a, first_b = left_a[i], left_b[j]
            rows, columns = i - first_a + 2, j - first_b + 2
            forest = [[x + y if not (x and y) else 0 for y in range(columns)] for x in range(rows)]
            for x in range(1, rows):
                for y in range(1, columns):
                    m, n = first_a + x - 1, first_b + y - 1
                    both = left_a[m] == first_a and left_b[n] == first_b
                    if both:
                        kept = forest[x - 1][y - 1] + (a[m] != b[n])
                    else:
                        kept = forest[left_a[m] - first_a][left_b[n] - first_b] + trees[m][n]
                    forest[x][y] = min(forest[x - 1][y] + 1, forest[x][y - 1] + 1, kept)
                    if both:
                        trees[m][n] = forest[x][y]
    return int(trees[-1][-1])


def _postorder(symbols: Sequence[Symbol]) -> tuple[list[int], list[int]]:
    """For the mirrored tree in postfix order: each node's first leaf, and the roots of the forests to compare."""
    left: list[int] = []
    waiting: list[int] = []
    for place, symbol in enumerate(reversed(symbols)):
        if isinstance(symbol, Operator):
            waiting.pop()
            left.append(left[waiting.pop()])
        else:
            left.append(place)
        waiting.append(place)
    last = {first: place for place, first in enumerate(left)}
    return left, sorted(last.values())


def character_runs(texts: Sequence[str]) -> npt.NDArray[np.uint8]:
    """How often each run of one to four characters occurs in each text, spaces left out, [N, 4, _BUCKETS].

    Runs are hashed, so that a text is compared with many others in one operation.
    """
    runs = np.zeros((len(texts), _LONGEST, _BUCKETS), np.uint8)
    for row, text in enumerate(texts):
        codes = np.array([ord(character) for character in "".join(text.split())], np.int64)
        hashed = np.zeros_like(codes)
        for n in range(min(_LONGEST, len(codes))):
            hashed = hashed[: len(codes) - n] * 1_000_003 % 2_147_483_647 + codes[n:]
            runs[row, n] = np.bincount(hashed % _BUCKETS, minlength=_BUCKETS).clip(max=255)
    return runs


def text_similarities(one: npt.NDArray[np.uint8], others: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """The mean of the BLEU scores in both directions, of one text with each of the others, from 0 to 1."""
    shared = np.minimum(one, others).sum(axis=2, dtype=np.int64)  # [M, 4]
    own, theirs = one.sum(axis=1, dtype=np.int64), others.sum(axis=2, dtype=np.int64)
    scores = []
    for these, those in ((np.broadcast_to(own, theirs.shape), theirs), (theirs, np.broadcast_to(own, theirs.shape))):
        precision = np.exp(np.log((shared + 1) / (these + 1)).mean(axis=1))
        scores.append(precision * np.exp(np.minimum(0.0, 1 - those[:, 0] / these[:, 0].clip(min=1))))
    similarities: npt.NDArray[np.float64] = (scores[0] + scores[1]) / 2
    return similarities
