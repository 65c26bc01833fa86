"""Times the reading of a data set: from the file to problems with their numbers found and their equations as graphs.

    python benchmarks/reading.py [NAME [SPLIT]]

The target is 10 seconds for MathQA's training split on one core. The best of three runs counts, since other load on the
machine slows the rest.
"""

from __future__ import annotations

import platform
import sys
import time
from pathlib import Path

from treequation.data.catalogue import load

RUNS = 3


def processor() -> str:
    """The processor's name, if the system reports it."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def main(name: str = "mathqa", split: str = "train") -> None:
    seconds, processor_seconds = [], []
    for _ in range(RUNS):
        clock, processor_clock = time.perf_counter(), time.process_time()
        reading = load(name, split)
        seconds.append(time.perf_counter() - clock)
        processor_seconds.append(time.process_time() - processor_clock)
    print(f"machine: {processor()}, one core; Python {platform.python_version()} on {platform.system()}")
    print(f"data: {name} {split}, {reading.rows:,} rows, {len(reading.problems):,} problems")
    print(f"time: {min(seconds):.2f} s, of which processor {min(processor_seconds):.2f} s (best of {RUNS})")
    print(f"speed: {reading.rows / min(seconds):,.0f} rows a second")


if __name__ == "__main__":
    main(*sys.argv[1:3])
