from dataclasses import replace

import pytest

from tests.evaluation.cases import decoded_as, problem
from treequation.evaluation import evaluator
from treequation.evaluation.evaluator import evaluate_model
from treequation.model import ExpressionTreeModel, TreequationModel
from treequation.model.scratch import scratch_encoder
from treequation.text.problem import Problem

LONG = problem("7 birds " + "sing and " * 200 + "3 leave", "n0-n1", "4", id="long")


@pytest.mark.parametrize("beam", [1, 3])
def test_every_problem_has_an_outcome_in_its_place(model: TreequationModel, problems: list[Problem], beam: int) -> None:
    given = [LONG, *problems, LONG]
    outcomes = evaluate_model(model, given, beam=beam, batch_size=5)
    assert [outcome.id for outcome in outcomes] == [each.id for each in given]
    assert "tokens" in outcomes[0].reason
    assert not outcomes[0].answer_right
    # A problem's outcome is its own, whatever is in its batch.
    alone = evaluate_model(model, [problems[3]], beam=beam)[0]
    assert (outcomes[4].equation, outcomes[4].value, outcomes[4].steps) == (alone.equation, alone.value, alone.steps)
    assert outcomes[4].confidence == pytest.approx(alone.confidence, rel=1e-3)


def test_only_too_long_problems(model: TreequationModel) -> None:
    (outcome,) = evaluate_model(model, [LONG])
    assert not outcome.answer_right


def test_the_right_equations_are_right(
    model: TreequationModel, problems: list[Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    def oracle(model: TreequationModel, given: list[Problem], **settings: int) -> list:
        return [[decoded_as(each.graph)] for each in given if each.graph is not None]

    monkeypatch.setattr(evaluator, "decode", oracle)
    given = [replace(each, refused="no room" if place == 1 else "") for place, each in enumerate(problems)]
    outcomes = evaluate_model(model, given, training_texts={problems[0].masked_text})
    assert [outcome.answer_right for outcome in outcomes] == [True, False] + [True] * 10
    assert [outcome.equation_right for outcome in outcomes] == [True, False] + [True] * 10
    assert outcomes[1].reason == "no room"
    assert [outcome.seen for outcome in outcomes[:2]] == [True, problems[1].masked_text == problems[0].masked_text]


def test_a_text_without_numbers_and_a_model_without_constants() -> None:
    encoder, tokenizer = scratch_encoder(["no number here"], layers=1, width=16, heads=2)
    model = ExpressionTreeModel.around(encoder, tokenizer, attention_heads=2)
    for beam in (1, 2):
        outcomes = evaluate_model(model, [problem("no number here", "7", "7"), problem("5 here", "n0", "5")], beam=beam)
        assert not outcomes[0].answer_right
        assert outcomes[0].value == ""


def test_training_goes_on_as_it_was(model: TreequationModel, problems: list[Problem]) -> None:
    for mode in (True, False):
        model.train(mode)
        evaluate_model(model, problems[:2])
        assert model.training is mode
