"""Load-tests the service on loopback, and writes the figures under ``benchmarks/results/``.

    python benchmarks/load.py --model light-model            # about seven minutes
    python benchmarks/load.py --model light-model --quick    # about one minute, to see that it runs

Clients, service and worker share the machine, so the figures are those of all three together; with more processors, the
clients disturb what they measure less.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, median
from typing import Any

from clients import LOST, Connection, closed_loop, open_loop, post
from malformed import send_malformed
from mixed import BEAM, crowd, mixed
from serving import Service, service

from treequation.data.synthetic import generate
from treequation.experiments.solving_speed import machine
from treequation.runtime.solution import Solution
from treequation.runtime.solver import Solver

RESULTS = Path(__file__).parent / "results"
CLIENTS = (1, 8, 64)
MIN_ANSWERED = 32
ALONE = ("--batch-tokens", "1", "--window-ms", "0")  # every problem is its own batch
METHOD = "Clients, service and worker share the machine."


def answerable(solver: Solver) -> list[str]:
    """Made-up problems in both languages that the model can answer; the same each time."""
    texts = [problem.text for problem in generate(512, seed=7, level="easy", language="both")]
    found = [text for text, said in zip(texts, solver.solve_many(texts), strict=True) if isinstance(said, Solution)]
    if len(found) < MIN_ANSWERED:
        raise SystemExit(f"the model answers only {len(found)} of {len(texts)} easy problems; choose another model")
    return found


async def throughput(
    batching: Service, alone: Service, requests: Sequence[bytes], seconds: float, rounds: int
) -> list[dict[str, Any]]:
    """Throughput with and without micro-batching, in turn, so that other load on the machine affects both."""
    for each in (batching, alone):
        await closed_loop(each.port, 8, requests, 1.0)  # warms up
    rows = []
    for clients in CLIENTS:
        found: dict[str, list[Any]] = {"batching": [], "alone": []}
        for _ in range(rounds):
            for name, each in (("batching", batching), ("alone", alone)):
                before = each.metric("batch_size_sum"), each.metric("batch_size_count")
                tally = await closed_loop(each.port, clients, requests, seconds)
                size = (each.metric("batch_size_sum") - before[0]) / (each.metric("batch_size_count") - before[1])
                found[name].append((tally, size))
        for name, tallies in found.items():
            rows.append(
                {
                    "clients": clients,
                    "micro_batching": name == "batching",
                    "per_second": round(median(tally.per_second for tally, _ in tallies), 1),
                    "p50_ms": round(median(tally.percentile(0.50) for tally, _ in tallies), 2),
                    "p99_ms": round(median(tally.percentile(0.99) for tally, _ in tallies), 2),
                    "mean_batch": round(mean(size for _, size in tallies), 1),
                    "statuses": _statuses(*(tally.statuses for tally, _ in tallies)),
                }
            )
            print(rows[-1], file=sys.stderr)
    return rows


async def overload(under: Service, requests: Sequence[bytes], capacity: float, seconds: float) -> dict[str, Any]:
    """Three times the service's capacity for a while; then checks that it recovers at once."""
    memory: list[float] = []

    async def watch() -> None:
        while True:
            memory.append(under.memory())
            await asyncio.sleep(seconds / 60)

    watching = asyncio.create_task(watch())
    tally = await open_loop(under.port, 3 * capacity, requests, seconds)
    watching.cancel()
    started = time.perf_counter()
    while await Connection(under.port).ask(requests[0]) != 200 and time.perf_counter() - started < 60:
        await asyncio.sleep(0.01)
    recovery = 1_000 * (time.perf_counter() - started)
    third = len(memory) // 3
    return {
        "seconds": round(tally.seconds, 1),
        "offered_per_second": round(sum(tally.statuses.values()) / tally.seconds, 1),
        "solved_per_second": round(tally.per_second, 1),
        "statuses": _statuses(tally.statuses),
        "p50_ms": round(tally.percentile(0.50), 1),
        "p99_ms": round(tally.percentile(0.99), 1),
        # The first third is left out: the buffers of hundreds of connections are first allocated then.
        "memory_mb": {
            "second_third": round(mean(memory[third : 2 * third])),
            "last_third": round(mean(memory[-third:])),
        },
        "recovery_ms": round(recovery, 1),
    }


async def killings(under: Service, requests: Sequence[bytes], seconds: float) -> dict[str, Any]:
    """Under steady load, kills workers, and lets other clients disconnect in the middle of their requests."""
    left = 0

    async def leaving() -> None:
        nonlocal left
        while True:
            connection = Connection(under.port)
            asking = asyncio.create_task(connection.ask(requests[left % len(requests)]))
            await asyncio.sleep(0.004)
            asking.cancel()
            connection.close()
            left += 1

    async def killing() -> int:
        killed = 0
        while True:
            await asyncio.sleep(seconds / 4)
            os.kill(under.workers()[0], signal.SIGKILL)
            killed += 1
            print(f"killed worker {killed}", file=sys.stderr)

    others = [asyncio.create_task(leaving()), asyncio.create_task(killing())]
    tally = await closed_loop(under.port, 16, requests, seconds)
    for each in others:
        each.cancel()
    return {
        "statuses": _statuses(tally.statuses),
        "workers_killed": int(under.metric("worker_restarts_total")),
        "clients_that_left": left,
    }


def _statuses(*counters: Any) -> dict[str, int]:
    total = sum((counter for counter in counters[1:]), start=counters[0])
    return {("lost" if status == LOST else str(status)): count for status, count in sorted(total.items())}


def bars(said: dict[str, Any]) -> dict[str, bool]:
    """The requirements on a load test, and whether each is met."""
    rate = {(row["clients"], row["micro_batching"]): row["per_second"] for row in said["throughput"]}
    flood, memory = said["overload"], said["overload"]["memory_mb"]
    wrong = [status for status in said["malformed"]["statuses"] if status >= "500"]
    return {
        "micro-batching is never slower (5 % allowed for noise)": all(
            rate[clients, True] >= 0.95 * rate[clients, False] for clients in CLIENTS
        ),
        "overload: only 200 and 429": set(flood["statuses"]) <= {"200", "429"},
        "overload: memory is flat (5 %)": memory["last_third"] <= 1.05 * memory["second_third"],
        "overload: well again at once": flood["recovery_ms"] < 1_000,
        "mixed load: no 504; only 200, 422 and 429": set(said["mixed"]["statuses"]) <= {"200", "422", "429"},
        "mixed load: the next request is answered": said["mixed"]["after"] == 200,
        "malformed: no 5xx, and well afterwards": not wrong and said["malformed"]["after"] == 200,
        "killed workers and clients that leave lose no other request": set(said["killings"]["statuses"]) == {"200"},
    }


def report(said: dict[str, Any]) -> str:
    """The figures as Markdown."""
    flood, memory, mix = said["overload"], said["overload"]["memory_mb"], said["mixed"]
    rows = [
        f"| {row['clients']} | {'yes' if row['micro_batching'] else 'no'} | {row['per_second']:,.0f} "
        f"| {row['p50_ms']:.1f} | {row['p99_ms']:.1f} | {row['mean_batch']:.1f} |"
        for row in said["throughput"]
    ]
    held = [f"- {'✓' if each else '✗'} {bar}" for bar, each in said["bars"].items()]
    return f"""# The service under load

{said["date"]}; {said["machine"]}; model {said["model"]}, one worker with {said["threads"]} thread(s).
{said["method"]}

    {said["command"]}

| clients | micro-batching | problems/s | p50 ms | p99 ms | problems a batch |
|---|---|---|---|---|---|
{chr(10).join(rows)}

Overload, {flood["offered_per_second"]:,.0f} requests/s for {flood["seconds"]:.0f} s: {flood["statuses"]},
{flood["solved_per_second"]:,.0f} solved/s, p99 {flood["p99_ms"]:,.0f} ms; memory {memory["second_third"]} MB in the
second third, {memory["last_third"]} MB in the last; the next answer came {flood["recovery_ms"]:.0f} ms later.

Mixed load, {mix["clients"]} clients that ask again at once for {mix["seconds"]:.0f} s, a quarter with a beam of {BEAM},
every tenth text 300 to 1,300 characters longer: {mix["statuses"]}, {mix["solved_per_second"]:,.0f} solved/s,
p50 {mix["p50_ms"]:,.0f} ms, p99 {mix["p99_ms"]:,.0f} ms; the next request got {mix["after"]} after
{mix["after_ms"]:.0f} ms.

Malformed requests: {said["malformed"]["requests"]:,}, answered {said["malformed"]["statuses"]}
(0: closed without an answer, by the service or by the client).

Killed workers: {said["killings"]["workers_killed"]}; clients that left: {said["killings"]["clients_that_left"]:,};
what the others got: {said["killings"]["statuses"]}.

{chr(10).join(held)}
"""


async def run(model: Path | None, threads: int, quick: bool) -> dict[str, Any]:
    """Runs all the tests."""
    seconds, rounds = (1.5, 1) if quick else (10.0, 3)
    options = ("--threads", str(threads))
    solver = Solver(model, threads=threads)
    problems = answerable(solver)
    requests = [post("/v1/solve", {"problem": problem}) for problem in problems]
    said: dict[str, Any] = {}
    with service(model, *options) as batching, service(model, *options, *ALONE) as alone:
        said["model"] = json.loads(batching.get("v1/models"))["models"][0]["name"]
        said["throughput"] = await throughput(batching, alone, requests, seconds, rounds)
    capacity = next(r["per_second"] for r in said["throughput"] if r["clients"] == 64 and r["micro_batching"])
    with service(model, *options) as under:
        said["overload"] = await overload(under, requests, capacity, 6.0 if quick else 60.0)
    with service(model, *options) as under:
        said["mixed"] = await crowd(under.port, mixed(problems), 10.0 if quick else 60.0)
    with service(model, *options) as under:
        said["malformed"] = await send_malformed(under, requests[0], 500 if quick else 10_000)
    with service(model, *options, "--workers", "2") as under:
        said["killings"] = await killings(under, requests, 12.0 if quick else 30.0)
    return said


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--model", type=Path, help="a light model folder; by default the bundled one")
    parser.add_argument("--threads", type=int, default=1, help="processors for the worker")
    parser.add_argument("--quick", action="store_true", help="a short run, whose figures mean little")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the folder for load.json and load.md")
    parser.add_argument("--note", default="", help="a sentence about the machine, for the report's method")
    chosen = parser.parse_args(arguments)
    here = machine(chosen.threads)
    head = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{here['processor']}, {here['processors']} processors; Python {here['python']}",
        "command": shlex.join(["python", "benchmarks/load.py", *arguments]),
        "threads": chosen.threads,
        "method": f"{METHOD} {chosen.note}".strip(),
    }
    said = head | asyncio.run(run(chosen.model, chosen.threads, chosen.quick))
    said["bars"] = bars(said)
    chosen.output.mkdir(parents=True, exist_ok=True)
    (chosen.output / "load.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    (chosen.output / "load.md").write_text(report(said), encoding="utf-8")
    print(report(said))
    return 0 if all(said["bars"].values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
