"""Times the light runtime against its earlier way of solving, in one process and in turn.

    python benchmarks/solving.py --output benchmarks/results/solving.json [--before CHECKOUT] [--agree 2000]

Before: float products, a step-by-step search, and batches of 32 one after the other. Now: 16-bit integer products, the
search of one problem in one graph, and batches of eight, several at a time. Neither searches a problem twice. The
fastest of several rounds counts for each problem, since other load on the machine slows the rest. ``--before`` names a
checkout whose first answer is timed beside ours; ``--agree`` counts the problems that get the same answer in floats and
in 16 bits, with the second search.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from treequation import SolveError, Solver
from treequation.data.catalogue import load
from treequation.experiments.solving_speed import machine
from treequation.runtime.light_engine import padded
from treequation.text.encoding import EncodedProblem
from treequation.timing import evenly

FIRST = """
import time; start = time.perf_counter(), time.process_time()
import treequation; imported = time.perf_counter(), time.process_time()
treequation.Solver().solve("Tom has 3 boxes with 12 pencils each. He gives 8 away. How many are left?")
print(imported[0] - start[0], time.perf_counter() - imported[0], time.process_time() - imported[1])
"""
Way = Callable[[str], object]


def solvers_of(threads: int) -> dict[str, Solver]:
    """The solvers of before and now."""
    solvers = {"before": Solver(threads=threads, precision="float"), "now": Solver(threads=threads)}
    solvers["before"].model.search = None
    return solvers


def one_at_a_time(solvers: dict[str, Solver], texts: Sequence[str], rounds: int) -> dict[str, Any]:
    """Milliseconds per problem in wall-clock and processor time: the encoder alone, and the whole solver."""
    ways: dict[str, Way] = {}
    for name, solver in solvers.items():
        found = [each.problem for each in solver.solve_many(texts, beam=1) if not isinstance(each, SolveError)]
        encoded = dict(zip(texts, solver.model.problem_encoder.encode(found), strict=True))
        ways[f"encoder, {name}"] = partial(_encode, solver, encoded)
        ways[f"solve, {name}"] = partial(solver.solve, beam=1)
    clocks = (time.perf_counter, time.process_time)
    least = {name: np.full((2, len(texts)), np.inf) for name in ways}
    for _ in range(rounds + 1):
        for place, text in enumerate(texts):
            for name, way in ways.items():
                started = [clock() for clock in clocks]
                way(text)
                taken = [clock() - before for clock, before in zip(clocks, started, strict=True)]
                least[name][:, place] = np.minimum(least[name][:, place], taken)
    said: dict[str, Any] = {
        name: {
            "p50": round(1e3 * float(np.median(wall)), 2),
            "mean": round(1e3 * float(wall.mean()), 2),
            "processor_p50": round(1e3 * float(np.median(processor)), 2),
        }
        for name, (wall, processor) in least.items()
    }
    for name in ("before", "now"):
        whole, alone = least[f"solve, {name}"], least[f"encoder, {name}"]
        said[f"solve to encoder, {name}"] = round(float(whole[0].mean() / alone[0].mean()), 3)
    return said


def _encode(solver: Solver, encoded: dict[str, EncodedProblem], text: str) -> None:
    solver.model.start(padded([encoded[text]], solver.metadata.padding))


def in_bulk(solvers: dict[str, Solver], texts: Sequence[str], rounds: int) -> dict[str, float]:
    """Problems per second in the best round."""
    rates = dict.fromkeys(solvers, 0.0)
    for _ in range(rounds):
        for name, solver in solvers.items():
            started = time.perf_counter()
            if name == "before":
                solver._processors = 1
                list(solver.solve_many(texts, batch_size=32, beam=1))
            else:
                list(solver.solve_many(texts, beam=1))
            rates[name] = max(rates[name], len(texts) / (time.perf_counter() - started))
    return {name: round(rate, 1) for name, rate in rates.items()}


def first_answer(checkouts: dict[str, Path], rounds: int) -> dict[str, Any]:
    """Seconds to import the package, and from there to the first answer: the fastest of several processes."""
    found: dict[str, list[list[float]]] = {name: [] for name in checkouts}
    for _ in range(rounds):
        for name, folder in checkouts.items():
            said = subprocess.run(
                [sys.executable, "-c", FIRST],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": ""},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            found[name].append([float(number) for number in said.split()])
    names = ("import", "first_answer", "first_answer_processor")
    return {
        name: dict(zip(names, np.round(np.min(runs, axis=0), 3).tolist(), strict=True)) for name, runs in found.items()
    }


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
    parser.add_argument("--before", type=Path, help="a checkout of an earlier version")
    parser.add_argument("--agree", type=int, default=0, help="problems to compare answers on")
    parser.add_argument("--count", type=int, default=100, help="problems to time")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0, help="processors; 0 means all")
    parser.add_argument("--note", default="", help="a sentence about the machine")
    given = parser.parse_args()
    every = [problem.text for split in ("test", "dev") for problem in load("mathqa", split).problems]
    solvers = solvers_of(given.threads)
    asked = evenly(every, given.count)
    answered = solvers["now"].solve_many(asked, beam=1)
    texts = [
        text
        for text, found in zip(asked, answered, strict=True)
        if not isinstance(found, SolveError) and found.model is not None  # a plain calculation needs no model
    ]
    checkouts = {"now": Path(__file__).parents[1]} | ({"before": given.before} if given.before else {})
    said: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "command": shlex.join(["python", *sys.argv]),
        "machine": machine(given.threads),
        "note": given.note,
        "data": f"mathqa test and dev, {len(texts)} problems spread evenly; milliseconds",
        "one_at_a_time": one_at_a_time(solvers, texts, given.rounds),
        "in_bulk_per_second": in_bulk(solvers, texts, given.rounds),
        "first_answer_seconds": first_answer(checkouts, given.rounds),
    }
    said["bulk to one at a time"] = {
        name: round(said["in_bulk_per_second"][name] * said["one_at_a_time"][f"solve, {name}"]["mean"] / 1e3, 2)
        for name in solvers
    }
    if given.agree:
        said["agreement"] = agreement(evenly(every, given.agree))
    given.output.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(said, indent=1))


if __name__ == "__main__":
    main()
