"""``treequation restore``: a light folder becomes a model that can be trained further."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.runtime.light import changed_copy, known_problems, taught_folder
from treequation import Solution, Solver
from treequation.cli import main
from treequation.data import jsonl
from treequation.evaluation.evaluator import load_model
from treequation.export.restoring import restore
from treequation.model import decode
from treequation.runtime.folder import FORMAT, KIND, read_metadata
from treequation.runtime.solver import BUNDLED
from treequation.storage import DamagedFolderError, seal
from treequation.training import read_recipe, train


def test_a_restored_model_writes_the_equations_of_the_light_one(tmp_path: Path) -> None:
    folder = tmp_path / "restored"
    with pytest.raises(SystemExit) as ended:
        main(["restore", str(taught_folder()), str(folder)])
    assert ended.value.code == 0
    problems = known_problems()
    for problem, (best, *_), solution in zip(
        problems,
        decode(load_model(folder), list(problems)),
        Solver(taught_folder(), precision="float").solve_many(problem.text for problem in problems),
        strict=True,
    ):
        assert isinstance(solution, Solution), problem.text
        assert best.graph == solution.graph
        assert math.exp(best.score) == pytest.approx(solution.confidence, abs=1e-3)


def test_training_starts_from_a_restored_model(tmp_path: Path) -> None:
    """It knows the problems from its first epoch on, at a rate that teaches nothing."""
    torch.set_num_threads(1)
    restore(taught_folder(), tmp_path / "restored")
    jsonl.write(known_problems(), tmp_path / "known.jsonl")
    recipe = tmp_path / "further.toml"
    model = read_metadata(taught_folder()).settings
    own = {key: model[key] for key in ("queries", "steps", "attention_heads", "decoder_width", "feed_forward")}
    recipe.write_text(
        f'start = "{tmp_path}/restored"\ndecoder = "{model["decoder"]}"\n'
        f'[data]\ntrain = "{tmp_path}/known.jsonl"\ndev = "{tmp_path}/known.jsonl"\n'
        "[model]\n" + "".join(f"{key} = {value}\n" for key, value in own.items()) + "[training]\n"
        "epochs = 1\nlearning_rate = 1e-9\nencoder_learning_rate = 1e-9\nevaluate_every = 1\n",
        encoding="utf-8",
    )
    assert train(read_recipe(recipe), tmp_path / "run", device="cpu").best_dev == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shared_layers": 10**9}, r"shared_layers is 1000000000; the limit is 1,000"),
        ({"queries": 10**12}, r"queries is 1000000000000; the limit is 1,048,576"),
        ({"decoder_width": 10**6}, r"they describe [\d,]+ weights, but the folder has"),
        ({"decoder": "seq2tree"}, "the decoder seq2tree has no light form"),
        ({"decoder": "unheard-of"}, "'unheard-of'"),
        ({"matching": "by taste"}, "matching is 'by taste'"),
        ({"encoder": None}, "settings"),
        ({"encoder": {"model_type": "bert", "num_hidden_layers": 10**7}}, r"encoder\.num_hidden_layers is 10000000"),
        ({"encoder": {"model_type": "gopher"}}, "settings"),
        ({"encoder": {"model_type": "bert", "num_attention_heads": 0}}, "settings"),
        ({"encoder": {"model_type": "bert", "attn_implementation": "org/kernel"}}, "attn_implementation, which no"),
        ({"encoder": {"model_type": "timm_wrapper"}}, "settings"),
        ({"constants": ["1/0"]}, "settings"),
        ({"constants": ["97"]}, "are not those of the model"),
        ({"number_format": {"percent": "bogus"}}, "are not those of the model"),
        ({"trained_on": 3}, "settings"),
    ],
)
def test_settings_that_do_not_fit_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    settings = {**read_metadata(taught_folder()).settings, **change}
    light = changed_copy(tmp_path / "light", settings=settings)
    seal(light, kind=KIND, version=FORMAT)
    with pytest.raises(DamagedFolderError, match=message) as refused:
        restore(light, tmp_path / "restored")
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "restored").exists()


def test_a_folder_of_an_earlier_version_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    light = changed_copy(tmp_path / "light", settings={})
    seal(light, kind=KIND, version=FORMAT)
    with pytest.raises(SystemExit) as ended:
        main(["restore", str(light), str(tmp_path / "restored")])
    assert ended.value.code == 1
    assert "was exported by an earlier version" in capsys.readouterr().err


def test_a_light_folder_in_the_place_of_a_model_says_how_to_get_one() -> None:
    with pytest.raises(DamagedFolderError, match=r"is a light model folder.*`treequation restore .* OUTPUT`"):
        load_model(taught_folder())


def test_the_bundled_model_can_be_trained_further(tmp_path: Path) -> None:
    restore(BUNDLED, tmp_path / "restored")
    texts = [
        "Tom has 3 boxes with 12 pencils each. He gives away 8. How many are left?",
        "小明有25张邮票，小红比他少2张，小红有多少张？",
    ]
    solver = Solver(precision="float")
    problems = [solver.solve(text, beam=1).problem for text in texts]
    for text, (best, *_) in zip(texts, decode(load_model(tmp_path / "restored"), problems), strict=True):
        assert best.graph == solver.solve(text, beam=1).graph
