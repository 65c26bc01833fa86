"""The data sets: where they come from, how they are read, and whether they are right."""

from treequation.data.catalogue import CATALOGUE, load
from treequation.data.reading import BrokenRowError, DataError, Reading, RowFinding

__all__ = ["CATALOGUE", "BrokenRowError", "DataError", "Reading", "RowFinding", "load"]
