"""The peers: published decoders on the same encoder, data, training loop and scorer as ours.

Importing this package registers them, so the registries imported from here are complete.
"""

from treequation.baselines import addons, losses
from treequation.baselines.codes import Codes
from treequation.baselines.copying import Copying
from treequation.baselines.dag import Dag
from treequation.baselines.elastic import Elastic
from treequation.baselines.nas import Nas
from treequation.baselines.pointer import Pointer
from treequation.baselines.ranking import Ranking
from treequation.baselines.re_ext import ReExt
from treequation.baselines.seq2seq import Seq2Seq
from treequation.baselines.seq2tree import Seq2Tree
from treequation.baselines.two_views import TwoViews
from treequation.model.base import WordProblemModel
from treequation.model.parts import ADDONS, AUXILIARIES
from treequation.model.registry import DECODERS

load_model = WordProblemModel.from_pretrained  # whatever the folder's decoder

__all__ = [
    "ADDONS",
    "AUXILIARIES",
    "DECODERS",
    "Codes",
    "Copying",
    "Dag",
    "Elastic",
    "Nas",
    "Pointer",
    "Ranking",
    "ReExt",
    "Seq2Seq",
    "Seq2Tree",
    "TwoViews",
    "addons",
    "load_model",
    "losses",
]
