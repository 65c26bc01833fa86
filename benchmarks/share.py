"""Measures the service's share of the speed of ``solve_many``: in turn, so that other load affects both.

    python benchmarks/share.py --output benchmarks/results/service-share.json [--rounds 5]

One worker with one thread. It exits with 1 if a share is below 90 %. To time another checkout, make it the working
directory and put it into PYTHONPATH.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from clients import closed_loop, post
from load import answerable
from serving import service

from treequation.experiments.solving_speed import machine
from treequation.runtime.solver import Solver

SECONDS = 6.0
IN_A_REQUEST = 32
REQUIRED = 0.90  # the share that the service must reach


def bulk(solver: Solver, problems: Sequence[str]) -> float:
    """Problems per second of ``solve_many``, without a service."""
    started = time.perf_counter()
    sum(1 for _ in solver.solve_many(problems))
    return len(problems) / (time.perf_counter() - started)


async def share(rounds: int) -> dict[str, Any]:
    """Problems per second of each, and the medians of both shares."""
    solver = Solver(threads=1)
    problems = answerable(solver)
    single = [post("/v1/solve", {"problem": problem}) for problem in problems]
    starts = range(0, len(problems) - IN_A_REQUEST + 1, IN_A_REQUEST)
    several = [post("/v1/solve/batch", {"problems": problems[start : start + IN_A_REQUEST]}) for start in starts]
    found = []
    with service(None, "--threads", "1") as under:
        await closed_loop(under.port, 8, single, 1.0)  # warms up
        for _ in range(rounds):
            alone = await asyncio.to_thread(bulk, solver, problems)
            clients = (await closed_loop(under.port, 64, single, SECONDS)).per_second
            requests = IN_A_REQUEST * (await closed_loop(under.port, 4, several, SECONDS)).per_second
            found.append({"solve_many": alone, "64 clients": clients, "requests of 32": requests})
            print(found[-1], file=sys.stderr)
    return {
        "problems_per_second": [{name: round(rate, 1) for name, rate in each.items()} for each in found],
        "median_share": {
            name: round(median(each[name] / each["solve_many"] for each in found), 3)
            for name in ("64 clients", "requests of 32")
        },
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="add the figures to this JSON file")
    parser.add_argument("--name", default="now", help="the name of these figures in the file")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    said = json.loads(given.output.read_text(encoding="utf-8")) if given.output.exists() else {}
    said[given.name] = {
        "date": datetime.now(UTC).date().isoformat(),
        "command": shlex.join(["python", *sys.argv]),
        "machine": machine(1),
        **asyncio.run(share(given.rounds)),
    }
    given.output.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    return 0 if min(said[given.name]["median_share"].values()) >= REQUIRED else 1


if __name__ == "__main__":
    sys.exit(main())
