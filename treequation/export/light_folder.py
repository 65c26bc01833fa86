"""Writes a trained model as a light folder: ONNX graphs without weights, and the weights in a file of their own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from treequation import __version__
from treequation.data.catalogue import CATALOGUE
from treequation.errors import TreequationError
from treequation.export.graphs import floats_of, weights_of, write_graphs
from treequation.export.restoring import settings_of
from treequation.model.model import TreequationModel
from treequation.runtime.folder import FORMAT, GRAPHS, KIND, METADATA, TOKENIZER, WEIGHTS, Metadata
from treequation.runtime.weight_file import write_weights
from treequation.storage import folder_written_whole, refuse_existing, seal


def export(
    model: TreequationModel,
    folder: Path,
    *,
    name: str,
    precision: str = "int8",
    calibration: Sequence[tuple[float, float]] = (),
) -> None:
    """Writes a light model folder; ``precision`` is that of the stored matrices, ``int8`` or ``float32``.

    ``folder`` must not exist, so that no model in use is overwritten. For ``calibration`` see
    :class:`~treequation.runtime.folder.Metadata`.
    """
    if precision not in ("int8", "float32"):
        raise ValueError(f"precision is {precision!r}; it must be int8 or float32")
    refuse_existing(folder)
    config = model.config
    if config.layers_per_step > 1 and not config.shared_layers:  # `read` is one graph for all steps
        raise TreequationError(
            "a model with model.layers_per_step above 1 cannot be exported; share its layers instead"
        )
    if config.addon:  # the graphs do not contain add-ons
        raise TreequationError(f"a model with model.addon = {config.addon} cannot be exported; train one without")
    nn.Module.to(model, device="cpu", dtype=torch.float32).train(False)
    with folder_written_whole(folder) as aside:
        (aside / GRAPHS).mkdir()
        graphs = write_graphs(model, aside / GRAPHS, precision)
        _write_weights(model, aside / WEIGHTS, precision)
        model.problem_encoder.tokenizer.save(str(aside / TOKENIZER))
        metadata = Metadata(
            name=name,
            made_by=f"treequation {__version__}",
            constants=tuple(config.constants),
            operators=tuple(config.operators),
            number_format=dict(config.number_format),
            keep_number_text=config.keep_number_text,
            max_tokens=config.max_tokens,
            padding=model.padding,
            steps=config.steps,
            amounts=config.amounts,
            shared_layers=config.shared_layers,
            precision=precision,
            graphs=graphs,
            trained_on=tuple(config.trained_on),
            languages=_languages(config.trained_on),
            calibration=tuple(calibration),
            settings=settings_of(model),
        )
        (aside / METADATA).write_text(json.dumps(metadata.to_dict(), indent=1) + "\n", encoding="utf-8")
        seal(aside, kind=KIND, version=FORMAT)


def _languages(sources: Sequence[str]) -> tuple[str, ...]:
    """The languages of the training data; both if a source is not in the catalogue."""
    known = [CATALOGUE.get(source.partition(":")[0]) for source in sources]
    languages = {language for each in known if each is not None for language in each.languages}
    return tuple(sorted(languages)) if languages and None not in known else ("en", "zh")


def _write_weights(model: TreequationModel, path: Path, precision: str) -> None:
    """Stores linear weights as the graphs use them, [inputs, outputs], with a scale for each output.

    The few vectors that queries are compared with (operators, constants) keep full precision.
    """
    linear, embeddings = weights_of(model, nn.Linear), weights_of(model, nn.Embedding)
    weights = {
        name: np.ascontiguousarray((weight.T if name in linear else weight).numpy())
        for name, weight in floats_of(model).items()
    }
    rounding = dict.fromkeys(linear, 0) | dict.fromkeys(embeddings, 1) if precision == "int8" else {}
    write_weights(path, weights, rounding)
