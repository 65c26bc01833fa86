"""The peers: other ways to write an equation, on the same encoder, data, training loop and scorer as ours.

Importing this package registers them, so the registry that is imported from here is complete.
"""

from treequation.baselines import addons, losses
from treequation.baselines.re_ext import ReExt
from treequation.baselines.seq2seq import Seq2Seq
from treequation.baselines.seq2tree import Seq2Tree
from treequation.model.parts import ADDONS, AUXILIARIES
from treequation.model.registry import DECODERS, load_model

__all__ = ["ADDONS", "AUXILIARIES", "DECODERS", "ReExt", "Seq2Seq", "Seq2Tree", "addons", "load_model", "losses"]
