"""A trace tells what was decoded and how sure every query was."""

import math

import pytest

from treequation.decoding.assembly import Proposed
from treequation.model import TreequationModel, decode, decode_with_trace
from treequation.text.encoding import NUMBER_MARKER
from treequation.text.problem import Problem


@pytest.mark.parametrize("beam", [1, 3])
def test_trace_follows_the_decode(model: TreequationModel, problems: list[Problem], beam: int) -> None:
    some = problems[:5]
    found, traces = decode(model, some, beam=beam), decode_with_trace(model, some, beam=beam, best=100)
    for problem, hypotheses, followed in zip(some, found, traces, strict=True):
        assert [trace.decoded for trace in followed] == hypotheses
        for trace in followed:
            assert [token for token in trace.tokens if token == NUMBER_MARKER] == [NUMBER_MARKER] * len(problem.numbers)
            assert len(trace.steps) == len(trace.decoded.layers) + trace.decoded.stopped
            kept = [[query.kept for query in step if query.kept] for step in trace.steps]
            assert [layer for layer in kept if layer] == trace.decoded.layers
            for step in trace.steps:
                assert len(step) == model.config.queries
                for query in step:
                    assert len(query.similarity) == len(trace.tokens)
                    assert all(abs(cosine) <= 1.0001 for cosine in query.similarity)
                    for entries in (query.operator, query.left, query.right):
                        assert sum(entry.probability for entry in entries) == pytest.approx(1, abs=1e-4)
                        assert [e.probability for e in entries] == sorted(
                            (e.probability for e in entries), reverse=True
                        )
                    if query.kept:
                        assert query.kept.score == pytest.approx(_score(query.kept, query), abs=1e-4)
                    if beam == 1 and query.kept:  # greedy: what is kept is what was likeliest
                        assert query.kept.operator == query.operator[0].operator


def _score(kept: Proposed, query) -> float:  # type: ignore[no-untyped-def]
    """The log-probability of an expression by the trace's own entries."""
    probabilities = [dict(part) for part in (query.operator, query.left, query.right)]
    return sum(math.log(p[what]) for p, what in zip(probabilities, (kept.operator, kept.left, kept.right), strict=True))


def test_only_the_best_entries_are_kept(model: TreequationModel, problems: list[Problem]) -> None:
    ((trace,),) = decode_with_trace(model, problems[:1], best=2)
    assert {len(part) for step in trace.steps for q in step for part in (q.operator, q.left, q.right)} == {2}
