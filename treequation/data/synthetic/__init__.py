"""Made-up word problems in English and Chinese, from easy to hard, with their equations.

They need no download: for tests and for first steps. The sentences are the files in ``sentences``, not code.
"""

from treequation.data.synthetic.generation import generate

__all__ = ["generate"]
