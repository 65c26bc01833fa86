"""What all tests share: how property tests run, and a folder for what takes long to make.

Property tests are bounded by their number of examples, since a busy machine must not fail them. With ``CI`` in the
environment they draw the same examples every time, so that a rare draw never stops an unrelated change.
"""

import os

import pytest
from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.register_profile("the same every time", deadline=None, derandomize=True)
settings.load_profile("the same every time" if os.environ.get("CI") else "no deadline")


@pytest.fixture(scope="session", autouse=True)
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A folder that all processes of a test run share, for :mod:`tests.shared`."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    folder.mkdir(exist_ok=True)
    os.environ["TREEQUATION_TEST_FOLDER"] = str(folder)
