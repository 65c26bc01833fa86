"""Products of whole numbers of 16 bits say what products of floats say."""

from pathlib import Path

import numpy as np
import pytest

from tests.model.tiny import make_model
from tests.shared import share_graphs
from treequation.data.synthetic import generate
from treequation.errors import TreequationError
from treequation.export.light_folder import export
from treequation.runtime.light_engine import LightModel, multiplies_right, padded

share_graphs()
PROBLEMS = generate(40, seed=3, level="medium", language="both")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("light") / "model"
    export(make_model(PROBLEMS, layers=1).eval(), folder, name="tiny")
    if not multiplies_right(folder):
        pytest.skip("this processor overflows in 8 bits")
    return folder


def test_16_bits_are_as_good_as_floats(folder: Path) -> None:
    states = {}
    for precision in ("float", "int16"):
        model = LightModel(folder, threads=1, precision=precision)
        assert model.precision == precision
        encoded = model.problem_encoder.encode(PROBLEMS)
        states[precision] = model.start(padded(encoded, model.metadata.padding))["problem"]
        alone = model.start(padded(encoded[:1], model.metadata.padding))["problem"][0]
        assert np.abs(states[precision][0, : len(alone)] - alone).max() < 1e-4  # company changes nothing
    lost = np.abs(states["int16"] - states["float"]).mean()
    assert 0 < lost < 1e-3  # of states whose standard deviation is one; 8 bits lose more than ten times as much


def test_it_is_the_default_where_the_folder_has_it(folder: Path, tmp_path: Path) -> None:
    assert LightModel(folder, threads=1).precision == "int16"
    export(make_model(PROBLEMS, layers=1).eval(), tmp_path / "light", name="tiny", precision="float32")
    assert LightModel(tmp_path / "light", threads=1).precision == "float"
    with pytest.raises(TreequationError, match="has no graph for products in 16 bits"):
        LightModel(tmp_path / "light", threads=1, precision="int16")
