"""Ape210K: Chinese problems with the same records as Math23K, one per line."""

from __future__ import annotations

from functools import partial

from treequation.data import math23k
from treequation.data.reading import json_lines, reader
from treequation.text.problem import NumberFormat

FORMAT = NumberFormat(percent="fraction", fraction="one", words=True, ordinals=True)

read = reader(json_lines, partial(math23k.read_row, format=FORMAT))
"""The problems of an Ape210K file: JSON Lines."""
