"""Made-up word problems in English and Chinese, from easy to varied, with their equations.

They need no download: for tests, for first steps, and for training a model before it meets a data set.
"""

from treequation.data.synthetic.generation import generate, stream
from treequation.data.synthetic.terms import CONSTANTS

__all__ = ["CONSTANTS", "generate", "stream"]
