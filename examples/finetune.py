"""Trains a model on your own problems and solves a problem with it.

    python examples/finetune.py [examples/problems.jsonl] [--output runs/mine]
    python examples/finetune.py mine.jsonl --encoder sentence-transformers/all-MiniLM-L6-v2 --epochs 20
    python examples/finetune.py mine.jsonl --start runs/mathqa

The first line runs in under a minute: its encoder is tiny and begins with random weights, so the model learns the few
sentences of examples/problems.jsonl and nothing else. The second fine-tunes a pretrained encoder; the third continues
with a model that was trained before. Both need a GPU and hundreds of problems. Needs the extra `train`.

`treequation export runs/mine light-model` then makes a light model of it, for use without PyTorch.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from treequation.evaluation.evaluator import load_model
from treequation.expression.words import steps_in_words
from treequation.model import decode
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem
from treequation.training import train
from treequation.training.recipe import recipe_from

HERE = Path(__file__).parent
PROBLEM = "Mia has 7 boxes with 9 pens each. How many pens does Mia have?"


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on your own problems.")
    parser.add_argument("problems", type=Path, nargs="?", default=HERE / "problems.jsonl")
    parser.add_argument("--output", type=Path, default=Path("runs/mine"))
    parser.add_argument("--encoder", default="scratch")
    parser.add_argument("--start", default="")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--problem", default=PROBLEM)
    given = parser.parse_args()

    tiny = given.encoder == "scratch" and not given.start
    if tiny:
        torch.set_num_threads(1)  # a model of this size gains nothing from more, and loses much on a busy machine
    encoder = {"layers": 1, "width": 64, "heads": 4, "dropout": 0.0} if tiny else {}
    rate = 3e-3 if tiny else 3e-4
    recipe = recipe_from(
        {
            "name": "mine",
            "start": given.start,
            "data": {"train": [str(given.problems)], "dev_part": 0.1},
            "encoder": {"name": given.encoder, **encoder},
            "model": {"queries": 2, "steps": 4, "attention_heads": 4, "dropout": 0.0} if tiny else {},
            "training": {
                "epochs": given.epochs,
                "batch_size": 32,
                "learning_rate": rate,
                "encoder_learning_rate": rate if tiny else rate / 3,
                "warmup": 0.1,
                "evaluate_every": max(1, given.epochs // 4),
            },
        }
    )
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
