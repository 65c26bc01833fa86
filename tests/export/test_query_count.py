"""A light model with another number of queries does what PyTorch does with these queries."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.export.test_parity import SCORE_BOUND, VARIANTS, light_decode
from tests.model.tiny import make_model
from tests.shared import share_graphs
from treequation.data.synthetic import generate
from treequation.export.light_folder import export
from treequation.export.query_count import copy_with_queries
from treequation.model import decode
from treequation.runtime.light_engine import LightModel

share_graphs()


@pytest.mark.parametrize("queries", [1, 9])
@pytest.mark.parametrize("variant", ["standard", "chained, with a memory"])
def test_fewer_or_more_queries(variant: str, queries: int, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    problems = generate(40, seed=3, level="medium", language="both")
    settings: dict[str, Any] = VARIANTS[variant]
    model = make_model(problems, layers=1, **settings).eval()
    export(model, tmp_path / "light", name="tiny", precision="float32")
    copy_with_queries(tmp_path / "light", tmp_path / "copy", queries)
    light = LightModel(tmp_path / "copy", threads=1)

    learned = model.decoder.queries.detach().numpy()
    model.decoder.queries = torch.nn.Parameter(torch.from_numpy(np.resize(learned, (queries, learned.shape[1])).copy()))
    expected = decode(model, problems[:8])
    for (ours,), (theirs, *_) in zip(light_decode(light, problems[:8], beam=1), expected, strict=True):
        assert ours.graph == theirs.graph
        assert ours.score == pytest.approx(theirs.score, abs=SCORE_BOUND)
