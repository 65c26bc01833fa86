"""A light model with another number of queries, to time it: its answers mean nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import onnx

from treequation.export.search_graph import LEARNED
from treequation.runtime.folder import FORMAT, GRAPHS, KIND, METADATA, WEIGHTS
from treequation.runtime.weight_file import WeightFile
from treequation.storage import seal


def copy_with_queries(folder: Path, to: Path, queries: int) -> None:
    """Copies a light model folder; its first queries are kept, and repeated if there are to be more.

    The graph of the whole search is left out: it is made for one number of queries.
    """
    shutil.copytree(folder, to)
    metadata = json.loads((to / METADATA).read_text(encoding="utf-8"))
    metadata["graphs"].pop("search", None)
    (to / METADATA).write_text(json.dumps(metadata), encoding="utf-8")
    with WeightFile(folder / WEIGHTS) as weights:
        learned = weights[LEARNED]  # [K, D]
    with ZipFile(folder / WEIGHTS) as old, ZipFile(to / WEIGHTS, "w") as new:
        for name in old.namelist():
            if name != f"{LEARNED}.npy":
                new.writestr(name, old.read(name))
        with new.open(f"{LEARNED}.npy", "w") as file:
            np.lib.format.write_array(file, np.resize(learned, (queries, learned.shape[1])), allow_pickle=False)
    for name in metadata["graphs"]:
        path = to / GRAPHS / f"{name}.onnx"
        model = onnx.load_model(path, load_external_data=False)
        for tensor in model.graph.initializer:
            if tensor.name == LEARNED:
                tensor.dims[0] = queries
        for value in (*model.graph.input, *model.graph.output):
            # The number of queries stands only in declared sizes, and some of them are sums with it.
            for size in value.type.tensor_type.shape.dim[1:2]:
                size.Clear()
        path.write_bytes(model.SerializeToString())
    seal(to, kind=KIND, version=FORMAT)
