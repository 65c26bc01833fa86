"""Trains the bundled model further on your own problems, and solves a problem with the result.

    python examples/finetune.py mine.jsonl
    python examples/finetune.py mine.jsonl --start runs/mathqa
    python examples/finetune.py --tiny

The first line restores the bundled model and trains it on your problems and some that it knows; a laptop does this in
minutes for a few hundred problems. The second continues with a model that you trained before. The third shows the steps
in under a minute: its encoder is tiny and begins with random weights, so the model learns the few sentences of
examples/problems.jsonl and nothing else. Needs the extra `train`.

`treequation export runs/mine light-model` then makes a light model of it, for use without PyTorch.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from treequation.evaluation.evaluator import load_model
from treequation.export.restoring import restore
from treequation.expression.words import steps_in_words
from treequation.model import decode
from treequation.runtime.solver import BUNDLED
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem
from treequation.training import train
from treequation.training.recipe import Recipe, recipe_from

HERE = Path(__file__).parent
PROBLEM = "Mia has 7 boxes with 9 pens each. How many pens does Mia have?"


def tiny(problems: Path, epochs: int) -> Recipe:
    """A model with random weights, small enough to learn a few sentences in seconds."""
    return recipe_from(
        {
            "name": "mine",
            "data": {"train": [str(problems)], "dev_part": 0.1},
            "encoder": {"name": "scratch", "layers": 1, "width": 64, "heads": 4, "dropout": 0.0},
            "model": {"queries": 2, "steps": 4, "attention_heads": 4, "dropout": 0.0},
            "training": {
                "epochs": epochs,
                "batch_size": 32,
                "learning_rate": 3e-3,
                "encoder_learning_rate": 3e-3,
                "warmup": 0.1,
                "evaluate_every": 1,
            },
        }
    )


def further(problems: Path, epochs: int, start: Path) -> Recipe:
    """A model that was trained before, taught new problems; some of those it knows keep it from forgetting."""
    return recipe_from(
        {
            "name": "mine",
            "start": str(start),
            "data": {"train": [str(problems), "written:train=2000"], "dev_part": 0.1},
            "training": {
                "epochs": epochs,
                "batch_size": 32,
                "learning_rate": 3e-4,
                "encoder_learning_rate": 1e-4,
                "evaluate_every": 1,
            },
        }
    )


def restored(folder: Path) -> Path:
    """The bundled model in a form that can be trained."""
    if not folder.exists():
        restore(BUNDLED, folder)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on your own problems.")
    parser.add_argument("problems", type=Path, nargs="?", default=HERE / "problems.jsonl")
    parser.add_argument("--output", type=Path, default=Path("runs/mine"))
    parser.add_argument("--start", type=Path, help="a run or model folder; by default the bundled model")
    parser.add_argument("--tiny", action="store_true", help="train a tiny model from random weights instead")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--problem", default=PROBLEM)
    given = parser.parse_args()

    if given.tiny:
        torch.set_num_threads(1)  # a model of this size gains nothing from more, and loses much on a busy machine
        recipe = tiny(given.problems, given.epochs)
    else:
        start = given.start or restored(given.output.with_name("bundled"))
        recipe = further(given.problems, given.epochs, start)
    result = train(recipe, given.output, report=lambda epoch: print(f"loss {epoch.loss:.3f}"))
    print(f"solves {result.best_dev:.0%} of the problems that were held out")

    model = load_model(result.folder)
    problem = Problem("mine", given.problem, find_numbers(given.problem, model.config.format))
    ((best, *_),) = decode(model, [problem])
    if best.graph is None:
        print("the model found no equation")
    else:
        print(*steps_in_words(best.graph, problem.values), sep="\n")


if __name__ == "__main__":
    main()
