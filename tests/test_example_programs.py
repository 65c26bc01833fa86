"""The examples run as they are, and do what they say."""

from __future__ import annotations

import csv
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.server.running import PROBLEM, running
from treequation.evaluation.evaluator import load_model
from treequation.training.sources import build_model, load_problems

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"


def run(*arguments: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
    )


def test_the_notebook_runs_from_top_to_bottom(capsys: pytest.CaptureFixture[str]) -> None:
    notebook = json.loads((EXAMPLES / "quickstart.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        exec(compile("".join(cell["source"]), cell["id"], "exec"), namespace)
    printed = capsys.readouterr().out
    for line in ("3 × 12 − 8 = 28", "1. Multiply 3 by 12: 3 × 12 = 36.", "Fraction(2, 3)", "= 20/7", "step 1, query 0"):
        assert line in printed
    assert printed.count("error: ") == 1
    assert "<svg" in namespace["solution"]._repr_html_()


def test_a_csv_file(tmp_path: Path) -> None:
    done = run(EXAMPLES / "solve_csv.py", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert rows["pencils"]["answer"] == "28"
    assert rows["pencils"]["equation"] == "3 × 12 − 8"
    assert rows["stamps"]["answer"] == "23"
    assert "no number" in rows["nothing"]["error"]
    assert run(EXAMPLES / "solve_csv.py", tmp_path / "answers.csv", "again.csv", folder=tmp_path).returncode == 0


def test_training_on_ones_own_problems(tmp_path: Path) -> None:
    done = run(EXAMPLES / "finetune.py", "--tiny", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "1. Multiply 7 by 9: 7 × 9 = 63."
    assert (tmp_path / "runs/mine/best").is_dir()


def test_the_bundled_model_can_be_trained_on_ones_own_problems(tmp_path: Path) -> None:
    """It is restored, and the recipe reads the problems and builds the model; training it would take minutes."""
    example = runpy.run_path(str(EXAMPLES / "finetune.py"))
    start = example["restored"](tmp_path / "bundled")
    assert example["restored"](start) == start
    recipe = example["further"](EXAMPLES / "problems.jsonl", 1, start)
    problems = load_problems(recipe.data, recipe.training.seed)
    assert len(problems.train) > 2000
    model = build_model(recipe, problems.train)
    assert model.config.queries == load_model(start).config.queries


def test_calling_the_service(tmp_path: Path) -> None:
    program = EXAMPLES / "call_service.py"
    with running(tmp_path) as service:
        address = f"http://127.0.0.1:{service.port}"
        done = run(program, PROBLEM.text, folder=tmp_path, TREEQUATION_URL=address)
        assert done.returncode == 0, done.stderr
        assert f"= {PROBLEM.answer} " in done.stdout.splitlines()[0]
        refused = run(program, "How are you today?", folder=tmp_path, TREEQUATION_URL=address)
        assert refused.returncode == 1
        assert "there is no number in the text" in refused.stderr
    alone = run(program, PROBLEM.text, folder=tmp_path, TREEQUATION_URL=address)
    assert alone.returncode == 1
    assert "treequation serve" in alone.stderr
