"""Every decoder by the name that a recipe calls it, ours among them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from treequation.baselines.re_ext import ReExt
from treequation.baselines.seq2seq import Seq2Seq
from treequation.baselines.seq2tree import Seq2Tree
from treequation.model.base import WordProblemModel, saved_decoder
from treequation.model.model import TreequationModel
from treequation.storage import DamagedFolderError

_MODELS: tuple[type[WordProblemModel], ...] = (TreequationModel, Seq2Seq, Seq2Tree, ReExt)
DECODERS: Mapping[str, type[WordProblemModel]] = {model.DECODER: model for model in _MODELS}


def load_model(folder: Path) -> WordProblemModel:
    """The model in ``folder``, whatever its decoder."""
    name = saved_decoder(folder)
    if name not in DECODERS:
        raise DamagedFolderError(f"the model in {folder} has a decoder {name}, which this version does not know")
    return DECODERS[name].from_pretrained(folder)
