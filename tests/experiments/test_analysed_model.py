"""The analyses ask a light model what they ask the model that it was exported from, and hear the same."""

from __future__ import annotations

from pathlib import Path

from tests.runtime.light import known_problems, taught_folder, taught_model
from treequation.data import jsonl
from treequation.experiments import analysed_model
from treequation.experiments.analysed_model import open_model


def test_a_light_model_says_what_its_model_says(tmp_path: Path) -> None:
    problems = known_problems()
    taught_model().save_pretrained(tmp_path / "model")
    model, light = open_model(tmp_path / "model", "cpu"), open_model(taught_folder())
    assert (light.format, light.vocabulary, light.steps) == (model.format, model.vocabulary, model.steps)
    assert light.queries == model.queries
    jsonl.write(problems, tmp_path / "known.jsonl")
    test_set = light.test_set(str(tmp_path / "known.jsonl"))
    heard, said = light.outcomes(test_set), model.outcomes(analysed_model.TestSet("known", test_set.problems))
    assert [(o.id, o.equation, o.answer_right) for o in heard] == [(o.id, o.equation, o.answer_right) for o in said]
    assert sum(o.answer_right for o in heard) > len(heard) / 2
    one, other = light.trace(problems[0]), model.trace(problems[0])
    assert one.tokens == other.tokens
    assert one.decoded.graph == other.decoded.graph == light.decode([problems[0]])[0].graph
