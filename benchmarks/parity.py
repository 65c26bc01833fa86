"""Measures how far the light runtime agrees with PyTorch, and what rounding costs: on disk, and in matrix products.

    python benchmarks/parity.py runs/bundled                            # the bundled model and the run it comes from
    python benchmarks/parity.py runs/mathqa --model light-model --data mathqa:dev --count 1000

Four solvers decode the same problems greedily:

- `own weights`: PyTorch, with the trained weights;
- `same weights`: PyTorch, with the rounded weights of the light model folder;
- `float`: the light runtime with float products. Only the order of additions differs from `same weights`;
- `int16`: the light runtime with integer products, if the processor computes them correctly.

Needs the extra `train`. Use problems that the model was not trained on: answers that it has memorised never change.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from treequation.data.catalogue import has_folds
from treequation.decoding.search import Decoded
from treequation.evaluation.evaluator import score_all
from treequation.evaluation.problem_set import problem_set
from treequation.evaluation.scoring import Outcome
from treequation.experiments.light_evaluation import EvaluatedLightModel
from treequation.experiments.solving_speed import machine
from treequation.experiments.torch_evaluation import EvaluatedTorchModel
from treequation.runtime.folder import WEIGHTS
from treequation.runtime.light_engine import LightModel
from treequation.runtime.solver import BUNDLED, Solver
from treequation.runtime.weight_file import WeightFile
from treequation.text.problem import NumberFormat, Problem

RESULTS = Path(__file__).parent / "results"
PAIRS = (("same weights", "float"), ("own weights", "float"), ("float", "int16"), ("own weights", "int16"))


class Answers(NamedTuple):
    """One solver's answers to the problems, and their scores."""

    decoded: list[Decoded]
    outcomes: list[Outcome]


def main() -> None:
    """Solves the problems, compares the solvers, prints the figures and writes a file."""
    parser = argparse.ArgumentParser(description="Measures whether the light runtime agrees with PyTorch.")
    parser.add_argument("run", type=Path, help="the model or run folder that the light model was exported from")
    parser.add_argument("--model", type=Path, default=BUNDLED, help="the light model folder")
    parser.add_argument("--data", nargs="+", default=["mathqa:dev", "math23k:dev", "mawps:test"])
    parser.add_argument("--count", type=int, default=1000, help="problems to take from each, spread evenly")
    asked = parser.parse_args()
    solvers = solvers_of(asked.run, asked.model)
    answers: dict[str, dict[str, Answers]] = {}
    light = solvers["float"].model.metadata
    for source in asked.data:
        problems = problems_of(source, light.format, asked.count)
        answers[source] = {}
        for name, solver in solvers.items():
            print(f"{source}: {len(problems):,} problems, {name}", flush=True)
            decoded = solver.decode(problems)
            outcomes = score_all(problems, decoded, amounts=light.amounts)
            answers[source][name] = Answers(decoded, outcomes)
    report = {
        "date": datetime.now(UTC).date().isoformat(),
        "model": light.name,
        "precision_on_disk": light.precision,
        "machine": machine(0),
        "accuracy": {
            source: {name: accuracy(of.outcomes) for name, of in each.items()} for source, each in answers.items()
        },
        "agreement": {
            source: {
                f"{one} and {other}": agreement(each[one], each[other])
                for one, other in PAIRS
                if {one, other} <= set(each)
            }
            for source, each in answers.items()
        },
    }
    print(json.dumps(report, indent=1))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"parity-{light.name}.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def problems_of(source: str, format: NumberFormat, count: int) -> list[Problem]:
    """Some of the problems that can be scored; the first fold of a data set in folds."""
    kept = problem_set(source, asdict(format), fold=0 if has_folds(source) else None).given
    return kept[:: max(1, len(kept) // count)][:count]


def solvers_of(run: Path, model: Path) -> dict[str, Any]:
    """The four solvers, or three if the processor has no integer products."""
    own, same = EvaluatedTorchModel(run, "cpu"), EvaluatedTorchModel(run, "cpu")
    take_weights(same.model, model)
    solvers: dict[str, Any] = {
        "own weights": own,
        "same weights": same,
        "float": EvaluatedLightModel(Solver(model, precision="float")),
    }
    if LightModel(model, precision="auto").precision == "int16":
        solvers["int16"] = EvaluatedLightModel(Solver(model, precision="int16"))
    return solvers


def take_weights(model: nn.Module, folder: Path) -> None:
    """Loads the weights of a light model folder, which stores linear layers transposed, into a PyTorch model."""
    linear = {f"{name}.weight" for name, module in model.named_modules() if isinstance(module, nn.Linear)}
    with WeightFile(folder / WEIGHTS) as weights:
        for name, tensor in model.state_dict().items():
            if tensor.is_floating_point():
                weight = weights[name].T if name in linear else weights[name]
                tensor.copy_(torch.from_numpy(np.ascontiguousarray(weight)))


def accuracy(outcomes: Sequence[Outcome]) -> float:
    """The percentage of right answers."""
    return round(100 * float(np.mean([outcome.answer_right for outcome in outcomes])), 2)


def agreement(one: Answers, other: Answers) -> dict[str, float]:
    """Percentages of problems with the same tree and the same score, and how far log-probabilities of trees differ."""
    same = [a.graph == b.graph for a, b in zip(one.decoded, other.decoded, strict=True)]
    verdicts = [(a.answer_right, b.answer_right) for a, b in zip(one.outcomes, other.outcomes, strict=True)]
    apart = [abs(a.score - b.score) for a, b, is_same in zip(one.decoded, other.decoded, same, strict=True) if is_same]
    right = [is_same for is_same, (before, _) in zip(same, verdicts, strict=True) if before]
    return {
        "problems": len(same),
        "same_tree": round(100 * float(np.mean(same)), 2),
        "same_tree_where_the_first_is_right": round(100 * float(np.mean(right)), 2) if right else 100.0,
        "only_the_first_right": sum(before and not after for before, after in verdicts),
        "only_the_second_right": sum(after and not before for before, after in verdicts),
        "log_probability_median": round(float(np.median(apart)), 6),
        "log_probability_p99": round(float(np.percentile(apart, 99)), 6),
        "log_probability_most": round(float(np.max(apart)), 6),
    }


if __name__ == "__main__":
    main()
