"""Data sets for tests that need the real ones."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the downloaded data sets."""
    folder = os.environ.get("TREEQUATION_DATA")
    if not folder:
        pytest.skip("TREEQUATION_DATA does not say where the data sets are")
    return Path(folder)
