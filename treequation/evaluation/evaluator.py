"""Solves problems with a model and scores every one of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from treequation.evaluation.scoring import Outcome, score
from treequation.model import TreequationModel, decode
from treequation.text.encoding import ProblemTooLongError
from treequation.text.problem import Problem


def evaluate_model(
    model: TreequationModel,
    problems: Sequence[Problem],
    *,
    beam: int = 1,
    batch_size: int = 256,
    training_texts: Collection[str] = (),
) -> list[Outcome]:
    """The outcome of each problem, in the problems' order.

    ``training_texts`` are the masked texts (:attr:`Problem.masked_text`) of the training problems. A problem that
    is too long for the encoder is not decoded, and wrong.
    """
    was_training = model.training
    try:
        decoded = decode(model, problems, beam=beam, batch_size=batch_size)
        too_long: dict[int, str] = {}
    except ProblemTooLongError:  # rare, so that the search for who it is may cost something
        too_long = _too_long(model, problems)
        short = [index for index in range(len(problems)) if index not in too_long]
        found = decode(model, [problems[index] for index in short], beam=beam, batch_size=batch_size)
        decoded = [[] for _ in problems]
        for index, hypotheses in zip(short, found, strict=True):
            decoded[index] = hypotheses
    finally:
        model.train(was_training)
    seen = frozenset(training_texts)
    return [
        score(
            problem,
            hypotheses[0] if hypotheses else None,
            seen=bool(seen) and problem.masked_text in seen,
            reason=too_long.get(index, "nothing was decoded"),
        )
        for index, (problem, hypotheses) in enumerate(zip(problems, decoded, strict=True))
    ]


def _too_long(model: TreequationModel, problems: Sequence[Problem]) -> dict[int, str]:
    encoder = model.problem_encoder
    reasons: dict[int, str] = {}
    for index, problem in enumerate(problems):
        try:
            encoder.encode([problem])
        except ProblemTooLongError as error:
            reasons[index] = str(error)
    return reasons
