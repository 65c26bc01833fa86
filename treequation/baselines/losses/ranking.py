"""Generate and rank: the model that writes equations also judges them, and the best judged is its answer.

After Shen et al., "Generate & Rank: A Multi-task Framework for Math Word Problems" (EMNLP Findings 2021), on the
sequence decoder. The judge looks at the decoder's state at the end of an equation that is read with its problem. It
learns from the gold equation, from wrong ones an edit away, and from wrong ones that the model itself finds likely,
which are drawn anew before every epoch. Candidates with the right value are left out. The first half of a run trains
the generator alone, as the paper's first stage does. There are five candidates of each kind where the paper has ten:
every one is read at every step. A beam of ten is judged when solving.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import torch
from torch import Tensor, nn

from treequation.baselines.seq2seq import InfixNotation
from treequation.data.batches import Batch
from treequation.data.labels import LabelError
from treequation.expression.disturb import wrong_equations
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import ExpressionGraph
from treequation.model.base import Read, WordProblemModel
from treequation.model.batch_decoding import decode
from treequation.model.config import TreequationConfig
from treequation.model.parts import Auxiliary, Chosen, PartLoss, Traced, register_part
from treequation.text.encoding import EncodedProblem
from treequation.text.problem import Problem

EDITED, WRITTEN = 5, 5  # wrong equations of each problem: an edit away, and the model's own


@register_part
class Ranking(Auxiliary):
    """The judge, and the bank of equations that it learns from."""

    NAME = "ranking"
    DECODERS = ("seq2seq",)
    CHOOSES = ("equations",)
    BEGINS = (0.5, 0.5)
    JUDGED = 10

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        self.vocabulary, self.symbols = config.vocabulary, config.symbols
        self.notation = InfixNotation(self.vocabulary)
        self.head = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 2))
        self._problems: Sequence[Problem] = ()
        self._edited: list[list[list[int]]] = []

    def judge(self, states: Tensor) -> Tensor:
        """The probability of the second class."""
        return self.head(states).float().softmax(dim=-1)[..., 1]

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem] = ()) -> Chosen:
        """The gold equation of each problem, those an edit away, and room for the model's own."""
        random, known = Random(0), self.vocabulary
        self._problems, self._edited = problems, []
        for problem in problems:
            assert problem.graph is not None
            drawn = wrong_equations(
                problem.graph, problem.values, EDITED, random, constants=known.constants, operators=known.operators
            )
            self._edited.append(self._rows([problem.graph, *drawn]))
        return Chosen(equations=[[*rows, *[()] * (1 + EDITED + WRITTEN - len(rows))] for rows in self._edited])

    def _rows(self, graphs: Sequence[ExpressionGraph]) -> list[list[int]]:
        """The equations in symbols; one that is too long is left out."""
        rows = []
        for graph in graphs:
            try:
                rows.append(self.notation.write(graph, self.symbols))
            except LabelError:
                continue
        return rows

    def redraw(self, model: WordProblemModel, progress: float) -> Sequence[Sequence[Sequence[int]]] | None:
        """The bank with what the model finds likely by now and is wrong."""
        if progress < self.BEGINS[0]:
            return None
        bank = []
        found = decode(model, self._problems, beam=WRITTEN + 1, truncate=True)
        for problem, edited, hypotheses in zip(self._problems, self._edited, found, strict=True):
            assert problem.graph is not None
            right = evaluate(problem.graph, problem.values).value.number
            graphs = [one.graph for one in hypotheses if one.graph is not None]
            wrong = [graph for graph in graphs if evaluate(graph, problem.values).value.number != right]
            bank.append([*edited, *self._rows(wrong)[:WRITTEN]])
        return bank

    def forward(self, traced: Traced, read: Read, batch: Batch) -> PartLoss:
        """The judge's surprise at the gold equation and, in the mean, at the wrong ones."""
        count = len(batch.ids if batch.mates is None else batch.mates)
        if batch.equations is None or traced.reread is None:
            return PartLoss(torch.zeros_like(traced.loss[:count]))
        equations = batch.equations[:count]  # [A, E, S]
        said = self.head(traced.reread(equations)).float().log_softmax(dim=-1)  # [A, E, 2]
        there = (equations > 0).any(dim=2)[:, 1:]
        wrong = said[:, 1:, 0].masked_fill(~there, 0.0).sum(dim=1) / there.sum(dim=1).clamp(min=1)
        return PartLoss(-said[:, 0, 1] - wrong)
