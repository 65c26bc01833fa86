"""Every decoder by the name that a recipe calls it, ours among them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from treequation.baselines.seq2seq import Seq2Seq
from treequation.model.base import WordProblemModel, saved_decoder
from treequation.model.model import TreequationModel
from treequation.storage import DamagedFolderError

DECODERS: Mapping[str, type[WordProblemModel]] = {model.DECODER: model for model in (TreequationModel, Seq2Seq)}


def load_model(folder: Path) -> WordProblemModel:
    """The model in ``folder``, whatever its decoder."""
    name = saved_decoder(folder)
    if name not in DECODERS:
        raise DamagedFolderError(f"the model in {folder} has a decoder {name}, which this version does not know")
    return DECODERS[name].from_pretrained(folder)
