"""What is timed side by side."""

from __future__ import annotations

from tests.evaluation.cases import outcomes as made_up
from tests.model.tiny import make_model
from treequation.data.synthetic import generate
from treequation.evaluation.evaluator import evaluate_model
from treequation.experiments.comparison import Entry, result
from treequation.model import greedy
from treequation.model.greedy import SearchInput, SearchOutput
from treequation.reporting.comparison_tables import tables


def test_a_search_of_its_own_is_timed_after_it_has_met_every_size() -> None:
    problems = generate(6, seed=4, level="easy", language="en")
    model = make_model(problems).eval()
    outcomes = evaluate_model(model, problems)
    calls: list[int] = []

    def search(asked: SearchInput, steps: int, division: int) -> SearchOutput:
        calls.append(len(asked.batch.ids))
        return greedy.search(model, asked, steps, division)

    entries = [Entry("plain", model.DECODER, outcomes, 1, model), Entry("own", model.DECODER, outcomes, 1, model)]
    entries[1].search = search
    found = result(entries, problems, sources=["made-up"], count=6, batch_size=4, rounds=2)
    plain, own = found["entries"]
    assert found["compared_with"] == "plain"
    assert "device" not in found["hardware"]  # the models are on the processor, whatever else there is
    assert own["answer_accuracy"] == plain["answer_accuracy"]
    for each in (plain, own):
        assert 0 < each["speed"]["latency_ms"]["p50"] <= each["speed"]["latency_ms"]["p99"]
    # Six problems alone and in two batches before anything is timed; then the same, with warm-ups.
    assert len(calls) >= 2 * (6 + 2)


def test_problems_that_no_training_text_is_like_have_a_column() -> None:
    entries = [Entry("ours", "a", [*made_up(True, True, False)]), Entry("peer", "b", [*made_up(True, False, True)])]
    problems = generate(3, seed=4, level="easy", language="en")
    found = result(entries, problems, sources=["made-up"], count=1, batch_size=1, rounds=1, unlike={"p1", "p2"})
    assert [each["unlike_text"]["count"] for each in found["entries"]] == [2, 2]
    assert [each["unlike_text"]["answer_accuracy"] for each in found["entries"]] == [0.5, 0.5]
    accuracy = tables(found)[0]
    assert [row[accuracy.columns.index("unlike text %")] for row in accuracy.rows] == ["50.0", "50.0"]
    plain = result(entries, problems, sources=["made-up"], count=1, batch_size=1, rounds=1)
    assert "unlike text %" not in tables(plain)[0].columns
