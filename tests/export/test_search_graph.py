"""The search that is one graph finds what the search step by step finds, or leaves it to that."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from tests.export.test_parity import VARIANTS as EXPORTED
from tests.model.tiny import make_model
from tests.shared import share_graphs
from treequation.data.synthetic import generate
from treequation.decoding.greedy_search import decode_greedily
from treequation.decoding.search import Reader
from treequation.export.light_folder import export
from treequation.runtime.light_engine import LightEngine, LightModel, padded
from treequation.text.number_vocabulary import NONE
from treequation.text.problem import Problem

share_graphs()
PROBLEMS = generate(40, seed=3, level="medium", language="both")
# Where test_parity has a variant with a search graph, it is that one: a graph is traced once for both files.
VARIANTS: dict[str, dict[str, Any]] = {
    **{name: each for name, each in EXPORTED.items() if each.get("shared_layers")},
    "chained": {"decoder": "chained", "shared_layers": 1},
    "one query": {"decoder": "chained", "shared_layers": 1, "queries": 1},
}


@pytest.fixture(scope="module", params=VARIANTS)
def light(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LightModel:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("light") / "model"
    model = make_model(PROBLEMS, layers=1, **VARIANTS[request.param]).eval()
    if request.param == "one query":  # untrained, it always says None, which the graph leaves to the other search
        model.decoder.operators.data *= -1
        model.decoder.operators.data[NONE] = 0
    export(model, folder, name="tiny")
    return LightModel(folder, threads=1)


def asked(model: LightModel, problem: Problem, **changes: Any) -> tuple[LightEngine, Reader]:
    arrays = padded(model.problem_encoder.encode([problem]), model.metadata.padding)
    reader = Reader.of(model.vocabulary, [problem.values], arrays["positions"].shape[1])
    return LightEngine(model, arrays, **changes), reader


def test_it_finds_the_same(light: LightModel) -> None:
    left, deepest = 0, 0
    for problem in PROBLEMS:
        engine, reader = asked(light, problem)
        found = engine.search(reader)
        (expected,) = decode_greedily(engine, reader, light.metadata.steps)
        if found is None:
            left += 1
            continue
        deepest = max(deepest, len(found.layers))
        assert [[proposed[:4] for proposed in layer] for layer in found.layers] == [
            [proposed[:4] for proposed in layer] for layer in expected.layers
        ]
        assert found.score == pytest.approx(expected.score, abs=1e-3)
        assert (found.graph, found.stopped, found.rows) == (expected.graph, expected.stopped, expected.rows)
    assert left < len(PROBLEMS) / 2
    assert deepest > 1


def test_what_it_does_not_know_is_left_to_the_search_step_by_step(light: LightModel) -> None:
    problem = PROBLEMS[0]
    engine, reader = asked(light, problem, record=True)
    assert engine.search(reader) is None  # a trace is recorded step by step
    arrays = padded(light.problem_encoder.encode(PROBLEMS[:2]), light.metadata.padding)
    values = [each.values for each in PROBLEMS[:2]]
    two = Reader.of(light.vocabulary, values, arrays["positions"].shape[1])
    assert LightEngine(light, arrays).search(two) is None


def test_nothing_is_divided_by_zero_and_nobody_is_silent(monkeypatch: pytest.MonkeyPatch, light: LightModel) -> None:
    """Whatever the graph says: its outcome is looked at."""
    engine, reader = asked(light, PROBLEMS[0])
    divide = light.metadata.operators.index("/") + 1
    first = len(light.vocabulary.constants)

    def found(operator: int, score: float = -1.0) -> dict[str, Any]:
        said = {"operator": operator, "left": first, "right": first}
        return {name: np.full((1, 1, 1), value) for name, value in said.items()} | {
            "score": np.full((1, 1, 1), score),
            "valid": np.full((1, 1, 1), operator > 0),
            "gained": np.full((1, 1, 1), score),
        }

    def search(reader: Reader, **said: Any) -> Any:
        monkeypatch.setattr(light, "search", lambda state: found(**said))
        return engine.search(reader)

    zero, one = (Reader.of(light.vocabulary, [(Fraction(value),)], reader.numbers) for value in (0, 1))
    several = Reader.of(light.vocabulary, [(Fraction(1), Fraction(2))], reader.numbers)
    assert search(one, operator=divide).steps == 1
    assert search(zero, operator=divide) is None
    assert search(one, operator=divide, score=float("nan")) is None
    assert search(one, operator=divide, score=-1e30) is None
    assert search(one, operator=0).steps == 0
    assert search(several, operator=0) is None
