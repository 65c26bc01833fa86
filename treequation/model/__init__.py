"""The model: layer-wise parallel decoding with bipartite matching. PyTorch starts here."""

from treequation.model.base import WordProblemModel
from treequation.model.batch_decoding import decode, decode_with_trace
from treequation.model.config import TreequationConfig
from treequation.model.model import ChainedModel, ExpressionTreeModel, TreequationModel

__all__ = [
    "ChainedModel",
    "ExpressionTreeModel",
    "TreequationConfig",
    "TreequationModel",
    "WordProblemModel",
    "decode",
    "decode_with_trace",
]
