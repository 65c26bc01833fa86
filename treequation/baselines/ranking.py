"""Generate and rank: the model that writes equations also judges them, and writer and judge choose together.

Rank, after Shen et al., "Generate & Rank: A Multi-task Framework for Math Word Problems" (Findings of EMNLP 2021), on
the decoder of :mod:`.seq2seq`. A beam of 10 writes candidates. The decoder reads each of them, stop included, with the
problem, and a two-class head on its state at the stop says whether the candidate is right. The head learns from the
gold equation and from wrong ones, and so does the rest of the model.

It differs from the paper in four ways.

- The paper's answer is the best judged candidate. Ours is the likeliest to be both written and right: the two
  probabilities are multiplied. A judge that has seen few problems is often wrong about what the generator hardly ever
  writes: after 120 made-up problems, it would lose 30 to 70 % of the right answers if it decided alone.
- The paper adds the beam's wrong candidates to the wrong equations after every epoch. Here the *slips* stand in for
  them: the gold equation with one symbol replaced, in the ways that the generator finds likeliest at that moment. They
  are computed within the training step. Without them, the judge sometimes overruled right answers.
- Wrong equations together weigh as much as the gold one, which they outnumber. Those with its value are left out; in
  the paper they count as right.
- Generator and judge learn together from the start; the paper trains the generator alone first.

``B`` is the batch, ``E`` the equations of a problem, ``S`` their symbols, ``L`` those of the gold equation and stop,
``V`` all symbols and slots, ``D`` the width.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import PreTrainedModel

from treequation.baselines.losses.contrast import equations_of
from treequation.baselines.losses.disturb import wrong_equations
from treequation.baselines.seq2seq import Seq2Seq, SequenceLayer, sinusoids
from treequation.baselines.symbol_search import END, Hypothesis
from treequation.data.batches import Batch, in_blocks
from treequation.data.labels import LabelError
from treequation.decoding.search import IMPOSSIBLE
from treequation.expression.graph import ExpressionGraph
from treequation.model.base import Read, pick_all
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Chosen, Traced
from treequation.model.registry import register
from treequation.text.encoding import EncodedProblem
from treequation.text.problem import Problem

DISTURBED, SLIPS = 10, 5  # wrong equations of each problem: chosen before training, and computed in each step


@register
class Ranking(Seq2Seq):
    """The peer that judges what it has written. Searching greedily, it only writes."""

    DECODER = "ranking"
    BEAM = 10
    CHOOSES = ("tags", "equations")

    def __init__(self, config: TreequationConfig, encoder: PreTrainedModel | None = None) -> None:
        super().__init__(config, encoder)
        verdict = nn.Linear(self.width, 2)
        nn.init.zeros_(verdict.weight)  # before the judge has learned anything, it prefers nothing
        nn.init.zeros_(verdict.bias)
        self.judge = nn.Sequential(nn.Linear(self.width, self.width), nn.Tanh(), verdict)

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem]) -> Chosen:
        """For each problem, the first slot that has the value of each slot; its gold equation, then wrong ones."""
        random, known = Random(0), self.config.vocabulary
        tags, equations = [], []
        for problem, gold in zip(problems, equations_of(problems), strict=True):
            slots = [*known.constants, *problem.values]
            tags.append([slots.index(value) for value in slots])
            wrong = wrong_equations(gold, problem.values, DISTURBED, random, known)
            equations.append([self.notation.write(gold, self.config.symbols), *self._short_enough(wrong)])
        return super().choose(problems, encoded)._replace(tags=tags, equations=equations)

    def _short_enough(self, graphs: Sequence[ExpressionGraph]) -> list[list[int]]:
        """The symbols of those equations that the model could write."""
        written = []
        for graph in graphs:
            try:
                written.append(self.notation.write(graph, self.config.symbols))
            except LabelError:
                continue
        return written

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The generator's loss and, in training, the judge's, [B]."""
        traced = super().loss(read, batch)
        if not self.training or batch.equations is None:
            return traced
        predicted = torch.stack(list(traced.log_probabilities), dim=1).detach()  # [B, L, V]
        kinds = self._kinds(batch.tags, predicted.shape[2])
        slipped = slips(predicted, batch.equations[:, 0], kinds, SLIPS)
        equations = torch.cat([batch.equations, slipped], dim=1)
        judged = self.judged(read, equations)
        there = (equations != END).any(dim=2)[:, 1:]
        wrong = judged[:, 1:, 0].masked_fill(~there, 0.0).sum(dim=1) / there.sum(dim=1).clamp(min=1)
        return traced._replace(loss=traced.loss - judged[:, 0, 1] - wrong)

    def _kinds(self, tags: Tensor, count: int) -> Tensor:
        """A number for each of the symbols [B, V], the same for slots that have the same value."""
        first = self.notation.first_slot
        signs = torch.arange(first, device=tags.device).expand(len(tags), -1)
        return torch.cat([signs, F.pad(first + tags, (0, count - first - tags.shape[1]))], dim=1)

    def judged(self, read: Read, equations: Tensor) -> Tensor:
        """The log-probabilities [B, E, 2] that equations [B, E, S] are wrong and right; END is padding."""
        each = equations.shape[1]
        symbols = F.pad(equations, (1, 1), value=END)  # start, the equation, at least one stop
        table = self.decoder.table(read)
        x = pick_all(table, symbols.flatten(1))  # [B, E·(S + 2), D]
        x = x + sinusoids(0, symbols.shape[2], x.shape[-1], x).repeat(each, 1)
        for layer in self.decoder.stack:
            x = _side_by_side(layer, x, each, read)
        stop = (equations != END).sum(dim=2) + 1  # [B, E] the place
        places = stop + torch.arange(each, device=stop.device) * symbols.shape[2]
        return self.judge(self.decoder.norm(pick_all(x, places))).float().log_softmax(dim=-1)

    def hypotheses(self, read: Read, batch: Batch, *, beam: int, steps: int | None = None) -> list[list[Hypothesis]]:
        """What the beam finds, in the order of the probability to be both written and right."""
        found = super().hypotheses(read, batch, beam=beam, steps=steps)
        return self.ranked(found, read) if beam > 1 else found

    def ranked(self, found: Sequence[Sequence[Hypothesis]], read: Read) -> list[list[Hypothesis]]:
        """The hypotheses of each problem with the judge's log-probability added to the score, the best first.

        Those that are incomplete stay last.
        """
        symbols = [[[s for s in one.symbols if s != END] for one in hypotheses] for hypotheses in found]
        equations = torch.from_numpy(in_blocks(symbols, len(found))).to(read.problem.device)
        right = self.judged(read, equations)[:, :, 1].tolist()
        judged = (
            [one._replace(score=one.score + added) for one, added in zip(hypotheses, row, strict=False)]
            for hypotheses, row in zip(found, right, strict=True)
        )
        return [sorted(each, key=lambda one: (one.open_ends > 0, -one.score)) for each in judged]


def _side_by_side(layer: SequenceLayer, x: Tensor, each: int, read: Read) -> Tensor:
    """A decoder layer for ``each`` sequences of a problem [B, E·S, D]; they do not see each other."""
    attention = layer.self_attention
    problem = layer.cross_attention.remember(read.problem)

    def attend_back(x: Tensor) -> Tensor:
        apart = x.unflatten(1, (each, -1)).flatten(0, 1)  # [B·E, S, D]
        attended = attention.attend(apart, *attention.remember(apart), causal=True)
        return attended.unflatten(0, (-1, each)).flatten(1, 2)

    return layer.through(x, attend_back, lambda x: layer.cross_attention.attend(x, *problem, read.problem_mask))


def slips(predicted: Tensor, gold: Tensor, kinds: Tensor, count: int) -> Tensor:
    """The gold equations [B, S] with one symbol replaced, in the ``count`` likeliest ways: [B, count, S].

    ``predicted`` [B, L, V] are the log-probabilities of the symbols at each place. A symbol is replaced by one of
    another of the ``kinds`` [B, V], but not by stop. Where there are too few ways, the rest is END.
    """
    places, signs = min(predicted.shape[1], gold.shape[1]), predicted.shape[2]
    own = kinds.gather(1, gold[:, :places])
    possible = kinds.unsqueeze(1) != own.unsqueeze(2)  # [B, L, V]
    possible &= (gold[:, :places] != END).unsqueeze(2)
    possible[:, :, END] = False
    best = predicted[:, :places].masked_fill(~possible, MASKED).flatten(1).topk(count)
    place, symbol = best.indices // signs, best.indices % signs  # [B, count]
    slipped = gold.unsqueeze(1).repeat(1, count, 1).scatter(2, place.unsqueeze(2), symbol.unsqueeze(2))
    return slipped.masked_fill((best.values < IMPOSSIBLE).unsqueeze(2), END)
