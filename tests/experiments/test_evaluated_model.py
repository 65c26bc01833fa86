"""The analyses ask a light model what they ask the model that it was exported from, and hear the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.runtime.light import changed_copy, known_problems, taught_folder, taught_model
from treequation.data import jsonl
from treequation.evaluation.problem_set import ProblemSet
from treequation.experiments.evaluated_model import open_model
from treequation.runtime.folder import FORMAT, KIND
from treequation.runtime.solver import Solution, Solver
from treequation.storage import seal


def test_a_light_model_says_what_its_model_says(tmp_path: Path) -> None:
    problems = known_problems()
    taught_model().save_pretrained(tmp_path / "model")
    model, light = open_model(tmp_path / "model", "cpu"), open_model(taught_folder())
    assert (light.format, light.vocabulary, light.steps) == (model.format, model.vocabulary, model.steps)
    assert light.queries == model.queries
    jsonl.write(problems, tmp_path / "known.jsonl")
    test_set = light.test_set(str(tmp_path / "known.jsonl"))
    heard, said = light.outcomes(test_set), model.outcomes(ProblemSet("known", test_set.problems))
    assert [(o.id, o.equation, o.answer_right) for o in heard] == [(o.id, o.equation, o.answer_right) for o in said]
    assert sum(o.answer_right for o in heard) > len(heard) / 2
    one, other = light.trace(problems[0]), model.trace(problems[0])
    assert one.tokens == other.tokens
    assert one.decoded.graph == other.decoded.graph == light.decode([problems[0]])[0].graph


def test_a_light_model_is_tested_as_it_is_used(tmp_path: Path) -> None:
    """With its calibration, which puts every answer in doubt here, and so with the second look."""
    folder = changed_copy(tmp_path / "light", calibration=[[0.0, 0.0], [1.0, 0.25]], unsure_below=0.5)
    seal(folder, kind=KIND, version=FORMAT)
    refused, *problems = known_problems()
    refused = replace(refused, refused="another number format")
    first, *others = open_model(folder).outcomes(ProblemSet("known", (refused, *problems)))
    assert (first.answer_right, first.value, first.reason) == (False, "", "another number format")
    for outcome, solution in zip(others, Solver(folder).solve_many([each.text for each in problems]), strict=True):
        assert isinstance(solution, Solution)
        assert outcome.confidence == pytest.approx(solution.confidence, abs=1e-6)
        assert outcome.confidence <= 0.25
        assert outcome.steps == len(solution.layers)
