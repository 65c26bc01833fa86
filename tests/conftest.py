"""What all tests share: the environment, how property tests run, and a folder for what takes long to make.

Property tests are bounded by their number of examples, since a busy machine must not fail them. With ``CI`` in the
environment, as ``make test`` has it, they draw the same examples every time, so that a rare draw never stops an
unrelated change; ``pytest`` alone draws anew.
"""

import gc
import os

import pytest
from hypothesis import settings

os.environ["HF_HUB_OFFLINE"] = "1"  # a name that is no folder is refused at once; else the hub is asked again and again
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests run side by side, and threads that wait for a busy core cost most

settings.register_profile("no deadline", deadline=None)
settings.register_profile("the same every time", deadline=None, derandomize=True)
settings.load_profile("the same every time" if os.environ.get("CI") else "no deadline")


def pytest_collection_finish() -> None:
    """Keeps imported modules out of garbage collection, which would take a quarter of the time of tracing a graph."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A folder that all processes of a test run share, for :mod:`tests.shared`."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    folder.mkdir(exist_ok=True)
    os.environ["TREEQUATION_TEST_FOLDER"] = str(folder)
