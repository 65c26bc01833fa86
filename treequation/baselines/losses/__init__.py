"""Auxiliary losses from the literature. Importing this package registers them; a recipe names them in ``auxiliary``."""

from treequation.baselines.losses.contrast import Analogy, PatternMargin, TextualContrast
from treequation.baselines.losses.discriminator import SolutionDiscriminator
from treequation.baselines.losses.symbolic import SymbolicTasks

__all__ = ["Analogy", "PatternMargin", "SolutionDiscriminator", "SymbolicTasks", "TextualContrast"]
