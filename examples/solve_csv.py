"""Solves the problems of a CSV file and writes their answers into another one.

    python examples/solve_csv.py [examples/problems.csv] [answers.csv]

The input has a column ``problem``; its other columns are copied. `treequation solve --input … --output …` does the same
for large files, and resumes after a kill.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from treequation import SolveError, Solver

HERE = Path(__file__).parent


def main(source: Path, target: Path) -> None:
    with source.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    solver = Solver()
    for row, found in zip(rows, solver.solve_many(row["problem"] for row in rows), strict=True):
        if isinstance(found, SolveError):
            row |= {"answer": "", "equation": "", "confidence": "", "error": str(found)}
        else:
            row |= {"answer": found.shown, "equation": found.equation, "error": ""}
            row["confidence"] = f"{found.confidence:.2f}"
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    print(f"{len(rows)} problems: {target}")


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:]]
    main(*given, *(HERE / "problems.csv", Path("answers.csv"))[len(given) :])
