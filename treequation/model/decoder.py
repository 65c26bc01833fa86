"""The paper's decoder: K queries read the problem; at each step every query proposes one expression or *None*.

Read it beside section 3 of the paper: a method for each of its equations 1 to 7, then training with gold expressions.
``B`` is the batch, ``K`` the queries, ``T`` the problem's states (tokens, then results), ``S`` the slots of the number
vocabulary (constants, numbers, results), ``D`` the width, ``L`` the layers of expressions, ``W`` the labels of a layer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from treequation.data.batches import Batch
from treequation.model.base import look_up, pick_all
from treequation.model.config import TreequationConfig
from treequation.model.criterion import Criterion, LabelScores
from treequation.model.transformer import DecoderLayer, mlp
from treequation.text.number_vocabulary import NONE

MASKED = torch.finfo(torch.float32).min  # finite, so that a row whose slots are all masked gives no NaN


class DecoderState(NamedTuple):
    """The state that one step passes to the next."""

    queries: Tensor  # [B, K, D] the paper's Q
    problem: Tensor  # [B, T, D] the paper's P
    problem_mask: Tensor  # [B, T] False for padding; or [B, Q, T] with a mask for each query
    numbers: Tensor  # [B, S, D] the paper's V_n
    number_mask: Tensor  # [B, S]; or [B, Q, S] with a mask for each query
    memory: Tensor | None = None  # the key/value cache of the problem, which only a chained decoder has

    @property
    def masked_slots(self) -> Tensor:
        """True where there is no number, for all queries [B, 1, S] or for each [B, Q, S]."""
        return ~(self.number_mask if self.number_mask.dim() == 3 else self.number_mask.unsqueeze(1))

    def first(self, rows: int) -> DecoderState:
        """The state of the first rows."""
        return self if rows == len(self.queries) else self.each(lambda part: part[:rows])

    def each(self, change: Callable[[Tensor], Tensor]) -> DecoderState:
        """Applies ``change`` to every tensor."""
        return DecoderState(*(None if part is None else change(part) for part in self))  # type: ignore[arg-type]

    def knowing(self, results: Tensor, valid: Tensor) -> DecoderState:
        """The state with valid results [B, ·, D] in its number vocabulary."""
        return self._replace(
            numbers=torch.cat([self.numbers, results], dim=1),
            number_mask=torch.cat([self.number_mask, valid], dim=1),
        )


class Proposal(NamedTuple):
    """What the K queries propose at one step: three distributions each, as log-probabilities."""

    operator: Tensor  # [B, K, O + 1]; index 0 is None
    left: Tensor  # [B, K, S]; masked slots have exactly zero probability
    right: Tensor  # [B, K, S]
    none: Tensor  # [B, K] of None: the operator's and, in the ablation with an operand None, both operands' as well
    states: tuple[Tensor, Tensor, Tensor]  # s^op, s^l, s^r of equation 2, [B, K, D] each


class Expressions(NamedTuple):
    """Expressions as ids: gold ones [B, W], or those of the K queries [B, K]."""

    operator: Tensor  # 0 is None: no expression
    left: Tensor  # slots
    right: Tensor

    @property
    def real(self) -> Tensor:
        """True where there is an expression, False for None."""
        return self.operator != NONE

    def at_queries(self, assignment: Tensor, queries: int) -> Expressions:
        """Moves labels [B, W] to the queries they are matched to, [B, K]; the other queries get None."""
        nothing = self.operator.new_zeros(len(self.operator), queries)
        return Expressions(*(nothing.scatter(1, assignment, part.masked_fill(~self.real, 0)) for part in self))


class ProblemUpdate(nn.Module):
    """MLPᵘ of equation 6, token by token, with a residual connection around it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mlp = mlp(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, problem: Tensor) -> Tensor:
        return self.norm(problem + self.mlp(problem))


def scores_at(log_probabilities: Tensor, labels: Tensor) -> Tensor:
    """The log-probability [B, K, W] that each query [B, K, ·] gives each label [B, W]."""
    return log_probabilities.gather(2, labels.unsqueeze(1).expand(-1, log_probabilities.shape[1], -1))


class ExpressionDecoder(nn.Module):
    """Layer-wise parallel decoding. Standard: one decoder layer per step. Layer-Shared: the same N for all."""

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__()
        self.steps = config.steps
        self.shared = config.shared_layers > 0
        self.teacher = config.teacher
        self.criterion = Criterion(config)
        # Standard deviation 1, since these are compared with layer-normed states. With the usual 0.02, training takes
        # three to four times as long.
        self.queries = nn.Parameter(torch.randn(config.queries, width))
        self.operators = nn.Parameter(torch.randn(len(config.operators) + 1, width))  # None comes first
        self.constants = nn.Parameter(torch.randn(len(config.constants), width))
        self.none_operand = nn.Parameter(torch.randn(width)) if config.none_loss == "operand" else None
        self.layers = nn.ModuleList(
            DecoderLayer(width, config.heads(width), config.dropout, config.feed_forward)
            for _ in range(config.shared_layers or config.steps * config.layers_per_step)
        )
        self.query_norm = nn.LayerNorm(width)  # the output of pre-norm layers is not normalised
        self.operator_head = mlp(width, width)
        self.left_head = mlp(width, width)
        self.right_head = mlp(width, width)
        self.result_mlp = mlp(4 * width, width)  # MLPⁿ
        self.result_norm = nn.LayerNorm(width)  # results are compared with s^l and s^r, like any number
        self.update: nn.Module = ProblemUpdate(width)  # MLPᵘ

    def start(self, problem: Tensor, mask: Tensor, numbers: Tensor, number_mask: Tensor) -> DecoderState:
        """The state before the first step: the problem [B, T, D] and the number vocabulary [B, S, D]."""
        return DecoderState(self.first_queries(problem), problem, mask, numbers, number_mask)

    def first_queries(self, problem: Tensor) -> Tensor:
        """The learned queries Q⁰, [B, K, D]."""
        return self.queries.to(problem.dtype).expand(problem.shape[0], -1, -1)

    # --- one step ----------------------------------------------------------------------------------------------

    def step(self, step: int, state: DecoderState) -> tuple[DecoderState, Proposal]:
        """The queries read the problem (equation 1) and propose (equations 2 to 4)."""
        state = state._replace(queries=self.read(step, state))
        return state, self.propose(state)

    def read(self, step: int, state: DecoderState) -> Tensor:
        """Equations 1 and 7: the queries Q^l [B, K, D] after reading the problem and each other."""
        queries = state.queries
        for layer in self.layers_of(step):
            queries = layer(queries, state.problem, state.problem_mask)
        return queries

    def layers_of(self, step: int) -> Sequence[DecoderLayer]:
        """The decoder layers of one step."""
        layers = cast("list[DecoderLayer]", list(self.layers))
        if self.shared:
            return layers
        if step >= self.steps:
            raise ValueError(f"this model has decoder layers for {self.steps} steps, and none for step {step + 1}")
        each = len(layers) // self.steps
        return layers[step * each : (step + 1) * each]

    def propose(self, state: DecoderState) -> Proposal:
        """Equations 2 to 4: the distributions that the queries predict."""
        states = operator_state, left_state, right_state = self.parts(self.query_norm(state.queries))
        operator = self.operator_distribution(operator_state)
        left, right = self.operand_distribution(left_state, state), self.operand_distribution(right_state, state)
        none = operator[..., NONE]
        if self.none_operand is not None:  # None is the last slot, and both operands must predict it as well
            none = none + left[..., -1] + right[..., -1]
            left, right = left[..., :-1], right[..., :-1]
        return Proposal(operator, left, right, none, states)

    def parts(self, read: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Equation 2: s^op, s^l, s^r, [B, K, D] each."""
        return self.operator_head(read), self.left_head(read), self.right_head(read)

    def operand_distribution(self, states: Tensor, state: DecoderState) -> Tensor:
        """Equation 3: log-probabilities of the slots [B, ·, S] for s^l or s^r [B, ·, D]."""
        scale = states.shape[-1] ** -0.5
        masked = state.masked_slots
        scores = ((states @ state.numbers.transpose(1, 2)).float() * scale).masked_fill(masked, MASKED)
        if self.none_operand is not None:  # the ablation "operand None": one more slot, [B, ·, S + 1]
            none = (states @ self.none_operand.to(states.dtype)).float() * scale  # [B, ·]
            return torch.cat([scores, none.unsqueeze(-1)], dim=-1).log_softmax(dim=-1)
        # Masked again: if every slot is masked, the softmax spreads over masked slots.
        return scores.log_softmax(dim=-1).masked_fill(masked, MASKED)

    def operator_distribution(self, states: Tensor) -> Tensor:
        """Equation 4: log-probabilities of None and the operators [..., O + 1] for s^op [..., D]."""
        return ((states @ self.operators.to(states.dtype).T).float() * states.shape[-1] ** -0.5).log_softmax(dim=-1)

    # --- from one step to the next -----------------------------------------------------------------------------

    def results(self, state: DecoderState, proposal: Proposal, chosen: Expressions) -> Tensor:
        """The embeddings [B, K, D] of the results: from the queries' own states, or from the ``chosen`` ids."""
        if self.teacher == "query":
            return self.result(*proposal.states)
        return self.result_of(state, chosen)

    def result(self, operator: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """Equation 5: the embedding [B, ·, D] of a result, from those of its operator and operands, [B, ·, D] each."""
        return self.result_norm(self.result_mlp(torch.cat([operator, left, right, left * right], dim=-1)))

    def result_of(self, state: DecoderState, chosen: Expressions) -> Tensor:
        """Equation 5, from the ids of operators and operands."""
        left, right = pick_all(state.numbers, chosen.left), pick_all(state.numbers, chosen.right)
        return self.result(self.operator_at(chosen.operator), left, right)

    def operator_at(self, index: Tensor) -> Tensor:
        """The embeddings [..., D] of the operators with these ids."""
        return look_up(self.operators, index) if self.training else self.operators[index]

    def grow(self, state: DecoderState, results: Tensor, valid: Tensor) -> DecoderState:
        """Equation 6: adds valid results [B, ·, D] to the number vocabulary and to the problem, which is updated."""
        return state.knowing(results, valid)._replace(
            problem=self.update(torch.cat([state.problem, results], dim=1)),  # [B, T + K, D]
            problem_mask=torch.cat([state.problem_mask, valid], dim=1),
        )

    def advance(
        self,
        state: DecoderState,
        proposal: Proposal,
        rows: Tensor,
        chosen: Expressions,
        valid: Tensor,
        joining: Tensor,
    ) -> DecoderState:
        """The next state of these ``rows`` [R], to which the ``valid`` ones of the ``chosen`` [R, K] are added.

        ``joining`` [R, V] are the queries with valid expressions, padded with others. Only their results are computed
        and added to the problem. The number vocabulary still gets a slot for every query.
        """
        state = state.each(lambda part: part[rows])
        wide = joining.unsqueeze(-1).expand(-1, -1, state.queries.shape[-1])  # [R, V, D]
        operator, left, right = (part[rows].gather(1, wide) for part in proposal.states)
        proposal = proposal._replace(states=(operator, left, right))
        results = self.results(state, proposal, Expressions(*(part.gather(1, joining) for part in chosen)))
        slots = torch.zeros_like(state.queries).scatter(1, wide, results)  # [R, K, D]
        return self.grow(state, results, valid.gather(1, joining))._replace(
            numbers=torch.cat([state.numbers, slots], dim=1),
            number_mask=torch.cat([state.number_mask, valid], dim=1),
        )

    # --- training ----------------------------------------------------------------------------------------------

    def losses(self, batch: Batch, state: DecoderState) -> Tensor:
        """The losses of the layers [B, L], in turn; the gold results of a layer are added before the next.

        A gold result takes the slot of the query it is matched to. Labels refer to it by its place in the label set, so
        those of later layers are resolved after the matching. A layer is computed only for the rows that have it.
        """
        rows, layers, width = batch.operators.shape
        queries, first_result = len(self.queries), state.numbers.shape[1]
        slots = batch.left.new_zeros(rows, layers * queries)  # the slot of each gold result
        losses = []
        for layer in range(layers):
            count = batch.active(layer)
            operands = (
                _in_slots(part[:count, layer], slots[:count], first_result) for part in (batch.left, batch.right)
            )
            labels = Expressions(batch.operators[:count, layer], *operands)
            state, proposal = self.step(layer, state.first(count))
            loss, assignment = self.criterion(label_scores(proposal, labels), labels.real)
            losses.append(F.pad(loss, (0, rows - count)))
            if layer + 1 < layers:
                place = layer * queries
                slots[:count, place : place + width] = first_result + place + assignment
                gold = labels.at_queries(assignment, queries)  # [B, K]
                state = self.grow(state, self.results(state, proposal, gold), gold.real)
        return torch.stack(losses, dim=1)


def label_scores(proposal: Proposal, labels: Expressions) -> LabelScores:
    """The log-probabilities that each query gives each label."""
    return LabelScores(
        scores_at(proposal.operator, labels.operator),
        scores_at(proposal.left, labels.left),
        scores_at(proposal.right, labels.right),
        proposal.none,
    )


def _in_slots(labels: Tensor, slots: Tensor, first_result: int) -> Tensor:
    """Labels [B, W] in which gold results are replaced by the slots of the queries they were matched to."""
    is_result = labels >= first_result
    return torch.where(is_result, slots.gather(1, (labels - first_result).clamp(min=0)), labels)
