"""Solves problems with a model and scores every one of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from treequation import baselines
from treequation.decoding.search import Equation
from treequation.evaluation.scoring import Outcome, score
from treequation.model import WordProblemModel, decode
from treequation.storage import DamagedFolderError
from treequation.text.encoding import ProblemEncoder, ProblemTooLongError
from treequation.text.problem import Problem

BATCH = 256
"""Problems at a time."""


def load_model(folder: Path) -> WordProblemModel:
    """Loads a model folder, or the best model of a run folder, onto the GPU if there is one."""
    if not folder.is_dir():
        raise DamagedFolderError(f"there is no folder {folder}; a model folder or a run folder is needed here")
    if (folder / "model.json").is_file():  # a file of light folders
        raise DamagedFolderError(
            f"{folder} is a light model folder, and a model folder or a run folder is needed here; "
            f"make one with `treequation restore {folder} OUTPUT`"
        )
    best = folder / "best"
    model = baselines.load_model(best if best.is_dir() else folder)
    model.to("cuda" if torch.cuda.is_available() else "cpu")  # type: ignore[arg-type]
    return model


def evaluate_model(
    model: WordProblemModel,
    problems: Sequence[Problem],
    *,
    beam: int | None = None,
    batch_size: int = BATCH,
    training_texts: Collection[str] = (),
) -> list[Outcome]:
    """The outcome of each problem, in the problems' order.

    ``training_texts`` are the masked texts (:attr:`Problem.masked_text`) of the training problems, empty if they are
    not known. Problems that are refused or too long for the encoder count as wrong. ``beam`` defaults to the decoder's
    own beam size.
    """
    was_training = model.training
    try:
        found = decode(model, _given(problems), beam=beam, batch_size=batch_size)
    except ProblemTooLongError:  # rare, so finding out which ones may take a while
        reasons = too_long(model.problem_encoder, problems)
        problems = [replace(each, refused=each.refused or reasons.get(i, "")) for i, each in enumerate(problems)]
        found = decode(model, _given(problems), beam=beam, batch_size=batch_size)
    finally:
        model.train(was_training)
    answers = iter(found)
    decoded = [None if problem.refused else next(answers)[0] for problem in problems]
    return score_all(problems, decoded, amounts=model.config.amounts, training_texts=training_texts)


def _given(problems: Sequence[Problem]) -> list[Problem]:
    return [problem for problem in problems if not problem.refused]


def score_all(
    problems: Sequence[Problem],
    decoded: Sequence[Equation | None],
    *,
    amounts: bool,
    training_texts: Collection[str] = (),
) -> list[Outcome]:
    """The outcome of each problem with what was decoded for it, if anything."""
    texts = frozenset(training_texts)
    return [
        score(problem, equation, amounts=amounts, seen=problem.masked_text in texts if texts else None)
        for problem, equation in zip(problems, decoded, strict=True)
    ]


def too_long(encoder: ProblemEncoder, problems: Sequence[Problem], *, truncate: bool = False) -> dict[int, str]:
    """The indices of problems that are too long for the encoder (with ``truncate``, even truncated), and its errors."""
    reasons: dict[int, str] = {}
    for index, problem in enumerate(problems):
        try:
            encoder.ids([problem], truncate=truncate)
        except ProblemTooLongError as error:
            reasons[index] = str(error)
    return reasons
