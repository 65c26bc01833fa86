"""More than can be solved: what would come too late is refused at once, and nobody waits in vain."""

import asyncio
import importlib
from collections import Counter
from pathlib import Path

import pytest

from tests.server.running import running
from treequation.data.synthetic import generate
from treequation.runtime.solver import BUNDLED

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_mixed_load_has_no_time_outs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark's clients, on a service with little time for each: a beam, long texts, and too many of them."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    mixed = importlib.import_module("mixed")
    requests = mixed.mixed([problem.text for problem in generate(128, seed=7, level="easy", language="both")])
    # A machine may stand still for as long as is left of the deadline where problems are refused: two of five seconds.
    with running(tmp_path, "--model", str(BUNDLED), "--warm-up-answer", "", "--deadline", "5") as service:
        statuses = Counter[str]()
        for _ in range(20):
            found = asyncio.run(mixed.crowd(service.port, requests, 6.0, clients=240))
            statuses.update(found["statuses"])
            assert set(statuses) <= {"200", "422", "429"}, found
            assert found["after"] == 200
            if statuses["200"] > 20:  # a busy machine solves no more than two a second
                break
        refused = service.client.get("/metrics").text
    assert statuses["200"] > 20
    assert 'code="queue-full"' in refused
