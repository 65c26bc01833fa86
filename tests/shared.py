"""What takes long to make is made once in a test run, for all of its processes."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import onnx
from torch import Tensor
from torch.onnx._internal.exporter._registration import ONNXRegistry

from treequation.export import graphs
from treequation.storage import folder_written_whole, held

FOLDER = "TREEQUATION_TEST_FOLDER"  # the variable that names the folder; tests/conftest.py sets it
_NOT_TRACED = ("trained_on", "amounts", "constants", "number_format", "_name_or_path")


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """A folder that ``make`` has written; nobody may change it."""
    shared = Path(os.environ[FOLDER])
    folder = shared / name
    while not folder.exists():
        with held(shared / f"{name}.lock") as ours:
            if not ours:
                time.sleep(0.1)
            elif not folder.exists():
                with folder_written_whole(folder) as aside:
                    make(aside)
    return folder


def share_graphs() -> None:
    """Makes exports trace a part of a model only if none of its sizes was traced before: graphs hold no weights."""
    trace = graphs._traced
    if trace.__name__ != "_traced":
        return  # they are shared already
    # The exporter makes its table of operators anew for every graph, which takes as long as the tracing.
    ONNXRegistry.from_torchlib = staticmethod(cache(ONNXRegistry.from_torchlib))

    def trace_once(part: Any, inputs: Mapping[str, Tensor], shapes: Sequence[Any], outputs: Sequence[str]) -> Any:
        model = part.model
        begin = part.weights
        settings: Any = {name: value for name, value in model.config.to_dict().items() if name not in _NOT_TRACED}
        if isinstance(part, graphs._Start) and not graphs.keeps_memory(model):  # the encoder, whatever reads it
            begin = tuple(name for name in begin if name != "decoder.layers.")
            settings = model.encoder.config.to_dict()
        weights = {name: list(each.shape) for name, each in graphs.floats_of(model).items() if name.startswith(begin)}
        given = {name: (list(tensor.shape), str(tensor.dtype)) for name, tensor in inputs.items()}
        whole = json.dumps(
            [type(part).__name__, settings, weights, given, list(outputs), part.heads], sort_keys=True, default=str
        )

        def write(folder: Path) -> None:
            onnx.save(trace(part, inputs, shapes, outputs), folder / "traced.onnx")

        folder = made_once(f"graph-{hashlib.sha256(whole.encode()).hexdigest()}", write)
        return onnx.load_model(folder / "traced.onnx", load_external_data=False)

    graphs._traced = trace_once
