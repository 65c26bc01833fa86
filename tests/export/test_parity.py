"""The light model says what PyTorch's says: the same trees, and log-probabilities that differ by rounding alone."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.export import Dim

from tests.model.tiny import make_model
from tests.shared import share_graphs
from treequation.data.synthetic import generate
from treequation.decoding.beam_search import decode_with_beam
from treequation.decoding.greedy_search import decode_greedily
from treequation.decoding.search import Decoded, Reader
from treequation.errors import TreequationError
from treequation.export.graphs import _Start
from treequation.export.light_folder import export
from treequation.model import TreequationModel, decode
from treequation.runtime.light_engine import Graph, LightEngine, LightModel, multiplies_right, padded
from treequation.runtime.weight_file import restored, rounded
from treequation.text.problem import Problem

share_graphs()
SCORE_BOUND = 1e-3  # of a sum over all steps and queries, between two orders of float32 arithmetic

VARIANTS: dict[str, dict[str, Any]] = {
    "standard": {},
    "layer-shared, narrow": {"shared_layers": 2, "teacher": "gold", "decoder_width": 16, "attention_heads": 2},
    "chained": {"decoder": "chained"},
    "chained, with a memory": {"decoder": "chained", "shared_layers": 2, "update_problem": False, "denoising": 0.3},
    "rounding, operand-none": {
        "operators": ["+", "-", "*", "/", "mod", "ceil", "floor"],
        "none_loss": "operand",
        "queries": 3,
        "constants": None,
        "shared_layers": 1,
    },
}


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return generate(40, seed=3, level="medium", language="both")


@pytest.fixture(scope="module", params=VARIANTS)
def pair(
    request: pytest.FixtureRequest, problems: list[Problem], tmp_path_factory: pytest.TempPathFactory
) -> tuple[TreequationModel, LightModel]:
    """A model whose weights are whole multiples of 8-bit steps already, and its export."""
    torch.set_num_threads(1)
    model = make_model(problems, layers=1, **VARIANTS[request.param]).eval()
    _round_weights(model)
    folder = tmp_path_factory.mktemp("light") / "model"
    export(model, folder, name="tiny")
    return model, LightModel(folder, threads=1, precision="float")


def test_a_processor_that_overflows_gets_floats(
    pair: tuple[TreequationModel, LightModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = pair[1].folder
    # What a kernel gives that adds pairs of products up in 16 bits: 64 inputs are 32 pairs.
    call = Graph.__call__

    def overflowing(graph: Graph, arrays: dict[str, Any]) -> dict[str, Any]:
        return {"found": np.full((len(arrays["given"]), 16), 32 * 32767)} if "given" in arrays else call(graph, arrays)

    monkeypatch.setattr(Graph, "__call__", overflowing)
    assert not multiplies_right(folder)
    assert LightModel(folder, threads=1, precision="auto").precision == "float"
    with pytest.raises(TreequationError, match=r"cannot multiply .* solve with precision float"):
        LightModel(folder, threads=1, precision="int16")


def _round_weights(model: TreequationModel) -> None:
    for module in model.modules():
        if isinstance(module, (torch.nn.Linear, torch.nn.Embedding)):
            weight = module.weight.detach().numpy()
            module.weight.data = torch.from_numpy(restored(*rounded(weight, axis=1)))


def light_decode(model: LightModel, problems: list[Problem], beam: int) -> list[list[Decoded]]:
    arrays = padded(model.problem_encoder.encode(problems), model.metadata.padding)
    values = [problem.values for problem in problems]
    reader = Reader.of(model.metadata.vocabulary, values, arrays["positions"].shape[1])
    engine = LightEngine(model, arrays)
    if beam > 1:
        return decode_with_beam(engine, reader, model.metadata.steps, beam)
    return [[decoded] for decoded in decode_greedily(engine, reader, model.metadata.steps)]


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("rows", [1, 40], ids=["one at a time", "all at once"])
def test_same_trees_as_pytorch(
    pair: tuple[TreequationModel, LightModel], problems: list[Problem], beam: int, rows: int
) -> None:
    model, light = pair
    chosen = problems if rows > 1 else problems[:8]
    expected = decode(model, chosen, beam=beam, batch_size=rows)
    found = [
        each
        for start in range(0, len(chosen), rows)
        for each in light_decode(light, chosen[start : start + rows], beam)
    ]
    deepest = 0
    for ours, theirs in zip(found, expected, strict=True):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert one.graph == other.graph
            assert one.score == pytest.approx(other.score, abs=SCORE_BOUND)
            deepest = max(deepest, len(one.layers))
    assert deepest >= 2 or beam > 1, "nothing was decoded that would need more than one step"


def test_the_first_state_is_traced_for_any_number_of_rows_at_once(problems: list[Problem]) -> None:
    """If a size were read with ``len``, the exporter would have to trace the bytecode, which takes thrice as long."""
    model = make_model(problems, layers=1).eval()
    names = ("ids", "lengths", "positions", "numbers")
    arrays = {rows: padded(model.problem_encoder.encode(problems[:rows]), model.padding) for rows in (2, 7)}
    two, seven = (tuple(torch.from_numpy(each[name]) for name in names) for each in arrays.values())
    shapes = tuple(dict.fromkeys(range(tensor.ndim), Dim.DYNAMIC) for tensor in two)
    start = _Start(model)
    traced = torch.export.export(start, two, dynamic_shapes=shapes, strict=False).module()
    with torch.no_grad():
        for found, expected in zip(traced(*seven), start(*seven), strict=True):
            torch.testing.assert_close(found, expected)


def test_several_layers_a_step_are_not_exported(problems: list[Problem], tmp_path: Path) -> None:
    model = make_model(problems, decoder="chained", layers_per_step=2)
    with pytest.raises(TreequationError, match=r"layers_per_step above 1 cannot be exported"):
        export(model, tmp_path / "light", name="tiny")


def test_rounding_moves_no_weight_by_more_than_half_a_step() -> None:
    weight = np.random.default_rng(0).normal(size=(7, 300)).astype(np.float32)
    whole, scale = rounded(weight, axis=1)
    assert whole.dtype == np.int8
    assert np.abs(restored(whole, scale) - weight).max() <= scale.max() / 2 * 1.001
    assert np.abs(whole).max(axis=1).tolist() == [127] * 7


def test_full_precision_is_the_model_itself(problems: list[Problem], tmp_path: Path) -> None:
    model = make_model(problems, layers=1, trained_on=["svamp:train"]).eval()
    export(model, tmp_path / "light", name="tiny", precision="float32")
    light = LightModel(tmp_path / "light", threads=1)
    assert light.metadata.languages == ("en",)
    for (ours,), (theirs,) in zip(light_decode(light, problems, 1), decode(model, problems), strict=True):
        assert ours.graph == theirs.graph
        assert ours.score == pytest.approx(theirs.score, abs=SCORE_BOUND)
