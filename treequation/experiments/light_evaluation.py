"""Scores a light model as users run it: through the solver, with its second search and its confidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from treequation.evaluation.scoring import Outcome, score_graph
from treequation.runtime.solve_error import SolveError
from treequation.runtime.solver import Solver
from treequation.text.problem import Problem


def evaluate_light(
    solver: Solver,
    problems: Sequence[Problem],
    *,
    beam: int | None = None,
    batch_size: int = 32,
    training_texts: Collection[str] = (),
    refused: Mapping[int, str] | None = None,
) -> list[Outcome]:
    """The outcome of each problem, in the problems' order.

    The problems are in the model's number format. Those in ``refused`` count as wrong, for the reasons given there, and
    so do those that the solver refuses. ``training_texts`` is as for a trained model.
    """
    unasked = refused or {}
    asked = [index for index in range(len(problems)) if index not in unasked]
    found = dict(
        zip(
            asked,
            solver.solve_many((problems[index].text for index in asked), beam=beam, batch_size=batch_size),
            strict=True,
        )
    )
    texts = frozenset(training_texts)
    outcomes = []
    for index, problem in enumerate(problems):
        seen = problem.masked_text in texts if texts else None
        solution = found.get(index)
        if solution is None or isinstance(solution, SolveError):
            reason = unasked[index] if solution is None else solution.message
            outcomes.append(score_graph(problem, None, steps=0, confidence=0.0, seen=seen, reason=reason))
        else:
            steps, sure = len(solution.layers), solution.confidence
            outcomes.append(score_graph(problem, solution.graph, steps=steps, confidence=sure, seen=seen))
    return outcomes
