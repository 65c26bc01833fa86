"""Measures the cost of solving in bulk: one core alone, the two engines, memory, and each stage of a part.

    python benchmarks/scale.py --model light-model                      # everything, into benchmarks/results/
    python benchmarks/scale.py --stand-in --only stages engines         # with an untrained model of the usual size

The engines take turns on the same problems with the same number of processors, each as the command that a user would
type. Ray uses a running cluster; the time to start one is given separately. The best round counts, since other load on
the machine slows the rest. The file also has the load at the beginning, and the processor time, which depends on the
load far less.
Needs the extras `distributed` and `dev`, and `train` for --stand-in.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from treequation.data.synthetic import generate
from treequation.distributed.cluster import cluster, ray
from treequation.distributed.folders import PART_ROWS
from treequation.distributed.plan import Part, plan_for
from treequation.distributed.work import Work, parquet_of, read_rows
from treequation.experiments.solving_speed import machine
from treequation.runtime.rows import Row
from treequation.runtime.solution import Solution
from treequation.runtime.solve_error import SolveError
from treequation.runtime.solver import Solver

RESULTS = Path(__file__).parent / "results"
STAGES = ("one_core", "stages", "engines", "memory", "scheduling")
VARIETY = 5_000  # number of different problems, which are repeated


def main() -> None:
    """Measures, prints and writes a file."""
    parser = argparse.ArgumentParser(description="Measures the cost of solving in bulk.")
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--model", type=Path, help="a light model folder")
    chosen.add_argument("--stand-in", action="store_true", help="untrained, 6 encoder layers of 384, and 4 steps")
    parser.add_argument("--rows", type=int, default=20_000, help="problems for the engines")
    parser.add_argument("--part-rows", type=int, default=1_000, help="rows per part for the engines")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--memory-rows", type=int, default=200_000)
    parser.add_argument("--level", default="hard", choices=["easy", "hard"], help="difficulty of the made-up problems")
    parser.add_argument("--only", nargs="+", choices=STAGES, default=STAGES)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        room = Path(name)
        model = stand_in(room / "stand-in") if asked.stand_in else asked.model.absolute()
        metadata = Solver(model, threads=1).metadata
        texts = [problem.text for problem in generate(VARIETY, seed=3, level=asked.level, language="both")]
        found: dict[str, Any] = {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": shlex.join(["python", "benchmarks/scale.py", *sys.argv[1:]]),
            "machine": machine(1) | {"ray": ray.__version__},
            "model": {"name": metadata.name, "steps": metadata.steps, "megabytes": size_of(model)},
            "problems": f"made up, {asked.level}, English and Chinese, {VARIETY:,} different ones over and over",
        }
        measures: dict[str, Callable[[], Any]] = {
            "one_core": lambda: one_core(model, texts),
            "stages": lambda: stages(model, texts, room),
            "engines": lambda: engines(model, texts, room, asked),
            "memory": lambda: memory(model, texts, room, asked),
            "scheduling": lambda: scheduling(model, texts, room),
        }
        for stage in asked.only:
            found[stage] = measures[stage]()
            print(json.dumps({stage: found[stage]}, indent=1), flush=True)
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"scale-{metadata.name}.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    kept = {stage: before[stage] for stage in STAGES if stage in before and stage not in found}
    about = {stage: {key: before[key] for key in ("date", "command")} for stage in kept}
    if "engines" in found:  # keep earlier figures for other numbers of workers
        found["engines"] = [entry | {key: found[key] for key in ("date", "command")} for entry in found["engines"]]
        done = {entry["workers"] for entry in found["engines"]}
        others = [entry for entry in before.get("engines", []) if entry["workers"] not in done]
        found["engines"] = sorted([*found["engines"], *others], key=lambda entry: entry["workers"])
    found |= kept | ({"measured_earlier": about | before.get("measured_earlier", {})} if kept else {})
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"written to {path}")


def stand_in(folder: Path) -> Path:
    """An untrained model of the usual size, which takes as many steps as a trained one does on average."""
    import torch

    from treequation.export.light_folder import export
    from treequation.training.recipe import recipe_from
    from treequation.training.sources import build_model

    torch.manual_seed(0)
    problems = generate(2_000, seed=1, level="hard", language="both")
    sizes = {"name": "scratch", "layers": 6, "width": 384, "heads": 12}
    model = build_model(recipe_from({"encoder": sizes, "model": {"steps": 4}}), problems)
    export(model.eval(), folder, name="stand-in")
    return folder


def size_of(folder: Path) -> float:
    """The size of all files in megabytes."""
    return round(sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6, 1)


def one_core(model: Path, texts: Sequence[str]) -> dict[str, float]:
    """Problems per second of the solver alone, by wall-clock and by processor time, which other load affects less."""
    solver = Solver(model, threads=1)
    chosen = texts[:2_000]
    list(solver.solve_many(chosen[:100]))
    wall, processor = time.perf_counter(), time.process_time()
    solved = sum(1 for _ in solver.solve_many(chosen))
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    return {"problems": solved, "per_second": round(solved / wall, 1), "per_core_second": round(solved / processor, 1)}


def stages(model: Path, texts: Sequence[str], room: Path) -> dict[str, float]:
    """Processor time of each stage of a part, in milliseconds per problem."""
    source = write_rows(room / "stages", texts, PART_ROWS)
    begun = time.process_time()
    (part, *_) = plan_for(str(source), str(room / "stages-out"), PART_ROWS).parts
    planned = time.process_time() - begun
    solver = Solver(model, threads=1)
    list(solver.solve_many(texts[:100]))
    rows, reading = timed(lambda: list(read_rows(part)))
    _, preparing = timed(lambda: [solver._prepare(row.text) for row in rows])
    solved, solving = timed(lambda: list(solver.solve_many(row.text for row in rows)))
    answered, answering = timed(lambda: [answer_of(row, found) for row, found in zip(rows, solved, strict=True)])
    _, writing = timed(lambda: parquet_of([{"file": part.name, **answer} for answer in answered]))
    spent = {
        "planning": planned,
        "reading": reading,
        "finding_numbers_and_tokens": preparing,
        "model_and_search": solving - preparing,
        "words_and_layers": answering,
        "writing": writing,
    }
    return {name: round(1e3 * seconds / len(rows), 4) for name, seconds in spent.items()}


def answer_of(row: Row, found: Solution | SolveError) -> dict[str, Any]:
    """The output row of an input row."""
    if isinstance(found, SolveError):
        return row.answered({"problem": row.text, "error": found.to_dict()})
    return row.answered(found.to_dict())


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of some work, and the processor time that it took."""
    begun = time.process_time()
    return work(), time.process_time() - begun


def engines(model: Path, texts: Sequence[str], room: Path, asked: argparse.Namespace) -> list[dict[str, Any]]:
    """The same work by both engines, for each number of workers."""
    source = write_rows(room / "engines", texts, asked.rows)
    found = []
    for workers in asked.workers:
        begun = time.perf_counter()
        with cluster(processors=workers):
            started = time.perf_counter() - begun
            address = ray.get_runtime_context().gcs_address
            seconds: dict[str, list[float]] = {"local": [], "ray": []}
            under_way: dict[str, list[float]] = {"local": [], "ray": []}
            processor: dict[str, list[float]] = {"local": [], "ray": []}
            for turn in range(asked.rounds):
                for engine in seconds:
                    target = room / f"engines-{workers}-{engine}-{turn}"
                    more = ["--engine", "ray", "--address", address] if engine == "ray" else []
                    begun = time.perf_counter()
                    with ProcessorTime() as spent:
                        line = command(model, source, target, asked.part_rows, workers, more)
                        done = subprocess.run(line, check=False, start_new_session=True)
                    processor[engine].append(round(spent.seconds, 2))
                    seconds[engine].append(round(time.perf_counter() - begun, 2))
                    check(done.returncode, target, asked.rows, asked.part_rows)
                    under_way[engine].append(rate(target, asked.part_rows))
        best = {engine: min(each) for engine, each in seconds.items()}
        found.append(
            {
                "workers": workers,
                "rows": asked.rows,
                "part_rows": asked.part_rows,
                "seconds": seconds,
                "problems_per_second": {engine: round(asked.rows / each, 1) for engine, each in best.items()},
                "overhead_of_ray": round(best["ray"] / best["local"] - 1, 3),
                "processor_seconds": processor,
                "overhead_of_ray_in_processor_time": round(min(processor["ray"]) / min(processor["local"]) - 1, 3),
                "per_second_once_under_way": under_way,
                "overhead_of_ray_once_under_way": round(max(under_way["local"]) / max(under_way["ray"]) - 1, 3),
                "start_of_a_cluster": round(started, 1),
            }
        )
    return found


class ProcessorTime:
    """The processor time of all child processes and their descendants, sampled twice a second.

    Other load on the machine affects it far less than wall-clock time.
    """

    def __enter__(self) -> ProcessorTime:
        self._seen: dict[tuple[int, float], float] = {}
        self._look()
        self._before = sum(self._seen.values())
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        self.seconds = sum(self._seen.values()) - self._before

    def _watch(self) -> None:
        while not self._ended.wait(0.5):
            self._look()

    def _look(self) -> None:
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                spent = process.cpu_times()
                self._seen[process.pid, process.create_time()] = spent.user + spent.system


def check(code: int, target: Path, rows: int, part_rows: int) -> None:
    """Stops the measurement if a command failed; exit code 1 may only mean that a problem has no answer."""
    if code not in (0, 1) or len(list(target.glob("part-*"))) != -(-rows // part_rows):
        sys.exit(f"the command failed with exit code {code}")


def rate(target: Path, part_rows: int) -> float:
    """Problems per second between the first and the last part, while all workers were running."""
    ended = sorted(part.stat().st_mtime for part in target.glob("part-*"))
    return round(part_rows * (len(ended) - 1) / (ended[-1] - ended[0]), 1)


def memory(model: Path, texts: Sequence[str], room: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """The peak memory of any process of either engine, in megabytes, as the number of rows grows."""
    source = write_rows(room / "memory", texts, asked.memory_rows)
    workers = max(asked.workers)
    found: dict[str, Any] = {"rows": asked.memory_rows, "workers": workers, "part_rows": PART_ROWS}
    with cluster(processors=workers):
        address = ray.get_runtime_context().gcs_address
        for engine, more in {"local": [], "ray": ["--engine", "ray", "--address", address]}.items():
            target = room / f"memory-{engine}"
            process = subprocess.Popen(command(model, source, target, PART_ROWS, workers, more))
            seen: list[tuple[int, float, float]] = []
            while process.poll() is None:
                seen.append((PART_ROWS * len(list(target.glob("part-*"))), *_megabytes(process.pid)))
                time.sleep(1.0)
            check(process.returncode, target, asked.memory_rows, PART_ROWS)
            tenths = [[at for at in seen if at[0] >= part * asked.memory_rows / 10] for part in (2, 5, 9)]
            found[engine] = {
                "at_20_50_90_percent": [
                    {"worker": round(each[0][1], 1), "driver": round(each[0][2], 1)} for each in tenths if each
                ],
                "most": {"worker": round(max(at[1] for at in seen), 1), "driver": round(max(at[2] for at in seen), 1)},
            }
    return found


def _megabytes(driver: int) -> tuple[float, float]:
    """The private memory of the largest worker and of the driver."""
    solving = driving = 0.0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # a process may end meanwhile
            if process.pid == driver:
                driving = process.memory_full_info().uss / 1e6
            elif any(word in " ".join(process.cmdline()) for word in ("MapWorker", "spawn_main")):
                solving = max(solving, process.memory_full_info().uss / 1e6)
    return solving, driving


def scheduling(model: Path, texts: Sequence[str], room: Path) -> dict[str, float]:
    """An engine's overhead per part, besides solving: measured with parts of a single row and two workers."""
    found = {}
    work = Work(model, str(room / "scheduling"), ".parquet")
    source = write_rows(room / "few", texts, 400)
    parts = plan_for(str(source), str(room / "scheduling"), 1).parts
    from treequation.distributed.local import solve_here
    from treequation.distributed.ray_data import solve_on_ray

    ways: dict[str, Callable[[list[Part]], Any]] = {
        "local": lambda some: solve_here(some, work, 2),
        "ray": lambda some: solve_on_ray(some, work, 2, None),
    }
    with cluster(processors=2):
        for name, way in ways.items():
            seen = [time.perf_counter() for _ in way(parts)]
            half = len(seen) // 2  # everything is warm by then
            found[f"{name}_ms_a_part"] = round(1e3 * (seen[-1] - seen[half]) / (len(seen) - half - 1), 3)
    return found


def write_rows(folder: Path, texts: Sequence[str], rows: int) -> Path:
    """Writes a file of problems."""
    folder.mkdir()
    with (folder / "problems.jsonl").open("w", encoding="utf-8") as file:
        for row in range(rows):
            file.write(json.dumps({"id": row, "problem": texts[row % len(texts)]}, ensure_ascii=False) + "\n")
    return folder


def command(model: Path, source: Path, target: Path, part_rows: int, workers: int, more: Sequence[str]) -> list[str]:
    """The command that a user would type."""
    asked = ["solve", "--input", str(source), "--output", str(target), "--model", str(model)]
    asked += ["--part-rows", str(part_rows), "--workers", str(workers), *more]
    return [sys.executable, "-m", "treequation", *asked]


if __name__ == "__main__":
    main()
