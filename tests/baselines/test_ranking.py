"""The peer that judges what it writes: what judging does to its answers, and its own pieces worked by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from tests.baselines.parts import losses_without_values, trained, whole_batch, with_parts
from tests.model.tiny import assert_same_equations, make_model, share_solved
from treequation.baselines import Ranking, load_model
from treequation.baselines.ranking import SLIPS, slips
from treequation.baselines.symbol_search import END, Hypothesis
from treequation.data.synthetic import generate
from treequation.expression.evaluation import evaluate
from treequation.expression.parsing import parse_infix
from treequation.expression.printing import to_infix
from treequation.model import decode
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem
from treequation.training.examples import prepare


def model_of(problems: list[Problem], **settings: object) -> Ranking:
    model = with_parts(problems, decoder="ranking", decoder_layers=2, **({"width": 32} | settings))
    assert isinstance(model, Ranking)
    return model


@pytest.fixture(scope="module", params=[1, 2])
def learned(request: pytest.FixtureRequest) -> tuple[Ranking, list[Problem], list[Problem]]:
    """A model that has learned, the problems that it has learned from, and new ones."""
    problems = generate(650, seed=request.param, level="easy", language="en")
    known, dev, new = problems[:500], problems[500:550], problems[550:]
    model = model_of(known)
    trained(model, known, epochs=10, rows=20, until_solved=dev)
    return model, known, new


def test_learns_and_judging_does_no_harm(
    learned: tuple[Ranking, list[Problem], list[Problem]], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, known, new = learned
    assert model.BEAM == 10
    judged = share_solved(model, new)
    monkeypatch.setattr(model, "ranked", lambda found, read: found)
    assert judged >= max(0.95, share_solved(model, new) - 0.02)
    # The judge has learned too: it tells gold equations from wrong ones.
    batch = whole_batch(model, prepare(model, known[:100]))
    with torch.no_grad():
        right = model.judged(model.read(batch, model.constants), batch.equations)[:, :, 1]  # [B, E]
    there = (batch.equations != END).any(dim=2)
    there[:, 0] = False
    wrong = right.masked_fill(~there, 0.0).sum(dim=1) / there.sum(dim=1)
    assert (right[:, 0] > wrong).float().mean() >= 0.8


def test_says_in_a_batch_what_it_says_alone_and_can_be_kept(
    learned: tuple[Ranking, list[Problem], list[Problem]], tmp_path: Path
) -> None:
    model, _, new = learned
    together = decode(model, new[:30], batch_size=13)
    for problem, (found, *_) in zip(new[:30], together, strict=True):
        ((alone, *_),) = decode(model, [problem])
        assert alone.graph == found.graph
        assert alone.score == pytest.approx(found.score, abs=1e-2)
    model.save_pretrained(tmp_path)
    loaded = load_model(tmp_path)
    assert type(loaded) is Ranking
    assert_same_equations(decode(loaded, new[:30]), decode(model, new[:30]))


def test_an_equation_is_judged_as_if_it_were_read_alone(
    learned: tuple[Ranking, list[Problem], list[Problem]],
) -> None:
    """Neither other equations nor padding matter, and the state is that at the stop."""
    model, _, new = learned
    batch = whole_batch(model, prepare(model, new[:5]))
    with torch.no_grad():
        read = model.read(batch, model.constants)
        judged = model.judged(read, batch.equations)
        decoder, table = model.decoder, model.decoder.table(read)
        for row, equations in enumerate(batch.equations.tolist()):
            for place, padded in enumerate(equations):
                symbols = torch.tensor([END, *(symbol for symbol in padded if symbol != END), END])
                x = decoder.embed(table[row : row + 1], symbols.unsqueeze(0))
                for layer in decoder.stack:
                    problem = layer.cross_attention.remember(read.problem[row : row + 1])
                    x = layer.all_at_once(x, problem, read.problem_mask[row : row + 1])
                expected = model.judge(decoder.norm(x[0, -1])).log_softmax(dim=0)
                torch.testing.assert_close(judged[row, place], expected, atol=1e-4, rtol=1e-3)


def test_what_has_the_right_value_is_never_called_wrong() -> None:
    text = "A man with 3 cats, 4 dogs and 3 birds"
    problems = [Problem(str(i), text, find_numbers(text), graph=parse_infix("n0*n1")) for i in range(20)]
    model = make_model(problems, decoder="ranking", constants=["100", "3"], operators=["+", "-", "*", "/"], symbols=15)
    chosen = model.choose(problems, [])
    assert chosen.tags[0] == [0, 1, 1, 3, 1]  # 100, 3, then the numbers 3, 4 and 3
    wrong = set()
    for each in chosen.equations:
        gold, *others = (model.notation.read(tuple(symbols), 3) for symbols in each)
        assert gold == problems[0].graph
        assert len(set(others)) == len(others) <= 10
        wrong |= {to_infix(graph) for graph in others}
    for text in wrong:
        assert evaluate(parse_infix(text), problems[0].values).value.number != 12
    assert wrong >= {"n0+n1", "n0-n1", "n0/n1", "n0*n0", "n1*n1", "n0*100", "n0", "n1"}
    assert not wrong & {"n1*n0", "n2*n1", "3*n1"}


def test_the_slips_worked_by_hand() -> None:
    # Stop, two operators, then the slots 3, 4 and 5, of which the last two have the same value.
    kinds = torch.tensor([[0, 1, 2, 3, 4, 4]])
    gold = torch.tensor([[3, 1, 4, 0, 0]])
    probabilities = [  # after three symbols and a stop there is nothing, though room for more
        [0.30, 0.05, 0.00, 0.40, 0.15, 0.10],
        [0.02, 0.70, 0.20, 0.05, 0.02, 0.01],
        [0.00, 0.00, 0.01, 0.30, 0.60, 0.09],
        [0.10, 0.85, 0.01, 0.02, 0.01, 0.01],
    ]
    found = slips(torch.tensor([probabilities]).log(), gold, kinds, 4)
    assert found.tolist() == [[[3, 1, 3, 0, 0], [3, 2, 4, 0, 0], [4, 1, 4, 0, 0], [5, 1, 4, 0, 0]]]
    # A bare number, two other slots of which one is absent: there are fewer ways than wanted.
    absent = torch.finfo(torch.float32).min
    predicted = torch.tensor([[[-1.0, absent, absent, -1.0, -2.0, absent]]])
    assert slips(predicted, torch.tensor([[3, 0]]), kinds, 3).tolist() == [[[4, 0], [0, 0], [0, 0]]]


def test_the_loss_worked_by_hand(problems: list[Problem], monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(problems)
    batch = whole_batch(model, prepare(model, problems))
    generator = model.eval()(batch)
    # The judge has no opinion yet, of the gold equation or of the wrong ones.
    torch.testing.assert_close(model.train()(batch), generator + 2 * math.log(2))

    def judged(read: object, equations: torch.Tensor) -> torch.Tensor:
        """Gold is right with 0.8; chosen equations are wrong with 0.5, slips with 0.25, and padding makes no sense."""
        wrong = torch.full(equations.shape[:2], 0.5)
        wrong[:, 0], wrong[:, -SLIPS:] = 0.2, 0.25
        said = torch.stack([wrong, 1 - wrong], dim=-1).log()
        return said.masked_fill((equations == END).all(dim=2, keepdim=True), -1e6)

    monkeypatch.setattr(model, "judged", judged)
    batch.equations[::2, 4:] = END  # half of the problems have but three wrong equations
    counts = (batch.equations != END).any(dim=2).sum(dim=1) - 1
    assert sorted(set(counts.tolist())) == [3, 10]
    loss = math.log(0.8) + (counts * math.log(0.5) + SLIPS * math.log(0.25)) / (counts + SLIPS)
    torch.testing.assert_close(model(batch), generator - loss)


def test_the_likeliest_to_be_written_and_right_comes_first(
    problems: list[Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of(problems)
    likely, less = Hypothesis((9, END), -1.0, 0), Hypothesis((10, END), -2.0, 0)
    unlikely, unfinished = Hypothesis((11, END), -5.0, 0), Hypothesis((9,), -0.5, 1)
    right = torch.tensor([0.1, 0.8, 0.9, 1.0]).log()
    monkeypatch.setattr(model, "judged", lambda read, equations: right.expand(1, 4).unsqueeze(2).repeat(1, 1, 2))
    batch = whole_batch(model, prepare(model, problems[:1]))
    (order,) = model.ranked([[likely, less, unlikely, unfinished]], model.read(batch, model.constants))
    assert [one.symbols for one in order] == [(10, END), (9, END), (11, END), (9,)]
    assert order[0].score == pytest.approx(-2 + math.log(0.8))


def test_a_step_asks_nothing_of_the_device(problems: list[Problem]) -> None:
    model = model_of(problems)
    losses = losses_without_values(model, whole_batch(model, prepare(model, problems)))
    assert len(losses) == len(problems)


def test_computes_in_bf16_and_every_weight_of_the_judge_learns(problems: list[Problem]) -> None:
    model = model_of(problems)
    for parameter in model.judge.parameters():
        parameter.data.normal_()
    batch = whole_batch(model, prepare(model, problems))
    losses = model.to(torch.bfloat16).train()(batch)
    assert losses.dtype == torch.float32
    losses.mean().backward()
    for parameter in [*model.judge.parameters(), *model.encoder.parameters()]:
        assert parameter.grad is None or torch.isfinite(parameter.grad).all()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.judge.parameters())


def test_combines_with_what_chooses_something_else(problems: list[Problem]) -> None:
    model = model_of(problems, auxiliary="textual", addon="graph")
    assert torch.isfinite(model.train()(whole_batch(model, prepare(model, problems)))).all()
    for settings in ({"auxiliary": "discriminator"}, {"auxiliary": "analogy"}, {"addon": "rules"}):
        (name,) = settings.values()
        with pytest.raises(ValueError, match=f"the decoder ranking and {name} cannot be combined: both choose"):
            model_of(problems, **settings)
