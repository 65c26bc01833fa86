"""Codes: each number is classified by its position in the equation's tree, all numbers in one step.

M-Tree, or SUMC-Solver, after Wang et al., "Structure-Unified M-Tree Coding Solver for Math Word Problem" (EMNLP 2022).
The classes are the codes (:mod:`treequation.baselines.mtree`) of the training equations. A head on each number and the
problem's summary predicts the codes of the number, and the predicted codes make the tree. If they do not make one, such
as a product with only one factor, the problem is unanswered.

It differs from the paper in three ways. The paper regresses how often a number has a code; here a second occurrence is
a code of its own, so each code is predicted or not, and the loss is binary cross-entropy. Constants have codes, like
the numbers of the text. And the head has layer norms instead of batch norms.

``B`` is the batch, ``S`` the constants and numbers, ``C`` the codes, ``D`` the width.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.baselines.mtree import MTreeError, Node, codes, from_codes, from_mtree, to_mtree
from treequation.baselines.symbol_search import Written
from treequation.baselines.triples import check_greedy
from treequation.data.batches import Batch
from treequation.data.labels import Label, LabelError, LabelSets, Names, check_length
from treequation.decoding.search import Equation, Reader
from treequation.expression.graph import Constant, ExpressionGraph, Number
from treequation.expression.notations import prefix_length
from treequation.model.base import Read, WordProblemModel
from treequation.model.config import TreequationConfig
from treequation.model.parts import Traced
from treequation.model.registry import register
from treequation.text.number_vocabulary import Vocabulary


def labelled_mtree(graph: ExpressionGraph, longest: int) -> Node:
    """The equation's M-tree; raises :class:`LabelError` if it has none, or more than ``longest`` symbols."""
    check_length(prefix_length(graph), longest)
    try:
        return to_mtree(graph)
    except MTreeError as error:
        raise LabelError(error.reason, str(error)) from error


class CodeNotation:
    """The codes that a model knows, numbered from 1."""

    def __init__(self, vocabulary: Vocabulary, known: Sequence[str]) -> None:
        self.vocabulary = vocabulary
        self.known = known
        self._index = {code: index for index, code in enumerate(known, start=1)}
        self._names = Names(vocabulary)

    def write(self, graph: ExpressionGraph, longest: int) -> list[Label]:
        """One label for each code of each number: ``operator`` is the code, ``left`` the number's slot.

        >>> from treequation.expression.parsing import parse_infix
        >>> CodeNotation(Vocabulary(()), ["+ n", "+ -n"]).write(parse_infix("n0-n1"), 100)
        [Label(operator=1, left=0, right=0), Label(operator=2, left=1, right=0)]
        """
        labels = []
        for leaf, code in codes(labelled_mtree(graph, longest)):
            slot = self._names.leaf(leaf)
            if code not in self._index:
                raise LabelError("unknown code", f"{code} is not among the model's codes")
            labels.append(Label(self._index[code], slot, 0))
        return labels

    def read(self, predicted: Sequence[tuple[int, int]], numbers: int) -> ExpressionGraph | None:
        """The equation of these slots and their codes, numbered from 0; None if they do not make a tree."""
        coded: list[tuple[Number | Constant, str]] = []
        for slot, code in predicted:
            leaf = self.vocabulary.operand(slot, numbers)
            assert isinstance(leaf, Number | Constant)
            coded.append((leaf, self.known[code]))
        try:
            return from_mtree(from_codes(coded))
        except MTreeError:
            return None


class CodeDecoder(nn.Module):
    """The head that predicts the codes of each number."""

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__()
        self.constants = nn.Parameter(torch.randn(len(config.constants), width))  # same scale as the numbers' states
        self.codes = nn.Parameter(torch.randn(len(config.codes), width))
        # So that each number starts with about one code.
        self.rarity = nn.Parameter(torch.tensor([math.log(max(1, len(config.codes)))]))
        both, dropout = 2 * width, config.dropout
        self.body = nn.Sequential(*_layer(both, both, dropout), *_layer(both, width, dropout))

    def forward(self, read: Read) -> Tensor:
        """The logits of each code for each number, [B, S, C]."""
        summary = read.problem[:, :1].expand_as(read.numbers)
        states = self.body(torch.cat([read.numbers, summary], dim=-1))  # [B, S, D]
        scores = states @ self.codes.to(states.dtype).T * states.shape[-1] ** -0.5
        return scores.float() - self.rarity


def _layer(inputs: int, width: int, dropout: float) -> list[nn.Module]:
    return [nn.Linear(inputs, width), nn.LayerNorm(width), nn.GELU(), nn.Dropout(dropout)]


@register
class Codes(WordProblemModel):
    """The M-tree coding peer."""

    DECODER = "codes"
    DECODER_CLASS = CodeDecoder
    decoder: CodeDecoder

    @cached_property
    def notation(self) -> CodeNotation:
        """How equations are written."""
        return CodeNotation(self.config.vocabulary, self.config.codes)

    @classmethod
    def settings_from(
        cls, graphs: Sequence[ExpressionGraph], min_count: int, known: TreequationConfig | None = None
    ) -> dict[str, Any]:
        """The codes of at least ``min_count`` equations, most frequent first, after those that are ``known``."""
        seen: Counter[str] = Counter()
        for graph in graphs:
            try:
                seen.update({code for _, code in codes(to_mtree(graph))})
            except MTreeError:
                continue
        frequent = sorted((-count, code) for code, count in seen.items() if count >= min_count)
        before = () if known is None else known.codes
        return {"codes": list(dict.fromkeys([*before, *(code for _, code in frequent)]))}

    @property
    def max_steps(self) -> int:
        """All codes are predicted in one step."""
        return 1

    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """One set, with a label for each code of each number."""
        return (tuple(self.notation.write(graph, self.config.symbols)),)

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The binary cross-entropy [B], summed over numbers and codes."""
        scores = self.decoder(read)  # [B, S, C]
        code, slot = batch.operators[:, 0], batch.left[:, 0]  # [B, W]; code 0 is padding
        place = slot * scores.shape[2] + (code - 1).clamp(min=0)
        gold = torch.zeros_like(scores).flatten(1).scatter_add(1, place, (code > 0).float()).view_as(scores)
        loss = F.binary_cross_entropy_with_logits(scores, gold, reduction="none")
        loss = loss.masked_fill(~read.number_mask.unsqueeze(-1), 0.0).sum(dim=(1, 2))
        return Traced(loss, read.problem[:, 0])

    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> list[list[Equation]]:
        """Takes every code with a probability above one half."""
        check_greedy(self, beam)
        read = self.read(batch, self.decoder.constants)
        scores = self.decoder(read)
        there = read.number_mask.unsqueeze(-1)
        total = F.logsigmoid(scores.abs()).masked_fill(~there, 0.0).sum(dim=(1, 2)).tolist()
        predicted: list[list[tuple[int, int]]] = [[] for _ in total]
        for row, slot, code in ((scores > 0) & there).nonzero().tolist():
            predicted[row].append((slot, code))
        return [
            [Written(self.notation.read(coded, reader.numbers), score, 1)]
            for coded, score in zip(predicted, total, strict=True)
        ]
