"""``treequation bench`` as a user runs it: its figures are there and belong together."""

import json
from pathlib import Path

import pytest

from tests.runtime.light import known_problems, taught_folder, taught_model
from treequation.cli import main
from treequation.data import jsonl
from treequation.runtime.light_engine import LightModel


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_bench_solve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jsonl.write(known_problems(), tmp_path / "problems.jsonl")
    taught_model().save_pretrained(tmp_path / "model")
    command = ("bench", "solve", "--model", taught_folder(), "--data", tmp_path / "problems.jsonl", "--count", "12")
    sizes = ("--threads", "1", "--batch-size", "4", "--precision", "auto")
    assert run(*command, *sizes, "--torch", tmp_path / "model", "--plot", tmp_path / "growth.svg", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["precision"], report["precision_on_disk"]) == (
        LightModel(taught_folder(), precision="auto").precision,
        "int8",
    )
    drawn = (tmp_path / "growth.svg").read_text(encoding="utf-8")
    sizes_drawn = ("tokens of the text", "numbers in", "problems at a time", "layers of", "queries of", "processors")
    assert all(size in drawn for size in sizes_drawn)
    assert "problems/s" in drawn
    assert "unless varied, 40 tokens" in drawn
    assert report["machine"]["threads"] == 1
    assert "take turns" in report["method"]
    (figures,) = report["data"].values()
    assert figures["problems"] == 12
    assert figures["mean_steps"] >= 2  # one for an equation, one to say stop
    for way in ("encoder", "solve", "peer"):
        assert 0 < figures[way]["p50"] <= figures[way]["p99"]
    # The whole has its part in it. By the medians: a mean of twelve short times is that of one interruption.
    assert figures["solve"]["p50"] > figures["encoder"]["p50"]
    means = figures["solve"]["mean"] / figures["encoder"]["mean"]
    assert figures["solve_to_encoder"] == pytest.approx(means, rel=0.01)
    growth = report["growth"]
    assert set(growth) == {"tokens", "numbers", "batch", "steps", "queries", "cores"}
    times = [point["ms"] for point in growth["batch"]]
    assert times[-1] > times[0]
    for name, points in growth.items():
        for point in points:
            problems = point["batch"] if name == "batch" else 1
            assert point["per_second"] * point["ms"] == pytest.approx(1000 * problems, rel=0.01)
    assert [point["queries"] for point in growth["queries"]] == [1, 2, 4, 8, 16, 32]
    assert report["growth_sizes"]["queries"] == taught_model().config.queries
    assert [point["cores"] for point in growth["cores"]] == [1]  # it was given one
    assert growth["cores"][0]["bulk_per_second"] > 0

    assert run(*command, "--threads", "1") == 0
    printed = capsys.readouterr().out
    for part in (
        "whole solve",
        "encoder alone",
        "times the encoder alone",
        "machine:",
        "growth",
        f"multiplies in {LightModel(taught_folder()).precision}",
    ):
        assert part in printed


def test_bench_decode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jsonl.write(known_problems(), tmp_path / "problems.jsonl")
    taught_model().save_pretrained(tmp_path / "model")
    command = ("bench", "decode", tmp_path / "model", "--data", tmp_path / "problems.jsonl", "--device", "cpu")
    assert run(*command, "--batch-size", "8", "--rounds", "3", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["problems"] == len(known_problems())
    assert report["precision"] == "fp32"
    (figures,) = report["models"]
    assert figures["answer_accuracy"] > 0.9  # it was taught these problems
    assert figures["min_per_second"] <= figures["median_per_second"] <= figures["max_per_second"]
    assert figures["median_per_second"] * figures["whole_ms"] == pytest.approx(1000 * report["problems"])

    assert run(*command, "--bf16", "--rounds", "1") == 0
    assert "in bf16" in capsys.readouterr().out
    assert run("bench", "decode", tmp_path / "model", "--data", tmp_path / "nowhere.jsonl") == 1
    assert "nowhere.jsonl" in capsys.readouterr().err
