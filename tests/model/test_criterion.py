"""The loss of a layer: a worked example, the ablations, and what must not matter."""

import math
from fractions import Fraction
from itertools import permutations

import pytest
import torch
from torch import Tensor

from tests.model.tiny import batch_of, examples_of, make_model
from treequation.expression.parsing import parse_infix
from treequation.model import TreequationConfig
from treequation.model.criterion import Criterion, Matched
from treequation.model.decoder import MASKED, DecoderState, Expressions, Proposal, label_scores
from treequation.text.number_vocabulary import NONE
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem


def log(rows: list[list[float]]) -> Tensor:
    """Probabilities of the queries as log-probabilities, [1, K, ·]; 0 is masked."""
    return torch.tensor(rows).log().clamp(min=MASKED).unsqueeze(0)


def proposal(operator: list[list[float]], left: list[list[float]], right: list[list[float]]) -> Proposal:
    nothing = torch.zeros(1, len(operator), 32)
    return Proposal(log(operator), log(left), log(right), log(operator)[..., NONE], (nothing, nothing, nothing))


def judge(config: TreequationConfig, case: Proposal, labels: Expressions) -> Matched:
    """What the criterion makes of a proposal."""
    return Criterion(config)(label_scores(case, labels), labels.real)


def test_worked_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two queries, two layers: 50 × 5 + 60 × 4.

    Operators: None, +, ×. Slots 0 to 3 are the numbers 50, 5, 60, 4; slots 4 and 5 the results of queries 0 and 1.

    Layer 1, label set {y1 = 50 × 5, y2 = 60 × 4}; the cost is −(p_op + p_l + p_r):
        y1 at query 0: −(0.6 + 0.1 + 0.1) = −0.8      y1 at query 1: −(0.8 + 0.5 + 0.6) = −1.9
        y2 at query 0: −(0.6 + 0.7 + 0.7) = −2.0      y2 at query 1: −(0.8 + 0.2 + 0.1) = −1.1
    y1 to query 0 and y2 to query 1 costs −1.9; the other way costs −3.9, and is chosen. The loss is
        y1 at query 1: −ln 0.8 − ln 0.5 − ln 0.6
        y2 at query 0: −ln 0.6 − ln 0.7 − ln 0.7

    Layer 2, label set {y1's result + y2's result, None}. y1's result is query 1's, slot 5; y2's is slot 4:
        at query 0: −(0.2 + 0.3 + 0.4) = −0.9         at query 1: −(0.7 + 0.6 + 0.5) = −1.8
    Query 1 is chosen; query 0 is to say None. The loss is
        query 1: −ln 0.7 − ln 0.6 − ln 0.5            query 0: −ln 0.7
    """
    text = "Tom buys 50 pens at 5 dollars and 60 books at 4 dollars. What does he pay?"
    problem = Problem("worked", text, find_numbers(text), graph=parse_infix("n0*n1+n2*n3"), answer=Fraction(490))
    model = make_model([problem], queries=2, steps=2, operators=["+", "*"], constants=[])
    layers = [
        proposal(
            operator=[[0.2, 0.2, 0.6], [0.1, 0.1, 0.8]],
            left=[[0.1, 0.1, 0.7, 0.1], [0.5, 0.2, 0.2, 0.1]],
            right=[[0.1, 0.1, 0.1, 0.7], [0.2, 0.6, 0.1, 0.1]],
        ),
        proposal(
            operator=[[0.7, 0.2, 0.1], [0.2, 0.7, 0.1]],
            left=[[0.1, 0.1, 0.1, 0.1, 0.3, 0.3], [0.1, 0.0, 0.1, 0.1, 0.1, 0.6]],
            right=[[0.1, 0.1, 0.1, 0.1, 0.4, 0.2], [0.1, 0.1, 0.1, 0.1, 0.5, 0.1]],
        ),
    ]

    def step(number: int, state: DecoderState) -> tuple[DecoderState, Proposal]:
        return state, layers[number]

    monkeypatch.setattr(model.decoder, "step", step)
    loss = model(batch_of(model, examples_of(model, [problem]), layers=2))
    first = [0.8, 0.5, 0.6, 0.6, 0.7, 0.7]
    second = [0.7, 0.6, 0.5, 0.7]
    assert loss.item() == pytest.approx(-sum(math.log(p) for p in first + second), abs=1e-5)


def random_case(queries: int, gold: int) -> tuple[Proposal, Expressions]:
    """Random distributions over 5 operators and 7 slots, of which the last is masked; ``gold`` real labels."""

    def operands() -> Tensor:
        scores = torch.randn(3, queries, 7)
        scores[..., 6] = MASKED
        return scores.log_softmax(dim=-1)

    operator = torch.randn(3, queries, 6).log_softmax(dim=-1)
    labels = torch.randint(1, 6, (3, queries)) * (torch.arange(queries) < gold)
    slots = [torch.randint(0, 6, (3, queries)) for _ in range(2)]
    parts = operator, operands(), operands(), operator[..., NONE]
    return Proposal(*parts, (operator, operator, operator)), Expressions(labels, *slots)


def loss_by_hand(case: Proposal, targets: Expressions, row: int) -> float:
    """Equations 8 to 10, written down once more: every permutation, one number at a time."""
    queries = case.operator.shape[1]
    real = [w for w in range(queries) if targets.operator[row, w] != NONE]

    def logs(w: int, k: int) -> list[float]:
        return [
            case.operator[row, k, targets.operator[row, w]].item(),
            case.left[row, k, targets.left[row, w]].item(),
            case.right[row, k, targets.right[row, w]].item(),
        ]

    best = min(
        permutations(range(queries), len(real)),
        key=lambda places: -sum(math.exp(p) for w, k in zip(real, places, strict=True) for p in logs(w, k)),
    )
    loss = -sum(sum(logs(w, k)) for w, k in zip(real, best, strict=True))
    return loss - sum(case.operator[row, k, NONE].item() for k in range(queries) if k not in best)


@pytest.mark.parametrize("gold", [0, 1, 3, 4])
def test_loss_is_equation_10_at_the_cheapest_matching(gold: int) -> None:
    case, targets = random_case(4, gold)
    loss = judge(TreequationConfig(queries=4), case, targets).loss
    expected = [loss_by_hand(case, targets, row) for row in range(3)]
    torch.testing.assert_close(loss, torch.tensor(expected))


@pytest.mark.parametrize("settings", [{}, {"none_loss": "off"}])
def test_order_of_a_label_set_does_not_matter(settings: dict[str, object]) -> None:
    config = TreequationConfig(queries=4, **settings)
    case, targets = random_case(4, 3)
    order = torch.tensor([2, 3, 0, 1])
    shuffled = Expressions(*(part[:, order] for part in targets))
    torch.testing.assert_close(judge(config, case, targets).loss, judge(config, case, shuffled).loss)


def test_sequence_matching_is_bound_to_the_order() -> None:
    config = TreequationConfig(queries=4, matching="sequence")
    case, targets = random_case(4, 4)
    assert judge(config, case, targets).assignment.tolist() == [[0, 1, 2, 3]] * 3


def test_none_variants() -> None:
    """One query that should say None: its operator's loss, or none at all."""
    case = proposal(operator=[[0.5, 0.5]], left=[[0.75, 0.25]], right=[[0.2, 0.8]])
    nothing = Expressions(*(torch.zeros(1, 1, dtype=torch.long) for _ in range(3)))

    def loss(**settings: object) -> float:
        config = TreequationConfig(queries=1, operators=["+"], **settings)
        return judge(config, case, nothing).loss.item()

    assert loss() == pytest.approx(-math.log(0.5))
    assert loss(none_loss="off") == 0


def test_operand_none_is_held_to_three_times(problems: list[Problem]) -> None:
    """A query that should say None is to say it of its operator and of both operands."""
    model = make_model(problems, none_loss="operand", queries=1).eval()
    with torch.no_grad():
        state, found = model.decoder.step(0, model.start(batch_of(model, examples_of(model, problems[:3]))))
        _, left, right = model.decoder.parts(model.decoder.query_norm(state.queries))
        none = [model.decoder.operand_distribution(side, state)[..., -1] for side in (left, right)]
    torch.testing.assert_close(found.none, found.operator[..., NONE] + none[0] + none[1])
    assert found.left.shape[-1] == state.numbers.shape[1]
