"""Folds, seeds, and what several runs say together."""

import json
from pathlib import Path

import pytest

from tests.evaluation.cases import outcome
from tests.training.tiny_run import tiny_recipe, write_recipe
from treequation.data import jsonl
from treequation.errors import TreequationError
from treequation.experiments.repeats import Repeat, folds_of, run_all, seeds_of, summarise
from treequation.training.epoch_reports import EpochReport, add_report
from treequation.training.recipe import read_recipe, recipe_from
from treequation.training.sources import load_problems


def test_a_pool_is_cut_into_folds_that_are_the_same_for_every_seed(tmp_path: Path) -> None:
    path = write_recipe(tmp_path)
    parts = [jsonl.read(tmp_path / f"{name}.jsonl").problems for name in ("train", "dev", "test")]
    everything = sorted(problem.text for part in parts for problem in part)
    tests: list[str] = []
    for repeat in folds_of(read_recipe(path), 4):
        data = read_recipe(path, repeat.changes).data
        problems, other = load_problems(data, seed=0), load_problems(data, seed=1)
        assert sorted(p.text for part in (problems.train, problems.dev, problems.test) for p in part) == everything
        assert problems.test == other.test
        assert problems.dev != other.dev
        assert not {p.masked_text for p in problems.train} & {p.masked_text for p in problems.dev}
        tests += [problem.text for problem in problems.test]
    assert sorted(tests) == everything


def test_a_test_problem_that_the_training_format_cannot_say_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_recipe(tmp_path)  # its problems take 2 / 3 for one number; MathQA takes it for two
    texts = {"how much more is 3 than 2 in 2 / 3 ?": "subtract(n3,n2)|", "3 cats and 2 dogs": "add(n0,n1)|"}
    rows = [
        {"Problem": text, "linear_formula": formula, "options": "a ) 1", "correct": "a"}
        for text, formula in texts.items()
    ]
    (tmp_path / "mathqa").mkdir()
    path = tmp_path / "mathqa" / "mathqa_test_nodup_our_filtered.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    monkeypatch.setenv("TREEQUATION_DATA", str(tmp_path))
    tests = [str(tmp_path / "test.jsonl"), "mathqa"]  # a test source that names no split means its test split
    problems = load_problems(recipe_from({"data": {"train": str(tmp_path / "train.jsonl"), "test": tests}}).data)
    assert [problem.text for problem in problems.test[20:]] == list(texts)
    assert [place for place, problem in enumerate(problems.test) if problem.refused] == [20]


def test_a_data_set_keeps_its_own_folds() -> None:
    recipe = recipe_from({"data": {"train": "mawps:train", "test": "mawps:test"}})
    names, changes = zip(*((each.name, each.changes) for each in folds_of(recipe)), strict=True)
    assert names == ("fold-0", "fold-1", "fold-2", "fold-3", "fold-4")
    assert changes[3] == ("data.watch_test=true", "data.dev_part=0.1", "data.fold=3")
    assert folds_of(recipe_from({"data": {"train": "mawps:train=500"}}))[3].changes == changes[3]
    with pytest.raises(TreequationError, match="comes in 5 folds, not in 3"):
        folds_of(recipe, 3)


def test_strict_figures_follow_dev_and_the_literatures_follow_test(tmp_path: Path) -> None:
    # Epoch 2 is best on dev in both runs; on test it is epoch 1 in one and epoch 3 in the other.
    runs = {"a": ([0.1, 0.5, 0.4], [0.6, 0.5, 0.4]), "b": ([0.1, 0.6, 0.6], [0.5, 0.7, 0.8])}
    for name, (dev, test) in runs.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "result.json").write_text('{"best_epoch": 2}', encoding="utf-8")
        for epoch, (on_dev, on_test) in enumerate(zip(dev, test, strict=True), start=1):
            scores = [
                {"answer_accuracy": 0.0, "equation_accuracy": 0.0, "literature_accuracy": each, "mean_steps": 1.0}
                for each in (on_dev, on_test)
            ]
            report = EpochReport(epoch, 3, 1.0, 100.0, 1.0, scores[0], scores[1], max(dev[:epoch]), 2)
            add_report(tmp_path / name / "metrics.jsonl", report)
    summary = summarise([Repeat(name, ()) for name in "abc"], tmp_path, {"c": "exit code 1"})
    assert summary["dev"]["literature_accuracy"]["mean"] == pytest.approx(0.55)
    assert summary["test"]["literature_accuracy"]["mean"] == pytest.approx(0.6)
    assert summary["literature_selection"]["literature_accuracy"]["mean"] == pytest.approx(0.7)
    assert summary["test"]["literature_accuracy"]["std"] == pytest.approx(0.2 / 2**0.5)
    assert summary["failed"] == {"c": "exit code 1"}
    assert json.loads((tmp_path / "summary.json").read_text(encoding="utf-8")) == summary

    # What the kept models solved comes before what was watched in training: a solves one of two, b both.
    solved = {"a": [outcome("p", True), outcome("q", False)], "b": [outcome("p", True), outcome("q", True)]}
    summary = summarise([Repeat(name, ()) for name in "ab"], tmp_path, {}, solved)
    assert [run["test"]["literature_accuracy"] for run in summary["runs"]] == [0.5, 1.0]
    assert summary["literature_selection"]["literature_accuracy"]["mean"] == pytest.approx(0.7)
    assert summary["vote"] is None  # folds are asked other problems each
    assert summarise([Repeat("b", ()), Repeat("a", ())], tmp_path, {}, solved, votes=True)["vote"] is not None


def test_a_run_that_fails_leaves_the_others_alone_and_only_it_is_run_again(tmp_path: Path) -> None:
    path, folder = write_recipe(tmp_path), tmp_path / "all"
    repeats = seeds_of(tiny_recipe(tmp_path), 2)
    folder.mkdir()
    (folder / "seed-1").write_text("a file where a folder should be", encoding="utf-8")
    messages: list[str] = []
    failures = run_all(repeats, path, ["training.epochs=1"], folder, parallel=2, device="cpu", report=messages.append)
    assert list(failures) == ["seed-1"]
    assert "seed-1" in failures["seed-1"]
    assert "seed-1.log" in failures["seed-1"]
    assert len(summarise(repeats, folder, failures)["runs"]) == 1

    (folder / "seed-1").unlink()
    first = (folder / "seed-0" / "result.json").stat().st_mtime_ns
    messages.clear()
    assert run_all(repeats, path, ["training.epochs=1"], folder, device="cpu", report=messages.append) == {}
    assert "seed-0: already finished" in messages
    assert (folder / "seed-0" / "result.json").stat().st_mtime_ns == first
    losses = {(folder / each.name / "metrics.jsonl").read_text(encoding="utf-8").split(",")[2] for each in repeats}
    assert len(losses) == 2
    with pytest.raises(TreequationError, match="another recipe"):
        run_all(repeats, path, ["training.epochs=2"], folder, device="cpu")
