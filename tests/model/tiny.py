"""Tiny models and a tiny training loop: enough to see the method work, with nothing to download."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
import torch

from treequation.data.batches import Batch, Example, Shape, collate
from treequation.expression.evaluation import evaluate
from treequation.model import ExpressionTreeModel, WordProblemModel, decode
from treequation.model.batch_decoding import to_device
from treequation.model.registry import DECODERS
from treequation.model.scratch import scratch_encoder
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.problem import Problem

STEPS = 4  # the easy problems need three, and one more to say stop
SOLVED = 0.98  # the share of problems after which a training may end


M = TypeVar("M", bound=WordProblemModel)


def make_model(
    problems: Sequence[Problem],
    *,
    width: int = 32,
    layers: int = 2,
    decoder: str = ExpressionTreeModel.DECODER,
    **settings: Any,
) -> Any:
    """An untrained model, the paper's unless told, that knows the words and constants of some problems."""
    torch.manual_seed(0)
    encoder, tokenizer = scratch_encoder([p.text for p in problems], layers=layers, width=width, heads=width // 16)
    for part in encoder.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    graphs = [p.graph for p in problems if p.graph is not None]
    vocabulary = Vocabulary.of(graphs, min_count=1)
    constants = ["100", "1/2", *(str(value) for value in vocabulary.constants)]
    known = {"constants": constants, "operators": [operator.value for operator in vocabulary.operators]}
    settings = {"steps": STEPS, "dropout": 0.0, "attention_heads": width // 16, **known} | settings
    return DECODERS[decoder].around(encoder, tokenizer, **DECODERS[decoder].settings_from(graphs, 1), **settings)


def examples_of(model: WordProblemModel, problems: Sequence[Problem]) -> list[Example]:
    """The problems as the model is taught them; one without an equation is a text alone."""
    examples = []
    for problem, encoded in zip(problems, model.problem_encoder.encode(problems), strict=True):
        labels = () if problem.graph is None else model.label_sets(problem.graph)
        examples.append(Example(encoded, labels))
    return examples


def batch_of(model: WordProblemModel, examples: Sequence[Example], **larger: int) -> Batch:
    """One batch, no larger than it must be unless told."""
    names = ("tokens", "numbers", "layers", "width")
    sizes = {name: max(getattr(example.shape, name) for example in examples) for name in names} | larger
    batch = collate(examples, Shape(**sizes), constants=len(model.config.constants), padding=model.padding)
    return to_device(batch, model.device)


def train(
    model: M,
    problems: Sequence[Problem],
    *,
    epochs: int,
    rows: int,
    rate: float,
    until_solved: Sequence[Problem] = (),
) -> M:
    """Trains with one rise and fall of the learning rate, on batches of like length.

    It ends as soon as nearly all problems of ``until_solved`` are, which is looked up every twenty updates.
    """
    examples = examples_of(model, problems)
    shuffle = random.Random(0)
    updates = epochs * -(-len(examples) // rows)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=updates, pct_start=0.1)
    model.train()
    updated = 0
    for _ in range(epochs):
        order = sorted(range(len(examples)), key=lambda i: (examples[i].shape.tokens // 8, shuffle.random()))
        groups = [order[start : start + rows] for start in range(0, len(order), rows)]
        shuffle.shuffle(groups)
        for group in groups:
            optimizer.zero_grad()
            model(batch_of(model, [examples[index] for index in group])).mean().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            updated += 1
            if until_solved and updated % 20 == 0:
                if share_solved(model.eval(), until_solved) >= SOLVED:
                    return model
                model.train()
    return model


def share_solved(model: WordProblemModel, problems: Sequence[Problem]) -> float:
    """How many of the problems get the right value."""
    right = 0
    for problem, (decoded, *_) in zip(problems, decode(model, problems), strict=True):
        graph = decoded.graph
        right += graph is not None and evaluate(graph, problem.values).value.number == problem.answer
    return right / len(problems)


def assert_same_equations(found: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]) -> None:
    """That two searches found the same equations. Where a weight lies in memory may change how scores are rounded."""
    for ours, theirs in zip(found, expected, strict=True):
        assert [one.graph for one in ours] == [one.graph for one in theirs]
        assert [one.score for one in ours] == pytest.approx([one.score for one in theirs], abs=1e-5)


def on_meta(batch: Batch) -> Batch:
    """The batch on the device "meta", whose tensors have no values."""
    return Batch(*(part.to("meta") if isinstance(part, torch.Tensor) else part for part in batch))
