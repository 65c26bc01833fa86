"""Add-ons to the encoder. Importing this package registers them; a recipe names one in ``model.addon``."""

from treequation.baselines.addons.group import GroupAttention
from treequation.baselines.addons.hierarchy import Hierarchy
from treequation.baselines.addons.rules import Rules
from treequation.baselines.addons.token_graph import QuantityGraph

__all__ = ["GroupAttention", "Hierarchy", "QuantityGraph", "Rules"]
