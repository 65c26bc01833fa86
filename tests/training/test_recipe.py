"""Recipes: mistakes are named before anything is trained, and every recipe that comes with the project is whole."""

import json
import re
from pathlib import Path

import pytest

from treequation.data.catalogue import data_set
from treequation.experiments.language_model import language_model
from treequation.model.config import RANGES
from treequation.training.recipe import MODEL, PACKAGED, RecipeError, read_recipe, recipe_from, same_recipe
from treequation.training.sources import split_count

OTHER_TABLES = ("llm.toml", "paper.toml", "claims.toml")
LANGUAGE_MODELS = sorted((PACKAGED / "peers").glob("qwen-*.toml"))
RECIPES = sorted(
    path for path in PACKAGED.rglob("*.toml") if path.name not in OTHER_TABLES and path not in LANGUAGE_MODELS
)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"trainig": {}}, "no trainig; did you mean training"),
        ({"model": {"querys": 6}}, "no model.querys; did you mean model.queries"),
        ({"training": {"epochs": "many"}}, "training.epochs is 'many'; it must be of type int"),
        ({"training": {"epochs": 0}}, "training.epochs is 0; it must be at least 1"),
        ({"training": {"epochs": True}}, "training.epochs is True"),
        ({"training": {"learning_rate": float("nan")}}, "training.learning_rate must be a finite number"),
        ({"training": {"precision": "fp16"}}, "it must be 'auto', 'bf16' or 'fp32'"),
        ({"data": {"dev_part": 1.5}}, "data.dev_part is 1.5; it must be at most 0.9"),
        ({"data": {"train": [1]}}, "data.train must be a list of strings"),
        ({"data": "mathqa"}, "data must be a table"),
        ({"model": {"steps": True}}, "model.steps is True; it must be of type int"),
        ({"model": {"keep_number_text": "no"}}, "model.keep_number_text is 'no'; it must be of type bool"),
        ({"model": {"queries": 0}}, "model.queries is 0; it must be at least 1"),
        ({"model": {"token_dropout": 5}}, "model.token_dropout is 5.0; it must be from 0.0 to 0.99"),
        ({"model": {"denoising": -5}}, "model.denoising is -5.0; it must be from 0.0 to 1.0"),
        ({"model": {"dropout": float("nan")}}, "model.dropout must be a finite number"),
        ({"model": {"dropout": 10**400}}, "model.dropout must be a finite number"),
        ({"model": {"matching": "none"}}, "model.matching is 'none'; it must be one of bipartite, sequence"),
        (
            {"model": {"update_problem": False}},
            "model.layers_per_step, update_problem and denoising need decoder = chained",
        ),
        ({"decoder": "chained", "model": {"none_loss": "operand"}}, "model.none_loss = operand needs decoder"),
        ({"model": {"r_drop": 0.5}}, "model.r_drop is 0.5, but it is no longer a setting: only 0.0 is supported"),
        (
            {"model": {"chained": True}},
            "model.chained is True, but it is no longer a setting: only False is supported (choose",
        ),
        ({"training": {"ema": 0.99}}, "training.ema is 0.99, but it is no longer a setting: only 0.0 is supported"),
        ({"training": {"decay": "cosine"}}, "training.decay is 'cosine', but it is no longer a setting"),
        ({"training": {"beta2": 0.98}}, "training.beta2 is 0.98, but it is no longer a setting: only 0.999 is"),
        ({"training": {"keep_best_by": "answer_accuracy"}}, "only 'literature_accuracy' is supported"),
        ({"data": {"variations": 3}}, "data.variations is 3, but it is no longer a setting: only 2 is supported"),
        ({"encoder": {"heads": 5}}, "encoder.heads is 5, which does not divide encoder.width, 128"),
        ({"training": {"seed": 2**64}}, "training.seed is 18446744073709551616; it must be at most"),
        ({"name": ""}, "name is ''; it names the run folder"),
        ({"name": ".."}, "name is '..'"),
        ({"name": "mine/first"}, "name is 'mine/first'"),
    ],
)
def test_mistakes_are_named(table: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError, match=re.escape(message)):
        recipe_from(table)


def test_recipe_of_an_earlier_version_is_read() -> None:
    """With what every recipe said then, and what a chained decoder was called."""
    model = {"queries": 2, "teacher": "gold", "chained": True, "fresh_queries": True, "denoising": 0.3, "norm": "pre"}
    gone = {"ema": 0.0, "decay": "linear", "beta2": 0.999, "graphs": False, "keep_best_by": "literature_accuracy"}
    old = recipe_from(
        {
            "decoder": "expression-tree",
            "data": {"variations": 2},
            "model": model,
            "training": {"epochs": 3, **gone},
        }
    )
    new = recipe_from({"decoder": "chained", "model": {"queries": 2, "denoising": 0.3}, "training": {"epochs": 3}})
    assert old == new
    assert recipe_from({"decoder": "seq2seq", "model": model}).decoder == "seq2seq"  # which never looked at them
    assert recipe_from({"model": {"swap_operands": False, "none_weight": 1.0}}) == recipe_from({})


def test_a_finished_run_is_read_whatever_its_settings_that_are_gone_were(caplog: pytest.LogCaptureFixture) -> None:
    old = {"data": {"variations": 5}, "training": {"epochs": 3, "beta2": 0.98, "graphs": True}}
    assert recipe_from(old, "run.json", finished=True) == recipe_from({"training": {"epochs": 3}})
    ignored = [record.getMessage() for record in caplog.records]
    assert ignored == [
        "run.json: data.variations is 5, but it is no longer a setting; it is ignored",
        "run.json: training.beta2 is 0.98, but it is no longer a setting; it is ignored",
    ]


def test_every_setting_of_the_model_that_is_a_number_has_a_range() -> None:
    numbers = {name for name, kind in MODEL.items() if kind in (int, float)}
    assert numbers == set(RANGES)


def test_changes_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[training]\nepochs = 3\n[encoder]\nname = "scratch"\n', encoding="utf-8")
    changes = ["training.epochs=7", "encoder.name=some/encoder", 'data.train=["a:train", "b:train"]', "data.words=true"]
    recipe = read_recipe(path, changes)
    assert recipe.name == "mine"
    assert recipe.training.epochs == 7
    assert recipe.encoder.name == "some/encoder"
    assert recipe.data.train == ("a:train", "b:train")
    assert recipe.data.words is True
    for wrong, message in (
        ("training.epochs", "key=value"),
        ("=3", "--set =3: write it as key=value"),
        ("training..epochs=3", "key=value"),
        ("name.of=3", "name is not a table"),
        ("data=3", "a table"),
    ):
        with pytest.raises(RecipeError, match=message):
            read_recipe(path, [wrong])


def test_files_that_are_no_recipes(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"there is no recipe .*nowhere.toml; there are .*, paper/mathqa, "):
        read_recipe(tmp_path / "nowhere.toml")
    with pytest.raises(RecipeError, match=r"there is no recipe synthetc; did you mean synthetic\?"):
        read_recipe(Path("synthetc"))
    with pytest.raises(RecipeError, match=r"cannot read the recipe .*: Is a directory"):
        read_recipe(tmp_path)
    (tmp_path / "broken.toml").write_text("epochs = = 3", encoding="utf-8")
    with pytest.raises(RecipeError, match="is not TOML"):
        read_recipe(tmp_path / "broken.toml")


def test_a_packaged_recipe_is_found_by_its_name_from_any_folder_and_a_file_of_the_same_name_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mathqa").mkdir()  # a folder is not a recipe
    for name in ("mathqa", "mathqa.toml", "recipes/mathqa.toml"):
        assert read_recipe(Path(name)) == read_recipe(PACKAGED / "mathqa.toml")
    assert read_recipe(Path("paper/mathqa")).name == "mathqa-paper"
    (tmp_path / "mathqa.toml").write_text('name = "mine"', encoding="utf-8")
    assert read_recipe(Path("mathqa.toml")).name == "mine"


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_recipe_can_be_read_names_data_that_exist_and_gives_its_reasons(path: Path) -> None:
    recipe = read_recipe(path)
    assert recipe.name == (path.stem if path.parent == PACKAGED else f"{path.stem}-{path.parent.name}")
    for source in (*recipe.data.train, *recipe.data.dev, *recipe.data.test, *recipe.data.extra, *recipe.data.exclude):
        name, _, split = split_count(source)[0].partition(":")
        assert split in data_set(name).splits
    assert recipe.data.dev or recipe.data.dev_part, "nothing to choose the best epoch by"
    settings = [line for line in path.read_text(encoding="utf-8").splitlines() if re.match(r"\w+ *=", line)]
    assert settings
    assert not [line for line in settings if not re.search("#.{6}", line)], "a setting without a reason"


@pytest.mark.parametrize("path", LANGUAGE_MODELS, ids=lambda path: path.stem)
def test_every_language_model_can_be_read_and_gives_its_reasons(path: Path) -> None:
    assert language_model(path) is not None
    settings = [line for line in path.read_text(encoding="utf-8").splitlines() if re.match(r"\w+ *=", line)]
    assert not [line for line in settings if not re.search("#.{6}", line)], "a setting without a reason"


def test_a_recipe_that_an_older_version_wrote_is_still_the_same_one() -> None:
    recipe = recipe_from({"name": "mine", "data": {"train": ["a.jsonl"]}, "model": {"queries": 3}})
    stored = json.loads(json.dumps(recipe.to_dict()))
    del stored["training"]["compile"]
    stored["training"]["decay"] = "linear"  # the other way to decay was removed
    stored["data"]["least_constant"] = stored["data"].pop("min_constant")  # as it was called
    assert same_recipe(recipe, stored)
    assert not same_recipe(recipe, {**stored, "name": "another"})
    assert not same_recipe(recipe, {**stored, "training": {**stored["training"], "beta2": 0.98}})
    assert not same_recipe(recipe, {**stored, "spoons": 3})  # of a newer one


@pytest.mark.parametrize("size", [65_537, 10**9, 10**30, 0, -4])
def test_an_absurd_batch_size_is_refused_by_name(tmp_path: Path, size: int) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text("", encoding="utf-8")
    with pytest.raises(RecipeError, match=rf"training\.batch_size is {size}; it must be at (least 1|most 65536)$"):
        read_recipe(path, [f"training.batch_size={size}"])
