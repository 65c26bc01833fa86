"""One service with the usual settings for all tests that do not end or burden it."""

from collections.abc import Iterator

import pytest

from tests.server.running import Running, running


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("service")) as found:
        yield found
