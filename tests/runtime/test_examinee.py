"""The analyses ask a light model what they ask the model that it was exported from, and hear the same."""

from __future__ import annotations

from pathlib import Path

from tests.runtime.light import known_problems, taught_folder, taught_model
from treequation.data import jsonl
from treequation.training.examinee import Exam, examinee


def test_a_light_model_says_what_its_model_says(tmp_path: Path) -> None:
    problems = known_problems()
    taught_model().save_pretrained(tmp_path / "model")
    model, light = examinee(tmp_path / "model", "cpu"), examinee(taught_folder())
    assert (light.format, light.vocabulary, light.steps) == (model.format, model.vocabulary, model.steps)
    assert light.queries == model.queries
    jsonl.write(problems, tmp_path / "known.jsonl")
    exam = light.exam(str(tmp_path / "known.jsonl"))
    heard, said = light.outcomes(exam), model.outcomes(Exam("known", exam.problems))
    assert [(o.id, o.equation, o.answer_right) for o in heard] == [(o.id, o.equation, o.answer_right) for o in said]
    assert sum(o.answer_right for o in heard) > len(heard) / 2
    one, other = light.trace(problems[0]), model.trace(problems[0])
    assert one.tokens == other.tokens
    assert one.decoded.graph == other.decoded.graph == light.decode([problems[0]])[0].graph
