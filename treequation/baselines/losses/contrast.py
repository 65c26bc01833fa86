"""Contrastive losses: problems with similar solutions get similar embeddings.

- ``pattern``, Prototype: Li et al., "Seeking Patterns, Not just Memorizing Procedures" (ACL Findings 2022).
- ``textual``, Textual-CL: Shen et al., "Textual Enhanced Contrastive Learning for Solving Math Word Problems" (2022).
- ``analogy``, the first part of Ana-CL: Liang et al., "Analogical Math Word Problems Solving" (2022).

They work with any decoder: for one without goals, the encoder's summary is the goal of the whole equation. ``B`` is the
batch, of which the first ``A`` rows are not mates.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.baselines.losses.patterns import first_operators, mates_by_pattern, mates_by_text
from treequation.data.batches import Batch
from treequation.expression.graph import ExpressionGraph
from treequation.model.base import Read
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Auxiliary, Chosen, PartLoss, Traced, register_part
from treequation.model.registry import DECODERS
from treequation.text.encoding import EncodedProblem
from treequation.text.problem import Problem


def equations_of(problems: Sequence[Problem]) -> list[ExpressionGraph]:
    """The equations of training problems."""
    return [problem.graph for problem in problems if problem.graph is not None]


@register_part
class PatternMargin(Auxiliary):
    """Triplet loss: goals of one pattern are closer, by a margin, than those of others with the same operator."""

    NAME = "pattern"
    CHOOSES = ("mates",)
    WEIGHT = 5 / 3  # 5, against the sum of three cross-entropies; here mates add no cross-entropy
    PER_SYMBOL = True
    BEGINS = (0.04, 0.2)  # steps 1,000 and 6,000 of about 28,000
    MARGIN = 0.2  # on Math23K; 0.15 on MathQA

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        self.decodes_mates = DECODERS[config.decoder].TRACES_GOALS

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem] = ()) -> Chosen:
        """Chooses mates by pattern."""
        return Chosen(mates=mates_by_pattern(equations_of(problems), Random(0), whole=not self.decodes_mates))

    def forward(self, traced: Traced, read: Read, batch: Batch) -> PartLoss:
        """max(0, m − cos(z, z⁺) + cos(z, z⁻)); 0 for a problem without mates."""
        if batch.mates is None:
            return PartLoss(torch.zeros_like(traced.loss))
        positive, negative, own_place, its_place = batch.mates.unbind(dim=1)  # [A] each
        anchors = torch.arange(len(positive), device=positive.device)
        if traced.goals is None:  # the only goal is that of the whole equation
            states = read.problem[:, :1]
            own_place = its_place = torch.zeros_like(positive)
        else:
            states = traced.goals
        z = _goal(states, anchors, own_place)
        near = F.cosine_similarity(z, _goal(states, positive, its_place), dim=-1)
        far = F.cosine_similarity(z, _goal(states, negative, torch.zeros_like(its_place)), dim=-1)
        return PartLoss(F.relu(self.MARGIN - near + far).masked_fill((positive < 0) | (negative < 0), 0.0))


def _goal(states: Tensor, rows: Tensor, places: Tensor) -> Tensor:
    """The states [A, D] at these rows and places of [B, L, D], in full precision; −1, for none, is read as 0."""
    place = rows.clamp(min=0) * states.shape[1] + places.clamp(min=0)
    return states.flatten(0, 1).index_select(0, place).float()


@register_part
class TextualContrast(Auxiliary):
    """InfoNCE: the summary of a problem must identify its positive among all positives and negatives of the batch."""

    NAME = "textual"
    CHOOSES = ("mates",)
    WEIGHT = 0.1
    TEMPERATURE = 0.05

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem] = ()) -> Chosen:
        """Chooses mates by text and equation."""
        texts = [problem.masked_text for problem in problems]
        return Chosen(mates=mates_by_text(texts, equations_of(problems), Random(0)))

    def forward(self, traced: Traced, read: Read, batch: Batch) -> PartLoss:
        """−log of the softmax probability of the positive; 0 for a problem without one."""
        if batch.mates is None:
            return PartLoss(torch.zeros_like(traced.loss))
        mates = batch.mates[:, :2]
        count = len(mates)
        states = F.normalize(read.problem[:, 0].float(), dim=-1)  # [B, D]
        others = states.index_select(0, mates.T.flatten().clamp(min=0))  # [2·A, D] positives, then negatives
        there = (mates >= 0).T.flatten() & (batch.weight[:count] > 0).repeat(2)
        scores = (states[:count] @ others.T / self.TEMPERATURE).masked_fill(~there, MASKED)  # [A, 2·A]
        loss = scores.logsumexp(dim=1) - scores.diagonal()
        return PartLoss(loss.masked_fill(~there[:count], 0.0))


@register_part
class Analogy(Auxiliary):
    """A head classifies whether the equations of two problems begin with the same operators.

    There are two kinds of classes: by the first operator of the prefix equation, and by the first two. For each kind, a
    problem is paired with one of its class and one of another, drawn from its batch, so that nothing is encoded twice.
    """

    NAME = "analogy"
    CHOOSES = ("tags",)
    WEIGHT = 0.01
    PER_SYMBOL = True

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        self.head = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem] = ()) -> Chosen:
        """The two classes of each problem, numbered from 1."""
        known: dict[tuple[str, ...], int] = {}
        classes = [[first_operators(graph, count) for count in (1, 2)] for graph in equations_of(problems)]
        return Chosen(tags=[[known.setdefault(each, len(known) + 1) for each in pair] for pair in classes])

    def forward(self, traced: Traced, read: Read, batch: Batch) -> PartLoss:
        """The sum of four binary cross-entropies; 0 for a pair that the batch does not have."""
        count = batch.own
        states, loss = read.problem[:count, 0], torch.zeros(count, device=read.problem.device)
        if batch.tags is None:
            return PartLoss(loss)
        itself = torch.eye(count, dtype=torch.bool, device=loss.device)
        counts = batch.weight[:count] > 0
        for kind in range(2):
            tags = batch.tags[:count, kind]
            same = tags.unsqueeze(1) == tags
            for pairs, answer in ((same, 1.0), (~same, 0.0)):
                allowed = pairs & ~itself & counts  # [A, A]
                random = torch.rand(allowed.shape, device=loss.device).masked_fill(~allowed, -1.0)
                drawn = states.index_select(0, random.argmax(dim=1))
                score = self.head(torch.cat([states, drawn], dim=-1)).squeeze(-1).float()
                pair_loss = F.binary_cross_entropy_with_logits(score, torch.full_like(score, answer), reduction="none")
                loss = loss + pair_loss.masked_fill(~allowed.any(dim=1), 0.0)
        return PartLoss(loss)
