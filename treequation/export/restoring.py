"""Turns a light folder back into a model that can be trained."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoModel

from treequation.errors import TreequationError
from treequation.export.graphs import floats_of, weights_of
from treequation.model.config import TreequationConfig
from treequation.model.model import TreequationModel
from treequation.model.registry import DECODERS
from treequation.runtime.folder import TOKENIZER, WEIGHTS, Metadata, read_metadata
from treequation.runtime.weight_file import WeightFile
from treequation.storage import DamagedFolderError, folder_written_whole, refuse_existing

_LARGEST, _DEEPEST = 1 << 20, 1000  # limits on sizes, and on the number of layers: far more than any model needs
_OF_THIS_COPY = {"_name_or_path", "transformers_version", "architectures", "dtype", "id2label", "label2id"}
# With these, an encoder would fetch or run other code.
_REFUSED = {"attn_implementation", "_attn_implementation", "auto_map", "quantization_config", "experts_implementation"}


def settings_of(model: TreequationModel) -> dict[str, Any]:
    """The settings from which such a model can be built again."""
    names = set(inspect.signature(TreequationConfig.__init__).parameters) - {"self", "kwargs", "encoder"}
    config, encoder = model.config, model.config.encoder_config
    own = {name: value for name, value in encoder.to_diff_dict().items() if name not in _OF_THIS_COPY}
    settings = {name: getattr(config, name) for name in sorted(names)}
    return {**settings, "encoder": {**own, "model_type": encoder.model_type}}


def restore(light: Path, folder: Path) -> TreequationModel:
    """Writes the model of a light folder as a model folder, from which a recipe can ``start``.

    Matrices that are stored in 8 bits become floats again, so the restored model gives the same answers. A light folder
    does not have the parts of auxiliary losses.
    """
    refuse_existing(folder)
    metadata = read_metadata(light)
    if not metadata.settings:
        raise TreequationError(
            f"{light} was exported by an earlier version, without the settings of its model; export its run again"
        )
    model = _built(light, metadata)
    linear = weights_of(model, nn.Linear)
    with WeightFile(light / WEIGHTS) as weights, torch.no_grad():
        for name, own in floats_of(model).items():
            weight = torch.from_numpy(weights[name])
            weight = weight.T if name in linear else weight
            if weight.shape != own.shape:
                raise _damaged(light, f"{name} has the shape {tuple(weight.shape)}, not {tuple(own.shape)}")
            own.copy_(weight)
    model.tokenizer = Tokenizer.from_file(str(light / TOKENIZER))
    with folder_written_whole(folder) as aside:
        model.save_pretrained(aside)
    return model


def _built(light: Path, metadata: Metadata) -> TreequationModel:
    """The model that the settings describe, with random weights. They may come from anywhere: sizes are checked."""
    settings = {**metadata.settings, "auxiliary": "", "addon": ""}
    given = settings.pop("encoder", None)
    try:
        if refused := _REFUSED & (set(given) | set(settings)):
            raise ValueError(f"they have {', '.join(sorted(refused))}, which no export writes")
        config = TreequationConfig(dict(given), **settings)
        configured = config.vocabulary, config.format, tuple(config.trained_on)
        if configured != (metadata.vocabulary, metadata.format, tuple(metadata.trained_on)):
            raise ValueError("operators, constants, number format or training data are not those of the model")
        _check_sizes(settings, "")
        _check_sizes(config.encoder_config.to_dict(), "encoder.")
        kind = DECODERS[config.decoder]
        if not issubclass(kind, TreequationModel):
            raise ValueError(f"the decoder {config.decoder} has no light form")
        with torch.device("meta"):  # takes no memory
            needed = sum(tensor.numel() for tensor in floats_of(kind(config)).values())
        with WeightFile(light / WEIGHTS) as weights:
            if needed != weights.count:
                raise ValueError(f"they describe {needed:,} weights, but the folder has {weights.count:,}")
        return kind(config, AutoModel.from_config(config.encoder_config))
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError, ArithmeticError, ImportError) as error:
        raise _damaged(light, f"settings: {' '.join(str(error).split())}") from error  # one line


def _check_sizes(settings: Mapping[str, Any], prefix: str) -> None:
    for name, value in settings.items():
        most = _DEEPEST if "layers" in name or name == "steps" else _LARGEST
        if type(value) is int and value > most:
            raise ValueError(f"{prefix}{name} is {value}; the limit is {most:,}")


def _damaged(light: Path, what: str) -> DamagedFolderError:
    return DamagedFolderError(f"{light} is damaged ({what}); export or download the folder again")
