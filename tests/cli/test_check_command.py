"""``treequation check``, and files of a class as a user has them solved."""

import csv
import json
import sys
from pathlib import Path

import openpyxl
import pytest

from tests.cli.running import run
from tests.runtime.light import known_problems, taught_folder
from treequation import Solver

PROBLEM = max((p for p in known_problems() if p.language == "en"), key=lambda p: len(p.graph or ()))
