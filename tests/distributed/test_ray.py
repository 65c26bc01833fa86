"""A Ray cluster of two workers on this machine: the same answers as without it, whatever is killed."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
import torch

from tests.distributed.work import (
    BAD,
    PART_ROWS,
    PATIENCE,
    children_named,
    command,
    found_in,
    held_back,
    kill_one,
    parts_in,
    wait_for,
    wait_until_ended,
    write_problems,
)
from tests.runtime.light import changed_copy, known_problems, taught_folder
from tests.training.tiny_run import lines, tiny_recipe, write_recipe
from treequation.distributed.cluster import cluster, ray
from treequation.distributed.ray_repeats import _train
from treequation.experiments.repeats import seeds_of
from treequation.runtime.folder import FORMAT, KIND
from treequation.runtime.solver import Solver
from treequation.storage import seal
from treequation.training import read_recipe, train

ROWS = 3_000


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of two processors, which is there until the last test of this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_memory_monitor_refresh_ms", "0")  # else it kills workers if other programs fill the memory
        patch.setenv("RAY_worker_register_timeout_seconds", str(PATIENCE))  # on a busy machine they start late
        with cluster(processors=2):
            yield ray.get_runtime_context().gcs_address


def workers_that_solve() -> list[psutil.Process]:
    return children_named("MapWorker", psutil.Process(), recursive=True)


def test_killed_workers_and_drivers_change_nothing(address: str, tmp_path: Path) -> None:
    source, target, local = tmp_path / "in", tmp_path / "out", tmp_path / "local"
    expected = write_problems(source, ROWS)
    call = command(source, target, "--engine", "ray", "--address", address, "--workers", "2")

    with held_back(source, target, after=10):
        first = subprocess.Popen(call, stderr=subprocess.DEVNULL)
        wait_for(lambda: parts_in(target) >= 2, first)
        kill_one(workers_that_solve, first)
        killed_at = parts_in(target)
        wait_for(lambda: parts_in(target) >= min(killed_at + 5, 10), first)
        first.kill()
        first.wait()
        # Ray ends the workers of a driver that is gone, but not at once, and until then they solve what they have been
        # given. Asked for only now: one that replaced the victim may have begun a moment before the driver's end.
        wait_until_ended(workers_that_solve)
    done = parts_in(target)
    assert done < len(expected) // PART_ROWS

    second = subprocess.run(call, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    assert second.returncode == 1, second.stderr
    assert f"{len(expected):,} rows, of which {len(BAD)} have an error" in second.stderr
    assert "Traceback" not in second.stderr
    assert found_in(target) == expected

    subprocess.run(command(source, local, "--workers", "2"), stderr=subprocess.DEVNULL, check=False, timeout=PATIENCE)
    parts = sorted(target.glob("part-*"))
    assert [part.name for part in parts] == sorted(part.name for part in local.glob("part-*"))
    assert all(part.read_bytes() == (local / part.name).read_bytes() for part in parts)


def test_seeds_as_tasks_of_the_cluster(address: str, tmp_path: Path) -> None:
    recipe, folder = write_recipe(tmp_path), tmp_path / "ray"
    asked = ["seeds", str(recipe), "-n", "2", "--set", "training.epochs=1", "--device", "cpu", "--json"]
    asked += ["--engine", "ray", "--address", address, "--parallel", "2", "--output", str(folder)]
    asked = [sys.executable, "-m", "treequation", *asked]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "seed-1: finished" in done.stderr
    assert [run["name"] for run in json.loads(done.stdout)["runs"]] == ["seed-0", "seed-1"]
    torch.set_num_threads(1)  # as many as two runs side by side have on two processors
    repeat = seeds_of(read_recipe(recipe), 2)[1]
    train(read_recipe(recipe, ["training.epochs=1", *repeat.changes]), tmp_path / "here", device="cpu")
    assert lines(folder / "seed-1") == lines(tmp_path / "here")
    assert (folder / "seed-1.log").read_text().startswith("epoch 1/1")


def test_a_run_on_the_cluster_solves_its_test_problems(tmp_path: Path) -> None:
    run = tmp_path / "ray" / "seed-0"
    run.parent.mkdir()
    assert _train(tiny_recipe(tmp_path, "training.epochs=1"), run, "cpu", 1, os.getcwd(), {}) is None
    assert len((run / "test-outcomes.jsonl").read_text(encoding="utf-8").splitlines()) == 20


def free_port() -> int:
    """A port that nobody has, of those that the system gives to nobody by itself, so that it is free a while later."""
    for port in random.sample(range(20_000, 32_000), 1_000):
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")


def test_ray_serve_answers_as_the_service_does(address: str, tmp_path: Path) -> None:
    from ray import serve

    from treequation.distributed.serving import Options, build

    folder = changed_copy(tmp_path / "light", max_numbers=200)  # more than the service takes
    seal(folder, kind=KIND, version=FORMAT)
    port = free_port()
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    try:
        serve.run(build(Options(model=str(folder))))
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
            texts = [problem.text for problem in known_problems()]
            found = client.post("/v1/solve/batch", json={"problems": texts})
            assert found.status_code == 200
            answers = [result.get("value") for result in found.json()["results"]]
            assert answers == [float(problem.answer or 0) for problem in known_problems()]
            single = client.post("/v1/solve", json={"problem": texts[0], "beam": 4})
            assert single.json() == json.loads(json.dumps(Solver(taught_folder()).solve(texts[0], beam=4).to_dict()))
            for body, code in (
                ({"problem": "nothing to count"}, "no-number"),
                ({"problem": 3}, "bad-field"),
                ({"problem": texts[0], "beam": 99}, "beam-too-large"),
                ({"problems": texts * 2}, "bad-field"),
                ({"problem": f"{texts[0]} {'x' * 4_000}"}, "too-long"),
                ({"problem": f"There are {' and '.join(['7'] * 70)} pens."}, "too-many-numbers"),
            ):
                refused = client.post("/v1/solve", json=body)
                assert (refused.status_code, refused.json()["error"]["code"]) == (422, code)
    finally:
        serve.shutdown()
