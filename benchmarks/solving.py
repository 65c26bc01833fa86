"""Times the light runtime: the encoder alone, whole solves one at a time and in bulk, and the first answer.

    python benchmarks/solving.py --output benchmarks/results/solving.json

No problem is searched twice while it is timed. The fastest of several rounds counts for each problem, since other load
on the machine slows the rest. Last, it counts the problems that get the same answer in floats and in 16 bits, with the
second search.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from treequation import SolveError, Solver
from treequation.data.catalogue import load
from treequation.experiments.solving_speed import machine
from treequation.runtime.light_engine import padded
from treequation.timing import evenly

FIRST = """
import time; start = time.perf_counter(), time.process_time()
import treequation; imported = time.perf_counter(), time.process_time()
treequation.Solver().solve("Tom has 3 boxes with 12 pencils each. He gives 8 away. How many are left?")
print(imported[0] - start[0], time.perf_counter() - imported[0], time.process_time() - imported[1])
"""


def one_at_a_time(solver: Solver, texts: Sequence[str], rounds: int) -> dict[str, Any]:
    """Milliseconds per problem in wall-clock and processor time: the encoder alone, and the whole solver."""
    found = [each.problem for each in solver.solve_many(texts, beam=1) if not isinstance(each, SolveError)]
    encoded = dict(zip(texts, solver.model.problem_encoder.encode(found), strict=True))
    ways: dict[str, Callable[[str], object]] = {
        "encoder": lambda text: solver.model.start(padded([encoded[text]], solver.metadata.padding)),
        "solve": lambda text: solver.solve(text, beam=1),
    }
    clocks = (time.perf_counter, time.process_time)
    fastest = {name: np.full((2, len(texts)), np.inf) for name in ways}
    for _ in range(rounds + 1):
        for place, text in enumerate(texts):
            for name, way in ways.items():
                started = [clock() for clock in clocks]
                way(text)
                taken = [clock() - before for clock, before in zip(clocks, started, strict=True)]
                fastest[name][:, place] = np.minimum(fastest[name][:, place], taken)
    said: dict[str, Any] = {
        name: {
            "p50": round(1e3 * float(np.median(wall)), 2),
            "mean": round(1e3 * float(wall.mean()), 2),
            "processor_p50": round(1e3 * float(np.median(processor)), 2),
        }
        for name, (wall, processor) in fastest.items()
    }
    said["solve to encoder"] = round(float(fastest["solve"][0].mean() / fastest["encoder"][0].mean()), 3)
    return said


def in_bulk(solver: Solver, texts: Sequence[str], rounds: int) -> float:
    """Problems per second in the best round."""
    rate = 0.0
    for _ in range(rounds):
        started = time.perf_counter()
        list(solver.solve_many(texts, beam=1))
        rate = max(rate, len(texts) / (time.perf_counter() - started))
    return round(rate, 1)


def first_answer(rounds: int) -> dict[str, float]:
    """Seconds to import the package, and from there to the first answer: the fastest of several processes."""
    runs = []
    for _ in range(rounds):
        done = subprocess.run(
            [sys.executable, "-c", FIRST], cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True
        )
        runs.append([float(number) for number in done.stdout.split()])
    names = ("import", "first_answer", "first_answer_processor")
    return dict(zip(names, np.round(np.min(runs, axis=0), 3).tolist(), strict=True))


def agreement(texts: Sequence[str]) -> dict[str, Any]:
    """How often floats and 16 bits give the same answer, or both give none."""
    answers = []
    for precision in ("float", "int16"):
        found = Solver(precision=precision).solve_many(texts)
        answers.append([each.code if isinstance(each, SolveError) else str(each.answer) for each in found])
    same = sum(one == other for one, other in zip(*answers, strict=True))
    return {"problems": len(texts), "same_answer_percent": round(100 * same / len(texts), 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="write the figures here, as JSON")
    parser.add_argument("--agree", type=int, default=2000, help="problems to compare answers on")
    parser.add_argument("--count", type=int, default=100, help="problems to time")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0, help="processors; 0 means all")
    parser.add_argument("--note", default="", help="a sentence about the machine")
    given = parser.parse_args()
    every = [problem.text for split in ("test", "dev") for problem in load("mathqa", split).problems]
    solver = Solver(threads=given.threads)
    asked = evenly(every, given.count)
    texts = [
        text
        for text, found in zip(asked, solver.solve_many(asked, beam=1), strict=True)
        if not isinstance(found, SolveError) and found.model is not None  # a plain calculation needs no model
    ]
    singly, bulk = one_at_a_time(solver, texts, given.rounds), in_bulk(solver, texts, given.rounds)
    said: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "command": shlex.join(["python", *sys.argv]),
        "machine": machine(given.threads),
        "note": given.note,
        "data": f"mathqa test and dev, {len(texts)} problems spread evenly; milliseconds",
        "one_at_a_time": singly,
        "in_bulk_per_second": bulk,
        "first_answer_seconds": first_answer(given.rounds),
        "bulk to one at a time": round(bulk * singly["solve"]["mean"] / 1e3, 2),
        "agreement": agreement(evenly(every, given.agree)),
    }
    given.output.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(said, indent=1))


if __name__ == "__main__":
    main()
